package record

import (
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
)

// at is a position in a file of that name.
func at(line int) Pos { return Pos{"Corefile", line} }

// newGroup makes a group of records; where they have no position they follow the group's.
func newGroup(line int, policy Policy, name string, typ uint16, records ...RecordSet) *Group {
	g := &Group{Key: Key{name, typ}, Pos: at(line), Policy: policy, Records: records}
	for i := range g.Records {
		if g.Records[i].Pos == (Pos{}) {
			g.Records[i].Pos = at(line + 1 + i)
		}
	}
	return g
}

// plainRecord is a record of one value without a check.
func plainRecord(value string) RecordSet {
	rr, _, err := ParseValue(Key{"x.", dns.TypeTXT}, 60, ".", value)
	if err != nil {
		panic(err)
	}
	return RecordSet{Values: []dns.RR{rr}, Check: NoCheck}
}

// value is a record of one value of a type without a check.
func value(typ, value string) RecordSet {
	rr, err := dns.NewRR("x. 60 " + typ + " " + value)
	if err != nil {
		panic(err)
	}
	return RecordSet{Values: []dns.RR{rr}, Check: NoCheck}
}

func checked(value string, check int32) RecordSet {
	r := plainRecord(value)
	r.Check = check
	return r
}

func alias(target string) RecordSet {
	return RecordSet{Alias: &AliasTarget{Name: target}, Check: NoCheck}
}

func evaluating(target string) RecordSet {
	return RecordSet{Alias: &AliasTarget{Name: target, EvaluateTargetHealth: true}, Check: NoCheck}
}

func tier(n uint16, r RecordSet) RecordSet { r.Tier = n; return r }

func id(s string, r RecordSet) RecordSet { r.SetID = s; return r }

func imported(g *Group) *Group {
	for i := range g.Records {
		g.Records[i].Imported = true
	}
	return g
}

