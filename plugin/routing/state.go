package routing

import (
	"cmp"

	"github.com/steerdns/steer/plugin/record"
)

// State is how a group answers at the moment: by which rule and, of a failover group, from
// which tier.
type State struct {
	Rule     Reason
	Degraded bool   // the group has a better state
	Tier     uint16 // of [LaterTier]: the tier, from 3; 0 otherwise
}

// String is the word of logs and metrics: a rule's, or "tier 3".
func (s State) String() string {
	if s.Rule == LaterTier {
		return record.TierName(s.Tier)
	}
	return s.Rule.String()
}

// alike reports whether a group answers the same way in both states.
func (s State) alike(o State) bool { return s.Rule == o.Rule && s.Tier == o.Tier }

// compare orders states: the later one is worse. A state that is the best of its group comes
// before all degraded ones, since a reload can change a group's policy.
func (s State) compare(o State) int {
	if s.Degraded != o.Degraded {
		if o.Degraded {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(s.Rule, o.Rule), cmp.Compare(s.Tier, o.Tier))
}

// rules are the rules that a group of each policy can answer by, except LaterTier.
var rules = [...][]Reason{
	record.Simple:     {Simple},
	record.Weighted:   {Weighted, ZeroWeight, LastResort},
	record.Failover:   {Primary, Secondary, LastResort},
	record.Multivalue: {Multivalue, LastResort},
	record.Balanced:   {Balanced, ZoneOut, LastResort},
}

// census counts the groups by state. Every change of a group updates it, so that a scrape
// costs no more than what it reads.
type census struct {
	policies [len(rules)]int
	rules    [Reasons]int
	tiers    map[uint16]int   // of the groups with LaterTier
	degraded [Reasons][]int32 // groups that are not in their best state, by rule
}

// state returns the state that a group's current Selection is.
func (n *node) state() State {
	s := State{Rule: n.current.rule}
	switch s.Rule {
	case ZeroWeight, ZoneOut, LastResort:
		s.Degraded = true
	case Secondary, LaterTier:
		tier := n.current.leaf.set.Tier
		if s.Rule == LaterTier {
			s.Tier = tier
		}
		for i := range n.group.Records { // imported groups may begin with a secondary
			s.Degraded = s.Degraded || n.group.Records[i].Tier < tier
		}
	}
	return s
}

// file counts a group under its current state, and notes how it came there if somebody
// wants to know.
func (t *Table) file(i int32) {
	n := &t.groups[i]
	was, now, starts := n.filed, n.state(), !n.isFiled
	if starts || was != now || n.policy != n.group.Policy {
		t.unfile(i)
		t.enter(i, now)
	}
	if t.tell != nil && n.policy != record.Balanced { // load balancers are told by zone
		t.note(i, was, now, starts)
	}
}

// enter counts a group.
func (t *Table) enter(i int32, s State) {
	n := &t.groups[i]
	n.filed, n.policy, n.isFiled = s, n.group.Policy, true
	t.census.policies[n.policy]++
	t.census.rules[s.Rule]++
	if s.Rule == LaterTier {
		if t.census.tiers == nil {
			t.census.tiers = make(map[uint16]int)
		}
		t.census.tiers[s.Tier]++
	}
	if s.Degraded {
		n.place = int32(len(t.census.degraded[s.Rule]))
		t.census.degraded[s.Rule] = append(t.census.degraded[s.Rule], i)
	}
}

// unfile undoes what file did.
func (t *Table) unfile(i int32) {
	n := &t.groups[i]
	if !n.isFiled {
		return
	}
	n.isFiled = false // filed is of no meaning then
	t.census.policies[n.policy]--
	t.census.rules[n.filed.Rule]--
	if n.filed.Rule == LaterTier {
		if t.census.tiers[n.filed.Tier]--; t.census.tiers[n.filed.Tier] == 0 {
			delete(t.census.tiers, n.filed.Tier)
		}
	}
	if n.filed.Degraded {
		list := t.census.degraded[n.filed.Rule]
		last := list[len(list)-1]
		list[n.place] = last
		t.groups[last].place = n.place
		t.census.degraded[n.filed.Rule] = list[:len(list)-1]
	}
}

// States calls f with each state that groups of the policies in use can be in, and how many
// are. Tiers after the second come only when a group answers from them.
func (t *Table) States(f func(s State, groups int)) {
	var possible [Reasons]bool
	for policy, n := range t.census.policies {
		for _, r := range rules[policy] {
			possible[r] = possible[r] || n > 0
		}
	}
	for r, n := range t.census.rules {
		if Reason(r) != LaterTier && (possible[r] || n > 0) {
			f(State{Rule: Reason(r)}, n)
		}
	}
	for tier, n := range t.census.tiers {
		f(State{Rule: LaterTier, Tier: tier}, n)
	}
}

// Degraded returns how many groups are not in their best state, by the rule that they
// answer by.
func (t *Table) Degraded() [Reasons]int {
	var n [Reasons]int
	for r, list := range t.census.degraded {
		n[r] = len(list)
	}
	return n
}

// EachDegraded calls f with groups that are not in their best state and answer by a rule,
// most at most. As long as the first groups stay degraded, they are the same each time.
func (t *Table) EachDegraded(rule Reason, most int, f func(g *record.Group, s State)) {
	for _, i := range t.census.degraded[rule] {
		if most--; most < 0 {
			return
		}
		f(t.groups[i].group, t.groups[i].filed)
	}
}
