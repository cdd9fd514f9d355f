package handler_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/coredns/coredns/plugin/test"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// discard drops messages without looking at them.
type discard struct{ test.ResponseWriter }

func (*discard) WriteMsg(*dns.Msg) error { return nil }

// TestAllocations pins what a query allocates: the message, and what the answer needs.
func TestAllocations(t *testing.T) {
	c := pair(t, "example.org.")
	add := func(g *record.Group) {
		if err := c.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	alias := func(name, target string) {
		add(&record.Group{Key: record.Key{Name: name, Type: dns.TypeA}, Records: []record.RecordSet{{Check: record.NoCheck, Alias: &record.AliasTarget{Name: target, EvaluateTargetHealth: true}}}})
	}
	alias("one.example.org.", "www.example.org.")
	alias("two.example.org.", "one.example.org.")
	alias("three.example.org.", "two.example.org.")
	alias("away.example.org.", "lb.example.net.")
	lb := &record.LoadBalancer{Name: "lb.example.org.", TTL: 60, Groups: []record.TargetGroup{{ID: "web"}}}
	for z := range 3 {
		lb.Zones = append(lb.Zones, record.BalancerZone{ID: string(rune('a' + z))})
		for i := range 10 {
			lb.Groups[0].Targets = append(lb.Groups[0].Targets, record.Target{Zone: z, Addr: netip.AddrFrom4([4]byte{192, 0, 2, byte(10*z + i)})})
		}
	}
	for _, g := range lb.RRGroups() {
		add(g)
	}
	validate(t, c)
	h := serve(c)
	h.Snapshot().Externals()[0].Set(routing.Resolution{RRs: rr(t, "lb.example.net. 60 A 192.0.2.1"), Until: time.Now().Add(time.Minute)})
	tests := []struct {
		name string
		typ  uint16
		want float64
	}{
		{"www.example.org.", dns.TypeA, 1},   // message
		{"WWW.example.org.", dns.TypeA, 1},   // message with the record under the query's name
		{"three.example.org.", dns.TypeA, 1}, // likewise
		{"x.wild.example.org.", dns.TypeA, 1},
		{"lb.example.org.", dns.TypeA, 1},      // message with room for the targets drawn
		{"away.example.org.", dns.TypeA, 3},    // message, answer section, record with the TTL that is left
		{"www.example.org.", dns.TypeAAAA, 2},  // message, authority section
		{"none.example.org.", dns.TypeAAAA, 2}, // likewise
	}
	for _, tt := range tests {
		r := new(dns.Msg)
		r.SetQuestion(tt.name, tt.typ)
		w, ctx := &discard{}, context.Background()
		got := testing.AllocsPerRun(100, func() {
			if _, err := h.ServeDNS(ctx, w, r); err != nil {
				t.Fatal(err)
			}
		})
		if got > tt.want {
			t.Errorf("%s %s: %v allocations, want %v", tt.name, dns.Type(tt.typ), got, tt.want)
		}
	}
}
