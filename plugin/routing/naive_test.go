package routing

import (
	"math/big"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// naive works out health, odds and reasons straight from the rules of the Route 53 and
// Elastic Load Balancing guides, without regard to speed. It shares nothing with the compiler but the records; even
// names it looks up by itself.
type naive struct {
	catalog *record.Catalog
	checks  []healthcheck.Status
	found   map[record.Key]bool   // targets held elsewhere: the last resolution gave records
	outside map[record.Key]string // what they answer
}

// lookup returns the group that answers a name: its own if the name exists, else that of
// the wildcard of the closest name above it that does.
func (n *naive) lookup(k record.Key) *record.Group {
	above := k.Name
	for !n.exists(above) {
		_, above, _ = strings.Cut(above, ".")
	}
	if above != k.Name {
		k.Name = "*." + above
	}
	return n.catalog.Groups[k]
}

// exists reports whether there is a group at a name, or below it.
func (n *naive) exists(name string) bool {
	for k := range n.catalog.Groups {
		if k.Name == name || strings.HasSuffix(k.Name, "."+name) {
			return true
		}
	}
	return name == "example."
}

// elsewhere reports whether a name is outside the zone, or at or below a delegation.
func (n *naive) elsewhere(name string) bool {
	if !strings.HasSuffix(name, "example.") {
		return true
	}
	for k := range n.catalog.Groups {
		if k.Type == dns.TypeNS && (name == k.Name || strings.HasSuffix(name, "."+k.Name)) {
			return true
		}
	}
	return false
}

// healthy is section 2, rules 1 to 7.
func (n *naive) healthy(g *record.Group, r record.RecordSet) bool {
	check := r.Check == record.NoCheck || n.checks[r.Check] == healthcheck.Healthy
	if r.Alias == nil || !r.Alias.EvaluateTargetHealth {
		return check
	}
	k := record.Key{Name: r.Alias.Name, Type: g.Type}
	if n.elsewhere(k.Name) {
		return check && n.found[k]
	}
	target := n.lookup(k)
	return check && target != nil && n.groupHealthy(target)
}

func (n *naive) groupHealthy(g *record.Group) bool {
	if g.Balancer != nil {
		return n.balancerHealthy(g.Balancer)
	}
	return len(n.healthyOf(g)) > 0
}

func (n *naive) healthyOf(g *record.Group) []record.RecordSet {
	var h []record.RecordSet
	for _, r := range g.Records {
		if n.healthy(g, r) {
			h = append(h, r)
		}
	}
	return h
}

// odds is section 3. Each answer is followed by its reason.
func (n *naive) odds(g *record.Group) odds {
	out := odds{}
	for a, p := range n.outcomes(g) {
		out.add(a.String(), p)
	}
	return out
}

// outcome is an answer and why it was given.
type outcome struct {
	values string
	reason Reason
}

func (o outcome) String() string { return o.values + " (" + o.reason.String() + ")" }

func (n *naive) outcomes(g *record.Group) map[outcome]*big.Rat {
	certain := func(s string, why Reason) map[outcome]*big.Rat {
		return map[outcome]*big.Rat{{s, why}: big.NewRat(1, 1)}
	}
	if g.Balancer != nil {
		return certain(n.balancerAnswer(g.Balancer, g.Type))
	}
	h := n.healthyOf(g)
	lastResort := len(h) == 0
	if lastResort {
		h = g.Records
	}
	because := func(r Reason) Reason {
		if lastResort {
			return LastResort
		}
		return r
	}
	switch g.Policy {
	case record.Failover:
		best := h[0]
		for _, r := range h {
			if r.Tier < best.Tier {
				best = r
			}
		}
		why := Primary
		switch {
		case best.Tier == 2:
			why = Secondary
		case best.Tier > 2:
			why = LaterTier
		}
		return n.chosen(g, []record.RecordSet{best}, []int64{1}, because(why))
	case record.Multivalue: // of at most eight records, in these tests
		var rrs []dns.RR
		for _, r := range h {
			rrs = append(rrs, r.Values...)
		}
		return certain(values(rrs), because(Multivalue))
	case record.Weighted:
		shares, why := n.shares(g, h)
		return n.chosen(g, h, shares, because(why))
	}
	return n.chosen(g, g.Records, []int64{1}, Simple)
}

// shares returns the weights of records, or equal ones if all are 0.
func (n *naive) shares(g *record.Group, h []record.RecordSet) ([]int64, Reason) {
	weights, equal, sum := make([]int64, len(h)), make([]int64, len(h)), int64(0)
	for i, r := range h {
		weights[i], equal[i] = int64(r.Weight), 1
		sum += weights[i]
	}
	if sum > 0 {
		return weights, Weighted
	}
	for _, r := range g.Records {
		if r.Weight > 0 {
			return equal, ZeroWeight
		}
	}
	return equal, Weighted
}

// chosen adds up what records answer by their shares. A later reason outranks an
// earlier one on the way.
func (n *naive) chosen(g *record.Group, h []record.RecordSet, shares []int64, why Reason) map[outcome]*big.Rat {
	sum := int64(0)
	for _, s := range shares {
		sum += s
	}
	out := map[outcome]*big.Rat{}
	for i, r := range h {
		if shares[i] == 0 {
			continue
		}
		for a, q := range n.answer(g, r) {
			a.reason = max(a.reason, why)
			if out[a] == nil {
				out[a] = new(big.Rat)
			}
			out[a].Add(out[a], q.Mul(q, big.NewRat(shares[i], sum)))
		}
	}
	return out
}

// answer returns what a record answers.
func (n *naive) answer(g *record.Group, r record.RecordSet) map[outcome]*big.Rat {
	text := ""
	switch {
	case r.Alias == nil:
		text = values(r.Values)
	case n.elsewhere(r.Alias.Name):
		text = n.outside[record.Key{Name: r.Alias.Name, Type: g.Type}]
	default:
		if target := n.lookup(record.Key{Name: r.Alias.Name, Type: g.Type}); target != nil {
			return n.outcomes(target)
		}
	}
	return map[outcome]*big.Rat{{text, Simple}: big.NewRat(1, 1)}
}
