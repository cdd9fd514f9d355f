package lint

import (
	"fmt"
	"slices"

	"github.com/steerdns/steer/plugin/record"
)

// undecided is a finding that is none if an alias evaluates the group.
type undecided struct {
	Finding
	group int32 // by Ordinal
}

// undecide finds traps that are none in a group that an alias evaluates: there the health of
// the group matters, whatever it answers itself.
func (l *linter) undecide(g *record.Group) {
	later := func(t *Trap, r *record.RecordSet, text func() (message, remedy string)) {
		l.undecided = append(l.undecided, undecided{t.in(g, r, text), g.Ordinal})
	}
	first := &g.Records[0]
	switch {
	case g.Policy == record.Failover:
	case l.hangsOnOne(g):
		later(OneCheck, nil, func() (string, string) {
			return fmt.Sprintf("all %d records of %s have the check %q, so they are answered alike whatever it says", len(g.Records), g.Key, l.checkName(first.Check)), ""
		})
	case !l.strict:
	case len(g.Records) == 1:
		if unevaluating(first) && l.alive(first.Check) {
			later(CheckWithoutEffect, first, func() (string, string) {
				return fmt.Sprintf("%s has one record, which is answered whatever check %q says", g.Key, l.checkName(first.Check)), ""
			})
		}
	default:
		i := slices.IndexFunc(g.Records, func(r record.RecordSet) bool {
			return r.Alias == nil && r.Check == record.NoCheck && (g.Policy != record.Weighted || r.Weight > 0)
		})
		if i >= 0 {
			later(UncheckedRecord, &g.Records[i], func() (string, string) {
				return fmt.Sprintf("record %s of %s has no check while others of the group have one", g.Label(i), g.Key), ""
			})
		}
	}
}

// hangsOnOne reports whether a weighted or multivalue group of several record sets depends
// on one probe alone.
func (l *linter) hangsOnOne(g *record.Group) bool {
	if g.Policy == record.Failover || len(g.Records) < 2 {
		return false
	}
	first := g.Records[0].Check
	for i := range g.Records {
		if r := &g.Records[i]; !unevaluating(r) || !l.alive(r.Check) || !l.sameProbe(r.Check, first) {
			return false
		}
	}
	return true
}

// unevaluating reports whether a record set has no target whose health it takes over.
func unevaluating(r *record.RecordSet) bool { return r.Alias == nil || !r.Alias.EvaluateTargetHealth }

// relatives decides on the findings that wait for what evaluates a group.
func (l *linter) relatives() {
	for _, u := range l.undecided {
		if !l.evaluated()[u.group] {
			l.add(u.Finding)
		}
	}
}

// evaluated returns which groups an alias evaluates, by Ordinal.
func (l *linter) evaluated() []bool {
	if l.isEvaluated != nil {
		return l.isEvaluated
	}
	l.isEvaluated = make([]bool, len(l.catalog.Order))
	if !l.aliases {
		return l.isEvaluated
	}
	for g := range l.catalog.All() {
		for i := range g.Records {
			if a := g.Records[i].Alias; a != nil && a.EvaluateTargetHealth {
				if to, held := l.catalog.Target(a.Name, g.Type); held == record.Here {
					l.isEvaluated[to.Ordinal] = true
				}
			}
		}
	}
	return l.isEvaluated
}
