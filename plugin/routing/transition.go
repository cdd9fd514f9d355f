package routing

import (
	"fmt"

	"github.com/steerdns/steer/plugin/record"
)

// Transition is a change in a load balancer that an operator wants to read about.
type Transition struct {
	Worse bool
	Text  string
}

// transitions says which zones of a load balancer left DNS or came back, with the
// figures and the threshold that did it.
func transitions(b *record.LoadBalancer, from, to Balance) []Transition {
	var out []Transition
	for z := range b.Zones {
		was, is := from.Zones[z].Healthy, to.Zones[z].Healthy
		switch {
		case was && !is:
			out = append(out, Transition{true, fmt.Sprintf("load balancer %s: zone %q leaves DNS: %s", b.Name, b.Zones[z].ID, breach(b, to, z))})
		case !was && is:
			out = append(out, Transition{false, fmt.Sprintf("load balancer %s: zone %q returns to DNS: %s", b.Name, b.Zones[z].ID, recovery(b, from, to, z))})
		}
	}
	switch was, is := from.failOpen(), to.failOpen(); {
	case !was && is:
		out = append(out, Transition{true, fmt.Sprintf("load balancer %s: all zones are unhealthy, so all are answered", b.Name)})
	case was && !is:
		out = append(out, Transition{false, fmt.Sprintf("load balancer %s: healthy zones alone are answered again", b.Name)})
	}
	return out
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
	return ""
}

// recovery names the first target group that was below its minimum and no longer is.
func recovery(b *record.LoadBalancer, from, to Balance, z int) string {
	for i, g := range b.Groups {
		if from.Groups[i].Zones[z].BelowDNS && len(g.Targets) > 0 {
			scope := to.Groups[i].Zones[z]
			return fmt.Sprintf("target group %q: %d of %d targets healthy, dns_failover wants %s", g.ID, scope.Healthy, scope.Registered, g.DNS)
		}
	}
	return ""
}
