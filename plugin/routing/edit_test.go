package routing

import (
	"fmt"
	"slices"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// TestEditUsers: what the checks and external targets are used by may change, but not
// whether anything uses them: somebody has to begin or end probing and resolving those.
func TestEditUsers(t *testing.T) {
	external := func(name string) record.RecordSet { return alias(name, none, true) }
	tests := []struct {
		name string
		now  []record.RecordSet // of www, which had checks 0 and 1 and an alias to a.test
		want bool
	}{
		{"as it was", []record.RecordSet{weight(1, plain("www.example.", 0, 1)), weight(1, plain("www.example.", 1, 2)), weight(1, external("a.test."))}, true},
		{"a check that others use, too", []record.RecordSet{weight(1, plain("www.example.", 1, 2)), weight(1, external("a.test."))}, true},
		{"its only user goes", []record.RecordSet{weight(1, plain("www.example.", 0, 1)), weight(1, external("a.test."))}, false},
		{"a first user", []record.RecordSet{weight(1, plain("www.example.", 2, 1)), weight(1, plain("www.example.", 1, 2)), weight(1, external("a.test."))}, false},
		{"another one of two uses", []record.RecordSet{weight(1, plain("www.example.", 1, 1)), weight(1, plain("www.example.", 1, 2)), weight(1, external("a.test."))}, true},
		{"an external target goes", []record.RecordSet{weight(1, plain("www.example.", 1, 1))}, false},
		{"another external target", []record.RecordSet{weight(1, plain("www.example.", 1, 1)), weight(1, external("a.test.")), weight(1, external("b.test."))}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := catalog(t, 3, group(record.Weighted, "www.example.", tests[0].now...), group(record.Simple, "other.example.", plain("other.example.", 0, 9)))
			tab := NewTable(c, statuses("hhh"))
			before, _ := selected(t, tab, "www.example.")
			g := group(record.Weighted, "www.example.", slices.Clone(test.now)...)
			published := 0
			got := c.Edit(record.Edit{Put: []*record.Group{g}}, func(_, _ []record.Problem) bool {
				return tab.Edit([]*record.Group{g}, nil, func(int, *Selection) { published++ })
			})
			if got != test.want {
				t.Fatalf("replaced: %t, want %t", got, test.want)
			}
			after, _ := selected(t, tab, "www.example.")
			if held := c.Groups[g.Key] == g && c.Order[c.Groups[g.Key].Ordinal] == g; held != test.want || (after != before) != test.want || (published == 1) != test.want {
				t.Errorf("in the catalog: %t, another selection: %t, %d published; want all or nothing", held, after != before, published)
			}
		})
	}
}

// TestEditDrops: a group that goes takes its place with it, which another one may get, and
// nothing that it alone used may be left running; nor may an alias be left to it.
func TestEditDrops(t *testing.T) {
	const name, new = "www.example.", "new.example."
	fresh := func(check int32) *record.Group { return group(record.Simple, new, plain(new, check, 5)) }
	tests := []struct {
		name string
		put  []*record.Group
		drop []string
		want bool
	}{
		{"one that uses nothing", nil, []string{"free.example."}, true},
		{"the only user of a check", nil, []string{name}, false},
		{"the only user of a check, for another one", []*record.Group{fresh(0)}, []string{name}, true},
		{"the only user of a check, for one that uses none", []*record.Group{fresh(none)}, []string{name}, false},
		{"one of two users", nil, []string{"one.example."}, true},
		{"one of two users, for one that uses none", []*record.Group{fresh(none)}, []string{"one.example."}, true},
		{"both users", nil, []string{"one.example.", "two.example."}, false},
		{"both users, for one", []*record.Group{fresh(1)}, []string{"one.example.", "two.example."}, true},
		{"the target of an alias", nil, []string{"target.example."}, false},
		{"the target and its alias", nil, []string{"target.example.", "alias.example."}, true},
		{"the target, and the alias leads elsewhere", []*record.Group{group(record.Simple, "alias.example.", alias("free.example.", none, true))}, []string{"target.example."}, true},
		{"the target, and the alias leads to a new one", []*record.Group{group(record.Simple, "alias.example.", alias(new, none, true)), fresh(1)}, []string{"target.example."}, true},
		{"the target, and a new one that the alias leads to", []*record.Group{fresh(1), group(record.Simple, "alias.example.", alias(new, none, true))}, []string{"target.example."}, true},
		{"a new alias to a new name", []*record.Group{fresh(1), group(record.Simple, "a.new.example.", alias(new, none, true))}, nil, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := catalog(t, 2,
				group(record.Simple, name, plain(name, 0, 1)),
				group(record.Simple, "one.example.", plain("one.example.", 1, 2)),
				group(record.Simple, "two.example.", plain("two.example.", 1, 3)),
				group(record.Simple, "free.example.", plain("free.example.", none, 4)),
				group(record.Simple, "target.example.", plain("target.example.", none, 6)),
				group(record.Simple, "alias.example.", alias("target.example.", none, true)))
			for i := range c.Groups {
				g := c.Groups[i]
				for k := range g.Records {
					g.Records[k].Imported = true
				}
			}
			tab := NewTable(c, statuses("hh"))
			e := record.Edit{Put: test.put}
			var dropped []*record.Group
			for _, name := range test.drop {
				k := record.Key{Name: name, Type: dns.TypeA}
				e.Drop, dropped = append(e.Drop, k), append(dropped, c.Groups[k])
			}
			for _, g := range test.put {
				g.Records[0].Imported = true
			}
			if got := c.Edit(e, func(_, _ []record.Problem) bool { return tab.Edit(test.put, dropped, func(int, *Selection) {}) }); got != test.want {
				t.Fatalf("done: %t, want %t", got, test.want)
			}
			// What went comes again, perhaps to the same place.
			if len(dropped) == 1 && test.put == nil && test.want {
				back := &record.Group{Key: dropped[0].Key, Policy: dropped[0].Policy, Records: slices.Clone(dropped[0].Records)}
				if !c.Edit(record.Edit{Put: []*record.Group{back}}, func(_, _ []record.Problem) bool {
					return tab.Edit([]*record.Group{back}, nil, func(int, *Selection) {})
				}) {
					t.Fatal("does not come again")
				}
			}
			// The table is as one that is made anew, down to who is told of what.
			again := NewTable(c, statuses("hh"))
			for k, g := range c.Groups {
				n, want := tab.groups[g.Ordinal], again.groups[g.Ordinal]
				if n.group != g || n.rank != want.rank || len(n.parents) != len(want.parents) || !slices.Equal(n.targets, want.targets) {
					t.Errorf("%s: %+v, want %+v", k, n, want)
				}
			}
			for i := range tab.byCheck {
				got, want := slices.Sorted(slices.Values(tab.byCheck[i])), slices.Sorted(slices.Values(again.byCheck[i]))
				if !slices.Equal(got, want) {
					t.Errorf("check %d is used by %v, want %v", i, got, want)
				}
			}
		})
	}
}

