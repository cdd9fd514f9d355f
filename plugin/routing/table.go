package routing

import (
	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// Table holds the groups of one catalog with their health and their current
// Selections. One goroutine at a time may use it; the Selections that it publishes may
// be read by any.
type Table struct {
	catalog   *record.Catalog
	groups    []node // by [record.Group.Ordinal]
	externals []*External
	external  map[record.Key]int32 // externals

	checks   []healthcheck.Status // by index into the catalog's Checks
	resolved []bool               // by index into externals: healthy

	byCheck    [][]int32 // groups with a record set that has the check
	byExternal [][]int32 // groups with an alias to the external target

	dirty  [][]int32 // groups to be looked at, by rank
	marked []bool    // groups in dirty

	candidates []candidate // scratch
	alloc      allocators

	balances map[*record.LoadBalancer]Balance

	census census
	tell   func(Transition) // nil: nobody listens
	moves  moves            // what is to be told at the end of an Update
	news   news             // what changed in it
}

// node is a group in the graph of aliases.
type node struct {
	group    *record.Group
	current  *Selection
	previous *Selection // before current; nil until then

	filed   State         // in the census, if isFiled
	place   int32         // in the census, when degraded
	rank    int32         // 0 without aliases, else one more than the greatest rank of the targets
	policy  record.Policy // in the census
	isFiled bool
	healthy bool // at least one record set is healthy

	targets []target // by record set; nil when the group has no aliases
	parents []int32  // groups with an alias to this one
}

// target is what one record set's alias points at.
type target struct {
	kind  targetKind
	index int32 // into groups or externals
}

type targetKind uint8

const (
	noTarget       targetKind = iota // no alias
	groupTarget                      // a group of the catalog
	externalTarget                   // a name resolved through the server
	missingTarget                    // nothing: unhealthy if evaluated, answers NODATA
)

// NewTable builds the graph of a validated catalog and compiles every group. checks
// holds the statuses of the catalog's Checks, external targets count as healthy.
func NewTable(c *record.Catalog, checks []healthcheck.Status) *Table {
	t := &Table{
		catalog:  c,
		groups:   make([]node, len(c.Order)),
		checks:   append([]healthcheck.Status(nil), checks...),
		byCheck:  make([][]int32, len(c.Checks)),
		dirty:    make([][]int32, 1),
		marked:   make([]bool, len(c.Order)),
		balances: make(map[*record.LoadBalancer]Balance),
		external: make(map[record.Key]int32),
		alloc:    newAllocators(),
	}
	for g := range c.All() {
		t.add(g)
	}
	t.alloc = allocators{}
	return t
}

// add enters a group, after the groups that its aliases point at, and compiles it. The
// catalog is validated, so there are no cycles, and [record.MaxAliases] bounds the depth.
func (t *Table) add(g *record.Group) {
	n := &t.groups[g.Ordinal]
	if n.group != nil {
		return
	}
	n.group = g
	n.targets = t.targets(g, func(k record.Key, to *record.Group) target {
		if to != nil {
			t.add(to)
			return target{groupTarget, to.Ordinal}
		}
		i, ok := t.external[k]
		if !ok {
			i = int32(len(t.externals))
			t.external[k] = i
			t.externals = append(t.externals, &External{Key: k})
			t.resolved = append(t.resolved, true)
			t.byExternal = append(t.byExternal, nil)
		}
		return target{externalTarget, i}
	})
	t.rank(n)
	t.link(g.Ordinal)
	n.current, n.healthy = t.compile(n)
	t.file(g.Ordinal)
}

// targets returns what the aliases of a group point at. find gives the target for a group
// or, where that is nil, for a name that is held elsewhere.
func (t *Table) targets(g *record.Group, find func(k record.Key, to *record.Group) target) []target {
	var targets []target
	for i := range g.Records {
		r := &g.Records[i]
		if r.Alias == nil {
			continue
		}
		if targets == nil {
			targets = t.alloc.targets.Make(len(g.Records))
		}
		switch to, held := t.catalog.Target(r.Alias.Name, g.Type); held {
		case record.Here, record.Elsewhere:
			targets[i] = find(record.Key{Name: r.Alias.Name, Type: g.Type}, to)
		default:
			targets[i] = target{kind: missingTarget}
		}
	}
	return targets
}

// rank ranks a group after its targets, and reports whether that is new.
func (t *Table) rank(n *node) bool {
	rank := int32(0)
	for _, to := range n.targets {
		if to.kind == groupTarget {
			rank = max(rank, t.groups[to.index].rank+1)
		}
	}
	for int(rank) >= len(t.dirty) {
		t.dirty = append(t.dirty, nil)
	}
	before := n.rank
	n.rank = rank
	return rank != before
}

// link enters a group into the lists of those who must be told of changes.
func (t *Table) link(self int32) {
	enter := func(list *[]int32) { *list = t.appendOnce(*list, self) }
	t.eachSource(&t.groups[self], enter)
	t.eachChild(&t.groups[self], enter)
}

// eachSource calls f with the list of each check and external target that a group needs
// to know of, perhaps more than once.
func (t *Table) eachSource(n *node, f func(list *[]int32)) {
	for i := range n.group.Records {
		if c := n.group.Records[i].Check; c != record.NoCheck {
			f(&t.byCheck[c])
		}
	}
	if lb := n.group.Balancer; lb != nil {
		for i := range lb.Groups {
			for _, to := range lb.Groups[i].Targets {
				f(&t.byCheck[to.Check])
			}
		}
	}
	for _, to := range n.targets {
		if to.kind == externalTarget {
			f(&t.byExternal[to.index])
		}
	}
}

// eachChild calls f with the list of parents of each group that a group's aliases point
// at, perhaps more than once.
func (t *Table) eachChild(n *node, f func(list *[]int32)) {
	for _, to := range n.targets {
		if to.kind == groupTarget {
			f(&t.groups[to.index].parents)
		}
	}
}

// appendOnce appends v unless it is the last entry: each group links itself in one go.
func (t *Table) appendOnce(list []int32, v int32) []int32 {
	if n := len(list); n > 0 && list[n-1] == v {
		return list
	}
	return t.alloc.lists.Append(list, v)
}

// Len returns the number of groups.
func (t *Table) Len() int { return len(t.groups) }

// Group returns the group of an Ordinal, its current Selection, and whether it is healthy, as an
// alias that evaluates it sees it.
func (t *Table) Group(i int) (g *record.Group, s *Selection, healthy bool) {
	n := &t.groups[i]
	return n.group, n.current, n.healthy
}

// Externals returns the targets that are held elsewhere.
func (t *Table) Externals() []*External { return t.externals }

// ExternalChange says that the target at an index of [Table.Externals] is healthy or
// not: whether its last resolution gave records.
type ExternalChange struct {
	External int
	Healthy  bool
}

// Update takes changes of health and compiles the groups that they touch, in an order
// that has every group after those its aliases point at. It calls publish with each
// group whose Selection is new, and tells who listens of those that moved. The cost is
// that of the groups touched.
func (t *Table) Update(checks []healthcheck.Change, externals []ExternalChange, publish func(group int, s *Selection)) {
	for _, c := range checks {
		if t.checks[c.Check] == c.Status {
			continue
		}
		t.checks[c.Check] = c.Status
		t.changed(&t.news.checks, int32(c.Check))
		t.mark(t.byCheck[c.Check])
	}
	for _, c := range externals {
		if t.resolved[c.External] == c.Healthy {
			continue
		}
		t.resolved[c.External] = c.Healthy
		t.changed(&t.news.externals, int32(c.External))
		t.mark(t.byExternal[c.External])
	}
	t.settle(publish)
	t.report()
}

// settle compiles the groups that are marked, and in turn those that see them change.
func (t *Table) settle(publish func(group int, s *Selection)) {
	for rank := range t.dirty {
		for _, i := range t.dirty[rank] {
			t.marked[i] = false
			n := &t.groups[i]
			s, healthy := t.compile(n)
			if s == n.current && healthy == n.healthy {
				continue
			}
			if s != n.current {
				publish(int(i), s)
				n.current, n.previous = s, n.current
				if s.rule != n.filed.Rule || s.rule == LaterTier {
					t.file(i)
				}
			}
			if healthy != n.healthy {
				n.healthy = healthy
				t.changed(&t.news.groups, i)
			}
			t.mark(n.parents)
		}
		t.dirty[rank] = t.dirty[rank][:0]
	}
}

// mark enters groups into the work of an Update.
func (t *Table) mark(groups []int32) {
	for _, i := range groups {
		if !t.marked[i] {
			t.marked[i] = true
			rank := t.groups[i].rank
			t.dirty[rank] = append(t.dirty[rank], i)
		}
	}
}
