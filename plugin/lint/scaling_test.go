package lint

import (
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/internal/scaling"
	"github.com/steerdns/steer/plugin/record"
)

// manyChecks are checks of different endpoints.
func manyChecks(n int) []healthcheck.Check {
	checks := make([]healthcheck.Check, n)
	for i := range checks {
		s := healthcheck.Defaults(healthcheck.TCP)
		s.Host = fmt.Sprint("192.0.2.", i)
		checks[i] = healthcheck.Check{Name: fmt.Sprint("c", i), Spec: s}
	}
	return checks
}

func address(name string, i int, ttl uint32) []dns.RR {
	return []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: ttl}, A: net.IP{192, byte(i >> 16), byte(i >> 8), byte(i)}}}
}

func evaluating(to string) record.RecordSet {
	return record.RecordSet{Check: record.NoCheck, Weight: 1, Alias: &record.AliasTarget{Name: to, EvaluateTargetHealth: true}}
}

// The time is linear in what a catalog holds, in each of its dimensions.
func TestCheckScales(t *testing.T) {
	const first = "first.example.org."
	key := func(name string) record.Key { return record.Key{Name: name, Type: dns.TypeA} }
	tests := []struct {
		name string
		n    int
		fill func(n int, add func(*record.Group)) (checks []healthcheck.Check)
	}{
		{"groups", 1000, func(n int, add func(*record.Group)) []healthcheck.Check {
			for i := range n {
				add(&record.Group{Key: key(name(i)), Policy: record.Failover, Records: []record.RecordSet{
					{Tier: 1, Check: int32(i), Values: address(name(i), i, 600)}, {Tier: 2, Check: record.NoCheck, Values: address(name(i), i, 600)},
				}})
			}
			return manyChecks(n)
		}},
		{"record sets of a group", 3000, func(n int, add func(*record.Group)) []healthcheck.Check {
			g := &record.Group{Key: key(first), Policy: record.Weighted}
			for i := range n {
				g.Records = append(g.Records, record.RecordSet{Weight: 1, Check: 0, Values: address(first, i, 600)})
			}
			add(g)
			return manyChecks(1)
		}},
		{"tiers", 8, func(n int, add func(*record.Group)) []healthcheck.Check {
			for i := range 100 {
				g := &record.Group{Key: key(name(i)), Policy: record.Failover}
				for tier := range n * 4 {
					g.Records = append(g.Records, record.RecordSet{Tier: uint16(tier + 1), Check: record.NoCheck, Values: address(name(i), tier, 60)})
				}
				add(g)
			}
			return nil
		}},
		{"aliases to a group of as many record sets, all of which keep it healthy", 1000, func(n int, add func(*record.Group)) []healthcheck.Check {
			g := &record.Group{Key: key(first), Policy: record.Weighted}
			for i := range n {
				g.Records = append(g.Records, record.RecordSet{Weight: 1, Check: 0, Values: address(first, i, 60)})
			}
			g.Records[n-1].Check = record.NoCheck
			add(g)
			for i := range n {
				add(&record.Group{Key: key(name(i)), Policy: record.Weighted, Records: []record.RecordSet{evaluating(first), evaluating(first)}})
			}
			return manyChecks(1)
		}},
		{"zones and targets of a load balancer", 1000, func(n int, add func(*record.Group)) []healthcheck.Check {
			b := &record.LoadBalancer{Name: first, TTL: 60}
			g := record.TargetGroup{ID: "web", DNS: record.Minimum{Count: 2}, Routing: record.DefaultMinimum}
			for i := range n {
				addr := func(j int) netip.Addr { return netip.AddrFrom4([4]byte{198, byte(j), byte(i >> 8), byte(i)}) }
				b.Zones = append(b.Zones, record.BalancerZone{ID: fmt.Sprint(i), Nodes: []netip.Addr{addr(0)}})
				g.Targets = append(g.Targets, record.Target{Zone: i, Addr: addr(1), Check: int32(i)}, record.Target{Zone: i, Addr: addr(2), Check: int32((i + 1) % n)})
			}
			b.Groups = []record.TargetGroup{g}
			for _, g := range b.RRGroups() {
				add(g)
			}
			return manyChecks(n)
		}},
		{"groups with one calculated check of many", 1000, func(n int, add func(*record.Group)) []healthcheck.Check {
			checks := manyChecks(255)
			all := healthcheck.Check{Name: "all", Calculated: true, HealthyThreshold: 255}
			for i := range checks {
				all.Children = append(all.Children, i)
			}
			for i := range n {
				add(&record.Group{Key: key(name(i)), Policy: record.Weighted, Records: []record.RecordSet{
					{Weight: 1, Check: 255, Values: address(name(i), i, 600)}, {Weight: 1, Check: 255, Values: address(name(i), i+1, 600)},
				}})
			}
			return append(checks, all)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scaling.Linear(t, tt.n, func(n int) func() {
				c := record.NewCatalog([]string{"example.org."})
				c.Checks = tt.fill(n, func(g *record.Group) {
					if err := c.Add(g); err != nil {
						t.Fatal(err)
					}
				})
				c.Validate()
				return func() {
					for range 3 {
						Check(c, Options{Strict: true, Others: []string{"below.example.org."}})
					}
				}
			})
		})
	}
}
