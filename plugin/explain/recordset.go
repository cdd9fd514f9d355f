package explain

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// records draws the record sets of a group, and what they lead to.
func (t *tree) records(g *record.Group, sel *routing.Selection, s step) []Record {
	within := t.within(g, sel)
	list := make([]Record, 0, len(g.Records))
	for i := range g.Records {
		list = append(list, t.record(g, i, sel, s, within[&g.Records[i]]))
	}
	return list
}

// within returns the odds of record sets once the way has come to their group.
func (t *tree) within(g *record.Group, sel *routing.Selection) map[*record.RecordSet]odds {
	odds := make(map[*record.RecordSet]odds)
	choices, total := sel.Choices()
	for c := range choices {
		odds[c.Set] = certain.times(c.Share, total)
	}
	d, several := sel.Draw()
	if !several {
		return odds
	}
	drawn := make(map[dns.RR]bool)
	for _, rr := range d.Always {
		drawn[rr] = true
	}
	pooled := make(map[dns.RR]int)
	for _, pool := range d.Pools {
		for _, rr := range pool {
			pooled[rr] = len(d.Pools) * len(pool)
		}
	}
	for i := range g.Records {
		r := &g.Records[i]
		switch of, in := pooled[r.Values[0]]; {
		case in:
			odds[r] = certain.times(uint64(d.Drawn), uint64(of))
		case drawn[r.Values[0]]:
			odds[r] = certain
		}
	}
	return odds
}

func (t *tree) record(g *record.Group, i int, sel *routing.Selection, s step, within odds) Record {
	r := &g.Records[i]
	reach := t.reach[sel].atMost1()
	out := Record{
		Label: g.Label(i), SetID: r.SetID, Position: position(r.Pos),
		Healthy: t.table.Healthy(int(g.Ordinal), i), Eligible: !within.zero(),
		Odds: within.String(), Total: reach.scaled(within).String(),
	}
	if g.Policy == record.Weighted {
		out.Weight = &r.Weight
	}
	if g.Policy == record.Failover {
		out.Tier = r.Tier
	}
	if r.Check != record.NoCheck {
		check := t.check(r.Check)
		out.Check = &check
	}
	out.Health, out.HealthSource = t.healthOf(g, i), pageChoose
	if r.Alias != nil {
		out.HealthSource = pageTrees
	}
	out.Choice = choice(g, i, sel.Rule(), out.Healthy, out.Eligible)
	if r.Alias == nil {
		v := t.valuesOf(r.Values)
		out.Values, out.TTL = v.texts, &v.ttl
		out.Target = t.onward(s, r, reach.scaled(within))
		return out
	}
	out.Alias, out.Evaluate = r.Alias.Name, r.Alias.EvaluateTargetHealth
	out.Target = t.target(g, i, reach.scaled(within), s)
	return out
}

// onward draws what a CNAME or DNAME leads to, if it is followed.
func (t *tree) onward(s step, r *record.RecordSet, o odds) *Node {
	to := target(r.Values[0])
	switch s.kind {
	case cname:
	case dname:
		var ok bool
		to, ok = redirected(s.name, s.place.DNAME, to)
		if !ok || t.typ == dns.TypeCNAME {
			return nil
		}
	default:
		return nil
	}
	if s.steps == record.MaxFollow {
		return &Node{Kind: "end", Name: to, Type: dns.Type(t.typ).String(), Why: tooLong, Odds: o.String()}
	}
	next := t.follow(to, t.typ)
	next.steps = s.steps + 1
	return t.node(next, o)
}

// tooLong is why a chain ends that could be followed further.
const tooLong = "the chain of CNAMEs is too long and ends there"

// target draws what an alias leads to.
func (t *tree) target(g *record.Group, i int, o odds, s step) *Node {
	alias := g.Records[i].Alias
	n := &Node{Kind: "missing", Name: alias.Name, Type: dns.Type(g.Type).String(), Odds: o.String(), Source: pageTrees}
	healthy := false
	n.Healthy = &healthy
	switch to := t.table.Target(int(g.Ordinal), i); to.Kind {
	case routing.GroupTarget:
		below, _, _ := t.table.Group(to.Group)
		return t.group(below, s, alias.Name, g.Type)
	case routing.ExternalTarget:
		n.Kind, n.Source = "external", ""
		healthy = t.table.ExternalHealthy(to.External)
		n.Why = "it is held elsewhere, resolved through the server, and counts as healthy while it has records"
		if !healthy {
			n.Why = "it is held elsewhere, resolved through the server, and has no records"
		}
	default:
		n.Why = "nothing holds it, so it has no records and is unhealthy"
	}
	return n
}

