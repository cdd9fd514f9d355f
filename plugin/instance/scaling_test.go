package instance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/coredns/caddy"
	"github.com/coredns/caddy/caddyfile"
	"github.com/coredns/coredns/plugin/test"
	"github.com/miekg/dns"

	"github.com/steerdns/steer/internal/scaling"
)

// manyZones returns n zones, each below one of its own.
func manyZones(n int) []string {
	zones := make([]string, n)
	for i := range zones {
		zones[i] = fmt.Sprintf("z%d.example%d.org.", i, i)
	}
	return zones
}

func keysOf(zones []string) []string {
	keys := make([]string, len(zones))
	for i, zone := range zones {
		keys[i] = "dns://" + zone + ":53"
	}
	return keys
}

// manyBlocks sets up a server of blocks with the keys and the text of one directive each.
func manyBlocks(t *testing.T, text string, blocks ...[]string) []*Instance {
	t.Helper()
	c := caddy.NewTestController("dns", "")
	for i, keys := range blocks {
		c.Dispenser = caddyfile.NewDispenser("Testfile", strings.NewReader(text))
		c.ServerBlockKeys, c.ServerBlockIndex = keys, i
		if _, err := New(c); err != nil {
			t.Fatal(err)
		}
	}
	return c.Get(storageKey{}).(*instanceSet).members
}

// serve starts instances, has each answer for its first zone, and stops them.
func serve(t *testing.T, instances []*Instance) {
	t.Helper()
	for _, in := range instances {
		if err := in.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range instances {
		r := new(dns.Msg).SetQuestion("www."+in.zones[0], dns.TypeA)
		if rcode, _ := in.handler.ServeDNS(context.Background(), &test.ResponseWriter{}, r); rcode != dns.RcodeSuccess {
			t.Fatalf("%s: %s", r.Question[0].Name, dns.RcodeToString[rcode])
		}
	}
	for _, in := range instances {
		stop(t, in)
	}
}

// TestScaling: what a server of many zones or blocks costs grows with their number, and
// not with its square.
func TestScaling(t *testing.T) {
	const records = " {\nsimple www A 192.0.2.1\nalias alias A www\n}"
	tests := []struct {
		name    string
		n       int
		prepare func(t *testing.T, n int) (job func())
	}{
		{"setup of zones of a directive", 200, func(t *testing.T, n int) func() {
			text := "steer " + strings.Join(manyZones(n), " ") + records
			return func() { manyBlocks(t, text, []string{"dns://.:53"}) }
		}},
		{"setup of zones of a server block", 200, func(t *testing.T, n int) func() {
			keys := keysOf(manyZones(n))
			return func() { manyBlocks(t, "steer"+records, keys) }
		}},
		{"setup of zones that are no keys of their server block", 200, func(t *testing.T, n int) func() {
			keys := keysOf(manyZones(n))
			text := "steer " + strings.ReplaceAll(strings.Join(manyZones(n), " "), "org", "net") + records
			return func() { manyBlocks(t, text, keys) }
		}},
		{"setup of server blocks", 200, func(t *testing.T, n int) func() {
			blocks := make([][]string, n)
			for i, key := range keysOf(manyZones(n)) {
				blocks[i] = []string{key}
			}
			return func() { manyBlocks(t, "steer"+records, blocks...) }
		}},
		{"setup of server blocks of one key", 200, func(t *testing.T, n int) func() {
			blocks := make([][]string, n)
			for i := range blocks {
				blocks[i] = []string{"dns://example.org.:53"}
			}
			return func() { manyBlocks(t, "steer"+records, blocks...) }
		}},
		{"life of zones of a directive", 200, func(t *testing.T, n int) func() {
			instances := manyBlocks(t, "steer "+strings.Join(manyZones(n), " ")+records, []string{"dns://.:53"})
			return func() { serve(t, instances) }
		}},
		{"life of zones of a server block", 200, func(t *testing.T, n int) func() {
			instances := manyBlocks(t, "steer"+records, keysOf(manyZones(n)))
			return func() { serve(t, instances) }
		}},
		{"life of server blocks", 500, func(t *testing.T, n int) func() {
			blocks := make([][]string, n)
			for i, key := range keysOf(manyZones(n)) {
				blocks[i] = []string{key}
			}
			instances := manyBlocks(t, "steer"+records, blocks...)
			return func() { serve(t, instances) }
		}},
		{"ways past the cache", 1000, func(t *testing.T, n int) func() {
			instances := manyBlocks(t, "steer "+strings.Join(manyZones(n), " ")+" {\n}", []string{"dns://.:53"})
			return func() {
				if got := len(instances[0].handler.CacheBypassZones()); got != n {
					t.Fatalf("%d zones bypass the cache, want %d", got, n)
				}
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { scaling.Linear(t, tt.n, func(n int) func() { return tt.prepare(t, n) }) })
	}
}
