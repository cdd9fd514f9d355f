package explain

import (
	"fmt"
	"math"
	"slices"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// balancer draws a load balancer with what its thresholds look at.
//
// Source: Elastic Load Balancing guide, "Target group health".
func (t *tree) balancer(b *record.LoadBalancer) *Balancer {
	state := t.table.Balance(b)
	out := &Balancer{CrossZone: b.CrossZone}
	for i := range b.Groups {
		out.Groups = append(out.Groups, t.targetGroup(b, &b.Groups[i], state.Groups[i]))
	}
	for z := range b.Zones {
		zone := BalancerZone{ID: b.Zones[z].ID, Healthy: state.Zones[z].Healthy, InDNS: state.Zones[z].InDNS}
		for _, addr := range b.Zones[z].Nodes {
			zone.Nodes = append(zone.Nodes, addr.String())
		}
		zone.Why = zoneRule(b, state, z)
		out.Zones = append(out.Zones, zone)
	}
	return out
}

// zoneRule says why a zone is answered or not.
func zoneRule(b *record.LoadBalancer, state routing.Balance, z int) string {
	if state.Zones[z].Healthy {
		if slices.ContainsFunc(b.Groups, func(g record.TargetGroup) bool { return len(g.Targets) > 0 }) {
			return "every target group meets its dns_failover"
		}
		return "there are no targets, so it is always answered"
	}
	why := "its configuration leaves it without targets"
	for i := range b.Groups {
		g := &b.Groups[i]
		if s := state.Groups[i].Zones[z]; s.BelowDNS && len(g.Targets) > 0 {
			why = fmt.Sprintf("target group %q: %s", g.ID, counts(s, g))
			break
		}
	}
	if state.Zones[z].InDNS {
		return why + "; all zones are unhealthy, so all are answered"
	}
	return why
}

// counts says what a scope has and what dns_failover wants, as the log does.
func counts(s routing.Scope, g *record.TargetGroup) string {
	return fmt.Sprintf("%d of %d targets healthy, dns_failover wants %s", s.Healthy, s.Registered, g.DNS)
}

func (t *tree) targetGroup(b *record.LoadBalancer, g *record.TargetGroup, state routing.GroupState) TargetGroup {
	out := TargetGroup{ID: g.ID, DNSFailover: g.DNS.String(), RoutingFailover: g.Routing.String(), Scopes: []Scope{}}
	for z := range b.Zones {
		s := state.Zones[z]
		scope := Scope{
			Zone: b.Zones[z].ID, Registered: s.Registered, Healthy: s.Healthy, Percent: percent(s.Targets),
			BelowDNS: s.BelowDNS && len(g.Targets) > 0, BelowRouting: s.Routing && s.Registered > 0,
			Text: counts(s, g), Targets: []Target{},
		}
		if b.CrossZone {
			scope.Zone = ""
		}
		if scope.BelowRouting {
			scope.Text += fmt.Sprintf("; routing_failover wants %s, so all targets are used, unhealthy ones too", g.Routing)
		}
		for _, target := range g.Targets {
			if target.Zone != z && !b.CrossZone {
				continue
			}
			scope.Targets = append(scope.Targets, Target{
				Address: target.Addr.String(), Zone: b.Zones[target.Zone].ID, Check: t.check(target.Check),
				Healthy: t.table.Status(int(target.Check)) == healthcheck.Healthy,
			})
		}
		out.Scopes = append(out.Scopes, scope)
		if b.CrossZone {
			break // the others are the same
		}
	}
	return out
}

// percent returns how many of the targets are healthy, rounded to a tenth of a percent.
func percent(t routing.Targets) float64 {
	if t.Registered == 0 {
		return 0
	}
	return math.Round(1000*float64(t.Healthy)/float64(t.Registered)) / 10
}
