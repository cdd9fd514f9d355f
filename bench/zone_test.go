package bench

import (
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// checks is how many health checks the names below share.
const checks = 100

// zone is what the steer rows serve, with n simple record sets of filler.
func zone(tb testing.TB, filler int) *handler.Handler {
	tb.Helper()
	c := record.NewCatalog([]string{"example.org."})
	c.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
	c.Checks = make([]healthcheck.Check, checks)
	for i := range c.Checks {
		c.Checks[i] = healthcheck.Check{Name: fmt.Sprint("c", i), Spec: healthcheck.Defaults(healthcheck.TCP)}
	}
	put(tb, c,
		group(record.Weighted, "weighted3.example.org.", 3),
		group(record.Weighted, "weighted100.example.org.", 100),
		group(record.Failover, "failover.example.org.", 2),
		group(record.Multivalue, "multivalue100.example.org.", 100),
		group(record.Simple, "simple.example.org.", 1),
		group(record.Simple, "*.wild.example.org.", 1),
		alias("tree.example.org.", "two.example.org."),
		alias("two.example.org.", "one.example.org."),
		alias("one.example.org.", "weighted3.example.org."),
	)
	put(tb, c, balancer("balancer.example.org.", true).RRGroups()...)
	put(tb, c, balancer("targets.example.org.", false).RRGroups()...)
	for i := range filler {
		g := group(record.Simple, fmt.Sprintf("n%d.filler.example.org.", i), 1)
		g.Records[0].Check = record.NoCheck
		put(tb, c, g)
	}
	return served(tb, c)
}

// put adds groups to a catalog.
func put(tb testing.TB, c *record.Catalog, groups ...*record.Group) {
	tb.Helper()
	for _, g := range groups {
		if err := c.Add(g); err != nil {
			tb.Fatal(err)
		}
	}
}

// served is a handler of a catalog all whose checks are healthy.
func served(tb testing.TB, c *record.Catalog) *handler.Handler {
	tb.Helper()
	for _, p := range c.Validate() {
		if p.Level == record.Refused {
			tb.Fatal(p.Err)
		}
	}
	statuses := make([]healthcheck.Status, len(c.Checks))
	for i := range statuses {
		statuses[i] = healthcheck.Healthy
	}
	return handler.New(handler.NewSnapshot(c, statuses))
}

// group is a group of n addresses, each with a check.
func group(policy record.Policy, name string, n int) *record.Group {
	g := &record.Group{Key: record.Key{Name: name, Type: dns.TypeA}, Policy: policy}
	for i := range n {
		g.Records = append(g.Records, record.RecordSet{
			Values: []dns.RR{address(name, i)},
			Check:  int32(i % checks),
			Weight: uint16(i + 1),
			Tier:   uint16(i + 1),
		})
	}
	return g
}

// alias is a name that answers with a target and is healthy while that is.
func alias(name, target string) *record.Group {
	return &record.Group{Key: record.Key{Name: name, Type: dns.TypeA}, Records: []record.RecordSet{
		{Check: record.NoCheck, Alias: &record.AliasTarget{Name: target, EvaluateTargetHealth: true}},
	}}
}

// balancer is a load balancer of three zones with ten targets each, and one node if it
// answers with nodes.
func balancer(name string, nodes bool) *record.LoadBalancer {
	b := &record.LoadBalancer{Name: name, TTL: 60}
	g := record.TargetGroup{ID: "web", DNS: record.DefaultMinimum, Routing: record.DefaultMinimum}
	for z := range 3 {
		zone := record.BalancerZone{ID: string(rune('a' + z))}
		if nodes {
			zone.Nodes = []netip.Addr{netip.AddrFrom4([4]byte{198, 51, 100, byte(z)})}
		}
		b.Zones = append(b.Zones, zone)
		for i := range 10 {
			g.Targets = append(g.Targets, record.Target{Zone: z, Addr: netip.AddrFrom4([4]byte{203, 0, 113, byte(z*10 + i)}), Check: int32(z*10 + i)})
		}
	}
	b.Groups = []record.TargetGroup{g}
	return b
}

func address(name string, i int) dns.RR {
	return &dns.A{
		Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60},
		A:   net.IP{192, 0, byte(i >> 8), byte(i)},
	}
}
