package record

import (
	"fmt"
	"net/netip"
	"strconv"

	"github.com/miekg/dns"
)

// LoadBalancer is a name that answers with the zones that are in good health.
//
// Source: Elastic Load Balancing guide, "Target group health".
type LoadBalancer struct {
	Name      string // canonical
	Pos       Pos
	TTL       uint32 // seconds
	CrossZone bool   // percentages and routing take all zones' targets together
	Zones     []BalancerZone
	Groups    []TargetGroup
}

// BalancerZone is a zone of a load balancer.
type BalancerZone struct {
	ID    string
	Pos   Pos
	Nodes []netip.Addr // empty: the zone answers with its targets
}

// TargetGroup is a group of targets with one check and two thresholds.
type TargetGroup struct {
	ID      string
	Pos     Pos
	DNS     Minimum // below it a zone leaves DNS
	Routing Minimum // below it all targets of the scope are used, unhealthy ones too
	Limits  Pos     // where the later of the two was set
	Targets []Target
}

// Target is what a load balancer sends traffic to.
type Target struct {
	Zone  int // index into [LoadBalancer.Zones]
	Pos   Pos
	Addr  netip.Addr
	Check int32 // index into [Catalog.Checks]
}

// Minimum is how many targets must be healthy. If both a count and a percentage are
// given, falling below either breaches it.
type Minimum struct {
	Count   int // targets, from 1; 0 is off
	Percent int // of the registered targets, 1–100; 0 is none
}

// DefaultMinimum is one healthy target, no percentage.
var DefaultMinimum = Minimum{Count: 1}

// Breached reports whether so many healthy targets of so many registered ones are
// below the minimum. Below is strictly fewer.
func (m Minimum) Breached(healthy, registered int) bool {
	return healthy < m.Count || healthy*100 < m.Percent*registered
}

// String says what the minimum asks for: "3", "50%" or "3 and 50%". A percentage implies
// a count of 1.
func (m Minimum) String() string {
	switch {
	case m.Off():
		return "none"
	case m.Percent == 0:
		return strconv.Itoa(m.Count)
	case m.Count <= 1:
		return fmt.Sprintf("%d%%", m.Percent)
	}
	return fmt.Sprintf("%d and %d%%", m.Count, m.Percent)
}

// Off reports whether the minimum can never be breached.
func (m Minimum) Off() bool { return m.Count == 0 && m.Percent == 0 }

// RRGroups returns the two groups that a load balancer is in a catalog: for its IPv4 and
// its IPv6 addresses.
func (b *LoadBalancer) RRGroups() []*Group {
	groups := make([]*Group, 0, 2)
	for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
		groups = append(groups, &Group{Key: Key{b.Name, typ}, Pos: b.Pos, Policy: Balanced, Balancer: b})
	}
	return groups
}

// RR returns the A or AAAA record of an address under the load balancer's name, and
// false when the address is not of the type's family.
func (b *LoadBalancer) RR(addr netip.Addr, typ uint16) (dns.RR, bool) {
	h := dns.RR_Header{Name: b.Name, Rrtype: typ, Class: dns.ClassINET, Ttl: b.TTL}
	switch {
	case typ == dns.TypeA && addr.Is4():
		return &dns.A{Hdr: h, A: addr.AsSlice()}, true
	case typ == dns.TypeAAAA && addr.Is6():
		return &dns.AAAA{Hdr: h, AAAA: addr.AsSlice()}, true
	}
	return nil, false
}

// check returns what is wrong with a load balancer by itself.
func (b *LoadBalancer) check() error {
	if len(b.Zones) == 0 {
		return ErrorAt(b.Pos, "load_balancer %s has no zones: declare each, with its node addresses if it has any, such as: zone a 192.0.2.1", b.Name)
	}
	ids := make(map[string]Pos)
	for _, z := range b.Zones {
		if at, ok := ids[z.ID]; ok {
			return ErrorAt(z.Pos, "zone %q is named twice in load_balancer %s: here and at %s", z.ID, b.Name, at)
		}
		ids[z.ID] = z.Pos
		if len(z.Nodes) == 0 && len(b.Groups) > 1 {
			return ErrorAt(z.Pos, "zone %q of load_balancer %s has no node addresses, so it would answer with its targets; with %d target groups it is unclear which targets", z.ID, b.Name, len(b.Groups))
		}
	}
	clear(ids)
	for i := range b.Groups {
		g := &b.Groups[i]
		if at, ok := ids[g.ID]; ok {
			return ErrorAt(g.Pos, "target_group %q is named twice in load_balancer %s: here and at %s", g.ID, b.Name, at)
		}
		ids[g.ID] = g.Pos
		if err := g.check(); err != nil {
			return err
		}
	}
	return b.checkAnswers()
}

// checkAnswers refuses an address that an answer could hold twice: a node of two zones,
// or a node that is a target of a zone without nodes.
func (b *LoadBalancer) checkAnswers() error {
	seen := make(map[netip.Addr]Pos)
	for _, z := range b.Zones {
		for _, addr := range z.Nodes {
			if at, ok := seen[addr]; ok {
				return ErrorAt(z.Pos, "node address %s is given twice in load_balancer %s: here and at %s", addr, b.Name, at)
			}
			seen[addr] = z.Pos
		}
	}
	for i := range b.Groups {
		for _, t := range b.Groups[i].Targets {
			z := &b.Zones[t.Zone]
			if at, ok := seen[t.Addr]; ok && len(z.Nodes) == 0 {
				return ErrorAt(t.Pos, "target %s is a node address as well, at %s; zone %q has no node addresses and answers with its targets, so it would be answered twice", t.Addr, at, z.ID)
			}
		}
	}
	return nil
}

// isDefault explains a count that nobody may have written.
func isDefault(count int) string {
	if count == DefaultMinimum.Count {
		return " (the default)"
	}
	return ""
}

// check refuses what is wrong with a target group: a target that is in it twice, and
// minimums that would use unhealthy targets before the zone leaves DNS.
func (g *TargetGroup) check() error {
	seen := make(map[netip.Addr]Pos, len(g.Targets))
	for _, t := range g.Targets {
		if at, ok := seen[t.Addr]; ok {
			return ErrorAt(t.Pos, "target %s is given twice in target_group %q: here and at %s; a target belongs to one zone", t.Addr, g.ID, at)
		}
		seen[t.Addr] = t.Pos
	}
	const rule = "dns_failover must be at least as high, so that a zone leaves DNS before its unhealthy targets are used"
	switch {
	case g.DNS.Off():
		return nil
	case g.DNS.Count > 0 && g.DNS.Count < g.Routing.Count:
		return ErrorAt(g.Limits, "target_group %q: dns_failover count %d%s is below routing_failover count %d; %s", g.ID, g.DNS.Count, isDefault(g.DNS.Count), g.Routing.Count, rule)
	case g.DNS.Percent == 0 && g.Routing.Percent > 0:
		return ErrorAt(g.Limits, "target_group %q: dns_failover without a percentage is below routing_failover %d%%; %s", g.ID, g.Routing.Percent, rule)
	case g.DNS.Percent < g.Routing.Percent:
		return ErrorAt(g.Limits, "target_group %q: dns_failover %d%% is below routing_failover %d%%; %s", g.ID, g.DNS.Percent, g.Routing.Percent, rule)
	}
	return nil
}
