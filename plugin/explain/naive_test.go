package explain

import (
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// naive works out health and odds straight from the rules, with no thought of speed. It
// shares nothing with what is explained but the records. Load balancers it takes from
// routing, which has a naive evaluator of its own for them.
type naive struct {
	*Model
}

func (n naive) healthy(g *record.Group, r *record.RecordSet) bool {
	if r.Check != record.NoCheck && n.health.reports[r.Check] != healthcheck.Healthy {
		return false
	}
	if r.Alias == nil || !r.Alias.EvaluateTargetHealth {
		return true
	}
	target, held := n.catalog.Target(r.Alias.Name, g.Type)
	if held == record.Elsewhere {
		return n.external(r.Alias.Name, g.Type)
	}
	return target != nil && n.groupHealthy(target)
}

func (n naive) external(name string, typ uint16) bool {
	i := slices.IndexFunc(n.table.Externals(), func(e *routing.External) bool { return e.Key == record.Key{Name: name, Type: typ} })
	return n.table.ExternalHealthy(i)
}

func (n naive) groupHealthy(g *record.Group) bool {
	if g.Balancer != nil {
		state, _ := routing.EvaluateBalancer(g.Balancer, n.reportsHealthy)
		return state.Healthy
	}
	return slices.ContainsFunc(g.Records, func(r record.RecordSet) bool { return n.healthy(g, &r) })
}

// shares returns the odds of a group's record sets.
func (n naive) shares(g *record.Group) []*big.Rat {
	last := !n.groupHealthy(g)
	in := make([]bool, len(g.Records))
	first, heavy, sum := -1, false, int64(0)
	for i := range g.Records {
		r := &g.Records[i]
		in[i] = last || n.healthy(g, r)
		if in[i] {
			heavy, sum = heavy || r.Weight > 0, sum+int64(r.Weight)
			if first < 0 || r.Tier < g.Records[first].Tier {
				first = i
			}
		}
	}
	shares := make([]*big.Rat, len(g.Records))
	even := int64(0)
	for i := range in {
		if in[i] {
			even++
		}
	}
	for i := range g.Records {
		shares[i] = new(big.Rat)
		switch {
		case g.Policy == record.Simple:
			shares[i].SetInt64(1)
		case !in[i]:
		case g.Policy == record.Failover && i == first, g.Policy == record.Multivalue:
			shares[i].SetInt64(1) // of eight at most, in these tests
		case g.Policy == record.Weighted && heavy:
			shares[i].SetFrac64(int64(g.Records[i].Weight), sum)
		case g.Policy == record.Weighted:
			shares[i].SetFrac64(1, even)
		}
	}
	return shares
}

// odds returns the odds of what a group answers, as lines of values.
func (n naive) odds(g *record.Group) map[string]*big.Rat {
	odds := map[string]*big.Rat{}
	add := func(values string, p *big.Rat) {
		if odds[values] == nil {
			odds[values] = new(big.Rat)
		}
		odds[values].Add(odds[values], p)
	}
	shares := n.shares(g)
	if g.Policy == record.Multivalue {
		var all []dns.RR
		for i := range shares {
			if shares[i].Sign() > 0 {
				all = append(all, g.Records[i].Values...)
			}
		}
		add(render(all).key, big.NewRat(1, 1))
		return odds
	}
	for i := range g.Records {
		r := &g.Records[i]
		if shares[i].Sign() == 0 {
			continue
		}
		if r.Alias == nil {
			add(render(r.Values).key, shares[i])
			continue
		}
		target, held := n.catalog.Target(r.Alias.Name, g.Type)
		switch {
		case held == record.Elsewhere && n.external(r.Alias.Name, g.Type):
			add("through "+r.Alias.Name, shares[i])
		case target == nil:
			add("", shares[i])
		case target.Balancer != nil:
			add("load balancer "+target.Name, shares[i])
		default:
			for values, p := range n.odds(target) {
				add(values, new(big.Rat).Mul(p, shares[i]))
			}
		}
	}
	return odds
}

// TestAgainstNaive compares, over random trees and health, who is explained to be healthy
// and with which odds within its group and through the aliases.
func TestAgainstNaive(t *testing.T) {
	catalogs := 2500
	if testing.Short() {
		catalogs = 250
	}
	trees := 0
	for seed := range catalogs {
		rnd := rand.New(rand.NewPCG(uint64(seed), 9))
		m := New(grow(t, rnd))
		upset(m, rnd)
		n := naive{m}
		for g := range m.catalog.All() {
			if g.Balancer != nil || g.Type != dns.TypeA {
				continue
			}
			e, err := m.Explain(g.Name, g.Type)
			if err != nil {
				t.Fatal(err)
			}
			shares := n.shares(g)
			for i, r := range e.Tree.Records {
				if r.Healthy != n.healthy(g, &g.Records[i]) || r.Odds != shares[i].RatString() || r.Eligible != (shares[i].Sign() > 0) {
					t.Fatalf("seed %d, %s, record set %s: healthy %t, eligible %t, odds %s; want %t and %s",
						seed, g.Key, r.Label, r.Healthy, r.Eligible, r.Odds, n.healthy(g, &g.Records[i]), shares[i].RatString())
				}
				if r.Target != nil && len(r.Target.Records) > 0 {
					trees++
				}
			}
			if *e.Tree.Healthy != n.groupHealthy(g) {
				t.Fatalf("seed %d, %s is explained to be healthy: %t", seed, g.Key, *e.Tree.Healthy)
			}
			got := map[string]*big.Rat{}
			balanced := balancerAnswers(m)
			for _, a := range e.Answers {
				values := strings.Join(a.Values, "\n")
				if a.External != "" {
					values = "through " + strings.Fields(a.External)[0]
				}
				if lb := balanced[values]; lb != "" {
					values = lb
				}
				p, ok := new(big.Rat).SetString(a.Odds)
				if !ok {
					t.Fatalf("odds %q", a.Odds)
				}
				if got[values] == nil {
					got[values] = new(big.Rat)
				}
				got[values].Add(got[values], p)
			}
			want := n.odds(g)
			for values, p := range want { // a load balancer may answer nothing
				if name, ok := strings.CutPrefix(values, "load balancer "); ok && balanced[values] == "" && n.empty(name) {
					delete(want, values)
					if want[""] == nil {
						want[""] = new(big.Rat)
					}
					want[""].Add(want[""], p)
				}
			}
			if !maps.EqualFunc(got, want, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) {
				t.Fatalf("seed %d, %s: %v, want %v", seed, g.Key, got, want)
			}
		}
	}
	if trees < catalogs {
		t.Errorf("only %d trees", trees)
	}
}

// balancerAnswers returns what load balancers answer, by the values.
func balancerAnswers(m *Model) map[string]string {
	all := map[string]string{}
	for g := range m.catalog.All() {
		if g.Balancer != nil && g.Type == dns.TypeA {
			for _, at := range m.groupAnswers(g, m.selection(g)).list {
				if at.values != "" {
					all[at.values] = "load balancer " + g.Name
				}
			}
		}
	}
	return all
}

// empty reports whether a load balancer answers nothing.
func (n naive) empty(name string) bool {
	g := n.group(name, dns.TypeA)
	return n.groupAnswers(g, n.selection(g)).empty()
}