// healthOf says why a record set is healthy or not.
//
// Source: Route 53 Developer Guide, "How Amazon Route 53 chooses records when health
// checking is configured".
func (t *tree) healthOf(g *record.Group, i int) string {
	r := &g.Records[i]
	evaluated := r.Alias != nil && r.Alias.EvaluateTargetHealth
	checked := r.Check != record.NoCheck
	targetUp := evaluated && t.targetHealthy(g, i)
	switch {
	case checked && t.table.Status(int(r.Check)) != healthcheck.Healthy:
		return "its check is unhealthy"
	case evaluated && !targetUp:
		return "its target is unhealthy"
	case evaluated && checked:
		return "its check and its target are healthy"
	case evaluated:
		return "its target is healthy"
	case checked && r.Alias != nil:
		return "its check is healthy; its target's health is not evaluated"
	case checked:
		return "its check is healthy"
	case r.Alias != nil:
		return "it has no check, and its target's health is not evaluated: always healthy"
	}
	return "it has no check: always healthy"
}

func (m *Model) targetHealthy(g *record.Group, i int) bool {
	switch to := m.table.Target(int(g.Ordinal), i); to.Kind {
	case routing.GroupTarget:
		_, _, healthy := m.table.Group(to.Group)
		return healthy
	case routing.ExternalTarget:
		return m.table.ExternalHealthy(to.External)
	}
	return false
}

// choice says why a record set may be chosen, or not.
func choice(g *record.Group, i int, rule routing.Reason, healthy, eligible bool) string {
	r := &g.Records[i]
	switch {
	case rule == routing.LastResort && eligible:
		return "last resort: nothing is healthy"
	case !healthy && !eligible && rule != routing.LastResort:
		return "not eligible: unhealthy"
	case g.Policy == record.Weighted && !eligible:
		return "not eligible: weight 0, while others have more"
	case g.Policy == record.Weighted && rule == routing.ZeroWeight:
		return "weight 0: only such are healthy, and they share evenly"
	case g.Policy == record.Weighted:
		return fmt.Sprintf("weight %d", r.Weight)
	case g.Policy == record.Failover && !eligible:
		return "not eligible: a tier before it is answered"
	case g.Policy == record.Failover:
		return "the first healthy tier"
	case g.Policy == record.Multivalue:
		return "one of the healthy"
	}
	return "the only record set"
}

// check returns a check and what it reports.
func (m *Model) check(i int32) Check {
	c := &m.checks[i]
	out := Check{Name: c.Name, Status: m.table.Status(int(i)).String(), Endpoint: endpoint(c)}
	var notes []string
	switch {
	case c.Disabled:
		notes = append(notes, "disabled: nothing is probed")
	case c.Fixed:
		notes = append(notes, "it cannot be probed from here, so its status is fixed")
	case c.Calculated:
		up := 0
		for _, child := range c.Children {
			if healthcheck.Counts(m.checks, child) {
				out.Children = append(out.Children, m.check(int32(child)))
				if m.table.Status(child) == healthcheck.Healthy {
					up++
				}
			}
		}
		notes = append(notes, fmt.Sprintf("%d of %d children healthy, want %d", up, len(c.Children), c.HealthyThreshold))
	}
	if c.Invert {
		notes = append(notes, "inverted")
	}
	if _, pinned := m.health.pinned[i]; pinned {
		notes = append(notes, "it is told to report this")
	}
	out.Note = strings.Join(notes, "; ")
	return out
}

// endpoint returns what a check probes, as a URL without its query, which may hold
// secrets; "" of one that probes nothing.
func endpoint(c *healthcheck.Check) string {
	if !c.Probed() {
		return ""
	}
	path, _, _ := strings.Cut(c.Spec.Path, "?")
	return c.Spec.Kind.String() + "://" + net.JoinHostPort(c.Spec.Host, strconv.Itoa(int(c.Spec.Port))) + path
}
