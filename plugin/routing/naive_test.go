package routing

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// naive works out health and odds straight from SEMANTICS, sections 2 and 3, with no
// thought of speed. It shares nothing with the compiler but the records.
type naive struct {
	catalog  *record.Catalog
	checks   []healthcheck.Status
	resolved map[string]bool // external targets by name
}

// healthy is section 2, rules 1 to 7.
func (n *naive) healthy(g *record.Group, r record.RecordSet) bool {
	check := r.Check == record.NoCheck || n.checks[r.Check] == healthcheck.Healthy
	if r.Alias == nil || !r.Alias.EvaluateTargetHealth {
		return check
	}
	target, held := n.catalog.Target(r.Alias.Name, g.Type)
	switch held {
	case record.Here:
		return check && n.groupHealthy(target)
	case record.Elsewhere:
		return check && n.resolved[r.Alias.Name]
	default:
		return false
	}
}

func (n *naive) groupHealthy(g *record.Group) bool {
	for _, r := range g.Records {
		if n.healthy(g, r) {
			return true
		}
	}
	return false
}

// odds is section 3.
func (n *naive) odds(g *record.Group) odds {
	var h []record.RecordSet
	for _, r := range g.Records {
		if n.healthy(g, r) {
			h = append(h, r)
		}
	}
	if len(h) == 0 {
		h = g.Records
	}
	out := odds{}
	switch g.Policy {
	case record.Simple:
		n.answer(out, g, g.Records[0], big.NewRat(1, 1))
	case record.Failover:
		best := h[0]
		for _, r := range h {
			if r.Tier < best.Tier {
				best = r
			}
		}
		n.answer(out, g, best, big.NewRat(1, 1))
	case record.Multivalue: // of at most eight records, in these tests
		var rrs []dns.RR
		for _, r := range h {
			rrs = append(rrs, r.Values...)
		}
		out.add(values(rrs), big.NewRat(1, 1))
	case record.Weighted:
		sum := int64(0)
		for _, r := range h {
			sum += int64(r.Weight)
		}
		for _, r := range h {
			switch {
			case sum == 0:
				n.answer(out, g, r, big.NewRat(1, int64(len(h))))
			case r.Weight > 0:
				n.answer(out, g, r, big.NewRat(int64(r.Weight), sum))
			}
		}
	}
	return out
}

// answer adds what a chosen record answers, with odds p.
func (n *naive) answer(out odds, g *record.Group, r record.RecordSet, p *big.Rat) {
	if r.Alias == nil {
		out.add(values(r.Values), p)
		return
	}
	target, held := n.catalog.Target(r.Alias.Name, g.Type)
	switch held {
	case record.Here:
		for answer, q := range n.odds(target) {
			out.add(answer, new(big.Rat).Mul(p, q))
		}
	case record.Elsewhere:
		out.add("external "+r.Alias.Name, p)
	default:
		out.add("", p)
	}
}

// TestAgainstNaive builds random trees of aliases, flips random checks and external
// targets, and compares the incrementally compiled selections with the naive evaluator:
// who is healthy, and the exact odds of every answer.
func TestAgainstNaive(t *testing.T) {
	trees, flips := 400, 25
	if testing.Short() {
		trees = 50
	}
	for seed := range trees {
		rnd := rand.New(rand.NewPCG(uint64(seed), 1))
		c := randomCatalog(t, rnd)
		n := &naive{catalog: c, checks: make([]healthcheck.Status, len(c.Checks)), resolved: map[string]bool{}}
		tab := NewTable(c, n.checks)
		for _, e := range tab.Externals() {
			n.resolved[e.Name] = true
			rr, _ := dns.NewRR(fmt.Sprintf("%s A 203.0.113.%d", e.Name, len(e.Name)))
			e.Set([]dns.RR{rr})
		}
		published := map[int]*Selection{}
		for i := range tab.Len() {
			_, published[i], _ = tab.Group(i)
		}
		for flip := range flips {
			changes, externals := randomFlips(rnd, tab, n)
			tab.Update(changes, externals, func(i int, s *Selection) { published[i] = s })
			for i := range tab.Len() {
				g, _, healthy := tab.Group(i)
				if g.Type != dns.TypeA {
					continue
				}
				if want := n.groupHealthy(g); healthy != want {
					t.Fatalf("seed %d, flip %d: %s healthy %t, want %t", seed, flip, g.Key, healthy, want)
				}
				got := oddsOf(published[i], func(rrs []dns.RR) string { return external(tab, values(rrs)) })
				if want := n.odds(g); got.String() != want.String() {
					t.Fatalf("seed %d, flip %d: %s answers\n%s, want\n%s", seed, flip, g.Key, got, want)
				}
			}
		}
	}
}

// external renders the address of an external target as its name.
func external(tab *Table, answer string) string {
	for _, e := range tab.Externals() {
		if answer == values(e.RRs()) {
			return "external " + e.Name
		}
	}
	return answer
}

// randomFlips changes some checks and external targets, in the naive evaluator too.
func randomFlips(rnd *rand.Rand, tab *Table, n *naive) (changes []healthcheck.Change, externals []ExternalChange) {
	for i := range n.checks {
		if rnd.IntN(3) == 0 {
			n.checks[i] = healthcheck.Status(rnd.IntN(2))
			changes = append(changes, healthcheck.Change{Check: i, Status: n.checks[i]})
		}
	}
	for i, e := range tab.Externals() {
		if rnd.IntN(3) == 0 {
			n.resolved[e.Name] = rnd.IntN(2) == 0
			externals = append(externals, ExternalChange{External: i, Healthy: n.resolved[e.Name]})
		}
	}
	return changes, externals
}

// randomCatalog makes up to a dozen groups whose aliases point at earlier ones, at
// external names of different lengths, or at nothing.
func randomCatalog(t *testing.T, rnd *rand.Rand) *record.Catalog {
	checks := 1 + rnd.IntN(6)
	octet := 0
	var groups []*record.Group
	for i := range 2 + rnd.IntN(11) {
		name := fmt.Sprintf("g%d.example.", i)
		g := group(record.Policy(rnd.IntN(4)), name)
		n := 1 + rnd.IntN(3)
		if g.Policy == record.Simple {
			n = 1
		}
		for k := range n {
			check := int32(rnd.IntN(checks+2)) - 2
			check = max(check, record.NoCheck)
			octet++
			r := plain(name, check, octet)
			if g.Policy != record.Multivalue {
				switch p := rnd.IntN(10); {
				case p < 5 && i > 0:
					r = alias(groups[rnd.IntN(i)].Name, check, rnd.IntN(3) > 0)
				case p == 5:
					r = alias([]string{"a.test.", "bb.test."}[rnd.IntN(2)], check, rnd.IntN(2) == 0)
				case p == 6:
					r = alias("missing.example.", check, rnd.IntN(2) == 0)
				case p == 7:
					octet++
					r = plain(name, check, octet-1, octet)
				}
			}
			r.Weight, r.Tier = uint16(rnd.IntN(4)), uint16(k+1)
			r.SetID = fmt.Sprint(k)
			g.Records = append(g.Records, r)
		}
		groups = append(groups, g)
	}
	return catalog(t, checks, groups...)
}
