package explain

import (
	"maps"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// Effect is what a failure does to a name.
type Effect string

// The effects.
const (
	ToLastResort Effect = "last_resort" // nothing is healthy, so everything counts as healthy
	NoSpare      Effect = "last_spare"  // one more failure takes it to last resort
)

// Threat is a single failure that would hurt a name, the smallest of those that would.
type Threat struct {
	Cause  []string `json:"cause"`  // the checks, the address or the zone that would fail
	Kind   Kind     `json:"kind"`   // "check", "address" or "zone"
	Name   string   `json:"name"`   // that it would hurt: the name asked for, or one that a CNAME leads to
	Type   string   `json:"type"`   //
	Effect Effect   `json:"effect"` // "last_resort", or "last_spare": one more failure after it does the rest
	Others int      `json:"others"` // how many other failures of the same kind would do the same
}

// Next returns the smallest single failure that would take the group of a name and type to
// last resort or, if none would, cost it its last spare: a check before an endpoint before
// a zone, and of these the one with the fewest probes. It returns nil if there is none, or
// if the group is in last resort already.
func (m *Model) Next(k record.Key) *Threat {
	g := m.catalog.Groups[k]
	if g == nil {
		return nil
	}
	return m.nextOf([]*record.Group{g})
}

// nextOf returns the worst threat to some groups, of equal ones that to the first.
func (m *Model) nextOf(groups []*record.Group) *Threat {
	var worst *Threat
	for _, g := range groups {
		t := m.threat(g)
		if t != nil && (worst == nil || worst.Effect == NoSpare && t.Effect == ToLastResort) {
			worst = t
		}
	}
	return worst
}

// threat is Next of one group. It works on an excerpt, so that it costs what the group
// depends on.
func (m *Model) threat(g *record.Group) *Threat {
	x := m.excerpt(int(g.Ordinal))
	now := newSenses(x).at(0)
	if now.resort {
		return nil
	}
	told := func(c Cause, e Effect, others int) *Threat {
		return &Threat{Cause: c.Names, Kind: c.Kind, Name: g.Name, Type: dns.Type(g.Type).String(), Effect: e, Others: others}
	}
	if len(now.resorts) > 0 {
		return told(m.firstOf(now.resorts), ToLastResort, len(now.resorts)-1)
	}
	probes := x.support()
	larger := x.larger(probes)
	for _, effect := range []Effect{ToLastResort, NoSpare} {
		if effect == NoSpare && !x.safe(probes) {
			if bad := x.hurting(one(probes), effect); len(bad) > 0 {
				var list []int32
				for _, c := range bad {
					list = append(list, c.probes[0])
				}
				return told(m.firstOf(list), effect, len(bad)-1)
			}
		}
		if bad := x.hurting(larger, effect); len(bad) > 0 {
			others := 0
			for _, c := range bad[1:] {
				if c.Kind == bad[0].Kind {
					others++
				}
			}
			return told(bad[0], effect, others)
		}
	}
	return nil
}

// one returns a cause for each probe.
func one(probes []int32) []Cause {
	causes := make([]Cause, len(probes))
	for i, p := range probes {
		causes[i].probes = []int32{p}
	}
	return causes
}

// firstOf returns the cause whose name comes first among those of some probes.
func (m *Model) firstOf(probes []int32) Cause {
	first := m.probeCause(probes[0])
	for _, p := range probes[1:] {
		if c := m.probeCause(p); strings.Compare(c.Names[0], first.Names[0]) < 0 {
			first = c
		}
	}
	return first
}

// support returns the probes that pass and that some group of an excerpt depends on, in
// order.
func (m *Model) support() []int32 {
	var probes []int32
	add := func(check int32) {
		for _, p := range m.behind(check) {
			if m.health.probes[p].passes {
				probes = append(probes, p)
			}
		}
	}
	for i := range m.table.Len() {
		g, _, _ := m.table.Group(i)
		for j := range g.Records {
			if c := g.Records[j].Check; c != record.NoCheck {
				add(c)
			}
		}
		if b := g.Balancer; b != nil {
			for j := range b.Groups {
				for _, t := range b.Groups[j].Targets {
					add(t.Check)
				}
			}
		}
	}
	slices.Sort(probes)
	return slices.Compact(probes)
}

// larger returns the endpoints and zones of which several of some probes fail together, the
// smallest first, with just these probes.
func (m *Model) larger(probes []int32) []Cause {
	var causes []Cause
	add := func(kind Kind, name string, all []int32) {
		c := Cause{Kind: kind, Names: []string{name}}
		for _, p := range all {
			if has(probes, p) {
				c.probes = append(c.probes, p)
			}
		}
		if len(c.probes) > 1 {
			causes = append(causes, c)
		}
	}
	byHost := make(map[string][]int32)
	for _, p := range probes {
		byHost[m.host(p)] = append(byHost[m.host(p)], p)
	}
	for _, host := range slices.SortedFunc(maps.Keys(byHost), compareHosts) {
		add(AddressKind, host, byHost[host])
	}
	for _, z := range m.zones() {
		add(ZoneKind, z.name(), z.probes)
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return len(a.probes) - len(b.probes) })
	return causes
}

// hurting returns those of some causes that have an effect on the first group of an excerpt.
func (m *Model) hurting(causes []Cause, effect Effect) []Cause {
	var bad []Cause
	publish := func(int, *routing.Selection) {}
	s := newSenses(m)
	for _, c := range causes {
		_, back := m.turn(c.fails(m, true), publish)
		clear(s.known)
		if now := s.at(0); now.resort && effect == ToLastResort || effect == NoSpare && !now.resort && !now.spare() {
			bad = append(bad, c)
		}
		m.turn(back, publish)
	}
	return bad
}

// safe reports whether it is plain that two failed probes cannot take the group of an
// excerpt to last resort: none of them makes more than a part of its record sets unhealthy.
// It spares trying each probe of a large group.
func (m *Model) safe(probes []int32) bool {
	g, _, healthy := m.table.Group(0)
	if g.Balancer != nil || g.Policy == record.Simple || !healthy || newSenses(m).leaky(0) {
		return false
	}
	up, most := 0, 0
	uses := make(map[int32]int)
	for i := range g.Records {
		r := &g.Records[i]
		if r.Alias != nil {
			return false
		}
		if !m.table.Healthy(0, i) {
			continue
		}
		up++
		if r.Check == record.NoCheck {
			return true // it is healthy for good
		}
		for _, p := range m.behind(r.Check) {
			uses[p]++
			most = max(most, uses[p])
		}
	}
	return up > 2*most
}
