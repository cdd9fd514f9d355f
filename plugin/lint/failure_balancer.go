package lint

import (
	"maps"
	"slices"

	"github.com/steerdns/steer/plugin/record"
)

// balancer returns what makes a load balancer unhealthy, as an alias sees it, and what makes
// all its zones so.
func (f *fatal) balancer(b *record.LoadBalancer) (unhealthy, open *causes) {
	type loss struct{ group, zone int }
	lost := make(map[int32][]loss) // by failure
	state := newBalance(b)
	for i := range b.Groups {
		for _, t := range b.Groups[i].Targets {
			by := f.check(t.Check)
			if by.never {
				state.lose(i, t.Zone)
			}
			for _, id := range by.ids {
				lost[id] = append(lost[id], loss{i, t.Zone})
			}
		}
	}
	unhealthy, open = &causes{never: state.unhealthy()}, &causes{never: state.open()}
	for _, id := range slices.Sorted(maps.Keys(lost)) {
		for _, t := range lost[id] {
			state.lose(t.group, t.zone)
		}
		if state.unhealthy() && !unhealthy.never {
			unhealthy.ids = append(unhealthy.ids, id)
		}
		if state.open() && !open.never {
			open.ids = append(open.ids, id)
		}
		for _, t := range lost[id] {
			state.regain(t.group, t.zone)
		}
	}
	return unhealthy, open
}

// balance is the state of a load balancer while targets fail one by one.
//
// Source: Elastic Load Balancing guide, "Target group health".
type balance struct {
	b      *record.LoadBalancer
	scopes [][]scope // by target group: of each zone or, across zones, one
	meet   []int     // by target group: scopes that meet dns_failover

	below     []int // by zone: target groups below dns_failover there; across zones there is one
	badZones  int   // that are below it
	badGroups int   // target groups that meet it nowhere
	populated int   // target groups that have targets
}

// scope is the targets that a threshold is taken of.
type scope struct {
	registered, healthy int
	breached            bool
}

func newBalance(b *record.LoadBalancer) *balance {
	s := &balance{b: b, scopes: make([][]scope, len(b.Groups)), meet: make([]int, len(b.Groups))}
	n := len(b.Zones)
	if b.CrossZone {
		n = 1
	}
	s.below = make([]int, n)
	for i := range b.Groups {
		if len(b.Groups[i].Targets) == 0 {
			continue // it is ignored
		}
		s.populated++
		s.scopes[i], s.meet[i] = make([]scope, n), n
		for _, t := range b.Groups[i].Targets {
			z := s.zone(t.Zone)
			s.scopes[i][z].registered++
			s.scopes[i][z].healthy++
		}
		for z := range n {
			s.judge(i, z)
		}
	}
	return s
}

func (s *balance) zone(z int) int {
	if s.b.CrossZone {
		return 0
	}
	return z
}

func (s *balance) lose(group, zone int)   { s.change(group, s.zone(zone), -1) }
func (s *balance) regain(group, zone int) { s.change(group, s.zone(zone), 1) }

func (s *balance) change(group, zone, by int) {
	s.scopes[group][zone].healthy += by
	s.judge(group, zone)
}

// judge looks whether a target group is below its threshold in a zone now.
func (s *balance) judge(group, zone int) {
	c, m := &s.scopes[group][zone], s.b.Groups[group].DNS
	breached := m.Breached(c.healthy, c.registered) || c.registered == 0 && !m.Off()
	if breached == c.breached {
		return
	}
	c.breached = breached
	if breached {
		if s.meet[group]--; s.meet[group] == 0 {
			s.badGroups++
		}
		if s.below[zone]++; s.below[zone] == 1 {
			s.badZones++
		}
		return
	}
	if s.meet[group]++; s.meet[group] == 1 {
		s.badGroups--
	}
	if s.below[zone]--; s.below[zone] == 0 {
		s.badZones--
	}
}

// unhealthy reports whether an alias sees the load balancer as unhealthy.
func (s *balance) unhealthy() bool { return s.populated == 0 || s.badGroups > 0 }

// open reports whether all zones are unhealthy, so that all are answered.
func (s *balance) open() bool { return s.badZones == len(s.below) }
