package routing

import (
	"fmt"
	"slices"

	"github.com/steerdns/steer/plugin/record"
)

// transitions says which zones of a load balancer left DNS or came back, and where all
// targets are used now or no longer, with the figures and the threshold that did it.
func transitions(b *record.LoadBalancer, from, to Balance) []Transition {
	var out []Transition
	report := func(worse bool, format string, args ...any) {
		out = append(out, Transition{worse, "load balancer " + b.Name, fmt.Sprintf(format, args...)})
	}
	wasOpen, isOpen := from.failOpen(), to.failOpen()
	for z := range b.Zones {
		was, is := from.Zones[z].Healthy, to.Zones[z].Healthy
		switch id := b.Zones[z].ID; {
		case was && !is && isOpen:
			report(true, "zone %q is unhealthy: %s", id, breach(b, to, z))
		case was && !is:
			report(true, "zone %q leaves DNS: %s", id, breach(b, to, z))
		case !was && is && wasOpen:
			report(false, "zone %q is healthy again: %s", id, recovery(b, from, to, z))
		case !was && is:
			report(false, "zone %q returns to DNS: %s", id, recovery(b, from, to, z))
		}
	}
	switch {
	case !wasOpen && isOpen:
		report(true, "all zones are unhealthy, so all are answered")
	case wasOpen && !isOpen:
		report(false, "healthy zones alone are answered again")
	}
	for i := range b.Groups {
		g := &b.Groups[i]
		for z := range b.Zones {
			scope, where := to.Groups[i].Zones[z], fmt.Sprintf("zone %q", b.Zones[z].ID)
			if b.CrossZone {
				where = "all zones"
			}
			switch was := from.Groups[i].Zones[z].Routing; {
			case scope.Registered == 0:
			case !was && scope.Routing:
				report(true, "routing failover: target group %q is to use all targets of %s, unhealthy ones too: %d of %d healthy, routing_failover wants %s", g.ID, where, scope.Healthy, scope.Registered, g.Routing)
			case was && !scope.Routing:
				report(false, "routing failover ends: target group %q is to use the healthy targets of %s alone: %d of %d healthy", g.ID, where, scope.Healthy, scope.Registered)
			}
			if b.CrossZone {
				break // the others are the same
			}
		}
	}
	return out
}

// reconfigured says the same of a load balancer that a reload changed: what was, under
// the old configuration, and what is.
func reconfigured(old *record.LoadBalancer, was Balance, b *record.LoadBalancer, is Balance) []Transition {
	from := Balance{Zones: slices.Clone(is.Zones), Groups: make([]GroupState, len(is.Groups))}
	for i := range is.Groups {
		from.Groups[i].Zones = slices.Clone(is.Groups[i].Zones)
	}
	for z := range b.Zones {
		oz := slices.IndexFunc(old.Zones, func(o record.BalancerZone) bool { return o.ID == b.Zones[z].ID })
		if oz < 0 {
			continue
		}
		from.Zones[z] = was.Zones[oz]
		for i := range b.Groups {
			if oi := slices.IndexFunc(old.Groups, func(o record.TargetGroup) bool { return o.ID == b.Groups[i].ID }); oi >= 0 {
				from.Groups[i].Zones[z] = was.Groups[oi].Zones[oz]
			}
		}
	}
	return transitions(b, from, is)
}

// failOpen reports whether zones are answered although they are unhealthy.
func (s *Balance) failOpen() bool {
	for _, z := range s.Zones {
		if z.InDNS && !z.Healthy {
			return true
		}
	}
	return false
}

// breach names the first target group that is below its dns_failover minimum in a zone.
func breach(b *record.LoadBalancer, s Balance, z int) string {
	for i, g := range b.Groups {
		if scope := s.Groups[i].Zones[z]; scope.BelowDNS && len(g.Targets) > 0 {
			return fmt.Sprintf("target group %q: %d of %d targets healthy, dns_failover wants %s", g.ID, scope.Healthy, scope.Registered, g.DNS)
		}
	}
	return "its configuration changed"
}

// recovery names the first target group that was below its minimum and no longer is.
func recovery(b *record.LoadBalancer, from, to Balance, z int) string {
	for i, g := range b.Groups {
		if from.Groups[i].Zones[z].BelowDNS && len(g.Targets) > 0 {
			scope := to.Groups[i].Zones[z]
			return fmt.Sprintf("target group %q: %d of %d targets healthy, dns_failover wants %s", g.ID, scope.Healthy, scope.Registered, g.DNS)
		}
	}
	return "its configuration changed"
}
