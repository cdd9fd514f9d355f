package routing

import (
	"maps"
	"slices"
	"testing"

	"github.com/steerdns/steer/plugin/record"
)

// checkCensus counts all groups anew and compares that with what is kept up.
func checkCensus(t *testing.T, tab *Table) {
	t.Helper()
	states, degraded := map[string]int{}, map[Reason]map[record.Key]string{}
	for i := range tab.groups {
		n := &tab.groups[i]
		if n.group == nil {
			continue
		}
		s := n.state()
		states[s.String()]++
		if s.Degraded {
			if degraded[s.Rule] == nil {
				degraded[s.Rule] = map[record.Key]string{}
			}
			degraded[s.Rule][n.group.Key] = s.String()
		}
	}
	got := map[string]int{}
	tab.States(func(s State, n int) {
		if n > 0 {
			got[s.String()] = n
		}
	})
	if !maps.Equal(got, states) {
		t.Fatalf("groups by state: %v, want %v", got, states)
	}
	for r, n := range tab.Degraded() {
		list := map[record.Key]string{}
		tab.EachDegraded(Reason(r), 1<<30, func(g *record.Group, s State) { list[g.Key] = s.String() })
		if n != len(degraded[Reason(r)]) || !maps.Equal(list, degraded[Reason(r)]) {
			t.Fatalf("%s: %d degraded, %v, want %v", Reason(r), n, list, degraded[Reason(r)])
		}
	}
}

// TestStates: the states that are told are those of the policies in use, at 0 as well, so
// that a series does not come and go with health.
func TestStates(t *testing.T) {
	const www = "www.example."
	tests := []struct {
		group *record.Group
		want  []string
	}{
		{group(record.Simple, www, plain(www, 0, 1)), []string{"simple"}},
		{group(record.Weighted, www, weight(1, plain(www, 0, 1))), []string{"last-resort", "weighted", "zero-weight"}},
		{group(record.Multivalue, www, plain(www, 0, 1)), []string{"last-resort", "multivalue"}},
		{group(record.Failover, www, tier(1, plain(www, 0, 1)), tier(2, plain(www, 1, 2)), tier(3, plain(www, none, 3))), []string{"last-resort", "primary", "secondary"}},
	}
	for _, test := range tests {
		tab := NewTable(catalog(t, 2, test.group), statuses("hh"))
		states := func() []string {
			var list []string
			tab.States(func(s State, _ int) { list = append(list, s.String()) })
			slices.Sort(list)
			return list
		}
		if got := states(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.group.Policy, got, test.want)
		}
		flip(tab, "uu")
		if test.group.Policy == record.Failover {
			test.want = append(test.want, "tier 3")
		}
		if got := states(); !slices.Equal(got, test.want) {
			t.Errorf("%s, all unhealthy: %q, want %q", test.group.Policy, got, test.want)
		}
		checkCensus(t, tab)
	}
}

// TestEachDegraded: not more than asked for.
func TestEachDegraded(t *testing.T) {
	var groups []*record.Group
	for _, name := range []string{"a.example.", "b.example.", "c.example."} {
		groups = append(groups, group(record.Multivalue, name, plain(name, 0, 1)))
	}
	tab := NewTable(catalog(t, 1, groups...), statuses("u"))
	for most := range 5 {
		n := 0
		tab.EachDegraded(LastResort, most, func(*record.Group, State) { n++ })
		if n != min(most, 3) {
			t.Errorf("%d groups of 3, want %d at most", n, most)
		}
	}
}
