package record

import (
	"maps"
	"slices"
	"testing"

	"github.com/miekg/dns"
)

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
		name  string
		put   []*Group
		drop  []Key
		asked bool     // commit is called
		after []string // the kinds of problems it is told of
	}{
		{"other values", []*Group{web(checked("x", 0), checked("y", 0), checked("z", 1))}, nil, true, nil},
		{"a trap on a group that points here", []*Group{web(checked("x", 0), plainRecord("y"))}, nil, true, []string{"unchecked target"}},
		{"a target that is not there", []*Group{simple("side", dns.TypeTXT, alias("gone"+org))}, nil, true, []string{"alias target"}},
		{"two at once", []*Group{web(checked("x", 0)), simple("top", dns.TypeTXT, checked("y", 0))}, nil, true, nil},
		{"one of the Corefile", []*Group{simple("other", dns.TypeTXT, one)}, nil, false, nil},
		{"a group that cannot stand", []*Group{web()}, nil, false, nil},
		{"an alias at itself", []*Group{web(alias("web" + org))}, nil, false, nil},
		{"an alias cycle", []*Group{web(alias("top" + org))}, nil, false, nil},
		{"a longer cycle, of two that are new", []*Group{web(alias("side" + org)), simple("side", dns.TypeTXT, alias("top"+org))}, nil, false, nil},

		{"a new name", []*Group{simple("new", dns.TypeTXT, one)}, nil, true, nil},
		{"a new name deep down", []*Group{simple("a.b.c", dns.TypeTXT, one)}, nil, true, nil},
		{"a new type", []*Group{simple("web", dns.TypeA, one)}, nil, true, nil},
		{"a new alias to a new name", []*Group{simple("new", dns.TypeTXT, alias("newer"+org)), simple("newer", dns.TypeTXT, one)}, nil, true, nil},
		{"a name outside", []*Group{imported(newGroup(10, Simple, "web.example.com.", dns.TypeTXT, one))}, nil, false, nil},
		{"a new CNAME", []*Group{simple("new", dns.TypeCNAME, one)}, nil, false, nil},
		{"beside a CNAME", []*Group{simple("cname", dns.TypeTXT, one)}, nil, false, nil},
		{"a CNAME leads elsewhere", []*Group{simple("two", dns.TypeCNAME, value("CNAME", "www.example.net."))}, nil, true, nil},
		{"a CNAME loop", []*Group{simple("two", dns.TypeCNAME, value("CNAME", "one"+org))}, nil, false, nil},
		{"below a DNAME", []*Group{simple("x.old", dns.TypeTXT, one)}, nil, false, nil},
		{"a new delegation", []*Group{simple("new", dns.TypeNS, one)}, nil, false, nil},
		{"below a delegation", []*Group{simple("a.cut", dns.TypeTXT, one)}, nil, false, nil},
		{"a name below a wildcard's, which is a wildcard then", []*Group{simple("x.*.new", dns.TypeTXT, one)}, nil, false, nil},
		{"the host of a check", []*Group{simple("www", dns.TypeTXT, one)}, nil, false, nil},
		{"what an alias of the Corefile could have meant", []*Group{simple("lb.other", dns.TypeTXT, one)}, nil, false, nil},
		{"a new wildcard", []*Group{simple("*.new", dns.TypeTXT, one)}, nil, false, nil},
		{"a type at the apex", []*Group{imported(newGroup(10, Simple, "example.org.", dns.TypeA, one))}, nil, false, nil},
		{"where an alias leads through a wildcard", []*Group{simple("x.y.wild", dns.TypeTXT, one)}, nil, false, nil},
		{"above that, so that the wildcard answers no more", []*Group{simple("y.wild", dns.TypeTXT, one)}, nil, false, nil},
		{"beside that, so that it does not either", []*Group{simple("z.y.wild", dns.TypeTXT, one)}, nil, false, nil},
		{"elsewhere below the wildcard", []*Group{simple("z.wild", dns.TypeTXT, one)}, nil, true, nil},

		{"a name goes", nil, []Key{txt("web")}, true, nil},
		{"a name deep down goes", nil, []Key{txt("deep.in")}, true, nil},
		{"one goes, one comes", []*Group{simple("new", dns.TypeTXT, one)}, []Key{txt("deep.in")}, true, nil},
		{"two go, two come", []*Group{simple("new", dns.TypeTXT, one), simple("newer", dns.TypeTXT, one)}, []Key{txt("deep.in"), txt("web")}, true, nil},
		{"what is not there goes", nil, []Key{txt("gone")}, false, nil},
		{"a stanza goes", nil, []Key{txt("other")}, false, nil},
		{"a wildcard goes", nil, []Key{txt("*.wild")}, false, nil},
		{"a CNAME goes", nil, []Key{{"cname" + org, dns.TypeCNAME}}, false, nil},
		{"a delegation goes", nil, []Key{{"cut" + org, dns.TypeNS}}, false, nil},
		{"the apex loses a type", nil, []Key{{"example.org.", dns.TypeTXT}}, false, nil},
		{"the last of its problems goes, too", nil, []Key{txt("loose"), txt("web")}, true, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, agree := range []bool{false, true} {
				c, asked := held(), false
				c.countNames()
				groups, order, exists := maps.Clone(c.Groups), slices.Clone(c.Order), maps.Clone(c.exists)
				edit := Edit{Put: test.put, Drop: test.drop}
				if c.Groups[txt("top")] != nil {
					edit.Near = []Key{txt("top")}
				}
				done := c.Edit(edit, func(before, after []Problem) bool {
					asked = true
					var kinds []string
					for _, p := range after {
						kinds = append(kinds, p.Kind)
					}
					if len(before) > 0 || !slices.Equal(kinds, test.after) && len(test.drop) == 0 {
						t.Errorf("problems %v before and %v after, want none and %q", before, after, test.after)
					}
					for _, g := range test.put {
						if c.Groups[g.Key] != g || c.Order[g.Ordinal] != g {
							t.Errorf("%s is not in its place when commit is called", g.Key)
						}
					}
					for _, k := range test.drop {
						if c.Groups[k] != nil {
							t.Errorf("%s is there when commit is called", k)
						}
					}
					return agree
				})
				if asked != test.asked || done != (asked && agree) {
					t.Errorf("commit is called: %t, want %t; done: %t", asked, test.asked, done)
				}
				if !done && (!maps.Equal(c.Groups, groups) || !slices.Equal(c.Order, order) || !maps.Equal(c.exists, exists)) {
					t.Error("nothing was done, but the catalog is another")
				}
				counted := c.exists
				c.exists = nil
				if c.countNames(); !maps.Equal(counted, c.exists) {
					t.Errorf("names exist for so many reasons: %v, want %v", counted, c.exists)
				}
				for k, g := range c.Groups {
					if g.Key != k || c.Order[g.Ordinal] != g {
						t.Errorf("%s is not in its place", k)
					}
				}
			}
		})
	}
}

