package explain

import (
	"cmp"
	"slices"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// effect is what the failure of a probe does to one target of a load balancer.
type effect struct {
	probe int32
	place targetPlace
	check int32
}

// targetPlace is all that the thresholds of a load balancer know of a target that changes.
type targetPlace struct {
	group, zone int32
	healthy     bool // before the change
}

// ofBalancer works out the sense of a load balancer. Probes that change as many targets of
// the same groups and zones have the same effect, so it is worked out once for them.
func (s *senses) ofBalancer(b *record.LoadBalancer) sense {
	state, rule := routing.EvaluateBalancer(b, s.reportsHealthy)
	out := sense{healthy: state.Healthy, resort: rule == routing.LastResort}
	var effects []effect
	for i := range b.Groups {
		for _, t := range b.Groups[i].Targets {
			for _, p := range s.ofCheck(t.Check) {
				effects = append(effects, effect{p, targetPlace{int32(i), int32(t.Zone), s.reportsHealthy(t.Check)}, t.Check})
			}
		}
	}
	slices.SortFunc(effects, func(x, y effect) int {
		return cmp.Or(cmp.Compare(x.probe, y.probe), cmp.Compare(x.place.group, y.place.group), cmp.Compare(x.place.zone, y.place.zone), compareBool(x.place.healthy, y.place.healthy))
	})
	type outcome struct {
		effects        []effect
		toggle, resort bool
	}
	var outcomes []outcome
	for len(effects) > 0 {
		end := slices.IndexFunc(effects, func(e effect) bool { return e.probe != effects[0].probe })
		if end < 0 {
			end = len(effects)
		}
		these := effects[:end]
		effects = effects[end:]
		i := slices.IndexFunc(outcomes, func(o outcome) bool {
			return slices.EqualFunc(o.effects, these, func(x, y effect) bool { return x.place == y.place })
		})
		if i < 0 {
			state, rule := routing.EvaluateBalancer(b, func(check int32) bool {
				failed := slices.ContainsFunc(these, func(e effect) bool { return e.check == check })
				return s.reportsHealthy(check) != failed
			})
			i = len(outcomes)
			outcomes = append(outcomes, outcome{these, state.Healthy != out.healthy, (rule == routing.LastResort) != out.resort})
		}
		if outcomes[i].toggle {
			out.toggles = append(out.toggles, these[0].probe)
		}
		if outcomes[i].resort {
			out.resorts = append(out.resorts, these[0].probe)
		}
	}
	return out
}

func (m *Model) reportsHealthy(check int32) bool {
	return m.table.Status(int(check)) == healthcheck.Healthy
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
