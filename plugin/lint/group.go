package lint

import (
	"fmt"
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// tiers finds tiers of a failover group that are never answered, or that fail together. last
// is the last one.
//
// Source: Route 53 Developer Guide, "How Amazon Route 53 chooses records when health
// checking is configured", failover records.
func (l *linter) tiers(g *record.Group, last uint16) {
	if first := &g.Records[0]; len(g.Records) == 1 {
		l.find(FailoverOfOne, g, first, func() (string, string) {
			return fmt.Sprintf("failover %s has a %s only; it is always answered", g.Key, record.TierName(first.Tier)), ""
		})
		return
	}
	for i := range g.Records {
		if r := &g.Records[i]; isUncheckedTier(r, last) {
			l.find(UncheckedTier, g, r, func() (string, string) {
				remedy := "give it a check"
				if r.Alias != nil {
					remedy = "add evaluate_target_health to it, or a check"
				}
				return fmt.Sprintf("failover %s: the %s has no health check, so nothing below it is ever answered", g.Key, record.TierName(r.Tier)), remedy
			})
		}
	}
	l.sharedTiers(g)
}

// maxCompared is how many tiers of a group are compared with each other. Route 53 has two.
const maxCompared = 16

// sharedTiers finds a tier that has the endpoint of one above it.
func (l *linter) sharedTiers(g *record.Group) {
	if len(g.Records) > maxCompared {
		return
	}
	for i := range g.Records {
		low := &g.Records[i]
		j := slices.IndexFunc(g.Records, func(high record.RecordSet) bool {
			return high.Tier < low.Tier && l.shared(&high, low) != ""
		})
		if j < 0 {
			continue
		}
		high := &g.Records[j]
		what := l.shared(high, low)
		l.find(TiersShareEndpoint, g, low, func() (string, string) {
			return fmt.Sprintf("failover %s: the %s %s the %s, so both fail at once", g.Key, record.TierName(low.Tier), what, record.TierName(high.Tier)), ""
		})
	}
}

// shared says what a tier has in common with one above it, or "".
func (l *linter) shared(high, low *record.RecordSet) string {
	switch {
	case high.Alias != nil && low.Alias != nil:
		if high.Alias.Name == low.Alias.Name {
			return "points at the same name as"
		}
	case high.Alias == nil && low.Alias == nil && within(low.Values, high.Values):
		if len(low.Values) == len(high.Values) {
			return "has the same values as"
		}
		return "has only values of"
	}
	if unevaluating(high) && unevaluating(low) && l.alive(high.Check) && l.alive(low.Check) && l.sameProbe(high.Check, low.Check) {
		return "has the same check as"
	}
	return ""
}

// within reports whether all RRs are among others. Owner and class are the same.
func within(rrs, others []dns.RR) bool {
	return !slices.ContainsFunc(rrs, func(rr dns.RR) bool {
		return !slices.ContainsFunc(others, func(other dns.RR) bool { return dns.IsDuplicate(rr, other) })
	})
}

// weights finds weights of 0 that do not do what they may be taken for.
//
// Source: Route 53 Developer Guide, "Weighted routing" and "How Amazon Route 53 chooses
// records when health checking is configured", on records with a weight of 0.
func (l *linter) weights(g *record.Group) {
	zero := slices.IndexFunc(g.Records, func(r record.RecordSet) bool { return r.Weight == 0 })
	if zero < 0 {
		return
	}
	first := &g.Records[zero]
	switch weighed := func(r record.RecordSet) bool { return r.Weight > 0 }; {
	case len(g.Records) == 1:
		l.find(AllWeightsZero, g, first, func() (string, string) {
			return fmt.Sprintf("the only record of %s has weight 0 and is always answered", g.Key), "give it a weight, or remove it"
		})
	case !slices.ContainsFunc(g.Records, weighed):
		l.find(AllWeightsZero, g, nil, func() (string, string) {
			return fmt.Sprintf("all %d records of %s have weight 0, so each gets the same share of the queries", len(g.Records), g.Key), ""
		})
	case !slices.ContainsFunc(g.Records, func(r record.RecordSet) bool { return weighed(r) && unchecked(&r) }):
		l.find(ZeroWeight, g, first, func() (string, string) {
			return fmt.Sprintf("record %s of %s has weight 0, and gets all queries when no record with a weight is healthy", g.Label(zero), g.Key), ""
		})
	}
}
