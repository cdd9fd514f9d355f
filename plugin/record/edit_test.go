package record

import (
	"maps"
	"testing"

	"github.com/miekg/dns"
)

// TestEdit: what something other than the groups of an edit could notice is refused, and
// leaves no trace.
func TestEdit(t *testing.T) {
	const org = ".example.org."
	txt := func(name string) Key { return Key{name + org, dns.TypeTXT} }
	held := func() *Catalog {
		c := newCatalog(t,
			imported(newGroup(10, Weighted, "web"+org, dns.TypeTXT, checked("a", 0), checked("b", 0))),
			imported(newGroup(20, Simple, "top"+org, dns.TypeTXT, evaluating("web"+org))),
			imported(newGroup(30, Simple, "side"+org, dns.TypeTXT, alias("other"+org))),
			newGroup(40, Simple, "other"+org, dns.TypeTXT, plainRecord("c")),
			imported(newGroup(50, Simple, "*.wild"+org, dns.TypeTXT, plainRecord("d"))),
			imported(newGroup(60, Simple, "loose"+org, dns.TypeTXT, alias("x.y.wild"+org))),
			imported(newGroup(70, Simple, "deep.in"+org, dns.TypeTXT, plainRecord("e"))),
			imported(newGroup(80, Simple, "cname"+org, dns.TypeCNAME, plainRecord("f"))),
			imported(newGroup(84, Simple, "one"+org, dns.TypeCNAME, value("CNAME", "two"+org))),
			imported(newGroup(86, Simple, "two"+org, dns.TypeCNAME, value("CNAME", "www.example.com."))),
			imported(newGroup(88, Simple, "old"+org, dns.TypeDNAME, value("DNAME", "example.com."))),
			imported(newGroup(90, Simple, "cut"+org, dns.TypeNS, plainRecord("g"))),
			imported(newGroup(95, Simple, "example.org.", dns.TypeTXT, plainRecord("h"))))
		if name, err := c.ResolveTarget("example.org.", "lb.other", dns.TypeTXT); name != "lb.other." || err != nil {
			t.Fatal(name, err)
		}
		if problems := c.Validate(); len(problems) > 0 {
			t.Fatal(problems)
		}
		return c
	}
	web := func(records ...RecordSet) *Group {
		return imported(newGroup(10, Weighted, "web"+org, dns.TypeTXT, records...))
	}
	simple := func(name string, typ uint16, record RecordSet) *Group {
		return imported(newGroup(10, Simple, name+org, typ, record))
	}
	one := plainRecord("x")
	tests := []struct {
		name string
		put  []*Group
		drop []Key
		want bool
	}{
		{"other values", []*Group{web(checked("x", 0), checked("y", 0), checked("z", 1))}, nil, true},
		{"a target that is not there", []*Group{simple("side", dns.TypeTXT, alias("gone"+org))}, nil, false}, // is reported,
		{"two at once", []*Group{web(checked("x", 0)), simple("top", dns.TypeTXT, checked("y", 0))}, nil, true},
		{"a group that cannot stand", []*Group{web()}, nil, false},
		{"an alias at itself", []*Group{web(alias("web" + org))}, nil, false},
		{"an alias cycle", []*Group{web(alias("top" + org))}, nil, false},
		{"a longer cycle, of two that are new", []*Group{web(alias("side" + org)), simple("side", dns.TypeTXT, alias("top"+org))}, nil, false},

		{"a new name", []*Group{simple("new", dns.TypeTXT, one)}, nil, true},
		{"a new name deep down", []*Group{simple("a.b.c", dns.TypeTXT, one)}, nil, true},
		{"a new type", []*Group{simple("web", dns.TypeA, one)}, nil, true},
		{"a new alias to a new name", []*Group{simple("new", dns.TypeTXT, alias("newer"+org)), simple("newer", dns.TypeTXT, one)}, nil, true},
		{"a name outside", []*Group{imported(newGroup(10, Simple, "web.example.com.", dns.TypeTXT, one))}, nil, false},
		{"a new CNAME", []*Group{simple("new", dns.TypeCNAME, one)}, nil, false},
		{"beside a CNAME", []*Group{simple("cname", dns.TypeTXT, one)}, nil, false},
		{"a CNAME leads elsewhere", []*Group{simple("two", dns.TypeCNAME, value("CNAME", "www.example.net."))}, nil, true},
		{"a CNAME loop", []*Group{simple("two", dns.TypeCNAME, value("CNAME", "one"+org))}, nil, false},
		{"below a DNAME", []*Group{simple("x.old", dns.TypeTXT, one)}, nil, false},
		{"a new delegation", []*Group{simple("new", dns.TypeNS, one)}, nil, false},
		{"below a delegation", []*Group{simple("a.cut", dns.TypeA, one)}, nil, false},
		{"a name below a wildcard's, which is a wildcard then", []*Group{simple("x.*.new", dns.TypeTXT, one)}, nil, false},
		{"the host of a check", []*Group{simple("www", dns.TypeTXT, one)}, nil, false},
		{"what an alias of the Corefile could have meant", []*Group{simple("lb.other", dns.TypeTXT, one)}, nil, false},
		{"a new wildcard", []*Group{simple("*.new", dns.TypeTXT, one)}, nil, false},
		{"a type at the apex", []*Group{imported(newGroup(10, Simple, "example.org.", dns.TypeA, one))}, nil, false},
		{"where an alias leads through a wildcard", []*Group{simple("x.y.wild", dns.TypeTXT, one)}, nil, false},
		{"above that, so that the wildcard answers no more", []*Group{simple("y.wild", dns.TypeTXT, one)}, nil, false},
		{"beside that, so that it does not either", []*Group{simple("z.y.wild", dns.TypeTXT, one)}, nil, false},
		{"elsewhere below the wildcard", []*Group{simple("z.wild", dns.TypeTXT, one)}, nil, true},

		{"a name goes", nil, []Key{txt("web")}, true},
		{"a name deep down goes", nil, []Key{txt("deep.in")}, true},
		{"one goes, one comes", []*Group{simple("new", dns.TypeTXT, one)}, []Key{txt("deep.in")}, true},
		{"two go, two come", []*Group{simple("new", dns.TypeTXT, one), simple("newer", dns.TypeTXT, one)}, []Key{txt("deep.in"), txt("web")}, true},
		{"a wildcard goes", nil, []Key{txt("*.wild")}, false},
		{"a CNAME goes", nil, []Key{{"cname" + org, dns.TypeCNAME}}, false},
		{"a delegation goes", nil, []Key{{"cut" + org, dns.TypeNS}}, false},
		{"the apex loses a type", nil, []Key{{"example.org.", dns.TypeTXT}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, agree := range []bool{false, true} {
				c, asked := held(), false
				c.PrepareEdits()
				groups, exists, places := maps.Clone(c.Groups), maps.Clone(c.exists), make(map[Key]int32)
				for k, g := range groups {
					places[k] = g.Ordinal
				}
				var changes []Change
				for _, g := range test.put {
					changes = append(changes, Change{c.Groups[g.Key], g})
				}
				for _, k := range test.drop {
					changes = append(changes, Change{Old: c.Groups[k]})
				}
				done := c.Edit(changes, func() bool {
					asked = true
					for _, ch := range changes {
						if c.Groups[ch.Key()] != ch.New {
							t.Errorf("%s is not changed when commit is called", ch.Key())
						}
					}
					return agree
				})
				if asked != test.want || done != (asked && agree) {
					t.Errorf("commit is called: %t, want %t; done: %t", asked, test.want, done)
				}
				if !done && (!maps.Equal(c.Groups, groups) || !maps.Equal(c.exists, exists)) {
					t.Error("nothing was done, but the catalog is another")
				}
				for k, g := range c.Groups {
					if place, was := places[k]; g.Key != k || c.Order[g.Ordinal] != g || was && g.Ordinal != place {
						t.Errorf("%s is not in its place", k)
					}
				}
				counted := c.exists
				c.exists = nil
				if c.countNames(); !maps.Equal(counted, c.exists) {
					t.Errorf("names exist for so many reasons: %v, want %v", counted, c.exists)
				}
			}
		})
	}
}

