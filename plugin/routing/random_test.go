package routing

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// TestAgainstNaive builds random trees of aliases, flips random checks and external
// targets, replaces groups now and then, and compares the incrementally compiled selections with the naive evaluator:
// who is healthy, the exact odds of every answer, and its reason.
func TestAgainstNaive(t *testing.T) {
	trees, flips := 900, 20
	if testing.Short() {
		trees = 40
	}
	replaced := 0
	for seed := range trees {
		rnd := rand.New(rand.NewPCG(uint64(seed), 1))
		c := randomCatalog(t, rnd)
		n := &naive{catalog: c, checks: make([]healthcheck.Status, len(c.Checks)), found: map[record.Key]bool{}, outside: map[record.Key]string{}}
		tab := NewTable(c, n.checks)
		for i, e := range tab.Externals() {
			rr := randomValue(e.Key, 200+i)
			e.Set(Resolution{RRs: []dns.RR{rr}})
			n.found[e.Key], n.outside[e.Key] = true, values([]dns.RR{rr})
		}
		published := map[int]*Selection{}
		for i := range tab.Len() {
			_, published[i], _ = tab.Group(i)
		}
		for flip := range flips {
			changes, externals := randomFlips(rnd, tab, n)
			publish := func(i int, s *Selection) { published[i] = s }
			tab.Update(changes, externals, publish)
			if g := randomSuccessor(rnd, tab); g != nil {
				changes := []record.Change{{Old: c.Groups[g.Key], New: g}}
				if c.Edit(changes, func() bool { return tab.Edit(changes, publish) }) {
					replaced++
				}
			}
			for i := range tab.Len() {
				g, _, healthy := tab.Group(i)
				if g.Type != dns.TypeA && g.Type != dns.TypeAAAA {
					continue
				}
				if want := n.groupHealthy(g); healthy != want {
					t.Fatalf("seed %d, flip %d: %s healthy %t, want %t", seed, flip, g.Key, healthy, want)
				}
				got := chosenOdds(published[i], rnd)
				if want := n.odds(g); !got.equal(want) {
					t.Fatalf("seed %d, flip %d: %s answers\n%s, want\n%s", seed, flip, g.Key, got, want)
				}
			}
		}
	}
	if replaced < trees*flips/4 {
		t.Errorf("only %d groups were replaced", replaced)
	}
}

// randomSuccessor changes a random group as an edit would. It returns nil when it hits one
// that is not of record sets.
func randomSuccessor(rnd *rand.Rand, tab *Table) *record.Group {
	old, _, _ := tab.Group(rnd.IntN(tab.Len()))
	if old.Balancer != nil || old.Type == dns.TypeNS {
		return nil
	}
	g := &record.Group{Key: old.Key, Policy: old.Policy, Records: slices.Clone(old.Records)}
	some := func() *record.RecordSet { return &g.Records[rnd.IntN(len(g.Records))] }
	for range 1 + rnd.IntN(3) {
		a, b := some(), some()
		switch rnd.IntN(6) {
		case 0:
			a.Weight, b.Weight = b.Weight, a.Weight
		case 1:
			a.Check, b.Check = b.Check, a.Check
		case 2:
			a.Values, a.Alias, b.Values, b.Alias = b.Values, b.Alias, a.Values, a.Alias
		case 3:
			if a.Alias != nil {
				a.Alias = &record.AliasTarget{Name: a.Alias.Name, EvaluateTargetHealth: !a.Alias.EvaluateTargetHealth}
			}
		case 4:
			if i := rnd.IntN(len(g.Records)); len(g.Records) > 1 {
				g.Records = slices.Delete(g.Records, i, i+1)
			}
		case 5:
			// Another group's alias: perhaps a cycle, which is refused.
			if other, _, _ := tab.Group(rnd.IntN(tab.Len())); other.Type == g.Type && a.Weight < 2 && g.Policy != record.Multivalue && len(other.Records) > 0 && other.Records[0].Alias != nil {
				a.Values, a.Alias = nil, other.Records[0].Alias
			}
		}
	}
	if rnd.IntN(4) == 0 && g.Policy == record.Weighted {
		g.Policy = record.Failover
	}
	return g
}

