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

	checks   []healthcheck.Status // by index into the catalog's Checks
	resolved []bool               // by index into externals: healthy

	byCheck    [][]int32 // groups with a record set that has the check
	byExternal [][]int32 // groups with an alias to the external target

	dirty  [][]int32 // groups to be looked at, by rank
	marked []bool    // groups in dirty

	candidates []candidate // scratch

	balances map[*record.LoadBalancer]Balance

	// OnBalance is called by Update for each zone of a load balancer that leaves DNS or
	// returns to it. It may be nil.
	OnBalance func(Transition)
}

// node is a group in the graph of aliases.
type node struct {
	group   *record.Group
	targets []target // by record set; nil when the group has no aliases
	parents []int32  // groups with an alias to this one
	rank    int32    // 0 without aliases, else one more than the greatest rank of the targets
	healthy bool     // at least one record set is healthy
	current *Selection
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
	}
	b := &builder{Table: t, external: make(map[record.Key]int32)}
	for i, g := range c.Order {
		record.Breathe(i)
		b.add(g)
	}
	return t
}

// builder adds the groups of a catalog to a Table.
type builder struct {
	*Table
	external map[record.Key]int32
}

// add enters a group, after the groups that its aliases point at, and compiles it. The
// catalog is validated, so there are no cycles.
func (b *builder) add(g *record.Group) {
	n := &b.groups[g.Ordinal]
	if n.group != nil {
		return
	}
	n.group = g
	for i := range g.Records {
		r := &g.Records[i]
		if r.Alias == nil {
			continue
		}
		if n.targets == nil {
			n.targets = make([]target, len(g.Records))
		}
		n.targets[i] = b.target(record.Key{Name: r.Alias.Name, Type: g.Type})
		if n.targets[i].kind == groupTarget {
			n.rank = max(n.rank, b.groups[n.targets[i].index].rank+1)
		}
	}
	if int(n.rank) == len(b.dirty) {
		b.dirty = append(b.dirty, nil)
	}
	b.link(g.Ordinal)
	n.current, n.healthy = b.compile(n)
}

func (b *builder) target(k record.Key) target {
	switch g, held := b.catalog.Target(k.Name, k.Type); held {
	case record.Here:
		b.add(g)
		return target{groupTarget, g.Ordinal}
	case record.Elsewhere:
		i, ok := b.external[k]
		if !ok {
			i = int32(len(b.externals))
			b.external[k] = i
			b.externals = append(b.externals, &External{Key: k})
			b.resolved = append(b.resolved, true)
			b.byExternal = append(b.byExternal, nil)
		}
		return target{externalTarget, i}
	default:
		return target{kind: missingTarget}
	}
}

// link enters a group into the lists of those who must be told of changes.
func (b *builder) link(self int32) {
	n := &b.groups[self]
	for i := range n.group.Records {
		if c := n.group.Records[i].Check; c != record.NoCheck {
			b.byCheck[c] = appendOnce(b.byCheck[c], self)
		}
	}
	if lb := n.group.Balancer; lb != nil {
		for i := range lb.Groups {
			for _, t := range lb.Groups[i].Targets {
				b.byCheck[t.Check] = appendOnce(b.byCheck[t.Check], self)
			}
		}
	}
	for _, t := range n.targets {
		switch t.kind {
		case groupTarget:
			child := &b.groups[t.index]
			child.parents = appendOnce(child.parents, self)
		case externalTarget:
			b.byExternal[t.index] = appendOnce(b.byExternal[t.index], self)
		}
	}
}

// appendOnce appends v unless it is the last entry: each group links itself in one go.
func appendOnce(list []int32, v int32) []int32 {
	if n := len(list); n > 0 && list[n-1] == v {
		return list
	}
	return append(list, v)
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
// group whose Selection is new. The cost is that of the groups touched.
func (t *Table) Update(checks []healthcheck.Change, externals []ExternalChange, publish func(group int, s *Selection)) {
	for _, c := range checks {
		if t.checks[c.Check] == c.Status {
			continue
		}
		t.checks[c.Check] = c.Status
		t.mark(t.byCheck[c.Check])
	}
	for _, c := range externals {
		if t.resolved[c.External] == c.Healthy {
			continue
		}
		t.resolved[c.External] = c.Healthy
		t.mark(t.byExternal[c.External])
	}
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
			}
			n.current, n.healthy = s, healthy
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
