package lint

import (
	"fmt"

	"github.com/steerdns/steer/plugin/record"
)

// evaluation finds an alias that evaluates a target in vain, and one that fails to. last is
// the last tier of the group.
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
	trap, _ := l.classify(why)
	l.find(trap, g, r, func() (string, string) {
		return fmt.Sprintf("alias %s evaluates the health of %s, which is always healthy: %s (%s)", g.Key, to.Name, l.explain(why, to), why.pos()), ""
	})
}

// classify returns the trap that a cause makes, and what is the matter with its record set.
func (l *linter) classify(why cause) (t *Trap, what string) {
	leaf := why.record()
	switch {
	case leaf == nil:
		return BalancerAlwaysHealthy, ""
	case why.group.Policy == record.Failover && leaf.Tier > 1:
		return SecondaryWithoutCheck, "has no check"
	case leaf.Alias != nil && l.evaluable(leaf.Alias.Name, why.group.Type):
		return AliasWithoutEvaluation, "is an alias that does not evaluate its target"
	case why.group.Policy == record.Weighted && leaf.Weight == 0 && len(why.group.Records) > 1:
		return UncheckedLeaf, "has no check, and counts although its weight is 0"
	}
	return UncheckedLeaf, "has no check"
}

// explain says why a group is always healthy.
func (l *linter) explain(why cause, to *record.Group) string {
	if why.group == nil {
		return ""
	}
	if why.record() == nil {
		return "dns_failover is off in all target groups of load_balancer " + why.group.Name
	}
	_, what := l.classify(why)
	where := "there"
	if why.group != to {
		where = "of " + why.group.Name
	}
	return fmt.Sprintf("record %s %s %s", why.group.Label(int(why.index)), where, what)
}

// evaluable reports whether an alias to a target could become unhealthy if it evaluated it.
func (l *linter) evaluable(name string, typ uint16) bool {
	to, held := l.catalog.Target(name, typ)
	return held == record.Elsewhere || held == record.Here && l.tree.of(to).checked
}