// TestBackAndForth: health that changes and changes back makes no garbage, whether or not
// there are aliases on the way.
func TestBackAndForth(t *testing.T) {
	c := catalog(t, 6, tree(true)...)
	tab := NewTable(c, statuses("hhhhhh"))
	www := c.Groups[record.Key{Name: "www.example.", Type: dns.TypeA}].Ordinal
	var now *Selection
	publish := func(i int, s *Selection) {
		if i == int(www) {
			now = s
		}
	}
	flip := func(s healthcheck.Status) { tab.Update([]healthcheck.Change{{Check: 0, Status: s}}, nil, publish) }
	flip(healthcheck.Unhealthy)
	down := now
	flip(healthcheck.Healthy)
	up := now
	changes := []healthcheck.Change{{Check: 0}}
	if n := testing.AllocsPerRun(100, func() {
		for _, s := range []healthcheck.Status{healthcheck.Unhealthy, healthcheck.Healthy} {
			changes[0].Status = s
			tab.Update(changes, nil, publish)
			if want := map[healthcheck.Status]*Selection{healthcheck.Healthy: up, healthcheck.Unhealthy: down}[s]; now != want {
				t.Fatalf("another selection when %s", s)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations for one change and back", n)
	}
	if got, want := oddsOf(down, values).String(), "192.0.2.2 1/3; 192.0.2.3 2/3"; got != want {
		t.Errorf("down answers %s, want %s", got, want)
	}
}

// TestEditDepth: an edit cannot make more aliases follow each other than a load accepts,
// whether it lengthens a chain above, below or in its middle.
func TestEditDepth(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("a%d.example.", i) }
	to := func(i, target int) *record.Group {
		return group(record.Simple, name(i), alias(name(target), none, false))
	}
	end := func(i int) *record.Group { return group(record.Simple, name(i), plain(name(i), none, 1)) }
	const last = record.MaxAliases - 1 // one alias more can follow
	tests := []struct {
		name string
		put  []*record.Group
		want bool
	}{
		{"one above", []*record.Group{to(100, 0)}, true},
		{"two above", []*record.Group{to(100, 0), to(101, 100)}, false},
		{"two above, the upper one first", []*record.Group{to(101, 100), to(100, 0)}, false},
		{"one below", []*record.Group{to(last, 200)}, true},
		{"two below", []*record.Group{to(last, 201), to(201, 200), end(202)}, false},
		{"one above and one below", []*record.Group{to(100, 0), to(last, 200)}, false},
		{"one above, and one less below", []*record.Group{to(101, 100), to(100, 0), end(last - 1)}, true},
		{"one in the middle", []*record.Group{to(10, 100), to(100, 11)}, true},
		{"two in the middle", []*record.Group{to(10, 100), to(100, 101), to(101, 11)}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var groups []*record.Group
			for i := range last {
				groups = append(groups, to(i, i+1))
			}
			c := catalog(t, 0, append(groups, end(last), end(200))...)
			tab := NewTable(c, nil)
			got := c.Edit(record.Edit{Put: test.put}, func(_, _ []record.Problem) bool {
				return tab.Edit(test.put, nil, func(int, *Selection) {})
			})
			if got != test.want {
				t.Errorf("edited: %t, want %t", got, test.want)
			}
			if problems := c.Validate(); len(problems) > 0 {
				t.Errorf("after it: %v", problems)
			}
		})
	}
}
