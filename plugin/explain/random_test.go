package explain

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// growth makes random catalogs: checks of every kind, some of which share a probe or an
// address, groups of every policy in trees of aliases, load balancers and CNAMEs.
type growth struct {
	*rand.Rand
	catalog *record.Catalog
	names   map[uint16][]string // that hold a group, by type
	number  byte                // of the last address
}

// grow makes a catalog that has been validated.
func grow(t testing.TB, rnd *rand.Rand) *record.Catalog {
	t.Helper()
	return growWith(t, rnd, func(*growth) {})
}

// growWith makes one that is changed before it is validated.
func growWith(t testing.TB, rnd *rand.Rand, change func(*growth)) *record.Catalog {
	t.Helper()
	g := &growth{Rand: rnd, catalog: record.NewCatalog([]string{"example.org."}), names: map[uint16][]string{}}
	g.catalog.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
	g.checks()
	for i := range 3 + rnd.IntN(9) {
		switch rnd.IntN(8) {
		case 0:
			g.balancer(fmt.Sprintf("lb%d.example.org.", i))
		case 1:
			g.cname(fmt.Sprintf("c%d.example.org.", i))
		default:
			g.group(fmt.Sprintf("g%d.example.org.", i))
		}
	}
	change(g)
	for _, p := range g.catalog.Validate() {
		if p.Level == record.Refused {
			t.Fatal(p.Err)
		}
	}
	return g.catalog
}

func (g *growth) checks() {
	n := 2 + g.IntN(6)
	for i := range n {
		c := healthcheck.Check{Name: fmt.Sprintf("check-%d", i), Spec: healthcheck.Defaults(healthcheck.TCP)}
		c.Spec.Host, c.Spec.Port = fmt.Sprintf("192.0.2.%d", 1+g.IntN(4)), uint16(1+g.IntN(3))
		switch g.IntN(10) {
		case 0:
			c.Invert = true
		case 1:
			c.Disabled = true
		case 2:
			c.Fixed, c.FixedStatus = true, healthcheck.Status(g.IntN(2))
		}
		g.catalog.Checks = append(g.catalog.Checks, c)
	}
	for i := range g.IntN(3) {
		c := healthcheck.Check{Name: fmt.Sprintf("calculated-%d", i), Calculated: true, Invert: g.IntN(5) == 0}
		c.Children = g.Perm(n)[:1+g.IntN(n)]
		c.HealthyThreshold = g.IntN(len(c.Children) + 1)
		g.catalog.Checks = append(g.catalog.Checks, c)
	}
}

// check returns a check, or none now and then.
func (g *growth) check() int32 {
	return int32(max(g.IntN(len(g.catalog.Checks)+1)-1, record.NoCheck))
}

func (g *growth) address(name string) dns.RR {
	g.number++
	return &dns.A{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: []byte{198, 51, 100, g.number}}
}

func (g *growth) group(name string) {
	group := &record.Group{Key: record.Key{Name: name, Type: dns.TypeA}, Policy: record.Policy(g.IntN(4))}
	g.fill(group, func() []dns.RR {
		rrs := []dns.RR{g.address(name)}
		if g.IntN(3) == 0 && group.Policy != record.Multivalue {
			rrs = append(rrs, g.address(name))
		}
		return rrs
	})
}

func (g *growth) cname(name string) {
	group := &record.Group{Key: record.Key{Name: name, Type: dns.TypeCNAME}, Policy: record.Policy(g.IntN(3))}
	g.fill(group, func() []dns.RR {
		target := "out.test."
		for _, typ := range []uint16{dns.TypeCNAME, dns.TypeA} {
			if held := g.names[typ]; len(held) > 0 && g.IntN(3) > 0 {
				target = held[g.IntN(len(held))]
			}
		}
		return []dns.RR{&dns.CNAME{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeCNAME, Class: dns.ClassINET, Ttl: 60}, Target: target}}
	})
}

// fill gives a group its record sets and adds it.
func (g *growth) fill(group *record.Group, values func() []dns.RR) {
	count := 1 + g.IntN(4)
	if group.Policy == record.Simple {
		count = 1
	}
	tiers := g.Perm(5)
	for i := range count {
		r := record.RecordSet{Imported: true, SetID: fmt.Sprint(i), Weight: uint16(g.IntN(4)), Tier: uint16(tiers[i] + 1), Check: g.check()}
		if held := g.names[group.Type]; len(held) > 0 && group.Policy != record.Multivalue && g.IntN(5) < 3 {
			target := held[g.IntN(len(held))]
			switch g.IntN(12) {
			case 0:
				target = fmt.Sprintf("out%d.test.", g.IntN(2))
			case 1:
				target = "missing.example.org."
			}
			r.Alias = &record.AliasTarget{Name: target, EvaluateTargetHealth: g.IntN(4) > 0}
		} else {
			r.Values = values()
		}
		group.Records = append(group.Records, r)
	}
	if err := g.catalog.Add(group); err != nil {
		panic(err)
	}
	g.names[group.Type] = append(g.names[group.Type], group.Name)
}

func (g *growth) balancer(name string) {
	minimums := []record.Minimum{{Count: 1}, {Count: 2}, {Count: 1, Percent: 50}, {Percent: 60}, {}}
	for {
		b := &record.LoadBalancer{Name: name, TTL: 60, CrossZone: g.IntN(2) == 0}
		for z := range 1 + g.IntN(3) {
			zone := record.BalancerZone{ID: fmt.Sprint(z)}
			if g.IntN(2) == 0 {
				zone.Nodes = []netip.Addr{g.addr()}
			}
			b.Zones = append(b.Zones, zone)
		}
		for i := range 1 + g.IntN(2) {
			group := record.TargetGroup{ID: fmt.Sprint(i), DNS: minimums[g.IntN(len(minimums))], Routing: minimums[g.IntN(len(minimums))]}
			for range g.IntN(6) {
				group.Targets = append(group.Targets, record.Target{Zone: g.IntN(len(b.Zones)), Addr: g.addr(), Check: int32(g.IntN(len(g.catalog.Checks)))})
			}
			b.Groups = append(b.Groups, group)
		}
		groups := b.RRGroups()
		if record.NewCatalog([]string{"example.org."}).Add(groups[0]) != nil {
			continue // thresholds or zones that do not go together
		}
		for _, group := range groups {
			if err := g.catalog.Add(group); err != nil {
				panic(err)
			}
		}
		g.names[dns.TypeA] = append(g.names[dns.TypeA], name)
		return
	}
}

func (g *growth) addr() netip.Addr {
	g.number++
	return netip.AddrFrom4([4]byte{203, 0, 113, g.number})
}

// upset makes some probes of a Model fail, and targets held elsewhere unhealthy.
func upset(m *Model, rnd *rand.Rand) {
	c := Cause{}
	for p := range m.health.probes {
		if rnd.IntN(3) == 0 {
			c.probes = append(c.probes, int32(p))
		}
	}
	for i := range m.table.Externals() {
		if rnd.IntN(3) == 0 {
			c.externals = append(c.externals, i)
		}
	}
	m.Fail(c)
}
