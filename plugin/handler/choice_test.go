package handler_test

import (
	"net/netip"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// TestEmptyChoiceCounts: what has no records is chosen as often as its weight says. One
// number below the sum of the weights decides, and NODATA is not drawn again.
func TestEmptyChoiceCounts(t *testing.T) {
	tests := []struct {
		name   string
		typ    uint16
		target string
		know   bool // the target held elsewhere is known to have no records
	}{
		{"an alias to nothing", dns.TypeA, "missing.example.org.", false},
		{"an alias to what has gone elsewhere", dns.TypeA, "lb.example.net.", true},
		{"an alias to a load balancer without addresses of the family", dns.TypeAAAA, "v4.example.org.", false},
		{"an alias for another alias to nothing", dns.TypeA, "nothing.example.org.", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := parseZone(t, zoneText, "example.org.")
			lb := &record.LoadBalancer{Name: "v4.example.org.", TTL: 60, Zones: []record.BalancerZone{{ID: "a", Nodes: []netip.Addr{netip.MustParseAddr("192.0.2.9")}}}}
			for _, g := range lb.RRGroups() {
				if err := c.Add(g); err != nil {
					t.Fatal(err)
				}
			}
			addAlias(t, c, "nothing.example.org.", dns.TypeA, "missing.example.org.")
			value := "pair.example.org. 60 A 192.0.2.7"
			if tt.typ == dns.TypeAAAA {
				value = "pair.example.org. 60 AAAA 2001:db8::7"
			}
			rrs, err := parse([]string{value})
			if err != nil {
				t.Fatal(err)
			}
			add(t, c, record.Key{Name: "pair.example.org.", Type: tt.typ}, record.Weighted,
				record.RecordSet{SetID: "empty", Weight: 1, Check: record.NoCheck, Imported: true, Alias: &record.AliasTarget{Name: tt.target}},
				record.RecordSet{SetID: "value", Weight: 1, Check: record.NoCheck, Imported: true, Values: rrs})
			h := serve(c)
			if tt.know {
				h.Snapshot().Externals()[0].Set(routing.Resolution{})
			}
			for number, want := range []string{nodata, "NOERROR aa an[" + value + "]"} {
				var drawn []uint64
				h.SetRand(func(n uint64) uint64 { drawn = append(drawn, n); return uint64(number) })
				if m, _ := query(t, h, "pair.example.org.", tt.typ); render(m) != want {
					t.Errorf("number %d: got %s, want %s", number, render(m), want)
				}
				if len(drawn) != 1 || drawn[0] != 2 {
					t.Errorf("number %d: drew from %v, want one number below 2", number, drawn)
				}
			}
		})
	}
}

// TestAnswersAreClipped: plugins above append to what they are given, so no section may
// have room behind it that another answer shares.
func TestAnswersAreClipped(t *testing.T) {
	c := parseZone(t, chaseText+`
many.example.org.    60 A 192.0.2.1
many.example.org.    60 A 192.0.2.2
many.example.org.    60 A 192.0.2.3
ns2.sub.example.org. 60 AAAA 2001:db8::53
sub.example.org.     60 NS ns2.sub.example.org.
sub.example.org.     60 NS ns.low.sub.example.org.
*.wild.example.org.  60 TXT "wild"
`, "example.org.")
	for name, count := range map[string]int{"two.example.org.": 2, "nine.example.org.": 9} {
		var sets []record.RecordSet
		for i := range count {
			sets = append(sets, record.RecordSet{Check: record.NoCheck, Values: make([]dns.RR, 1, 4)})
			sets[i].Values[0] = &dns.A{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: []byte{192, 0, 2, byte(i)}}
		}
		add(t, c, record.Key{Name: name, Type: dns.TypeA}, record.Multivalue, sets...)
	}
	addAlias(t, c, "alias.example.org.", dns.TypeA, "many.example.org.")
	addAlias(t, c, "ext.example.org.", dns.TypeA, "one.example.net.")
	addAlias(t, c, "ext2.example.org.", dns.TypeA, "two.example.net.")
	x := inServer(t, c)
	for _, e := range x.Snapshot().Externals() {
		rrs := make([]dns.RR, 0, 8)
		for _, n := range map[string]string{"one.example.net.": "1", "two.example.net.": "12"}[e.Name] {
			rrs = append(rrs, &dns.A{Hdr: dns.RR_Header{Name: e.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: []byte{203, 0, 113, byte(n)}})
		}
		e.Set(routing.Resolution{RRs: rrs})
	}
	x.other.set(dns.RcodeSuccess, "found.test. 60 A 203.0.113.9", "found.test. 60 A 203.0.113.8", "found.test. 60 A 203.0.113.7")
	for name, want := range map[string]struct {
		typ            uint16
		answer, ns, ad int
	}{
		"www.example.org.":       {dns.TypeA, 1, 0, 0},
		"WWW.example.org.":       {dns.TypeA, 1, 0, 0},
		"x.wild.example.org.":    {dns.TypeTXT, 1, 0, 0},
		"many.example.org.":      {dns.TypeA, 3, 0, 0},
		"alias.example.org.":     {dns.TypeA, 3, 0, 0},
		"two.example.org.":       {dns.TypeA, 2, 0, 0},
		"nine.example.org.":      {dns.TypeA, 8, 0, 0},
		"ext.example.org.":       {dns.TypeA, 1, 0, 0},
		"ext2.example.org.":      {dns.TypeA, 2, 0, 0},
		"toaway.example.org.":    {dns.TypeA, 6, 0, 0},
		"www.old.example.org.":   {dns.TypeA, 3, 0, 0},
		"txt.example.org.":       {dns.TypeA, 0, 1, 0},
		"nowhere.example.org.":   {dns.TypeA, 0, 1, 0},
		"x.sub.example.org.":     {dns.TypeA, 0, 3, 3},
		"ns1.sub.example.org.":   {dns.TypeANY, 0, 3, 3},
		"a.ent.example.org.":     {dns.TypeANY, 1, 0, 0},
		"y.low.sub.example.org.": {dns.TypeA, 0, 3, 3},
	} {
		m := queryIn(t, x.Handler, x.server, name, want.typ)
		if len(m.Answer) != want.answer || len(m.Ns) != want.ns || len(m.Extra) != want.ad {
			t.Errorf("%s: got %s, want sections of %d, %d and %d", name, render(m), want.answer, want.ns, want.ad)
		}
		clipped(t, m)
	}
	// The slices that are shared on purpose.
	for _, g := range c.Order {
		for _, r := range g.Records {
			for _, rr := range r.Values {
				if rr.Header().Name != g.Name {
					t.Errorf("%s now holds %s", g.Key, rr)
				}
			}
		}
	}
}

// clipped checks that the sections of a reply have no room behind them.
func clipped(t testing.TB, m *dns.Msg) {
	t.Helper()
	for section, rrs := range map[string][]dns.RR{"answer": m.Answer, "authority": m.Ns, "additional": m.Extra} {
		if len(rrs) != cap(rrs) {
			t.Errorf("%v: %d records in the %s section, with room for %d", m.Question, len(rrs), section, cap(rrs))
		}
	}
}
