package lint

import (
	"fmt"
	"slices"

	"github.com/steerdns/steer/plugin/record"
)

// tree knows what an alias that evaluates its target's health sees of each group.
//
// Source: Route 53 Developer Guide, "How Amazon Route 53 chooses records when health
// checking is configured", and "What happens when you omit health checks".
type tree struct {
	catalog *record.Catalog
	known   []outlook                  // by Ordinal; made for the first alias
	few     map[*record.Group]*outlook // in its place, where few groups are looked at
}

// outlook is what there is to know of a group without knowing how healthy anything is.
type outlook struct {
	state   state
	checked bool  // something can become unhealthy in it, or in what its aliases evaluate
	always  bool  // one of its record sets is healthy whatever fails
	cause   cause // of always, unless there is a finding of it at another place

	ttl uint32 // the longest of its answers, in seconds, as far as they are held here
}

type state uint8

const (
	unseen state = iota
	looking
	seen
)

// cause is the record set that keeps a tree healthy, or a load balancer that does.
type cause struct {
	group *record.Group
	index int32
}

// record returns nil of a load balancer.
func (c cause) record() *record.RecordSet {
	if c.group == nil || c.group.Balancer != nil {
		return nil
	}
	return &c.group.Records[c.index]
}

func (c cause) pos() record.Pos {
	if r := c.record(); r != nil {
		return r.Pos
	}
	return c.group.Pos
}

// longTTL returns the TTL if that can be too long.
func (o outlook) longTTL() uint32 {
	if o.ttl <= usualTTL {
		return 0
	}
	return o.ttl
}

// of returns the outlook of a group of the catalog.
func (t *tree) of(g *record.Group) outlook {
	o := t.place(g)
	if o.state == unseen {
		o.state = looking // aliases form no cycles; this is for a catalog that is not validated
		*o = t.look(g)
		o.state = seen
	}
	return *o
}

// place returns where the outlook of a group is kept.
func (t *tree) place(g *record.Group) *outlook {
	if t.few != nil {
		if t.few[g] == nil {
			t.few[g] = &outlook{}
		}
		return t.few[g]
	}
	if t.known == nil {
		t.known = make([]outlook, len(t.catalog.Order))
	}
	return &t.known[g.Ordinal]
}

// look works an outlook out.
func (t *tree) look(g *record.Group) (o outlook) {
	if b := g.Balancer; b != nil {
		o.ttl = b.TTL
		o.checked, o.always = balancerOutlook(b)
		if o.always {
			o.cause = cause{group: g}
		}
		return o
	}
	last := lastTier(g)
	for i := range g.Records {
		r := &g.Records[i]
		target, outside := outlook{}, false
		if r.Alias != nil {
			to, held := t.catalog.Target(r.Alias.Name, g.Type)
			if held == record.Here {
				target = t.of(to)
			}
			outside = held == record.Elsewhere
			o.ttl = max(o.ttl, target.ttl)
		} else {
			o.ttl = max(o.ttl, r.Values[0].Header().Ttl)
		}
		switch {
		case r.Check != record.NoCheck:
			o.checked = true
		case r.Alias == nil, !r.Alias.EvaluateTargetHealth:
			o.always = true
			if o.cause.group == nil && !isUncheckedTier(r, last) && !isUnevaluated(g, r, target) {
				o.cause = cause{g, int32(i)}
			}
		default:
			o.checked = o.checked || target.checked || outside
			o.always = o.always || target.always
			if o.cause.group == nil && !decides(g, r, last) {
				o.cause = target.cause
			}
		}
	}
	return o
}

// decides reports whether the health of a record set changes what its group answers: there
// are others to answer with, and it is not the one that is kept for when they are gone. last
// is the group's last tier.
func decides(g *record.Group, r *record.RecordSet, last uint16) bool {
	switch {
	case len(g.Records) < 2:
		return false
	case g.Policy == record.Failover:
		return r.Tier < last
	}
	return g.Policy != record.Weighted || r.Weight > 0
}