// chosenOdds counts what a Selection chooses over the whole range of its random numbers.
// The order of records, which is no choice, comes from shuffles.
func chosenOdds(s *Selection, shuffles *rand.Rand) odds {
	o := odds{}
	for e := new(explorer); ; {
		pool, from, _, _, reason := s.Choose(e.rand)
		out := make([]dns.RR, from.Len(pool))
		if len(out) > 0 {
			from.Fill(out, pool, shuffles.Uint64N)
		}
		o.add(outcome{values(out), reason}.String(), e.probability())
		if !e.next() {
			return o
		}
	}
}

// equal reports whether two tables of odds are the same.
func (o odds) equal(p odds) bool {
	for answer, q := range o {
		if p[answer] == nil || p[answer].Cmp(q) != 0 {
			return false
		}
	}
	return len(o) == len(p)
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
			n.found[e.Key] = rnd.IntN(2) == 0
			externals = append(externals, ExternalChange{External: i, Healthy: n.found[e.Key]})
		}
	}
	return changes, externals
}

// randomValue returns an address record that ends in a number.
func randomValue(k record.Key, n int) dns.RR {
	text := fmt.Sprintf("%s 60 AAAA 2001:db8::%x", k.Name, n)
	if k.Type == dns.TypeA {
		text = fmt.Sprintf("%s 60 A 198.51.100.%d", k.Name, n)
	}
	rr, err := dns.NewRR(text)
	if err != nil {
		panic(err)
	}
	return rr
}

// growth makes a random catalog.
type growth struct {
	*rand.Rand
	naive
	checks int
	number int // of the last value
	groups []*record.Group
	done   map[uint16][]string // names of the groups that have their records, by type
	draws  map[record.Key]uint // the random numbers that they draw from, at most
}

// maxDraws keeps the tree of draws below a group small enough to walk all of it.
const maxDraws = 60

// randomCatalog makes up to a dozen groups of either family, some of them wildcards, whose
// aliases point at earlier ones, at names that wildcards answer or that only stand above
// others, at what is held elsewhere, or at nothing.
func randomCatalog(t *testing.T, rnd *rand.Rand) *record.Catalog {
	g := &growth{Rand: rnd, checks: 1 + rnd.IntN(6), done: map[uint16][]string{}, draws: map[record.Key]uint{}}
	g.catalog = record.NewCatalog([]string{"example."})
	if rnd.IntN(3) == 0 {
		g.balancer()
	}
	if rnd.IntN(4) == 0 {
		ns, _ := dns.NewRR("cut.example. 60 NS ns.test.")
		g.groups = append(g.groups, &record.Group{Key: record.Key{Name: "cut.example.", Type: dns.TypeNS},
			Records: []record.RecordSet{{Check: record.NoCheck, Values: []dns.RR{ns}}}})
	}
	// What a target leads to depends on all names, so these come first.
	for i := range 2 + rnd.IntN(11) {
		k := record.Key{Name: fmt.Sprintf([]string{"g%d.example.", "*.g%d.example.", "a.g%d.example.", "deep.er.g%d.example."}[rnd.IntN(4)], i/2), Type: dns.TypeA}
		if rnd.IntN(4) == 0 {
			k.Type = dns.TypeAAAA
		}
		g.groups = append(g.groups, &record.Group{Key: k, Policy: record.Policy(rnd.IntN(4))})
	}
	for _, group := range g.groups {
		if g.catalog.Groups[group.Key] == nil {
			g.catalog.Groups[group.Key] = group
		}
	}
	var kept []*record.Group
	for _, group := range g.groups {
		if g.catalog.Groups[group.Key] != group {
			continue // a name and type that came before
		}
		if group.Records == nil && group.Balancer == nil {
			g.fill(group)
		}
		kept = append(kept, group)
	}
	return catalog(t, g.checks, kept...)
}

