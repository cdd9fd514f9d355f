package explain

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// Kind is what fails at once.
type Kind string

// The kinds of causes.
const (
	CheckKind    Kind = "check"    // a probe, with all checks that share it
	AddressKind  Kind = "address"  // all probes of one endpoint, given by address or by name
	ZoneKind     Kind = "zone"     // the targets of a load balancer's zone
	ExternalKind Kind = "external" // the target of an alias that is held elsewhere
	PatternKind  Kind = "pattern"  // what a CIDR or a glob names: a site
)

// Cause is something that can fail at once, or recover.
type Cause struct {
	Kind  Kind
	Names []string // of the checks, or the one name of what fails

	probes    []int32        // that fail
	says      map[int32]bool // checks that report unhealthy, whatever their probes say
	externals []int
}

// fails returns the turn of health that is the failure, or the recovery. What a check is
// named to say comes last: it holds whatever else its probe is part of.
func (c *Cause) fails(m *Model, fail bool) turn {
	var t turn
	for _, p := range c.probes {
		t.probes = append(t.probes, probeTurn{p, !fail})
	}
	for _, check := range slices.Sorted(maps.Keys(c.says)) {
		if p := m.health.probeOf[check]; p != none {
			t.probes = append(t.probes, probeTurn{p, fail == m.checks[check].Invert})
			continue
		}
		status := healthcheck.Healthy
		if fail {
			status = healthcheck.Unhealthy
		}
		t.pins = append(t.pins, pin{check, true, status})
	}
	for _, e := range c.externals {
		t.externals = append(t.externals, routing.ExternalChange{External: e, Healthy: !fail})
	}
	return t
}

// Fail makes causes fail, until [Model.Recover].
func (m *Model) Fail(causes ...Cause) { m.set(causes, true) }

// Recover makes what causes name healthy.
func (m *Model) Recover(causes ...Cause) { m.set(causes, false) }

func (m *Model) set(causes []Cause, fail bool) {
	for i := range causes {
		m.turn(causes[i].fails(m, fail), func(int, *routing.Selection) {})
	}
	m.senses = nil
}

// endpoints are what probes look at, and where targets are.
type endpoints struct {
	byHost map[string][]int32 // probes by host, an address or a name
	hosts  []string           // in order: addresses by number, then names
	zones  []zoneCause
}

// zoneCause is a zone of a load balancer, and the probes that look at none but its
// targets.
type zoneCause struct {
	balancer *record.LoadBalancer
	id       string
	probes   []int32
}

func (z *zoneCause) name() string { return z.balancer.Name + "/" + z.id }

// endpoints returns where everything is.
func (m *Model) endpoints() *endpoints {
	if m.places == nil {
		m.places = newEndpoints(m)
	}
	return m.places
}

func newEndpoints(m *Model) *endpoints {
	e := &endpoints{byHost: make(map[string][]int32), zones: m.zones()}
	for p := range m.health.probes {
		host := m.host(int32(p))
		e.byHost[host] = append(e.byHost[host], int32(p))
	}
	e.hosts = slices.SortedFunc(maps.Keys(e.byHost), compareHosts)
	return e
}

// host returns the endpoint that a probe looks at: an address, or a name in lower case.
func (m *Model) host(probe int32) string {
	return strings.ToLower(m.checks[m.health.probes[probe].checks[0]].Spec.Host)
}

func compareHosts(a, b string) int {
	x, errX := netip.ParseAddr(a)
	y, errY := netip.ParseAddr(b)
	switch {
	case errX == nil && errY == nil:
		return x.Compare(y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// zones returns the zones of all load balancers of the table.
func (m *Model) zones() []zoneCause {
	var zones []zoneCause
	seen := make(map[*record.LoadBalancer]bool) // one is there for each family
	for i := range m.table.Len() {
		if g, _, _ := m.table.Group(i); g != nil && g.Balancer != nil && !seen[g.Balancer] {
			seen[g.Balancer] = true
			zones = append(zones, m.zonesOf(g.Balancer)...)
		}
	}
	return zones
}

func (m *Model) zonesOf(b *record.LoadBalancer) []zoneCause {
	const several = -2
	zoneOf := make(map[int32]int) // by probe
	for i := range b.Groups {
		for _, t := range b.Groups[i].Targets {
			for _, p := range m.behind(t.Check) {
				if z, ok := zoneOf[p]; !ok {
					zoneOf[p] = t.Zone
				} else if z != t.Zone {
					zoneOf[p] = several
				}
			}
		}
	}
	zones := make([]zoneCause, len(b.Zones))
	for z := range zones {
		zones[z] = zoneCause{balancer: b, id: b.Zones[z].ID}
	}
	for _, p := range slices.Sorted(maps.Keys(zoneOf)) {
		if z := zoneOf[p]; z != several {
			zones[z].probes = append(zones[z].probes, p)
		}
	}
	return zones
}

// behind returns the probes that a check depends on: its own, or those of the checks that
// it counts.
func (m *Model) behind(check int32) []int32 {
	if p := m.health.probeOf[check]; p != none {
		return []int32{p}
	}
	c := &m.checks[check]
	if !c.Calculated || c.Disabled || c.Fixed {
		return nil
	}
	var probes []int32
	for _, child := range c.Children {
		if healthcheck.Counts(m.checks, child) {
			probes = append(probes, m.behind(int32(child))...)
		}
	}
	return probes
}

// Each returns every cause of a kind: each probe, each endpoint that is probed, or each
// zone of a load balancer. A zone whose targets share all their probes with other zones
// is none, since nobody could tell its failure from theirs.
func (m *Model) Each(kind Kind) []Cause {
	var causes []Cause
	switch kind {
	case CheckKind:
		for p := range m.health.probes {
			causes = append(causes, m.probeCause(int32(p)))
		}
		slices.SortFunc(causes, func(a, b Cause) int { return cmp.Compare(a.Names[0], b.Names[0]) })
	case AddressKind:
		e := m.endpoints()
		for _, host := range e.hosts {
			causes = append(causes, Cause{Kind: AddressKind, Names: []string{host}, probes: e.byHost[host]})
		}
	case ZoneKind:
		for _, z := range m.endpoints().zones {
			if len(z.probes) > 0 {
				causes = append(causes, Cause{Kind: ZoneKind, Names: []string{z.name()}, probes: z.probes})
			}
		}
	}
	return causes
}

// probeCause is the failure of one probe.
func (m *Model) probeCause(p int32) Cause {
	c := Cause{Kind: CheckKind, probes: []int32{p}}
	for _, check := range m.health.probes[p].checks {
		c.Names = append(c.Names, m.checks[check].Name)
	}
	slices.Sort(c.Names)
	return c
}
