package explain

import (
	"maps"
	"slices"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/routing"
)

// health is what probes say, and what checks report therefore. What can fail by itself is a
// probe: checks with equal Specs share one, so they fail together, and calculated checks
// follow those that they count.
type health struct {
	checks  []healthcheck.Check
	probes  []probe
	probeOf []int32           // by check; none without a probe
	parents map[int32][]int32 // calculated checks by those that they count
	reports []healthcheck.Status
	pinned  map[int32]healthcheck.Status // checks that are told what to report
}

// probe is a Spec that checks share.
type probe struct {
	checks []int32
	passes bool
}

const none = -1

// newHealth returns the health in which checks report what status says. What cannot follow
// from their probes is taken for a status that they are told to report.
func newHealth(checks []healthcheck.Check, status func(check int) healthcheck.Status) *health {
	h := &health{
		checks:  checks,
		probeOf: make([]int32, len(checks)),
		parents: make(map[int32][]int32),
		pinned:  make(map[int32]healthcheck.Status),
	}
	bySpec := make(map[healthcheck.Spec]int32)
	for i := range checks {
		c := &checks[i]
		h.probeOf[i] = none
		if c.Calculated && !c.Disabled && !c.Fixed {
			for _, child := range c.Children {
				if healthcheck.Counts(checks, child) {
					h.parents[int32(child)] = append(h.parents[int32(child)], int32(i))
				}
			}
		}
		if !c.Probed() {
			continue
		}
		p, ok := bySpec[c.Spec]
		if !ok {
			p = int32(len(h.probes))
			bySpec[c.Spec] = p
			h.probes = append(h.probes, probe{passes: (status(i) == healthcheck.Healthy) != c.Invert})
		}
		h.probeOf[i] = p
		h.probes[p].checks = append(h.probes[p].checks, int32(i))
	}
	h.reports = healthcheck.Evaluate(checks, func(i int) healthcheck.Status { return h.result(h.probeOf[i]) })
	for i := range checks {
		if s := status(i); s != h.reports[i] {
			h.reports[i], h.pinned[int32(i)] = s, s
		}
	}
	return h
}

func (h *health) clone() *health {
	c := *h
	c.probes, c.reports, c.pinned = slices.Clone(h.probes), slices.Clone(h.reports), maps.Clone(h.pinned)
	return &c
}

// result returns what a probe says.
func (h *health) result(probe int32) healthcheck.Status {
	if h.probes[probe].passes {
		return healthcheck.Healthy
	}
	return healthcheck.Unhealthy
}

// turn is a change of health that can be turned back.
type turn struct {
	probes    []probeTurn
	pins      []pin
	externals []routing.ExternalChange
}

// probeTurn says whether a probe passes from then on.
type probeTurn struct {
	probe  int32
	passes bool
}

// pin tells a check what to report, or no longer.
type pin struct {
	check  int32
	pinned bool
	status healthcheck.Status
}

// apply carries the checks' part of a turn out. It returns the checks that it concerns, what
// they report therefore, and the turn that undoes it.
func (h *health) apply(t turn) (dirty []int32, changes []healthcheck.Change, back turn) {
	for _, p := range t.probes {
		at := &h.probes[p.probe]
		if at.passes != p.passes {
			back.probes = append(back.probes, probeTurn{p.probe, at.passes})
			at.passes = p.passes
			dirty = append(dirty, at.checks...)
		}
	}
	for _, p := range t.pins {
		status, pinned := h.pinned[p.check]
		back.pins = append(back.pins, pin{p.check, pinned, status})
		if p.pinned {
			h.pinned[p.check] = p.status
		} else {
			delete(h.pinned, p.check)
		}
		dirty = append(dirty, p.check)
	}
	slices.Reverse(back.probes) // one may have been turned twice
	slices.Reverse(back.pins)
	for i := 0; i < len(dirty); i++ {
		c := dirty[i]
		dirty = append(dirty, h.parents[c]...) // that it counts may matter although it reports the same
		now := h.report(c)
		if now == h.reports[c] {
			continue
		}
		h.reports[c] = now
		changes = append(changes, healthcheck.Change{Check: int(c), Status: now})
	}
	return dirty, h.last(changes), back
}

// report works out what a check reports.
func (h *health) report(check int32) healthcheck.Status {
	if s, ok := h.pinned[check]; ok {
		return s
	}
	raw := healthcheck.Healthy
	if p := h.probeOf[check]; p != none {
		raw = h.result(p)
	}
	return h.checks[check].Reports(h.checks, raw, func(child int) healthcheck.Status { return h.reports[child] })
}

// last drops changes that a later one of the same check overtakes: a calculated check may
// go back and forth while those that it counts change one by one.
func (h *health) last(changes []healthcheck.Change) []healthcheck.Change {
	return slices.DeleteFunc(changes, func(c healthcheck.Change) bool { return h.reports[c.Check] != c.Status })
}

// turn changes the health of a Model. It calls publish with each group whose Selection is
// new, and returns the checks that it concerns and the turn that undoes it.
func (m *Model) turn(t turn, publish func(group int, s *routing.Selection)) (checks []int32, back turn) {
	checks, changes, back := m.health.apply(t)
	for i, e := range t.externals {
		later := slices.ContainsFunc(t.externals[i+1:], func(o routing.ExternalChange) bool { return o.External == e.External })
		if was := m.table.ExternalHealthy(e.External); was != e.Healthy && !later {
			back.externals = append(back.externals, routing.ExternalChange{External: e.External, Healthy: was})
		}
	}
	m.table.Update(changes, t.externals, publish)
	return checks, back
}
