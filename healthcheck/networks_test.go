package healthcheck

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestNetworks(t *testing.T) {
	only := OnlyNetworks([]netip.Prefix{netip.MustParsePrefix("192.0.2.128/25"), netip.MustParsePrefix("10.1.2.3/8"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("10.0.0.0/8")})
	if want := Networks("10.0.0.0/8 192.0.2.128/25 2001:db8::/32"); only != want {
		t.Errorf("canonical form %q, want %q", only, want)
	}
	tests := []struct {
		networks Networks
		addr     string
		want     bool
	}{
		{AnyNetwork, "169.254.169.254", true},
		{NotLinkLocal, "169.253.255.255", true},
		{NotLinkLocal, "169.254.0.0", false},
		{NotLinkLocal, "169.254.169.254", false},
		{NotLinkLocal, "::ffff:169.254.169.254", false},
		{NotLinkLocal, "169.255.0.0", true},
		{NotLinkLocal, "127.0.0.1", true},
		{NotLinkLocal, "10.0.0.1", true},
		{NotLinkLocal, "fe80::1", false},
		{NotLinkLocal, "fe80::1%eth0", false},
		{NotLinkLocal, "febf::1", false},
		{NotLinkLocal, "fec0::1", true},
		{NotLinkLocal, "fd00:ec2::254", false},
		{NotLinkLocal, "fd00:ec2::253", true},
		{only, "10.255.0.1", true},
		{only, "::ffff:10.255.0.1", true},
		{only, "11.0.0.1", false},
		{only, "192.0.2.127", false},
		{only, "192.0.2.128", true},
		{only, "2001:db8::1", true},
		{only, "2001:db9::1", false},
		{only, "169.254.169.254", false},
	}
	for _, tt := range tests {
		if got := tt.networks.Allow(netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("%q allows %s: %t", tt.networks, tt.addr, got)
		}
	}
}

// TestNetworksOfNames: what a name resolves to counts at the time of the probe. Nothing
// connects to an address that is not allowed; others of the name are tried.
func TestNetworksOfNames(t *testing.T) {
	var connections atomic.Int32
	up := serve(t, loopback, func(net.Conn) { connections.Add(1) })
	local := netip.MustParsePrefix("127.0.0.0/8")
	tests := []struct {
		name     string
		networks Networks
		host     string
		addrs    []string
		want     string
		connects int32
	}{
		{"allowed", OnlyNetworks([]netip.Prefix{local}), "web.example.org", []string{"127.0.0.1"}, "", 1},
		{"not allowed", NotLinkLocal, "web.example.org", []string{"169.254.169.254", "169.254.169.253"},
			"not probed: web.example.org resolves to 169.254.169.254, which is in no network that may be probed; it counts as healthy", 0},
		{"in IPv6 form", NotLinkLocal, "web.example.org", []string{"::ffff:169.254.169.254"},
			"not probed: web.example.org resolves to 169.254.169.254, which is in no network that may be probed; it counts as healthy", 0},
		{"one of two", NotLinkLocal, "web.example.org", []string{"169.254.169.254", "127.0.0.1"}, "", 1},
		{"not in the list", OnlyNetworks([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}), "web.example.org", []string{"127.0.0.1"},
			"not probed: web.example.org resolves to 127.0.0.1, which is in no network that may be probed; it counts as healthy", 0},
		{"an address", OnlyNetworks([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}), "127.0.0.1", nil,
			"not probed: 127.0.0.1 is in no network that may be probed; it counts as healthy", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			connections.Store(0)
			p := newProber()
			p.lookup = func(context.Context, string, string) (addrs []netip.Addr, err error) {
				for _, a := range tt.addrs {
					addrs = append(addrs, netip.MustParseAddr(a))
				}
				return addrs, nil
			}
			s := spec(HTTP, up, func(s *Spec) { s.Host, s.Networks = tt.host, tt.networks })
			err := p.probe(t.Context(), s, nil)
			if tt.want != "" {
				wantReason(t, err, tt.want)
			} else if classOf(err) == notAllowedClass {
				t.Errorf("not probed: %v", err)
			}
			if n := connections.Load(); n != tt.connects {
				t.Errorf("%d connections, want %d", n, tt.connects)
			}
		})
	}
}

// TestNotAllowed: a check that may not be probed counts as healthy, which is reported once.
func TestNotAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		ep.fail("a", fail(notAllowedClass, "not probed"))
		ep.set("b", false)
		s := Defaults(TCP)
		s.Host, s.Interval, s.Recheck = "a", 10*time.Second, 10*time.Second
		other := s
		other.Host = "b"
		lease := p.Acquire("block", []Check{{Name: "one", Spec: s}, {Name: "two", Spec: other}})
		defer lease.Release()
		time.Sleep(5 * time.Minute)
		if got := lease.Statuses(); got[0] != Healthy || got[1] != Unhealthy {
			t.Errorf("statuses %v", got)
		}
		ep.set("b", true)
		ep.fail("b", fail(notAllowedClass, "not probed"))
		time.Sleep(time.Minute)
		if got := lease.Statuses(); got[1] != Healthy {
			t.Errorf("statuses %v", got)
		}
		ep.mu.Lock()
		defer ep.mu.Unlock()
		var reported []string
		for _, line := range ep.reported {
			_, line, _ = strings.Cut(line, " ")
			reported = append(reported, line)
		}
		slices.Sort(reported)
		want := []string{"block/one healthy→healthy: not probed", "block/two healthy→unhealthy: connect: connection refused", "block/two unhealthy→healthy: not probed"}
		if !slices.Equal(reported, want) {
			t.Errorf("reported %q, want %q", reported, want)
		}
	})
}
