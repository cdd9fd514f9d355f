package record

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// chain makes groups a0 -> a1 -> ... of aliases in a row, the last of which leads to
// records.
func chain(aliases int) []*Group {
	var groups []*Group
	name := func(i int) string { return fmt.Sprintf("a%d.example.org.", i) }
	for i := range aliases {
		groups = append(groups, newGroup(2*i+1, Simple, name(i), dns.TypeTXT, alias(name(i+1))))
	}
	return append(groups, newGroup(2*aliases+1, Simple, name(aliases), dns.TypeTXT, plainRecord("x")))
}

// TestAliasChain: so many aliases can follow each other, and no more; the end of a chain
// counts, wherever a walk begins.
func TestAliasChain(t *testing.T) {
	if problems := newCatalog(t, chain(MaxAliases)...).Validate(); len(problems) > 0 {
		t.Errorf("%d aliases: %v", MaxAliases, problems)
	}
	problems := newCatalog(t, chain(MaxAliases+1)...).Validate()
	if len(problems) != 1 || problems[0].Level != Refused || problems[0].Pos.Line != 2 ||
		problems[0].Err.Error() != "alias a0.example.org. TXT leads through more than 32 aliases; point it at a name nearer to the records than a1.example.org." {
		t.Errorf("%d aliases: %v", MaxAliases+1, problems)
	}

	// Of a tree, the longest branch counts.
	groups := append(chain(MaxAliases), newGroup(200, Weighted, "b.example.org.", dns.TypeTXT, alias("a32.example.org."), alias("a0.example.org."), plainRecord("y")))
	if problems := newCatalog(t, groups...).Validate(); len(problems) != 1 || problems[0].Pos.Line != 202 {
		t.Errorf("a longer branch beside a shorter one: %v", problems)
	}
}

// TestAliasChainImported: of an imported chain the record sets that make it too long are
// left out, and those that lead to them are reported; what is left is not too long.
func TestAliasChainImported(t *testing.T) {
	const n = 200_000
	groups := chain(n)
	for _, g := range groups {
		imported(g)
	}
	c := newCatalog(t, groups...)
	kinds := make(map[string]int)
	for _, p := range c.Validate() {
		kinds[fmt.Sprint(p.Kind, " ", p.Level)]++
	}
	// Each 34th group from the end is left out, and what is above it counts anew from an
	// alias to nothing.
	left := 1 + (n-MaxAliases-1)/(MaxAliases+2)
	if want := map[string]int{fmt.Sprint(AliasChain, " ", LeftOut): left, fmt.Sprint(BadTarget, " ", Warning): left}; fmt.Sprint(kinds) != fmt.Sprint(want) {
		t.Errorf("problems %v, want %v", kinds, want)
	}
	if len(c.Groups) != n+1-left {
		t.Errorf("%d groups are left, want %d", len(c.Groups), n+1-left)
	}
	if again := c.Validate(); len(again) != left {
		t.Errorf("%d problems of what is left, want the %d targets that are gone", len(again), left)
	}
}

// TestLongWalk: a chain or loop of three million groups takes no stack.
func TestLongWalk(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	const n = 3_000_000
	groups, records := make([]Group, n), []RecordSet{alias("x.")}
	for i := range groups {
		groups[i] = Group{Key: Key{Name: "x."}, Records: records, Ordinal: int32(i)}
	}
	for _, loop := range []bool{false, true} {
		cycles := 0
		w := newWalk(&Catalog{Order: make([]*Group, n)}, func(g *Group, _ *RecordSet) *Group {
			if next := int(g.Ordinal) + 1; next < n {
				return &groups[next]
			}
			return map[bool]*Group{true: &groups[1]}[loop]
		})
		text := ""
		w.cycle = func(_ *Group, _ *RecordSet, target *Group) { cycles, text = cycles+1, w.loop(target) }
		w.from(&groups[0])
		want := map[bool]string{true: strings.Repeat("x. -> ", maxNamed) + "(2999983 more) -> x."}[loop]
		if w.state[1] != n-1 || (cycles == 1) != loop || text != want {
			t.Errorf("loop %t: %d steps, %d cycles, %q", loop, w.state[1], cycles, text)
		}
	}
}

// TestLongEdit: whether an edit makes a loop takes no stack either, and a bounded time.
func TestLongEdit(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	c := newCatalog(t, chain(100_000)...)
	if g := c.Order[0]; !c.leadsBack(g) { // which is to say that it does not know
		t.Error("it was looked at in full")
	}
	if g := c.Order[100_000-maxReached]; c.leadsBack(g) {
		t.Error("a chain to the end is taken for a cycle")
	}
}

// TestSubstitute is what a DNAME makes of names below it.
func TestSubstitute(t *testing.T) {
	for _, tt := range [][4]string{
		{"a.b.old.", "old.", "new.", "a.b.new."},
		{"a.old.", "old.", ".", "a."},
		{"a.b.", ".", "new.", "a.b.new."},
	} {
		if got := Substitute(tt[0], tt[1], tt[2]); got != tt[3] {
			t.Errorf("%s below %s: got %s, want %s", tt[0], tt[1], got, tt[3])
		}
	}
}

// TestBelowDNAME: a zone of the block below a DNAME is a zone of its own.
func TestBelowDNAME(t *testing.T) {
	c := NewCatalog([]string{"example.org.", "zone.example.org."})
	for _, g := range []*Group{
		newGroup(1, Simple, "example.org.", dns.TypeDNAME, value("DNAME", "example.com.")),
		newGroup(3, Simple, "x.zone.example.org.", dns.TypeTXT, plainRecord("x")),
	} {
		if err := c.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	if problems := c.Validate(); len(problems) > 0 {
		t.Error(problems)
	}
}

// TestLeftOutBelowDNAME: what is left out below a DNAME leaves no name behind: it would
// not be redirected.
func TestLeftOutBelowDNAME(t *testing.T) {
	c := newCatalog(t,
		newGroup(1, Simple, "old.example.org.", dns.TypeDNAME, value("DNAME", "example.com.")),
		imported(newGroup(3, Simple, "a.b.old.example.org.", dns.TypeTXT, plainRecord("x"))))
	c.Validate()
	if c.Exists("a.b.old.example.org.") || c.Exists("b.old.example.org.") || !c.Exists("old.example.org.") {
		t.Error("a name below the DNAME exists, or the DNAME does not")
	}
}
