package routing

import (
	"fmt"
	"slices"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// judge finds groups alike that begin with a record set which has no check, or do not.
type judge struct{}

func (judge) Remarks(*record.Catalog, []*record.Group) []string { return nil }

func (judge) Alike(_ *record.Catalog, now, before *record.Group) bool {
	unchecked := func(g *record.Group) bool { return g.Records[0].Check == record.NoCheck && g.Records[0].Alias == nil }
	return unchecked(now) == unchecked(before)
}

// TestEdit: checks and external targets keep a user, no alias is left to a group that goes,
// and a table that was edited is as one that is made anew. What is refused leaves no trace.
func TestEdit(t *testing.T) {
	const name, other, fresh = "www.example.", "other.example.", "new.example."
	toFree := alias("free.example.", none, false)
	one := func(name string, r record.RecordSet) *record.Group { return group(record.Simple, name, r) }
	www := func(records ...record.RecordSet) *record.Group { return group(record.Weighted, name, records...) }
	first, second, external := weight(1, plain(name, 0, 1)), weight(1, plain(name, 1, 2)), weight(1, alias("a.test.", none, true))
	tests := []struct {
		name string
		put  []*record.Group
		drop []string
		want bool
	}{
		{"the same again", []*record.Group{www(first, second, external)}, nil, true},
		{"a check that others use, too", []*record.Group{www(second, external)}, nil, false}, // 0 has no user then
		{"a check gets another user", []*record.Group{www(first, second, external), one("free.example.", plain("free.example.", 0, 4))}, nil, true},
		{"a check loses one of its users", []*record.Group{www(first, external)}, nil, true},
		{"a check gets its first user", []*record.Group{www(first, weight(1, plain(name, 2, 2)), external)}, nil, true},
		{"an external target loses its only user", []*record.Group{www(first, second)}, nil, false},
		{"another group uses the external target", []*record.Group{www(first, second), one(other, external)}, nil, true},
		{"another external target", []*record.Group{www(first, second, external, weight(1, alias("b.test.", none, true)))}, nil, false},

		{"a group goes", nil, []string{"free.example."}, true},
		{"the only user of a check goes", nil, []string{name}, false},
		{"one of two users goes", nil, []string{other}, true},
		{"the only users go, and one comes", []*record.Group{one(fresh, plain(fresh, 1, 5))}, []string{other}, true},
		{"the target of an alias goes", nil, []string{"target.example."}, false},
		{"the target and its alias go", nil, []string{"target.example.", "alias.example."}, true},
		{"the target goes, and the alias leads elsewhere", []*record.Group{one("alias.example.", toFree)}, []string{"target.example."}, true},
		{"the target goes, and the alias leads to a new one", []*record.Group{one("alias.example.", alias(fresh, none, true)), one(fresh, plain(fresh, 1, 5))}, []string{"target.example."}, true},
		{"a new alias to a new name", []*record.Group{one("a."+fresh, alias(fresh, none, true)), one(fresh, plain(fresh, 1, 5))}, nil, true},
		{"a target becomes an alias", []*record.Group{one("target.example.", alias(other, none, true))}, nil, true},
		{"a target is unchecked", []*record.Group{one("target.example.", plain("target.example.", none, 6))}, nil, false}, // a warning of the alias
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := catalog(t, 3,
				www(first, second, external),
				one(other, plain(other, 1, 3)),
				one("free.example.", plain("free.example.", none, 4)),
				one("target.example.", plain("target.example.", 1, 6)),
				one("alias.example.", alias("target.example.", none, true)))
			c.Judge = judge{}
			tab := NewTable(c, statuses("hhh"))
			published := make(map[int]*Selection)
			edit := func(changes []record.Change) bool {
				return c.Edit(changes, func() bool {
					return tab.Edit(changes, func(i int, s *Selection) { published[i] = s })
				})
			}
			var changes, back []record.Change
			for _, g := range test.put {
				old := c.Groups[g.Key]
				changes = append(changes, record.Change{Old: old, New: g})
				back = append(back, record.Change{Old: g, New: old})
			}
			for _, name := range test.drop {
				old := c.Groups[record.Key{Name: name, Type: dns.TypeA}]
				changes = append(changes, record.Change{Old: old})
				back = append(back, record.Change{New: old})
			}
			if got := edit(changes); got != test.want {
				t.Fatalf("edited: %t, want %t", got, test.want)
			}
			for _, g := range test.put {
				_, s, _ := tab.Group(int(g.Ordinal))
				if test.want && published[int(g.Ordinal)] != s {
					t.Errorf("%s is not published", g.Key)
				}
			}
			if !test.want && len(published) > 0 {
				t.Errorf("published %v", published)
			}
			sameTable(t, tab, c)
			for _, ch := range changes {
				if n := tab.groups[ch.Ordinal()]; test.want && (n.previous != nil || ch.New == nil && n.current != nil) {
					t.Errorf("%s: what was before is kept", ch.Key())
				}
			}
			if test.want && edit(back) {
				sameTable(t, tab, c)
			}
		})
	}
}

// sameTable compares a table with one that is made anew, down to who is told of what.
func sameTable(t *testing.T, tab *Table, c *record.Catalog) {
	t.Helper()
	again := NewTable(c, statuses("hhh"))
	same := func(a, b []int32) bool {
		return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
	}
	for k, g := range c.Groups {
		n, want := tab.groups[g.Ordinal], again.groups[g.Ordinal]
		if n.group != g || n.rank != want.rank || n.healthy != want.healthy || !same(n.parents, want.parents) || !slices.Equal(n.targets, want.targets) {
			t.Errorf("%s: %+v, want %+v", k, n, want)
		}
	}
	for i := range tab.byCheck {
		if !same(tab.byCheck[i], again.byCheck[i]) {
			t.Errorf("check %d is used by %v, want %v", i, tab.byCheck[i], again.byCheck[i])
		}
	}
	for i := range tab.byExternal {
		if len(tab.byExternal[i]) == 0 {
			t.Errorf("external target %d is used by nobody", i)
		}
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
		{"one above and one less below", []*record.Group{end(last - 1), to(101, 100), to(100, 0)}, true},
		{"one below", []*record.Group{to(last, 200)}, true},
		{"two below", []*record.Group{to(last, 201), to(201, 200)}, false},
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
			var changes []record.Change
			for _, g := range test.put {
				changes = append(changes, record.Change{Old: c.Groups[g.Key], New: g})
			}
			if got := c.Edit(changes, func() bool { return tab.Edit(changes, func(int, *Selection) {}) }); got != test.want {
				t.Errorf("edited: %t, want %t", got, test.want)
			}
			if problems := c.Validate(); len(problems) > 0 {
				t.Errorf("after it: %v", problems)
			}
			sameTable(t, tab, c)
		})
	}
}
