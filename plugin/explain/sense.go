package explain

import (
	"slices"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// sense is how a group stands, and which single further failures would change that. It
// follows from what the record sets and targets of the group are sensitive to, so that
// nothing has to fail for it. Its lists are in order.
type sense struct {
	healthy bool    // as an alias that evaluates the group sees it
	resort  bool    // some of its answers are a last resort
	toggles []int32 // probes whose failure changes healthy
	resorts []int32 // probes whose failure changes resort
}

// spare reports whether no single further failure takes the group to last resort.
func (s *sense) spare() bool { return !s.resort && len(s.resorts) == 0 }

func (s *sense) equal(t *sense) bool {
	return s.healthy == t.healthy && s.resort == t.resort && slices.Equal(s.toggles, t.toggles) && slices.Equal(s.resorts, t.resorts)
}

// senses has the sense of each group of a table, worked out when it is needed, and those
// that a turn of health changed.
type senses struct {
	*Model
	known []bool
	base  []sense

	turned map[int32]*sense // under the turn that is looked at

	leaks map[int32]bool // groups that may be healthy and in last resort at once

	// By probe: how many of what counts gets healthy or unhealthy when it fails, and the
	// probes where that is not 0, or was.
	delta, inner deltas
}

func newSenses(m *Model) *senses {
	n := len(m.health.probes)
	return &senses{
		Model: m, known: make([]bool, m.table.Len()), base: make([]sense, m.table.Len()),
		turned: make(map[int32]*sense), leaks: make(map[int32]bool),
		delta: deltas{by: make([]int32, n)}, inner: deltas{by: make([]int32, n)},
	}
}

// at returns the sense of a group under the turn that is looked at.
func (s *senses) at(group int) *sense {
	if t := s.turned[int32(group)]; t != nil {
		return t
	}
	return s.was(group)
}

// was returns the sense of a group before the turn. It must have been worked out before it,
// or not be touched by it.
func (s *senses) was(group int) *sense {
	if !s.known[group] {
		s.base[group] = s.workOut(group)
		s.known[group] = true
	}
	return &s.base[group]
}

// workOut works the sense of a group out, from those of its targets.
func (s *senses) workOut(group int) sense {
	g, _, _ := s.table.Group(group)
	switch {
	case g == nil:
		return sense{}
	case g.Balancer != nil:
		return s.ofBalancer(g.Balancer)
	case plain(g):
		return sense{healthy: true}
	}
	sets := make([]setSense, len(g.Records))
	for i := range sets {
		sets[i] = s.ofSet(g, group, i)
	}
	up := int32(0)
	for i := range sets {
		if sets[i].healthy {
			up++
		}
		for _, p := range sets[i].toggles {
			s.delta.add(p, sets[i].healthy)
		}
	}
	out := sense{healthy: up > 0}
	s.delta.drain(func(p, d int32) {
		if (up+d > 0) != (up > 0) {
			out.toggles = append(out.toggles, p)
		}
	})
	s.resort(g, sets, &out)
	return out
}

// plain reports whether nothing can make any record set of a group unhealthy, nor lead it
// on to another group.
func plain(g *record.Group) bool {
	for i := range g.Records {
		if g.Records[i].Check != record.NoCheck || g.Records[i].Alias != nil {
			return false
		}
	}
	return true
}

// setSense is how a record set stands.
type setSense struct {
	healthy bool
	toggles []int32 // probes whose failure changes that
	target  *sense  // of an alias to a group
	matters bool    // the target may be in last resort while the record set is chosen
}

func (s *senses) ofSet(g *record.Group, group, i int) setSense {
	r := &g.Records[i]
	out := setSense{healthy: s.table.Healthy(group, i)}
	if r.Check != record.NoCheck {
		out.toggles = s.ofCheck(r.Check)
	}
	to := s.table.Target(group, i)
	if to.Kind == routing.GroupTarget {
		out.target = s.at(to.Group)
		out.matters = (!r.Alias.EvaluateTargetHealth || s.leaky(to.Group)) && (out.target.resort || len(out.target.resorts) > 0)
	}
	if r.Alias == nil || !r.Alias.EvaluateTargetHealth {
		return out
	}
	up := false
	var toggles []int32
	switch to.Kind {
	case routing.GroupTarget:
		up, toggles = out.target.healthy, out.target.toggles
	case routing.ExternalTarget:
		up = s.table.ExternalHealthy(to.External)
	}
	if r.Check == record.NoCheck {
		out.toggles = toggles
		return out
	}
	checked := s.table.Status(int(r.Check)) == healthcheck.Healthy
	own := out.toggles
	out.toggles = nil
	for _, p := range union(own, toggles) {
		if ((checked != has(own, p)) && (up != has(toggles, p))) != (checked && up) {
			out.toggles = append(out.toggles, p)
		}
	}
	return out
}

// ofCheck returns the probes whose failure changes what a check reports.
func (s *senses) ofCheck(check int32) []int32 {
	h := s.health
	if _, pinned := h.pinned[check]; pinned {
		return nil
	}
	if p := h.probeOf[check]; p != none {
		if !h.probes[p].passes {
			return nil
		}
		return []int32{p}
	}
	c := &s.checks[check]
	if !c.Calculated || c.Disabled || c.Fixed {
		return nil
	}
	up := 0
	for _, child := range c.Children {
		if !healthcheck.Counts(s.checks, child) {
			continue
		}
		healthy := h.reports[child] == healthcheck.Healthy
		if healthy {
			up++
		}
		for _, p := range s.ofCheck(int32(child)) { // none of them is calculated
			s.inner.add(p, healthy)
		}
	}
	var toggles []int32
	s.inner.drain(func(p, d int32) {
		if (up+int(d) >= c.HealthyThreshold) != (up >= c.HealthyThreshold) {
			toggles = append(toggles, p)
		}
	})
	return toggles
}

// leaky reports whether a group can be healthy although its answers are a last resort: a
// load balancer that answers unhealthy zones, and what leads to such.
func (s *senses) leaky(group int) bool {
	if leaks, ok := s.leaks[int32(group)]; ok {
		return leaks
	}
	g, _, _ := s.table.Group(group)
	leaks := g.Balancer != nil
	for i := range g.Records {
		if to := s.table.Target(group, i); to.Kind == routing.GroupTarget {
			leaks = leaks || !g.Records[i].Alias.EvaluateTargetHealth || s.leaky(to.Group)
		}
	}
	s.leaks[int32(group)] = leaks
	return leaks
}

// resort works out whether the answers of a group are a last resort, and what would change
// that.
func (s *senses) resort(g *record.Group, sets []setSense, out *sense) {
	if g.Policy == record.Simple {
		if to := sets[0].target; to != nil {
			out.resort, out.resorts = to.resort, to.resorts
		}
		return
	}
	if !slices.ContainsFunc(sets, func(r setSense) bool { return r.matters }) {
		out.resort, out.resorts = !out.healthy, out.toggles
		return
	}
	var candidates []int32
	for i := range sets {
		candidates = append(candidates, sets[i].toggles...)
		if sets[i].target != nil {
			candidates = append(candidates, sets[i].target.resorts...)
		}
	}
	slices.Sort(candidates)
	out.resort = resortUnder(g, sets, none)
	for _, p := range slices.Compact(candidates) {
		if resortUnder(g, sets, p) != out.resort {
			out.resorts = append(out.resorts, p)
		}
	}
}

// resortUnder reports whether answers of a group are a last resort when a probe has failed,
// or none.
func resortUnder(g *record.Group, sets []setSense, probe int32) bool {
	in, rule := routing.Eligible(g.Policy, len(sets), func(i int) (bool, uint16, uint16) {
		return sets[i].healthy != has(sets[i].toggles, probe), g.Records[i].Weight, g.Records[i].Tier
	})
	return rule == routing.LastResort || slices.ContainsFunc(in, func(i int) bool {
		to := sets[i].target
		return to != nil && to.resort != has(to.resorts, probe)
	})
}

// deltas counts by probe.
type deltas struct {
	by      []int32
	touched []int32
}

// add counts something that a probe's failure makes unhealthy if it is healthy, and healthy
// if it is not.
func (d *deltas) add(probe int32, healthy bool) {
	d.touched = append(d.touched, probe)
	if healthy {
		d.by[probe]--
	} else {
		d.by[probe]++
	}
}

// drain calls f with each probe and what was counted for it, in order, and begins anew.
func (d *deltas) drain(f func(probe, delta int32)) {
	slices.Sort(d.touched)
	for _, p := range slices.Compact(d.touched) {
		f(p, d.by[p])
		d.by[p] = 0
	}
	d.touched = d.touched[:0]
}

// has reports whether a list in order holds a probe.
func has(list []int32, probe int32) bool {
	_, ok := slices.BinarySearch(list, probe)
	return ok
}

// union returns what two lists in order hold.
func union(a, b []int32) []int32 {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