// TestEditOfAnotherGroup: a change of what is not held any more is refused.
func TestEditOfAnotherGroup(t *testing.T) {
	group := func() *Group { return newGroup(10, Simple, "www.example.org.", dns.TypeTXT, plainRecord("x")) }
	c := newCatalog(t, group())
	for _, changes := range [][]Change{{{Old: group()}}, {{Old: group(), New: group()}}, {{New: group()}}} {
		if c.Edit(changes, func() bool { return true }) {
			t.Errorf("%+v: done", changes)
		}
	}
}

// TestEditAfterAnother: an alias of an earlier edit makes names sensitive, too.
func TestEditAfterAnother(t *testing.T) {
	wild := newGroup(1, Simple, "*.example.org.", dns.TypeTXT, plainRecord("x"))
	c := newCatalog(t, wild)
	edit := func(g *Group) bool { return c.Edit([]Change{{New: g}}, func() bool { return true }) }
	if !edit(newGroup(2, Simple, "a.example.org.", dns.TypeTXT, alias("b.example.org."))) {
		t.Fatal("the alias is refused")
	}
	if edit(newGroup(3, Simple, "b.example.org.", dns.TypeTXT, plainRecord("x"))) {
		t.Error("the wildcard answers no more for the alias, which is not told")
	}
}

