package routing

import (
	"math/big"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// The rules of load balancers, one function each: "Target group health" in the Elastic
// Load Balancing guide.

// inScope counts the targets that a zone's thresholds look at.
func (n *naive) inScope(b *record.LoadBalancer, g record.TargetGroup, zone int) (healthy, registered int) {
	for _, t := range g.Targets {
		if t.Zone == zone || b.CrossZone {
			registered++
			if n.checks[t.Check] == healthcheck.Healthy {
				healthy++
			}
		}
	}
	return healthy, registered
}

// below reports whether so many of so many targets are fewer than a minimum: either a
// count or a percentage.
func below(m record.Minimum, healthy, registered int) bool {
	if m.Count > 0 && healthy < m.Count {
		return true
	}
	if m.Percent == 0 || registered == 0 {
		return false
	}
	return big.NewRat(int64(healthy), int64(registered)).Cmp(big.NewRat(int64(m.Percent), 100)) < 0
}

// meets reports whether a zone meets the dns_failover threshold of a target group. One
// that holds none of the group's targets is below it, unless it is off.
func (n *naive) meets(b *record.LoadBalancer, g record.TargetGroup, zone int) bool {
	healthy, registered := n.inScope(b, g, zone)
	if off := g.DNS == (record.Minimum{}); registered == 0 && !off {
		return false
	}
	return !below(g.DNS, healthy, registered)
}

// zoneHealthy reports whether a zone meets the thresholds of all target groups that have
// targets at all.
func (n *naive) zoneHealthy(b *record.LoadBalancer, zone int) bool {
	for _, g := range b.Groups {
		if len(g.Targets) > 0 && !n.meets(b, g, zone) {
			return false
		}
	}
	return true
}

// balancerHealthy: every target group that has targets has a zone that meets its
// threshold, and there is such a group.
func (n *naive) balancerHealthy(b *record.LoadBalancer) bool {
	some := false
	for _, g := range b.Groups {
		if len(g.Targets) == 0 {
			continue
		}
		some = true
		healthy := false
		for zone := range b.Zones {
			if n.meets(b, g, zone) {
				healthy = true
			}
		}
		if !healthy {
			return false
		}
	}
	return some
}

// balancerAnswer returns the nodes of the healthy zones, or of all if none is; of a zone
// without nodes its targets: the healthy ones, or all when they are too few.
func (n *naive) balancerAnswer(b *record.LoadBalancer, typ uint16) (string, Reason) {
	var healthy, all []int
	for zone := range b.Zones {
		all = append(all, zone)
		if n.zoneHealthy(b, zone) {
			healthy = append(healthy, zone)
		}
	}
	zones, why := healthy, Balanced
	switch len(healthy) {
	case 0:
		zones, why = all, LastResort
	case len(all):
	default:
		why = ZoneOut
	}
	var rrs []dns.RR
	for _, zone := range zones {
		addrs := b.Zones[zone].Nodes
		for _, g := range b.Groups {
			up, registered := n.inScope(b, g, zone)
			if len(b.Zones[zone].Nodes) == 0 && registered > 0 && below(g.Routing, up, registered) {
				why = LastResort // dead targets are answered
			}
			for _, t := range g.Targets {
				if len(b.Zones[zone].Nodes) == 0 && t.Zone == zone && (below(g.Routing, up, registered) || n.checks[t.Check] == healthcheck.Healthy) {
					addrs = append(addrs, t.Addr)
				}
			}
		}
		for _, a := range addrs {
			if rr, ok := b.RR(a, typ); ok {
				rrs = append(rrs, rr)
			}
		}
	}
	return values(rrs), why
}