// TestRenew: the serial of a SOA that somebody wrote is theirs.
// TestEditLoose: a CNAME loop may begin or end with an edit that does not name it.
func TestEditLoose(t *testing.T) {
	const org = ".example.org."
	loop := func(target string) *Group {
		return imported(newGroup(1, Simple, "a"+org, dns.TypeCNAME, value("CNAME", target)))
	}
	edit := func(c *Catalog, put *Group) bool {
		c.Validate()
		return c.Edit(Edit{Put: []*Group{put}}, func(_, _ []Problem) bool { return true })
	}
	if edit(newCatalog(t, loop("a"+org)), loop("www.example.com.")) {
		t.Error("a loop is ended by an edit, and nobody is told")
	}
	name := imported(newGroup(1, Simple, "x.wild"+org, dns.TypeTXT, plainRecord("x")))
	wild := newGroup(5, Simple, "*.wild"+org, dns.TypeCNAME, value("CNAME", "a"+org))
	if edit(newCatalog(t, loop("x.wild"+org), wild), name) {
		t.Error("a name takes a CNAME out of a loop, and nobody is told")
	}
	name = imported(newGroup(1, Simple, "y.wild"+org, dns.TypeTXT, plainRecord("x")))
	if !edit(newCatalog(t, loop("x.wild"+org), wild), name) {
		t.Error("a name that no CNAME leads to cannot be edited")
	}
}

func TestRenew(t *testing.T) {
	soa := func(text string) RecordSet {
		rr, err := dns.NewRR(text)
		if err != nil {
			t.Fatal(err)
		}
		return RecordSet{Values: []dns.RR{rr}, Check: NoCheck}
	}
	written := newGroup(1, Simple, "example.net.", dns.TypeSOA, soa("example.net. 60 IN SOA ns.example.net. h.example.net. 2024010101 1 2 3 4"))
	c := newCatalog(t, written)
	for _, zone := range c.Zones {
		c.SOA[zone] = DefaultSOA(zone, 1)
	}
	c.Validate()
	for serial := range uint32(3) {
		groups := c.Renew(10 + serial)
		if len(groups) != 1 || groups[0].Name != "example.org." || c.Groups[groups[0].Key] != groups[0] || c.Order[groups[0].Ordinal] != groups[0] {
			t.Fatalf("renewed %v", groups)
		}
		if got := groups[0].Records[0].Values[0].(*dns.SOA).Serial; got != 10+serial {
			t.Errorf("serial %d, want %d", got, 10+serial)
		}
	}
	if c.Groups[written.Key] != written {
		t.Error("what somebody wrote is another")
	}
}

// TestResembles: what is said of an alias depends on the first record set of its target
// that is always healthy, if there is one.
func TestResembles(t *testing.T) {
	group := func(records ...RecordSet) *Group {
		return newGroup(10, Weighted, "web.example.org.", dns.TypeTXT, records...)
	}
	checkedOne := id("a", checked("x", 0))
	tests := []struct {
		name     string
		old, now *Group
		want     bool
	}{
		{"all are checked", group(checkedOne), group(checkedOne, id("b", checked("y", 1))), true},
		{"one is unchecked now", group(checkedOne), group(checkedOne, plainRecord("y")), false},
		{"none is any more", group(checkedOne, plainRecord("y")), group(checkedOne), false},
		{"the same is", group(checkedOne, plainRecord("y")), group(checkedOne, plainRecord("z")), true},
		{"another one is", group(checkedOne, id("b", plainRecord("y"))), group(checkedOne, id("c", plainRecord("y"))), false},
		{"another one is first", group(checkedOne, plainRecord("y")), group(plainRecord("y"), checkedOne), false},
		{"its line is another", group(plainRecord("y")), newGroup(11, Weighted, "web.example.org.", dns.TypeTXT, plainRecord("y")), false},
		{"an alias that evaluates", group(evaluating("a.example.org.")), group(checkedOne), true},
		{"an alias that does not", group(alias("a.example.org.")), group(checkedOne), false},
	}
	for _, test := range tests {
		if got := test.now.Resembles(test.old); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}