// lastTier returns the last tier of a failover group, and 0 for another.
func lastTier(g *record.Group) (last uint16) {
	if g.Policy != record.Failover {
		return 0
	}
	for i := range g.Records {
		last = max(last, g.Records[i].Tier)
	}
	return last
}

// isUncheckedTier reports whether a record set has a finding of [UncheckedTier]. last is the
// last tier of its group.
func isUncheckedTier(r *record.RecordSet, last uint16) bool { return unchecked(r) && r.Tier < last }

// isUnevaluated reports whether an alias of a weighted group has a finding of
// [AliasWithoutEvaluation] by itself. target is the outlook of what it points at.
func isUnevaluated(g *record.Group, r *record.RecordSet, target outlook) bool {
	return r.Alias != nil && unchecked(r) && g.Policy == record.Weighted && decides(g, r, 0) && target.checked && !target.always
}

// unchecked reports whether a record set has neither a check nor a target that it evaluates.
func unchecked(r *record.RecordSet) bool {
	return r.Check == record.NoCheck && (r.Alias == nil || !r.Alias.EvaluateTargetHealth)
}

// evaluation finds an alias that evaluates a target in vain, and one that fails to.
// last is the last tier of the group.
func (l *linter) evaluation(g *record.Group, r *record.RecordSet, last uint16) {
	if r.Alias == nil || r.Check != record.NoCheck || !decides(g, r, last) {
		return
	}
	to, held := l.catalog.Target(r.Alias.Name, g.Type)
	if held != record.Here {
		return
	}
	target := l.tree.of(to)
	switch {
	case !r.Alias.EvaluateTargetHealth:
		if isUnevaluated(g, r, target) {
			l.find(AliasWithoutEvaluation, g, r, func() (string, string) {
				return fmt.Sprintf("alias %s in %s does not evaluate its target, so it gets its share of the queries while nothing there is healthy", r.Alias.Name, g.Key), ""
			})
		}
	case target.always && target.cause.group != nil:
		l.alwaysHealthy(g, r, to, target.cause)
	}
}

// alwaysHealthy reports that an alias evaluates its target in vain.
func (l *linter) alwaysHealthy(g *record.Group, r *record.RecordSet, to *record.Group, why cause) {
	l.find(l.explain(why, to).trap, g, r, func() (string, string) {
		e := l.explain(why, to)
		return fmt.Sprintf("alias %s evaluates the health of %s, which is always healthy: %s (%s)", g.Key, to.Name, e.text, why.pos()), ""
	})
}

// explanation is why a group is always healthy.
type explanation struct {
	trap *Trap
	text string
}

// explain says why a group is always healthy.
func (l *linter) explain(why cause, to *record.Group) explanation {
	if why.group == nil {
		return explanation{}
	}
	leaf := why.record()
	if leaf == nil {
		return explanation{BalancerAlwaysHealthy, "dns_failover is off in all target groups of load_balancer " + why.group.Name}
	}
	trap, what := UncheckedLeaf, "has no check"
	switch {
	case why.group.Policy == record.Failover && leaf.Tier > 1:
		trap = SecondaryWithoutCheck
	case leaf.Alias != nil && l.evaluable(leaf.Alias.Name, why.group.Type):
		trap, what = AliasWithoutEvaluation, "is an alias that does not evaluate its target"
	case why.group.Policy == record.Weighted && leaf.Weight == 0 && len(why.group.Records) > 1:
		what = "has no check, and counts although its weight is 0"
	}
	where := "there"
	if why.group != to {
		where = "of " + why.group.Name
	}
	return explanation{trap, fmt.Sprintf("record %s %s %s", why.group.Label(int(why.index)), where, what)}
}

// evaluable reports whether an alias to a target could become unhealthy if it evaluated it.
func (l *linter) evaluable(name string, typ uint16) bool {
	to, held := l.catalog.Target(name, typ)
	return held == record.Elsewhere || held == record.Here && l.tree.of(to).checked
}

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
