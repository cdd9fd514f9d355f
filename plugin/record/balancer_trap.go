package record

import (
	"fmt"

	"github.com/miekg/dns"
)

// balancer finds what is legal in a load balancer but seldom meant. Its group of IPv4
// addresses stands for both.
func (v *validator) balancer(g *Group) {
	if g.Type != dns.TypeA {
		return
	}
	b := g.Balancer
	t := balancerTraps{validator: v, group: g, b: b}
	own := make([]int, len(b.Zones)) // targets by zone, of all target groups
	total := 0
	for i := range b.Groups {
		for _, target := range b.Groups[i].Targets {
			own[target.Zone]++
			total++
		}
	}
	for z, n := range own {
		if n == 0 && len(b.Zones[z].Nodes) == 0 {
			t.warn(b.Zones[z].Pos, "empty zone", "zone %q of load_balancer %s has neither node addresses nor targets, so it is never answered", b.Zones[z].ID, b.Name)
		}
	}
	if total == 0 {
		t.warn(b.Pos, "no targets", "load_balancer %s has no targets: its zones are always answered, and an alias that evaluates its health never is healthy", b.Name)
		return
	}
	if b.TTL > maxCheckedTTL {
		t.warn(b.Pos, "long ttl", "load_balancer %s has a TTL of %d s: clients keep a dead address that long; %d s or less is usual", b.Name, b.TTL, maxCheckedTTL)
	}
	for i := range b.Groups {
		t.targetGroup(&b.Groups[i])
	}
}

// balancerTraps warns of one load balancer.
type balancerTraps struct {
	*validator
	group *Group
	b     *LoadBalancer
}

func (t *balancerTraps) warn(pos Pos, kind, format string, args ...any) {
	t.problems = append(t.problems, Problem{Pos: pos, Key: t.group.Key, Level: Warning, Kind: kind, Err: fmt.Errorf(format, args...)})
}

func (t *balancerTraps) targetGroup(g *TargetGroup) {
	if len(g.Targets) == 0 {
		t.warn(g.Pos, "no targets", "target_group %q of load_balancer %s has no targets, so it is ignored", g.ID, t.b.Name)
		return
	}
	// Either all targets have the same check or each has one of its own address.
	for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
		if check, ok := t.probes(g.Targets[0].Check, t.catalog.Groups[Key{t.b.Name, typ}]); ok {
			t.warn(g.Pos, "circular check", "target_group %q: check %q probes the name that load_balancer %s itself answers, so it depends on its own answer; probe an address instead", g.ID, check.Name, t.b.Name)
			break
		}
	}
	if t.b.CrossZone {
		t.unreachable(g, len(g.Targets), "", "no zone is ever healthy")
		return
	}
	own := make([]int, len(t.b.Zones))
	for _, target := range g.Targets {
		own[target.Zone]++
	}
	for z, n := range own {
		id := t.b.Zones[z].ID
		switch {
		case n > 0:
			t.unreachable(g, n, fmt.Sprintf("zone %q of ", id), fmt.Sprintf("zone %q is never healthy", id))
		case !g.DNS.Off():
			t.warn(t.b.Zones[z].Pos, "never healthy", "zone %q of load_balancer %s has no target of target_group %q, so without cross_zone it is never healthy", id, t.b.Name, g.ID)
		}
	}
}

// unreachable warns of a count above what is registered in a scope.
func (t *balancerTraps) unreachable(g *TargetGroup, registered int, scope, outcome string) {
	switch {
	case g.DNS.Count > registered:
		t.warn(g.Limits, "never healthy", "target_group %q: dns_failover wants %d healthy targets, and %sload_balancer %s has %d, so %s", g.ID, g.DNS.Count, scope, t.b.Name, registered, outcome)
	case g.Routing.Count > registered:
		t.warn(g.Limits, "never healthy", "target_group %q: routing_failover wants %d healthy targets, and %sload_balancer %s has %d, so unhealthy ones are always used as well", g.ID, g.Routing.Count, scope, t.b.Name, registered)
	}
}

// alwaysHealthy reports whether a load balancer has targets, none of which can make it
// unhealthy.
func (b *LoadBalancer) alwaysHealthy() bool {
	populated := false
	for i := range b.Groups {
		if len(b.Groups[i].Targets) == 0 {
			continue
		}
		populated = true
		if !b.Groups[i].DNS.Off() {
			return false
		}
	}
	return populated
}
