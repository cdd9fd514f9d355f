package routing

import (
	"math/bits"
	"slices"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/internal/arena"
	"github.com/steerdns/steer/plugin/record"
)

// compile works out what a group answers and whether it is healthy. It returns the
// current Selection when that is still right, and the one before it when that is right
// again: health that goes back and forth makes no garbage, which would cost queries more
// than the compilation does.
func (t *Table) compile(n *node) (*Selection, bool) {
	if n.group.Balancer != nil {
		return t.compileBalancer(n)
	}
	group := t.candidates[:0]
	for i := range n.group.Records {
		r := &n.group.Records[i]
		group = append(group, candidate{index: int32(i), healthy: t.healthy(n, i), weight: r.Weight, tier: r.Tier})
	}
	t.candidates = group // keep what it grew to
	healthy := anyHealthy(group)
	in, rule := eligible(n.group.Policy, group)
	for _, s := range []*Selection{n.current, n.previous} {
		if t.same(n, s, in, rule) {
			return s, healthy
		}
	}
	s := t.alloc.selections.New()
	s.rule = rule
	if len(in) == 1 && n.group.Policy != record.Multivalue {
		s.leaf = t.leaf(n, in[0])
		return s, healthy
	}
	s.table = t.table(n, in)
	return s, healthy
}

// healthy reports whether a record set is healthy: by its own check, and by its target's
// health if it evaluates that.
//
// Source: Route 53 Developer Guide, "How Amazon Route 53 chooses records when health
// checking is configured".
func (t *Table) healthy(n *node, i int) bool {
	r := &n.group.Records[i]
	if r.Check != record.NoCheck && t.checks[r.Check] != healthcheck.Healthy {
		return false
	}
	return r.Alias == nil || !r.Alias.EvaluateTargetHealth || t.targetHealthy(n.targets[i])
}

// targetHealthy reports whether what an alias points at is healthy.
func (t *Table) targetHealthy(to target) bool {
	switch to.kind {
	case groupTarget:
		return t.groups[to.index].healthy
	case externalTarget:
		return t.resolved[to.index]
	default:
		return false
	}
}

// leaf returns a record set as a query needs it.
func (t *Table) leaf(n *node, c candidate) Leaf {
	r := &n.group.Records[c.index]
	l := Leaf{set: r, values: slices.Clip(r.Values)}
	if r.Alias != nil {
		switch to := n.targets[c.index]; to.kind {
		case groupTarget:
			l.target = t.groups[to.index].current
		case externalTarget:
			l.external = t.externals[to.index]
		}
	}
	return l
}

// same reports whether a Selection of a group chooses among just these record sets, for
// the same reason, and what their aliases point at is current too.
func (t *Table) same(n *node, s *Selection, in []candidate, rule Reason) bool {
	if s == nil || s.rule != rule {
		return false
	}
	if s.table == nil {
		return len(in) == 1 && t.sameLeaf(n, &s.leaf, in[0])
	}
	if len(s.table.choices) != len(in) {
		return false
	}
	for i := range in {
		if !t.sameLeaf(n, &s.table.choices[i].leaf, in[i]) {
			return false
		}
	}
	return true
}

func (t *Table) sameLeaf(n *node, l *Leaf, c candidate) bool {
	now := t.leaf(n, c)
	return l.set == now.set && l.target == now.target
}

// table returns the choice among several record sets. Weights are exact: each choice
// has as many random numbers below the total as its weight says, or one each when all
// weights are 0.
func (t *Table) table(n *node, in []candidate) *table {
	tab := t.alloc.tables.New()
	tab.choices, tab.several = t.alloc.choices.Make(len(in)), n.group.Policy == record.Multivalue
	weighed := false
	for _, c := range in {
		weighed = weighed || c.weight > 0
	}
	for i, c := range in {
		share := uint64(1)
		if weighed {
			share = uint64(c.weight)
		}
		tab.total += share
		tab.choices[i] = choice{leaf: t.leaf(n, c), end: tab.total}
	}
	if !tab.several {
		tab.makeGuide(t.alloc.guides)
		return tab
	}
	for i := range tab.choices {
		tab.pool = append(tab.pool, tab.choices[i].leaf.values...)
	}
	tab.pool = slices.Clip(tab.pool)
	tab.total = samples(len(tab.pool))
	return tab
}

// makeGuide makes the index that leads a random number to its choice: the total is cut
// into at least as many equal parts as there are choices, and each part knows the first
// choice it meets. From there it is one or two steps, on the average, however many
// choices there are.
func (t *table) makeGuide(guides *arena.Of[uint32]) {
	if spare := bits.Len64(t.total-1) - bits.Len(uint(len(t.choices))); spare > 0 {
		t.shift = uint8(spare)
	}
	t.guide = guides.Make(int((t.total-1)>>t.shift) + 1)
	i := 0
	for part := range t.guide {
		for uint64(part)<<t.shift >= t.choices[i].end {
			i++
		}
		t.guide[part] = uint32(i)
	}
}
