package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// TestValidate adds groups and compares the problems, each as "LEVEL LINE: message", and the
// loops of CNAMEs and DNAMEs.
func TestValidate(t *testing.T) {
	one := plainRecord("one")
	always := func(string) bool { return true }
	tests := []struct {
		name         string
		names, types func(string) bool // fallthrough
		groups       []*Group
		want         string // lines
		left         string // groups that are held afterwards, of those imported
	}{
		{name: "nothing wrong", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, one),
			newGroup(3, Weighted, "b.example.org.", dns.TypeA, alias("a.example.org."), checked("x", 0)),
		}},

		{name: "CNAME beside other data", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeTXT, one),
			newGroup(3, Simple, "a.example.org.", 65280, one),
			newGroup(5, Simple, "a.example.org.", dns.TypeCNAME, one),
		}, want: "refused 6: a.example.org. CNAME stands beside TXT, TYPE65280 (at Corefile:1); a name with a CNAME can have no other type"},
		{name: "CNAME beside a type without a name", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", 65280, one),
			newGroup(3, Simple, "a.example.org.", dns.TypeCNAME, one),
		}, want: "refused 4: a.example.org. CNAME stands beside TYPE65280 (at Corefile:1); a name with a CNAME can have no other type"},
		{name: "CNAME beside other data, imported", groups: []*Group{
			imported(newGroup(1, Simple, "a.example.org.", dns.TypeA, one)),
			imported(newGroup(3, Weighted, "a.example.org.", dns.TypeCNAME, one, id("b", one))),
		}, want: `left out 4: a.example.org. CNAME stands beside A (at Corefile:1); a name with a CNAME can have no other type
left out 5: a.example.org. CNAME stands beside A (at Corefile:1); a name with a CNAME can have no other type`, left: "a.example.org. A"},

		{name: "a target that nothing holds", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("b.example.org.")),
		}, want: "refused 2: alias a.example.org. A: its target b.example.org. has no records in this block, and without fallthrough no other plugin is asked"},
		{name: "a target that may be held below", names: always, groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("b.example.org.")),
		}},
		{name: "a target of another type", names: always, groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("b.example.org.")),
			newGroup(3, Simple, "b.example.org.", dns.TypeTXT, one),
			newGroup(5, Simple, "b.example.org.", dns.TypeAAAA, one),
		}, want: "refused 2: alias a.example.org. A: its target b.example.org. has no A records, only TXT, AAAA; an alias answers with records of its own type"},
		{name: "a target of another type that may be held below", types: always, groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("b.example.org.")),
			newGroup(3, Simple, "b.example.org.", dns.TypeTXT, one),
		}},
		{name: "a target of another type under a wildcard", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("x.b.example.org.")),
			newGroup(3, Simple, "*.b.example.org.", dns.TypeTXT, one),
		}, want: "refused 2: alias a.example.org. A: its target x.b.example.org. has no A records, only TXT; an alias answers with records of its own type"},
		{name: "a target under a wildcard", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("x.b.example.org.")),
			newGroup(3, Simple, "*.b.example.org.", dns.TypeA, one),
		}},
		{name: "a target elsewhere", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("www.example.com.")),
		}},
		{name: "a target that nothing holds, imported", groups: []*Group{
			imported(newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("b.example.org."))),
		}, want: "warning 2: alias a.example.org. A: its target b.example.org. has no records in this block, and without fallthrough no other plugin is asked", left: "a.example.org. A"},

		{name: "a target below a delegation is held elsewhere", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("ns.sub.example.org.")),
			newGroup(3, Simple, "sub.example.org.", dns.TypeNS, one),
			newGroup(5, Simple, "ns.sub.example.org.", dns.TypeA, one),
		}},
		{name: "no cycle: a delegation lies between", groups: []*Group{
			newGroup(1, Simple, "a.sub.example.org.", dns.TypeA, alias("a.sub.example.org.")),
			newGroup(3, Simple, "sub.example.org.", dns.TypeNS, one),
		}},

		{name: "an alias to itself", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("a.example.org.")),
		}, want: "refused 2: a.example.org. A: the alias points at itself"},
		{name: "an alias to itself, imported", groups: []*Group{
			imported(newGroup(1, Weighted, "a.example.org.", dns.TypeA, id("x", alias("a.example.org.")), id("y", alias("a.example.org.")), id("z", one))),
		}, want: `left out 2: a.example.org. A: the alias points at itself
left out 3: a.example.org. A: the alias points at itself`, left: "a.example.org. A"},
		{name: "an alias to what it answers as a wildcard", groups: []*Group{
			newGroup(1, Simple, "*.a.example.org.", dns.TypeA, alias("b.a.example.org.")),
		}, want: "refused 2: *.a.example.org. A: the alias points at b.a.example.org., which this wildcard itself answers"},
		{name: "a cycle", groups: []*Group{
			newGroup(1, Simple, "c.example.org.", dns.TypeA, alias("a.example.org.")),
			newGroup(3, Simple, "a.example.org.", dns.TypeA, alias("b.example.org.")),
			newGroup(5, Weighted, "b.example.org.", dns.TypeA, one, alias("c.example.org.")),
		}, want: "refused 2: alias cycle: a.example.org. -> b.example.org. -> c.example.org. -> a.example.org. (A)"},
		{name: "a cycle behind a tail", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("b.example.org.")),
			newGroup(3, Simple, "b.example.org.", dns.TypeA, alias("c.example.org.")),
			newGroup(5, Simple, "c.example.org.", dns.TypeA, alias("b.example.org.")),
		}, want: "refused 6: alias cycle: b.example.org. -> c.example.org. -> b.example.org. (A)"},
		{name: "a cycle, imported", groups: []*Group{
			imported(newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("b.example.org."))),
			imported(newGroup(3, Simple, "b.example.org.", dns.TypeA, alias("a.example.org."))),
		}, want: `warning 2: alias a.example.org. A: its target b.example.org. has no records in this block, and without fallthrough no other plugin is asked
left out 4: alias cycle: a.example.org. -> b.example.org. -> a.example.org. (A)`, left: "a.example.org. A"},
		{name: "no cycle: another type", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("b.example.org.")),
			newGroup(3, Simple, "b.example.org.", dns.TypeA, one),
			newGroup(5, Simple, "b.example.org.", dns.TypeAAAA, alias("a.example.org.")),
			newGroup(7, Simple, "a.example.org.", dns.TypeAAAA, one),
		}},
		{name: "no cycle: two ways to one target", groups: []*Group{
			newGroup(1, Weighted, "a.example.org.", dns.TypeA, alias("b.example.org."), alias("c.example.org.")),
			newGroup(5, Simple, "b.example.org.", dns.TypeA, alias("d.example.org.")),
			newGroup(7, Simple, "c.example.org.", dns.TypeA, alias("d.example.org.")),
			newGroup(9, Simple, "d.example.org.", dns.TypeA, one),
		}},

		{name: "CNAMEs that lead to each other", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeCNAME, value("CNAME", "b.example.org.")),
			newGroup(3, Simple, "b.example.org.", dns.TypeCNAME, value("CNAME", "C.example.org.")),
			imported(newGroup(5, Simple, "c.example.org.", dns.TypeCNAME, value("CNAME", "b.example.org."))),
		}, want: "loop 6: b.example.org. -> c.example.org. -> b.example.org.", left: "a.example.org. CNAME, b.example.org. CNAME, c.example.org. CNAME"},
		{name: "a CNAME to itself, and one to what its wildcard answers", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeCNAME, value("CNAME", "a.example.org.")),
			newGroup(3, Simple, "*.b.example.org.", dns.TypeCNAME, value("CNAME", "x.b.example.org.")),
		}, want: `loop 2: a.example.org. -> a.example.org.
loop 4: *.b.example.org. -> *.b.example.org.`},
		{name: "a loop of weighted CNAMEs, with a way out", groups: []*Group{
			newGroup(1, Weighted, "a.example.org.", dns.TypeCNAME, value("CNAME", "www.example.com."), value("CNAME", "b.example.org.")),
			newGroup(4, Failover, "b.example.org.", dns.TypeCNAME, tier(1, value("CNAME", "www.example.com.")), tier(2, value("CNAME", "a.example.org."))),
		}, want: "loop 6: a.example.org. -> b.example.org. -> a.example.org."},
		{name: "a loop by way of an alias", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeCNAME, alias("b.example.org.")),
			newGroup(3, Simple, "b.example.org.", dns.TypeCNAME, value("CNAME", "a.example.org.")),
		}, want: "loop 4: a.example.org. -> b.example.org. -> a.example.org."},
		{name: "a loop by way of DNAMEs", groups: []*Group{
			newGroup(1, Simple, "www.example.org.", dns.TypeCNAME, value("CNAME", "www.older.example.org.")),
			newGroup(3, Simple, "older.example.org.", dns.TypeDNAME, value("DNAME", "old.example.org.")),
			newGroup(5, Simple, "old.example.org.", dns.TypeDNAME, value("DNAME", "example.org.")),
		}, want: "loop 2: www.example.org. -> www.example.org."},
		{name: "DNAMEs that lead to each other", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeDNAME, value("DNAME", "x.b.example.org.")),
			newGroup(3, Simple, "b.example.org.", dns.TypeDNAME, value("DNAME", "a.example.org.")),
			newGroup(5, Simple, "c.example.org.", dns.TypeDNAME, value("DNAME", "c.example.org.")),
			newGroup(7, Simple, "www.example.org.", dns.TypeCNAME, value("CNAME", "www.a.example.org.")),
		}, want: `loop 4: a.example.org. -> b.example.org. -> a.example.org.
loop 6: c.example.org. -> c.example.org.`},
		{name: "no loop: another zone, a delegation, an end", groups: []*Group{
			newGroup(1, Simple, "a.example.org.", dns.TypeCNAME, value("CNAME", "a.example.com.")),
			newGroup(3, Simple, "a.sub.example.org.", dns.TypeCNAME, value("CNAME", "a.sub.example.org.")),
			newGroup(5, Simple, "sub.example.org.", dns.TypeNS, one),
			newGroup(7, Simple, "b.example.org.", dns.TypeCNAME, value("CNAME", "c.example.org.")),
			newGroup(9, Simple, "c.example.org.", dns.TypeTXT, one),
			newGroup(11, Simple, "*.example.org.", dns.TypeCNAME, value("CNAME", "c.example.org.")),
		}},

		{name: "a name below a DNAME", groups: []*Group{
			newGroup(1, Simple, "x.old.example.org.", dns.TypeTXT, one),
			newGroup(3, Simple, "old.example.org.", dns.TypeDNAME, value("DNAME", "example.com.")),
			newGroup(5, Simple, "old.example.org.", dns.TypeTXT, one),
		}, want: "refused 1: x.old.example.org. TXT is below the DNAME at old.example.org. (Corefile:3), which redirects all names there"},
		{name: "names below a DNAME, imported", groups: []*Group{
			imported(newGroup(1, Weighted, "a.x.old.example.org.", dns.TypeTXT, one, id("y", one))),
			newGroup(4, Simple, "old.example.org.", dns.TypeDNAME, value("DNAME", "example.com.")),
		}, want: `left out 2: a.x.old.example.org. TXT is below the DNAME at old.example.org. (Corefile:4), which redirects all names there
left out 3: a.x.old.example.org. TXT is below the DNAME at old.example.org. (Corefile:4), which redirects all names there`, left: "old.example.org. DNAME"},
		{name: "a name below an imported DNAME", groups: []*Group{
			newGroup(1, Simple, "x.old.example.org.", dns.TypeTXT, one),
			newGroup(3, Simple, "y.old.example.org.", dns.TypeTXT, one),
			imported(newGroup(5, Simple, "old.example.org.", dns.TypeDNAME, value("DNAME", "example.com."))),
		}, want: "left out 6: old.example.org. DNAME would redirect all names below it, and x.old.example.org. TXT (Corefile:1) is one of them", left: "x.old.example.org. TXT, y.old.example.org. TXT"},
	}
	levels := map[Level]string{Warning: "warning", LeftOut: "left out", Refused: "refused"}
	for _, tt := range tests {
		for range 3 { // the order of maps must not show
			copied := make([]*Group, len(tt.groups))
			for i, g := range tt.groups {
				c := *g
				c.Records = append([]RecordSet(nil), g.Records...)
				copied[i] = &c
			}
			c := newCatalog(t, copied...)
			c.Fallthrough, c.FallthroughTypes = tt.names, tt.types
			var lines []string
			for _, p := range c.Validate() {
				lines = append(lines, fmt.Sprintf("%s %d: %v", levels[p.Level], p.Pos.Line, p.Err))
			}
			c.Loops(func(_ *Group, r *RecordSet, path string) {
				lines = append(lines, fmt.Sprintf("loop %d: %s", r.Pos.Line, path))
			})
			if got := strings.Join(lines, "\n"); got != tt.want {
				t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
			}
			if tt.left == "" {
				continue
			}
			var left []string
			for k := range c.Groups {
				left = append(left, k.String())
			}
			slices.Sort(left)
			if got := strings.Join(left, ", "); got != tt.left {
				t.Errorf("%s: %s are held, want %s", tt.name, got, tt.left)
			}
		}
	}
}

