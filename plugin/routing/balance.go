package routing

import (
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// Balance is the state of a load balancer under a given health.
type Balance struct {
	Healthy bool        // as an alias that evaluates its target's health sees it
	Zones   []ZoneState // by the load balancer's zones
	Groups  []GroupState
}

// ZoneState is the state of one zone of a load balancer.
type ZoneState struct {
	Healthy bool // no target group is below its dns_failover minimum here
	InDNS   bool // answered: healthy, or all zones are unhealthy
}

// GroupState is the state of one target group.
type GroupState struct {
	Zones []Scope // by the load balancer's zones: what counts for each
}

// Scope is what one zone's thresholds of a target group look at: the zone's own targets
// or, across zones, all.
type Scope struct {
	Targets          // in scope
	Own      Targets // the zone's own
	BelowDNS bool    // fewer healthy ones than dns_failover asks for
	Routing  bool    // fewer than routing_failover asks for: all targets are used
}

// Targets counts targets.
type Targets struct{ Registered, Healthy int }

// balance works out a load balancer's state. healthy says whether a check is.
//
// Source: Elastic Load Balancing guide, "Target group health".
func balance(b *record.LoadBalancer, healthy func(check int32) bool) Balance {
	state := Balance{Zones: make([]ZoneState, len(b.Zones)), Groups: make([]GroupState, len(b.Groups))}
	for z := range state.Zones {
		state.Zones[z].Healthy = true
	}
	populated, sound := 0, 0
	for i := range b.Groups {
		g := &b.Groups[i]
		state.Groups[i].Zones = scopes(b, g, healthy)
		if len(g.Targets) == 0 {
			continue // a group without any target is ignored
		}
		populated++
		meets := false
		for z, s := range state.Groups[i].Zones {
			state.Zones[z].Healthy = state.Zones[z].Healthy && !s.BelowDNS
			meets = meets || !s.BelowDNS
		}
		if meets {
			sound++
		}
	}
	state.Healthy = populated > 0 && sound == populated
	none := true
	for _, z := range state.Zones {
		none = none && !z.Healthy
	}
	for z := range state.Zones {
		state.Zones[z].InDNS = state.Zones[z].Healthy || none
	}
	return state
}

// scopes counts a target group's targets for each zone.
func scopes(b *record.LoadBalancer, g *record.TargetGroup, healthy func(int32) bool) []Scope {
	zones := make([]Scope, len(b.Zones))
	var all Targets
	for _, t := range g.Targets {
		up := 0
		if healthy(t.Check) {
			up = 1
		}
		zones[t.Zone].Own.Registered++
		zones[t.Zone].Own.Healthy += up
		all.Registered++
		all.Healthy += up
	}
	for z := range zones {
		s := &zones[z]
		s.Targets = s.Own
		if b.CrossZone {
			s.Targets = all
		}
		s.BelowDNS = g.DNS.Breached(s.Healthy, s.Registered) || s.Registered == 0 && !g.DNS.Off()
		s.Routing = g.Routing.Breached(s.Healthy, s.Registered)
	}
	return zones
}

// rule returns the reason of a load balancer's answers under a state. Those that hold
// dead targets, of a zone without nodes under routing failover, are a last resort too.
func (s *Balance) rule(b *record.LoadBalancer) Reason {
	rule := Balanced
	for i, z := range s.Zones {
		switch {
		case z.InDNS && (!z.Healthy || len(b.Zones[i].Nodes) == 0 && s.routing(i)):
			return LastResort
		case !z.InDNS:
			rule = ZoneOut
		}
	}
	return rule
}

// routing reports whether a target group's targets of a zone are all used.
func (s *Balance) routing(z int) bool {
	for _, g := range s.Groups {
		if g.Zones[z].Routing && g.Zones[z].Registered > 0 {
			return true
		}
	}
	return false
}

// balancerAnswer is what a load balancer answers for one family: the nodes of the zones in DNS,
// and of those zones that have none, up to MaxValues of their targets.
type balancerAnswer struct {
	always []dns.RR   // nodes, and the targets of pools that give all they have
	pools  [][]dns.RR // targets that share alike, more in each than are drawn of it
	drawn  int        // how many are drawn of all pools together
}

// newBalancerAnswer returns what a load balancer answers in a state.
//
// Without cross_zone each zone gets its share of the traffic, and each target its share
// of the zone's: the zones are the pools. With it every target gets the same, so there
// is one.
func newBalancerAnswer(b *record.LoadBalancer, typ uint16, state *Balance, healthy func(int32) bool) *balancerAnswer {
	p := &balancerAnswer{}
	for z := range b.Zones {
		if !state.Zones[z].InDNS {
			continue
		}
		if len(b.Zones[z].Nodes) > 0 {
			p.addNodes(b, typ, z)
			continue
		}
		rrs := zoneTargets(b, typ, z, state, healthy)
		switch {
		case len(rrs) == 0:
		case b.CrossZone && len(p.pools) > 0:
			p.pools[0] = append(p.pools[0], rrs...)
		default:
			p.pools = append(p.pools, rrs)
		}
	}
	p.divide()
	return p
}

// divide shares MaxValues targets out among the pools, as if these took turns to give
// one. A pool that has no more than its share gives all it has, and leaves the others a
// larger one.
func (p *balancerAnswer) divide() {
	p.drawn = MaxValues
	for {
		i := slices.IndexFunc(p.pools, func(s []dns.RR) bool { return len(s) <= p.drawn/len(p.pools) })
		if i < 0 {
			break
		}
		p.always = append(p.always, p.pools[i]...)
		p.drawn -= len(p.pools[i])
		p.pools = slices.Delete(p.pools, i, i+1)
	}
	if len(p.pools) == 0 {
		p.drawn = 0
	}
	p.always = slices.Clip(p.always)
}

func (p *balancerAnswer) addNodes(b *record.LoadBalancer, typ uint16, z int) {
	for _, addr := range b.Zones[z].Nodes {
		if rr, ok := b.RR(addr, typ); ok {
			p.always = append(p.always, rr)
		}
	}
}

// zoneTargets returns the targets that a zone without nodes answers with: the healthy
// ones, or all of them under routing failover.
func zoneTargets(b *record.LoadBalancer, typ uint16, z int, state *Balance, healthy func(int32) bool) []dns.RR {
	var rrs []dns.RR
	for i := range b.Groups { // one at most, or the zone would have nodes
		all := state.Groups[i].Zones[z].Routing
		for _, t := range b.Groups[i].Targets {
			if t.Zone != z || !all && !healthy(t.Check) {
				continue
			}
			if rr, ok := b.RR(t.Addr, typ); ok {
				rrs = append(rrs, rr)
			}
		}
	}
	return rrs
}

// len returns how many records are answered: all nodes and up to MaxValues targets.
func (p *balancerAnswer) len() int { return len(p.always) + p.drawn }

// healthyCheck returns the function that balance and newBalancerAnswer ask.
func (t *Table) healthyCheck(check int32) bool { return t.checks[check] == healthcheck.Healthy }

// Balances calls f with each load balancer and its state. States are never changed.
func (t *Table) Balances(f func(b *record.LoadBalancer, state Balance)) {
	for b, state := range t.balances {
		f(b, state)
	}
}

// compileBalancer works out what a load balancer answers for one family, and whether it
// is healthy.
func (t *Table) compileBalancer(n *node) (*Selection, bool) {
	b := n.group.Balancer
	state := balance(b, t.healthyCheck)
	t.storeBalance(n.group, state)
	s := &Selection{rule: state.rule(b)}
	s.balancer = newBalancerAnswer(b, n.group.Type, &state, t.healthyCheck)
	if n.current != nil && n.current.rule == s.rule && n.current.balancer.equal(s.balancer) {
		s = n.current
	}
	return s, state.Healthy
}

// storeBalance keeps a load balancer's state, and notes what changed in it. Each of the two
// families comes here; the second finds nothing new.
func (t *Table) storeBalance(g *record.Group, state Balance) {
	old, known := t.balances[g.Balancer]
	t.balances[g.Balancer] = state
	if known && t.tell != nil {
		t.noteLines(g, state, transitions(g.Balancer, old, state))
	}
}

// equal reports whether two answers of one load balancer answer alike.
func (p *balancerAnswer) equal(o *balancerAnswer) bool {
	if !sameData(p.always, o.always) || p.drawn != o.drawn || len(p.pools) != len(o.pools) {
		return false
	}
	for i := range p.pools {
		if !sameData(p.pools[i], o.pools[i]) {
			return false
		}
	}
	return true
}

func sameData(a, b []dns.RR) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !dns.IsDuplicate(a[i], b[i]) {
			return false
		}
	}
	return true
}
