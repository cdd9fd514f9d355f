package record

import (
	"net/netip"
	"testing"

	"github.com/miekg/dns"
)

// TestMinimum is the table of minimums: below is strictly fewer, and either of count and
// percentage breaches.
func TestMinimum(t *testing.T) {
	tests := []struct {
		Minimum
		text                string
		healthy, registered int
		want                bool
	}{
		{Minimum{Count: 3}, "3", 4, 5, false},
		{Minimum{Count: 3}, "3", 3, 5, false},
		{Minimum{Count: 3}, "3", 2, 5, true},
		{Minimum{Count: 1, Percent: 50}, "50%", 6, 10, false},
		{Minimum{Count: 1, Percent: 50}, "50%", 5, 10, false},
		{Minimum{Count: 1, Percent: 50}, "50%", 4, 10, true},
		{Minimum{Percent: 50}, "50%", 5, 11, true},
		{Minimum{Percent: 1}, "1%", 1, 100, false},
		{Minimum{Percent: 1}, "1%", 1, 101, true},
		{Minimum{Percent: 100}, "100%", 65534, 65535, true},
		{Minimum{Count: 3, Percent: 70}, "3 and 70%", 3, 4, false},
		{Minimum{Count: 3, Percent: 70}, "3 and 70%", 2, 4, true},
		{Minimum{Count: 3, Percent: 70}, "3 and 70%", 3, 5, true},
		{Minimum{Count: 2, Percent: 10}, "2 and 10%", 1, 5, true},
		{Minimum{}, "none", 0, 5, false},
		{DefaultMinimum, "1", 1, 5, false},
		{DefaultMinimum, "1", 0, 5, true},
	}
	for _, tt := range tests {
		if got := tt.Breached(tt.healthy, tt.registered); got != tt.want {
			t.Errorf("%d of %d below %s: %t, want %t", tt.healthy, tt.registered, tt.text, got, tt.want)
		}
		if got := tt.String(); got != tt.text {
			t.Errorf("%#v says %q, want %q", tt.Minimum, got, tt.text)
		}
	}
}

// TestBalancerRR: an address has one type.
func TestBalancerRR(t *testing.T) {
	b := &LoadBalancer{Name: "lb.example.org.", TTL: 5}
	tests := []struct {
		addr string
		typ  uint16
		want string
	}{
		{"192.0.2.1", dns.TypeA, "lb.example.org.\t5\tIN\tA\t192.0.2.1"},
		{"2001:db8::1", dns.TypeAAAA, "lb.example.org.\t5\tIN\tAAAA\t2001:db8::1"},
		{"192.0.2.1", dns.TypeAAAA, ""},
		{"2001:db8::1", dns.TypeA, ""},
	}
	for _, tt := range tests {
		rr, ok := b.RR(netip.MustParseAddr(tt.addr), tt.typ)
		if ok != (tt.want != "") || ok && rr.String() != tt.want {
			t.Errorf("%s as %s: %v %t, want %q", tt.addr, dns.Type(tt.typ), rr, ok, tt.want)
		}
	}
}