// TestLeftOutNamesExist: a name whose records were left out answers NODATA.
func TestLeftOutNamesExist(t *testing.T) {
	c := newCatalog(t, imported(newGroup(1, Simple, "a.example.org.", dns.TypeA, alias("a.example.org."))))
	c.Validate()
	if !c.Exists("a.example.org.") || len(c.Groups) != 0 {
		t.Errorf("%d groups are held; the name exists: %v", len(c.Groups), c.Exists("a.example.org."))
	}
}

// TestValidateCompletesSOA: the SOA of a zone becomes a group, unless there is one.
func TestValidateCompletesSOA(t *testing.T) {
	c := newCatalog(t)
	for _, zone := range c.Zones {
		c.SOA[zone] = DefaultSOA(zone, 7)
	}
	if problems := c.Validate(); len(problems) > 0 {
		t.Error(problems)
	}
	g := c.Groups[Key{"example.org.", dns.TypeSOA}]
	if want := "example.org.\t60\tIN\tSOA\tns.dns.example.org. hostmaster.example.org. 7 7200 900 1209600 60"; g.Records[0].Values[0].String() != want {
		t.Errorf("got %v", g.Records[0].Values[0])
	}
	if got := DefaultSOA(".", 7); got.Ns != "ns.dns." || got.Mbox != "hostmaster." {
		t.Errorf("root: %v", got)
	}
}