// TestEditLoop: a CNAME loop may begin or end with an edit of a name that is none of it.
func TestEditLoop(t *testing.T) {
	const org = ".example.org."
	loop := func(target string) *Group {
		return newGroup(1, Simple, "a"+org, dns.TypeCNAME, value("CNAME", target))
	}
	edit := func(c *Catalog, put *Group) bool {
		c.Validate()
		return c.Edit([]Change{{c.Groups[put.Key], put}}, func() bool { return true })
	}
	if edit(newCatalog(t, loop("a"+org)), loop("www.example.com.")) {
		t.Error("a loop is ended by an edit, and nobody is told")
	}
	name := newGroup(1, Simple, "x.wild"+org, dns.TypeTXT, plainRecord("x"))
	wild := newGroup(5, Simple, "*.wild"+org, dns.TypeCNAME, value("CNAME", "a"+org))
	if edit(newCatalog(t, loop("x.wild"+org), wild), name) {
		t.Error("a name takes a CNAME out of a loop, and nobody is told")
	}
	name = newGroup(1, Simple, "y.wild"+org, dns.TypeTXT, plainRecord("x"))
	if !edit(newCatalog(t, loop("x.wild"+org), wild), name) {
		t.Error("a name that no CNAME leads to cannot be edited")
	}
}

// TestRenew: the zones of an edit get another serial, unless somebody wrote their SOA.
func TestRenew(t *testing.T) {
	rr, err := dns.NewRR("example.net. 60 IN SOA ns.example.net. h.example.net. 2024010101 1 2 3 4")
	if err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t, newGroup(1, Simple, "example.net.", dns.TypeSOA, RecordSet{Values: []dns.RR{rr}, Check: NoCheck}))
	for _, zone := range c.Zones {
		c.SOA[zone] = DefaultSOA(zone, 1)
	}
	c.Validate()
	change := func(name string) Change { return Change{New: newGroup(1, Simple, name, dns.TypeTXT, plainRecord("x"))} }
	if got := c.Renew([]Change{change("a.example.net.")}, 2); len(got) > 0 {
		t.Errorf("renewed %v, which somebody wrote", got)
	}
	got := c.Renew([]Change{change("a.example.org."), change("example.net."), change("b.example.org.")}, 2)
	if len(got) != 1 || got[0].Old != c.Groups[Key{"example.org.", dns.TypeSOA}] || !c.Edit(got, func() bool { return true }) {
		t.Fatalf("renewed %v, want example.org.", got)
	}
	if got := c.Groups[Key{"example.org.", dns.TypeSOA}].Records[0].Values[0].(*dns.SOA).Serial; got != 2 {
		t.Errorf("serial %d, want 2", got)
	}
}