// fill gives a group its records.
func (g *growth) fill(group *record.Group) {
	count := 1 + g.IntN(5)
	if group.Policy == record.Simple {
		count = 1
	}
	tiers := g.Perm(6)
	draws := uint(0)
	for k := range count {
		r := record.RecordSet{Imported: true, SetID: fmt.Sprint(k), Weight: uint16(g.IntN(6)), Tier: uint16(tiers[k] + 1)}
		r.Check = max(int32(g.IntN(g.checks+2))-2, record.NoCheck)
		below := uint(1)
		if target, d, ok := g.target(group.Type, uint(max(r.Weight, 1))); ok && group.Policy != record.Multivalue && g.IntN(10) < 7 {
			below = d
			r.Alias = &record.AliasTarget{Name: target, EvaluateTargetHealth: g.IntN(3) > 0}
		} else {
			values := 1
			if group.Policy != record.Multivalue {
				values += g.IntN(2)
			}
			for range values {
				g.number++
				r.Values = append(r.Values, randomValue(group.Key, g.number))
			}
		}
		draws += uint(max(r.Weight, 1)) * below
		group.Records = append(group.Records, r)
	}
	g.finish(group, draws)
}

// finish lets aliases point at a group.
func (g *growth) finish(group *record.Group, draws uint) {
	g.done[group.Type] = append(g.done[group.Type], group.Name)
	g.draws[group.Key] = draws
}

// target returns a name for an alias of the type to point at, and the draws below it: a
// group that has its records already, or none at all.
func (g *growth) target(typ uint16, weight uint) (name string, draws uint, ok bool) {
	switch n := g.IntN(20); {
	case n < 3:
		return []string{"a.test.", "bb.test.", "x.cut.example."}[n], 1, n < 2 || g.elsewhere("x.cut.example.")
	case n == 3:
		name = "missing.example."
	case n == 4:
		name = "er.g1.example."
	default:
		to := g.done[typ]
		if len(to) == 0 {
			return "", 0, false
		}
		name = to[len(to)-1-g.IntN(min(len(to), 4))] // the later ones have more below them
		if g.IntN(4) == 0 || g.IntN(2) == 0 && strings.HasPrefix(name, "*.") {
			name = "x." + strings.TrimPrefix(name, "*.")
		}
	}
	if g.elsewhere(name) {
		return name, 1, true
	}
	to := g.lookup(record.Key{Name: name, Type: typ})
	if to == nil {
		return name, 1, true
	}
	draws, done := g.draws[to.Key]
	return name, draws, done && weight*draws <= maxDraws
}

// balancer adds a load balancer of few targets, so that all are answered.
func (g *growth) balancer() {
	minimums := []record.Minimum{{Count: 1}, {Count: 2}, {Count: 1, Percent: 50}, {Count: 2, Percent: 67}, {Percent: 50}, {}}
	for {
		b := &record.LoadBalancer{Name: "lb.example.", TTL: 60, CrossZone: g.IntN(2) == 0}
		for z := range 1 + g.IntN(3) {
			zone := record.BalancerZone{ID: fmt.Sprint(z)}
			if g.IntN(2) == 0 {
				zone.Nodes = append(zone.Nodes, g.addr())
			}
			b.Zones = append(b.Zones, zone)
		}
		for i := range 1 + g.IntN(2) {
			group := record.TargetGroup{ID: fmt.Sprint(i), DNS: minimums[g.IntN(len(minimums))], Routing: minimums[g.IntN(len(minimums))]}
			for range g.IntN(5) {
				group.Targets = append(group.Targets, record.Target{Zone: g.IntN(len(b.Zones)), Addr: g.addr(), Check: int32(g.IntN(g.checks))})
			}
			b.Groups = append(b.Groups, group)
		}
		groups := b.RRGroups()
		if record.NewCatalog([]string{"example."}).Add(groups[0]) != nil {
			continue // thresholds or zones that do not go together
		}
		for _, group := range groups {
			g.groups = append(g.groups, group)
			g.finish(group, 1)
		}
		return
	}
}

// addr returns a fresh address, IPv4 or now and then IPv6.
func (g *growth) addr() netip.Addr {
	g.number++
	if g.IntN(4) == 0 {
		return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 15: byte(g.number)})
	}
	return netip.AddrFrom4([4]byte{192, 0, 2, byte(g.number)})
}
