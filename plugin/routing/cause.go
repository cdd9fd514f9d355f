package routing

import (
	"fmt"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// because says what has moved a group: the check, the external target or the load balancer
// whose health is new. If none is new, it says what explains the group's state. It returns
// "" when health does not explain it.
func (t *Table) because(n *node, m *move) string {
	tier, any := uint16(0), func(*record.RecordSet) bool { return true }
	if n.group.Policy == record.Failover {
		tier = n.current.leaf.set.Tier
	}
	switch {
	case m.worse() && m.to.Rule == LastResort:
		return t.explain(n, any, false)
	case m.worse() && m.to.Rule == ZeroWeight:
		return t.explain(n, func(r *record.RecordSet) bool { return r.Weight > 0 }, false)
	case m.worse():
		return t.explain(n, func(r *record.RecordSet) bool { return r.Tier < tier }, false)
	case n.group.Policy == record.Failover:
		return t.explain(n, func(r *record.RecordSet) bool { return r.Tier == tier }, true)
	case m.to.Rule == Weighted:
		if why := t.explain(n, func(r *record.RecordSet) bool { return r.Weight > 0 }, true); why != "" {
			return why
		}
	}
	return t.explain(n, any, true)
}

// explain says why one of the record sets that matter has the health given, preferably one
// whose health is new. It follows aliases down to the check at the end, and names the first
// alias target and that check.
func (t *Table) explain(n *node, matters func(*record.RecordSet) bool, healthy bool) string {
	above := "" // what is said of the first target
	for {
		i, check, ok := t.source(n, matters, healthy)
		if !ok {
			return strings.TrimSuffix(above, ": ")
		}
		r := &n.group.Records[i]
		if check {
			return above + fmt.Sprintf("check %q is %s", t.catalog.Checks[r.Check].Name, status(healthy))
		}
		to := n.targets[i]
		if to.kind != groupTarget {
			return above + "alias target " + r.Alias.Name + " " + t.targetState(to, n.group.Type, healthy)
		}
		below := &t.groups[to.index]
		if below.group.Balancer != nil {
			return above + "load balancer " + r.Alias.Name + " is " + status(healthy)
		}
		if above == "" {
			above = "alias target " + r.Alias.Name + " is " + status(healthy) + ": "
		}
		n, matters = below, func(*record.RecordSet) bool { return true }
	}
}

// source returns a record set that matters and has the health given, and whether that is by
// its check or else by its target.
func (t *Table) source(n *node, matters func(*record.RecordSet) bool, healthy bool) (index int, check, ok bool) {
	for i := range n.group.Records {
		r := &n.group.Records[i]
		if !matters(r) || t.healthy(n, i) != healthy {
			continue
		}
		if r.Check != record.NoCheck && (t.checks[r.Check] == healthcheck.Healthy) == healthy {
			if t.news.checks.has(r.Check) {
				return i, true, true
			}
			if !ok {
				index, check, ok = i, true, true
			}
		}
		if r.Alias != nil && r.Alias.EvaluateTargetHealth && t.targetHealthy(n.targets[i]) == healthy {
			if t.isNews(n.targets[i]) {
				return i, false, true
			}
			if !ok {
				index, check, ok = i, false, true
			}
		}
	}
	return index, check, ok
}

// isNews reports whether the health of what an alias points at is new.
func (t *Table) isNews(to target) bool {
	switch to.kind {
	case groupTarget:
		return t.news.groups.has(to.index)
	case externalTarget:
		return t.news.externals.has(to.index)
	}
	return false
}

// targetState says why a target that is no group here is healthy or not.
func (t *Table) targetState(to target, typ uint16, healthy bool) string {
	records := dns.Type(typ).String() + " records"
	switch {
	case to.kind != externalTarget:
		return "holds no " + records
	case healthy:
		return "has " + records
	case t.externals[to.index].Known():
		return "has no " + records
	}
	return "is not resolved"
}

func status(healthy bool) string {
	if healthy {
		return healthcheck.Healthy.String()
	}
	return healthcheck.Unhealthy.String()
}
