package record

import (
	"maps"
	"slices"
	"testing"

	"github.com/miekg/dns"
)

// TestAddAll: what a catalog refuses of many groups is in none of its lists, whether or not
// it held something before.
func TestAddAll(t *testing.T) {
	group := func(name string, typ uint16, values ...string) *Group {
		g := &Group{Key: Key{name, typ}, Records: []RecordSet{{Check: NoCheck, Imported: true}}}
		for _, v := range values {
			rr, _, err := ParseValue(g.Key, 60, ".", v)
			if err != nil {
				t.Fatal(err)
			}
			g.Records[0].Values = append(g.Records[0].Values, rr)
		}
		return g
	}
	for _, before := range []bool{false, true} {
		c := NewCatalog([]string{"example.org."})
		want := []string{"one.example.org. A", "two.example.org. A"}
		if before {
			if err := c.Add(group("zero.example.org.", dns.TypeA, "192.0.2.9")); err != nil {
				t.Fatal(err)
			}
			want = append([]string{"zero.example.org. A"}, want...)
		}
		groups := []*Group{
			group("one.example.org.", dns.TypeA, "192.0.2.1"),
			group("outside.example.net.", dns.TypeA, "192.0.2.1"),
			group("two.example.org.", dns.TypeA, "192.0.2.2"),
			group("twice.example.org.", dns.TypeCNAME, "a.example.", "b.example."),
		}
		byKey := make(map[Key]*Group)
		for _, g := range groups {
			byKey[g.Key] = g
		}
		if c.Exists("one.example.org.") {
			t.Error("a name exists before its group was added")
		}
		var refused []string
		c.AddAll(groups, byKey, func(g *Group, err error) { refused = append(refused, g.Key.String()) })
		if want := []string{"outside.example.net. A", "twice.example.org. CNAME"}; !slices.Equal(refused, want) {
			t.Errorf("refused %q, want %q", refused, want)
		}
		var order []string
		for g := range c.All() {
			order = append(order, g.Key.String())
			if c.Groups[g.Key] != g || c.Order[g.Ordinal] != g {
				t.Errorf("%s is not at its places", g.Key)
			}
		}
		if !slices.Equal(order, want) || len(c.Groups) != len(want) {
			t.Errorf("holds %q and %v, want %q", order, slices.Collect(maps.Keys(c.Groups)), want)
		}
		for name, want := range map[string]bool{"one.example.org.": true, "twice.example.org.": false, "example.org.": true} {
			if c.Exists(name) != want {
				t.Errorf("%s exists: %t", name, !want)
			}
		}
	}
}