// newCatalog makes a catalog of example.org and example.net with three checks.
func newCatalog(t *testing.T, groups ...*Group) *Catalog {
	t.Helper()
	c := NewCatalog([]string{"example.org.", "example.net.", "example.org."})
	c.Checks = []healthcheck.Check{
		{Name: "address", Spec: healthcheck.Spec{Host: "192.0.2.1"}},
		{Name: "name", Spec: healthcheck.Spec{Host: "WWW.example.org"}},
		{Name: "all", Calculated: true, Children: []int{0, 1}},
	}
	for _, g := range groups {
		if err := c.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestZone(t *testing.T) {
	c := NewCatalog([]string{"example.org.", "sub.example.org.", "example.net.", "example.org."})
	if len(c.Zones) != 3 {
		t.Errorf("zones %v", c.Zones)
	}
	tests := []struct {
		name, want string
	}{
		{"example.org.", "example.org."},
		{"a.b.example.org.", "example.org."},
		{"a.sub.example.org.", "sub.example.org."},
		{`a\.sub.example.org.`, "example.org."},
		{"notexample.org.", ""},
		{"org.", ""},
		{".", ""},
	}
	for _, tt := range tests {
		if got, ok := c.Zone(tt.name); got != tt.want || ok != (tt.want != "") {
			t.Errorf("Zone(%s) = %q, %v; want %q", tt.name, got, ok, tt.want)
		}
	}
	if zone, ok := NewCatalog([]string{"."}).Zone("www.example.org."); zone != "." || !ok {
		t.Errorf("the root zone holds everything, got %q, %v", zone, ok)
	}
}

// TestAdd adds a group to a catalog that holds www.example.org A.
func TestAdd(t *testing.T) {
	one := plainRecord("one")
	two := RecordSet{Values: append(plainRecord("one").Values, plainRecord("two").Values...), Check: NoCheck}
	tests := []struct {
		name  string
		group *Group
		want  string // after "Corefile:"; "" is success
	}{
		{"another type", newGroup(9, Simple, "www.example.org.", dns.TypeAAAA, one), ""},
		{"another name", newGroup(9, Weighted, "example.net.", dns.TypeA, one, two), ""},
		{"several tiers", newGroup(9, Failover, "a.example.org.", dns.TypeA, tier(2, one), tier(1, one), tier(3, one)), ""},
		{"an alias whose target is not known yet", newGroup(9, Simple, "a.example.org.", dns.TypeA, alias("")), ""},
		{"twice", newGroup(9, Simple, "www.example.org.", dns.TypeA, one),
			"9 - Error during parsing: www.example.org. A is defined twice: here and at Corefile:2; put all its records into one stanza"},
		{"two policies", newGroup(9, Weighted, "www.example.org.", dns.TypeA, one),
			"9 - Error during parsing: www.example.org. A has two policies: weighted here and simple at Corefile:2; a name has one policy for each type"},
		{"outside the zones", newGroup(9, Simple, "www.example.com.", dns.TypeA, one),
			`9 - Error during parsing: name "www.example.com." is outside the zones of this block (example.org., example.net.)`},
		{"CNAME at the apex", newGroup(9, Simple, "example.net.", dns.TypeCNAME, one),
			"9 - Error during parsing: CNAME at the apex of example.net.: it would hide the zone's SOA; use an alias instead"},
		{"SOA below the apex", newGroup(9, Simple, "a.example.net.", dns.TypeSOA, one),
			"9 - Error during parsing: SOA at a.example.net., which is not the apex of a zone of this block (example.org., example.net.)"},
		{"NS at a wildcard", newGroup(9, Simple, "*.a.example.net.", dns.TypeNS, one),
			"9 - Error during parsing: NS at the wildcard *.a.example.net.: a wildcard cannot delegate; write the names that are delegated (RFC 4592, section 4.2)"},
		{"DNAME at a wildcard", newGroup(9, Simple, "*.example.net.", dns.TypeDNAME, one),
			"9 - Error during parsing: DNAME at the wildcard *.example.net.: a wildcard cannot delegate; write the names that are delegated (RFC 4592, section 4.2)"},
		{"NS below a wildcard's name", newGroup(9, Simple, "a.*.example.net.", dns.TypeNS, one), ""},
		{"NS at an asterisk that is not alone", newGroup(9, Simple, "*a.example.net.", dns.TypeNS, one), ""},
		{"DS at a wildcard", newGroup(9, Simple, "*.a.example.net.", dns.TypeDS, one), ""},
		{"DS at the apex", newGroup(9, Simple, "example.net.", dns.TypeDS, one),
			"9 - Error during parsing: DS at the apex of example.net. belongs in the parent zone"},
		{"empty", newGroup(9, Weighted, "a.example.org.", dns.TypeA),
			"9 - Error during parsing: weighted a.example.org. A is empty: a group needs at least one record"},
		{"neither value nor alias", newGroup(9, Weighted, "a.example.org.", dns.TypeA, one, id("b", RecordSet{})),
			`11 - Error during parsing: a.example.org. A: record "b" has neither a value nor an alias`},
		{"both value and alias", newGroup(9, Weighted, "a.example.org.", dns.TypeA, RecordSet{Values: one.Values, Alias: &AliasTarget{}}),
			"10 - Error during parsing: a.example.org. A: record number 1 has both values and an alias"},
		{"two simple records", newGroup(9, Simple, "a.example.org.", dns.TypeA, one, one),
			"11 - Error during parsing: a.example.org. A: a simple group has one record; give it all the values"},
		{"multivalue alias", newGroup(9, Multivalue, "a.example.org.", dns.TypeA, alias("b.example.org.")),
			"10 - Error during parsing: a.example.org. A: a multivalue record cannot be an alias; give it one value"},
		{"two values in one multivalue record", newGroup(9, Multivalue, "a.example.org.", dns.TypeA, two),
			"10 - Error during parsing: a.example.org. A: a multivalue record has one value, not 2; write a record for each"},
		{"two CNAMEs", newGroup(9, Simple, "a.example.org.", dns.TypeCNAME, two),
			"10 - Error during parsing: a.example.org. CNAME: a CNAME has one value, not 2"},
		{"two DNAMEs", newGroup(9, Simple, "a.example.org.", dns.TypeDNAME, two),
			"10 - Error during parsing: a.example.org. DNAME: a DNAME has one value, not 2"},
		{"two weighted DNAMEs", newGroup(9, Weighted, "a.example.org.", dns.TypeDNAME, one, one), ""},
		{"multivalue DNAME", newGroup(9, Multivalue, "a.example.org.", dns.TypeDNAME, one, one),
			"10 - Error during parsing: a.example.org. DNAME: a DNAME group cannot be multivalue; a name has one DNAME at a time"},
		{"multivalue CNAME", newGroup(9, Multivalue, "a.example.org.", dns.TypeCNAME, one),
			"10 - Error during parsing: a.example.org. CNAME: a CNAME group cannot be multivalue; a name has one CNAME at a time"},
		{"two SOAs", newGroup(9, Simple, "example.org.", dns.TypeSOA, two),
			"10 - Error during parsing: example.org. SOA: a zone has one SOA, not 2"},
		{"an alias for a SOA", newGroup(9, Simple, "example.org.", dns.TypeSOA, alias("a.example.org.")),
			"10 - Error during parsing: example.org. SOA: a SOA cannot be an alias"},
		{"a weighted SOA", newGroup(9, Weighted, "example.org.", dns.TypeSOA, one),
			"10 - Error during parsing: example.org. SOA: a SOA cannot have a routing policy"},
		{"an alias for a delegation", newGroup(9, Simple, "a.example.org.", dns.TypeNS, alias("b.example.org.")),
			"10 - Error during parsing: a.example.org. NS: a delegation cannot be an alias; list the name servers"},
		{"tier 0", newGroup(9, Failover, "a.example.org.", dns.TypeA, one),
			"10 - Error during parsing: a.example.org. A: tiers count from 1"},
		{"no primary", newGroup(9, Failover, "a.example.org.", dns.TypeA, tier(2, one)),
			"9 - Error during parsing: failover a.example.org. A has no primary; it needs one"},
		{"no primary, imported", imported(newGroup(9, Failover, "a.example.org.", dns.TypeA, tier(2, one))), ""},
		{"a gap", newGroup(9, Failover, "a.example.org.", dns.TypeA, tier(1, one), tier(4, one)),
			"11 - Error during parsing: failover a.example.org. A has a tier 4 but no tier 3"},
		{"two secondaries", newGroup(9, Failover, "a.example.org.", dns.TypeA, tier(1, one), tier(2, one), tier(2, one)),
			"12 - Error during parsing: a.example.org. A has two secondary records: here and at Corefile:11"},
		{"a set identifier twice", newGroup(9, Weighted, "a.example.org.", dns.TypeA, id("b", one), id("c", one), id("b", one)),
			`12 - Error during parsing: set identifier "b" is used twice in a.example.org. A: here and at Corefile:10`},
	}
	for _, tt := range tests {
		c := newCatalog(t, newGroup(2, Simple, "www.example.org.", dns.TypeA, plainRecord("www")))
		err := c.Add(tt.group)
		want := tt.want
		if want != "" {
			want = "Corefile:" + want
		}
		if message(err) != want {
			t.Errorf("%s: %v\nwant %s", tt.name, err, want)
		}
		if held := c.Groups[tt.group.Key] == tt.group; held != (tt.want == "") {
			t.Errorf("%s: held is %v", tt.name, held)
		}
	}
}

// TestDSAtApex: DS stands at the apex of a zone if its parent is in the block as well.
func TestDSAtApex(t *testing.T) {
	ds := newGroup(1, Simple, "sub.example.org.", dns.TypeDS, plainRecord("x"))
	tests := []struct {
		zones []string
		want  bool
	}{
		{[]string{"sub.example.org."}, false},
		{[]string{"sub.example.org.", "example.net."}, false},
		{[]string{"sub.example.org.", "x.sub.example.org."}, false},
		{[]string{"sub.example.org.", "example.org."}, true},
		{[]string{"sub.example.org.", "org."}, true},
		{[]string{"sub.example.org.", "."}, true},
	}
	for _, tt := range tests {
		if err := NewCatalog(tt.zones).Add(ds); (err == nil) != tt.want {
			t.Errorf("zones %v: %v, want it accepted: %t", tt.zones, err, tt.want)
		}
	}
}

// TestMultivalueTTL: what is answered together has one TTL, the smallest; what is answered
// alone keeps its own.
func TestMultivalueTTL(t *testing.T) {
	ttl := func(seconds uint32) RecordSet {
		r := plainRecord("x")
		r.Values[0].Header().Ttl = seconds
		return r
	}
	for policy, want := range map[Policy][3]uint32{
		Multivalue: {20, 20, 20},
		Weighted:   {60, 20, 90},
	} {
		g := newGroup(1, policy, "www.example.org.", dns.TypeTXT, ttl(60), ttl(20), ttl(90))
		newCatalog(t, g)
		var got [3]uint32
		for i, r := range g.Records {
			got[i] = r.Values[0].Header().Ttl
		}
		if got != want {
			t.Errorf("%s: TTLs %v, want %v", policy, got, want)
		}
	}
}
