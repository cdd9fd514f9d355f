package routing

import (
	"iter"
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// What is here reads a Table and its Selections for those who explain them. No query comes
// by it.

// Rule returns the rule by which the group itself chooses. The reason of an answer is the
// greatest of the rules on its way.
func (s *Selection) Rule() Reason { return s.rule }

// Choice is a record set that a Selection may choose.
type Choice struct {
	Set      *record.RecordSet
	Share    uint64     // of the total that [Selection.Choices] returns
	Values   []dns.RR   // nil of an alias
	Target   *Selection // of an alias to a group
	External *External  // of an alias to a name held elsewhere
}

// Choices returns the record sets one of which is chosen, and the sum of their shares. A
// Selection that answers with several records at once has none: see [Selection.Draw].
func (s *Selection) Choices() (choices iter.Seq[Choice], total uint64) {
	switch {
	case s.balancer != nil || s.table != nil && s.table.several:
		return func(func(Choice) bool) {}, 0
	case s.table == nil:
		return func(yield func(Choice) bool) { yield(s.leaf.choice(1)) }, 1
	}
	return func(yield func(Choice) bool) {
		before := uint64(0)
		for i := range s.table.choices {
			c := &s.table.choices[i]
			if !yield(c.leaf.choice(c.end - before)) {
				return
			}
			before = c.end
		}
	}, s.table.total
}

func (l *Leaf) choice(share uint64) Choice {
	return Choice{l.set, share, l.values, l.target, l.external}
}

// Draw is how a Selection answers with several records at once.
type Draw struct {
	Always []dns.RR   // in every answer
	Pools  [][]dns.RR // each gives as many as the others on the average
	Drawn  int        // how many are drawn of all pools together
}

// Draw returns how several records are drawn, and false for a Selection that chooses one
// record set.
func (s *Selection) Draw() (Draw, bool) {
	switch {
	case s.balancer != nil:
		return Draw{s.balancer.always, s.balancer.pools, s.balancer.drawn}, true
	case s.table == nil || !s.table.several:
		return Draw{}, false
	case len(s.table.pool) <= MaxValues:
		return Draw{Always: s.table.pool}, true
	}
	return Draw{Pools: [][]dns.RR{s.table.pool}, Drawn: MaxValues}, true
}

// Eligible returns the indices of the record sets of a group, of which there are n, that
// may be answered, and the rule that says so. at tells what a policy looks at.
func Eligible(policy record.Policy, n int, at func(i int) (healthy bool, weight, tier uint16)) ([]int, Reason) {
	group := make([]candidate, n)
	for i := range group {
		c := &group[i]
		c.index = int32(i)
		c.healthy, c.weight, c.tier = at(i)
	}
	in, rule := eligible(policy, group)
	indices := make([]int, len(in))
	for i, c := range in {
		indices[i] = int(c.index)
	}
	return indices, rule
}

// EvaluateBalancer returns the state of a load balancer under a given health, and the rule of its
// answers.
func EvaluateBalancer(b *record.LoadBalancer, healthy func(check int32) bool) (Balance, Reason) {
	state := balance(b, healthy)
	return state, state.rule(b)
}

// Target is what the alias of a record set points at.
type Target struct {
	Kind     TargetKind
	Group    int // of a GroupTarget: its place in the table
	External int // of an ExternalTarget: its index in [Table.Externals]
}

// TargetKind says what an alias points at.
type TargetKind uint8

// What an alias may point at.
const (
	NoTarget       TargetKind = TargetKind(noTarget)       // there is no alias
	GroupTarget    TargetKind = TargetKind(groupTarget)    // a group of the catalog
	ExternalTarget TargetKind = TargetKind(externalTarget) // a name resolved through the server
	MissingTarget  TargetKind = TargetKind(missingTarget)  // nothing: unhealthy if evaluated, answers NODATA
)

// Target returns what a record set of a group points at.
func (t *Table) Target(group, set int) Target {
	n := &t.groups[group]
	if n.targets == nil {
		return Target{}
	}
	to := n.targets[set]
	switch to.kind {
	case groupTarget:
		return Target{Kind: GroupTarget, Group: int(to.index)}
	case externalTarget:
		return Target{Kind: ExternalTarget, External: int(to.index)}
	}
	return Target{Kind: TargetKind(to.kind)}
}

// Healthy reports whether a record set of a group is healthy.
func (t *Table) Healthy(group, set int) bool { return t.healthy(&t.groups[group], set) }

// Rank returns 0 for a group without aliases to others, else one more than the greatest
// rank among the groups that its aliases point at.
func (t *Table) Rank(group int) int { return int(t.groups[group].rank) }

// Above returns the groups with an alias to a group. It must not be changed, and holds
// until the next [Table.Edit].
func (t *Table) Above(group int) []int32 { return t.groups[group].parents }

// Users returns the groups with a record set or a target that has a check, perhaps one
// more than once. It must not be changed, and holds until the next [Table.Edit].
func (t *Table) Users(check int) []int32 { return t.byCheck[check] }

// ExternalUsers returns the groups with an alias to a target of [Table.Externals],
// likewise.
func (t *Table) ExternalUsers(external int) []int32 { return t.byExternal[external] }

// Status returns what a check says.
func (t *Table) Status(check int) healthcheck.Status { return t.checks[check] }

// ExternalHealthy reports whether a target of [Table.Externals] is healthy.
func (t *Table) ExternalHealthy(external int) bool { return t.resolved[external] }

// Balance returns the state of a load balancer, which must not be changed.
func (t *Table) Balance(b *record.LoadBalancer) Balance { return t.balances[b] }

// Catalog returns the catalog that the table was made of.
func (t *Table) Catalog() *record.Catalog { return t.catalog }

// Excerpt returns a Table of its own that holds a group, at place 0, and those that its
// aliases lead to, under the same health. It can be updated but not edited. A change of
// health costs what it touches there, however many groups use the same checks here.
func (t *Table) Excerpt(group int) *Table {
	x := &Table{
		catalog:   t.catalog,
		externals: t.externals,
		external:  t.external,
		checks:    slices.Clone(t.checks),
		resolved:  slices.Clone(t.resolved),
		byCheck:   make([][]int32, len(t.byCheck)), byExternal: make([][]int32, len(t.byExternal)),
		dirty:    make([][]int32, t.groups[group].rank+1),
		balances: make(map[*record.LoadBalancer]Balance),
	}
	places := map[int32]int32{int32(group): 0}
	order := []int32{int32(group)}
	for i := 0; i < len(order); i++ {
		n := t.groups[order[i]]
		n.parents, n.isFiled = nil, false
		n.targets = slices.Clone(n.targets)
		for j := range n.targets {
			to := &n.targets[j]
			if to.kind != groupTarget {
				continue
			}
			place, ok := places[to.index]
			if !ok {
				place = int32(len(order))
				places[to.index] = place
				order = append(order, to.index)
			}
			to.index = place
		}
		if b := n.group.Balancer; b != nil {
			x.balances[b] = t.balances[b]
		}
		x.groups = append(x.groups, n)
	}
	x.marked = make([]bool, len(x.groups))
	for i := range x.groups {
		x.link(int32(i))
		x.file(int32(i))
	}
	return x
}
