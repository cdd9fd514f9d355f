package lint

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// forest is a random catalog.
type forest struct {
	*rand.Rand
	c *record.Catalog
	n int // groups
}

func newForest(seed uint64) *forest {
	f := &forest{Rand: rand.New(rand.NewPCG(seed, 0)), c: record.NewCatalog([]string{"example.org."})}
	f.addChecks()
	for f.n = 0; f.n < 12; f.n++ {
		g := f.group(f.n)
		groups := []*record.Group{g}
		if f.IntN(8) == 0 {
			groups = f.balancer(f.n).RRGroups()
		}
		for _, g := range groups {
			if err := f.c.Add(g); err != nil {
				panic(err)
			}
		}
	}
	f.c.Validate()
	return f
}

// addChecks adds checks that are probed, some of them twice, and calculated, disabled and
// fixed ones.
func (f *forest) addChecks() {
	for i := range 6 {
		s := healthcheck.Defaults(healthcheck.TCP)
		s.Host = fmt.Sprintf("192.0.2.%d", i%4)
		if i >= 4 {
			s.Rise = 1
		}
		f.c.Checks = append(f.c.Checks, healthcheck.Check{Spec: s})
	}
	f.c.Checks = append(f.c.Checks,
		healthcheck.Check{Calculated: true, Children: []int{0, 1, 2}, HealthyThreshold: 3},
		healthcheck.Check{Calculated: true, Children: []int{0, 4, 3}, HealthyThreshold: 2},
		healthcheck.Check{Calculated: true, Children: []int{0, 1}},
		healthcheck.Check{Calculated: true, Children: []int{0, 1}, HealthyThreshold: 3},
		healthcheck.Check{Fixed: true, FixedStatus: healthcheck.Healthy},
		healthcheck.Check{Fixed: true, FixedStatus: healthcheck.Unhealthy},
		healthcheck.Check{Disabled: true},
		healthcheck.Check{Disabled: true, Invert: true},
	)
	for i := range f.c.Checks {
		f.c.Checks[i].Name = fmt.Sprint("c", i)
	}
}

// check returns a check, or none.
func (f *forest) check() int32 {
	if f.IntN(3) == 0 {
		return record.NoCheck
	}
	if f.IntN(2) == 0 {
		return int32(f.IntN(3))
	}
	return int32(f.IntN(len(f.c.Checks)))
}

func name(i int) string { return fmt.Sprintf("n%d.example.org.", i) }

// group makes the group of a number, whose aliases point at smaller ones.
func (f *forest) group(n int) *record.Group {
	g := &record.Group{Key: record.Key{Name: name(n), Type: dns.TypeA}, Pos: record.Pos{File: "Corefile", Line: 10 * n}}
	g.Policy = []record.Policy{record.Simple, record.Simple, record.Weighted, record.Weighted, record.Failover, record.Multivalue}[f.IntN(6)]
	sets := 1
	if g.Policy != record.Simple {
		sets += f.IntN(3)
	}
	one := f.IntN(4) == 0
	check, ttl := f.check(), uint32(30+f.IntN(4)*90)
	for i := range sets {
		r := record.RecordSet{Pos: record.Pos{File: "Corefile", Line: 10*n + i + 1}, Check: f.check(), Weight: uint16(f.IntN(3)), Tier: uint16(i + 1)}
		if one {
			r.Check = check
		}
		if f.IntN(3) == 0 {
			r.SetID = fmt.Sprintf("id%d-%d", i, f.IntN(2))
		}
		if n > 0 && g.Policy != record.Multivalue && f.IntN(3) > 0 {
			r.Alias = &record.AliasTarget{Name: name(f.IntN(n)), EvaluateTargetHealth: f.IntN(3) > 0}
			if f.IntN(8) == 0 {
				r.Alias.Name = fmt.Sprintf("n%d.example.net.", f.IntN(2))
			}
			if f.IntN(2) == 0 {
				r.Check = record.NoCheck
			}
		} else {
			r.Values = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: g.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: ttl}, A: net.IP{192, 0, 2, byte(f.IntN(3))}}}
		}
		g.Records = append(g.Records, r)
	}
	return g
}

func (f *forest) balancer(n int) *record.LoadBalancer {
	b := &record.LoadBalancer{Name: name(n), TTL: 60, CrossZone: f.IntN(2) == 0, Pos: record.Pos{File: "Corefile", Line: 10 * n}}
	for z := range 2 {
		b.Zones = append(b.Zones, record.BalancerZone{ID: fmt.Sprint(z), Nodes: []netip.Addr{netip.AddrFrom4([4]byte{198, 51, 100, byte(z)})}})
	}
	for i := range 1 + f.IntN(2) {
		g := record.TargetGroup{ID: fmt.Sprint(i), DNS: record.Minimum{Count: f.IntN(3), Percent: f.IntN(2) * 51}}
		for t := range f.IntN(5) {
			check := f.check()
			if check == record.NoCheck {
				check = 0
			}
			g.Targets = append(g.Targets, record.Target{Zone: f.IntN(2), Addr: netip.AddrFrom4([4]byte{203, 0, 113, byte(t)}), Check: check})
		}
		b.Groups = append(b.Groups, g)
	}
	return b
}

// statuses returns what the checks report when those that probe the same as one fail; of
// fail < 0 none does.
func (f *forest) statuses(fail int) []healthcheck.Status {
	statuses := make([]healthcheck.Status, len(f.c.Checks))
	for i, c := range f.c.Checks {
		healthy := fail < 0 || untimed(c.Spec) != untimed(f.c.Checks[fail].Spec)
		switch {
		case c.Disabled:
			healthy = true
		case c.Fixed:
			healthy = c.FixedStatus == healthcheck.Healthy
		case c.Calculated:
			n := 0
			for _, child := range c.Children {
				n += int(statuses[child])
			}
			healthy = n >= c.HealthyThreshold
		}
		if healthy != c.Invert {
			statuses[i] = healthcheck.Healthy
		}
	}
	return statuses
}

// The failures that make a group unhealthy, or take it to last resort, are those under which
// routing says so, on random trees.
func TestFailuresAreThoseOfRouting(t *testing.T) {
	fatal, never := 0, 0
	for seed := range uint64(600) {
		forest := newForest(seed)
		f := newFatal(newLinter(forest.c))
		resort := func(tab *routing.Table, g *record.Group) bool {
			if g.Balancer == nil {
				_, _, healthy := tab.Group(int(g.Ordinal))
				return !healthy
			}
			open := false
			tab.Balances(func(b *record.LoadBalancer, s routing.Balance) {
				if b == g.Balancer {
					open = !slices.ContainsFunc(s.Zones, func(z routing.ZoneState) bool { return z.Healthy })
				}
			})
			return open
		}
		sound := routing.NewTable(forest.c, forest.statuses(-1))
		for fail := range 4 {
			tab := routing.NewTable(forest.c, forest.statuses(fail))
			id := f.check(int32(fail)).ids[0]
			for g := range forest.c.All() {
				_, _, healthy := tab.Group(int(g.Ordinal))
				_, _, before := sound.Group(int(g.Ordinal))
				by := f.group(g)
				if _, ids := slices.BinarySearch(by.ids, id); (ids || by.never) != !healthy || by.never != !before {
					t.Fatalf("seed %d: when c%d fails, %s is healthy: %v, without: %v; lint says %+v", seed, fail, g.Key, healthy, before, by)
				}
				by = f.lastResort(g)
				if _, ids := slices.BinarySearch(by.ids, id); (ids || by.never) != resort(tab, g) || by.never != resort(sound, g) {
					t.Fatalf("seed %d: when c%d fails, %s is at last resort: %v, without: %v; lint says %+v", seed, fail, g.Key, resort(tab, g), resort(sound, g), by)
				}
				fatal += len(by.ids)
				if by.never {
					never++
				}
			}
		}
	}
	if fatal < 500 || never < 50 {
		t.Errorf("only %d failures and %d groups that are never healthy", fatal, never)
	}
}

// A group is always healthy if it is when everything fails. Whatever evaluates one in vain is
// reported there or further down.
func TestAlwaysHealthyIsThatOfRouting(t *testing.T) {
	vain := 0
	for seed := range uint64(600) {
		f := newForest(seed)
		c := f.c
		down := make([]healthcheck.Status, len(c.Checks))
		tab := routing.NewTable(c, down)
		var gone []routing.ExternalChange
		for i := range tab.Externals() {
			gone = append(gone, routing.ExternalChange{External: i})
		}
		tab.Update(nil, gone, func(int, *routing.Selection) {})
		l := newLinter(c)
		found := make(map[record.Key]bool)
		for _, x := range Check(c, Options{}) {
			switch x.Trap {
			case UncheckedLeaf, SecondaryWithoutCheck, AliasWithoutEvaluation, BalancerAlwaysHealthy, UncheckedTier:
				found[x.Key] = true
			}
		}
		var told func(g *record.Group) bool
		told = func(g *record.Group) bool {
			return found[g.Key] || slices.ContainsFunc(g.Records, func(r record.RecordSet) bool {
				if r.Alias == nil {
					return false
				}
				to, _ := c.Target(r.Alias.Name, g.Type)
				return to != nil && told(to)
			})
		}
		for g := range c.All() {
			_, _, healthy := tab.Group(int(g.Ordinal))
			if o := l.tree.of(g); o.always != healthy {
				t.Fatalf("seed %d: %s is healthy when all fails: %v; lint says %+v", seed, g.Key, healthy, o)
			}
			for i := range g.Records {
				r := &g.Records[i]
				if r.Check != record.NoCheck || r.Alias == nil || !r.Alias.EvaluateTargetHealth || !decides(g, r, lastTier(g)) {
					continue
				}
				to, _ := c.Target(r.Alias.Name, g.Type)
				if to == nil || !l.tree.of(to).always {
					continue
				}
				vain++
				if !told(g) {
					t.Fatalf("seed %d: record set %d of %s evaluates in vain, and nothing is said of it", seed, i, g.Key)
				}
			}
		}
	}
	if vain < 100 {
		t.Errorf("only %d aliases evaluate in vain", vain)
	}
}

// A Judge says whether a change of a group matters to anything that is found: where it says
// no, the same is found.
func TestRemarksCoverFindings(t *testing.T) {
	texts := func(c *record.Catalog) []string {
		var all []string
		for _, f := range Check(c, Options{}) {
			s := f.String()
			for i := strings.Index(s, "Corefile:"); i >= 0; i = strings.Index(s, "Corefile:") {
				end := strings.IndexAny(s[i:], ")")
				s = s[:i] + s[i+end:]
			}
			all = append(all, fmt.Sprint(f.Key, f.SetID, s))
		}
		slices.Sort(all)
		return all
	}
	same, refused := 0, 0
	for seed := range uint64(6000) {
		f := newForest(seed % 600)
		f.Rand = rand.New(rand.NewPCG(seed, 1))
		n := f.IntN(f.n)
		old := f.c.Groups[record.Key{Name: name(n), Type: dns.TypeA}]
		if old.Balancer != nil {
			continue
		}
		now := f.group(n)
		if f.IntN(2) == 0 { // a little change
			now = &record.Group{Key: old.Key, Pos: old.Pos, Policy: old.Policy, Records: slices.Clone(old.Records)}
			r := &now.Records[f.IntN(len(now.Records))]
			switch f.IntN(5) {
			case 0:
				r.Check = f.check()
			case 1:
				r.Weight = uint16(f.IntN(3))
			case 2:
				r.SetID = "other"
			case 3:
				if r.Alias != nil {
					r.Alias = &record.AliasTarget{Name: r.Alias.Name, EvaluateTargetHealth: !r.Alias.EvaluateTargetHealth}
				}
			case 4:
				if r.Alias != nil && n > 0 {
					r.Alias = &record.AliasTarget{Name: name(f.IntN(n)), EvaluateTargetHealth: r.Alias.EvaluateTargetHealth}
				}
			}
		}
		// What a new check in use, or one that is no more, brings about is left to whoever edits.
		used := func(g *record.Group) (checks []int32) {
			for i := range g.Records {
				checks = append(checks, g.Records[i].Check)
			}
			return checks
		}
		before, saidBefore := Judge{}.Remarks(f.c, []*record.Group{old}), texts(f.c)
		now.Ordinal = old.Ordinal
		f.c.Groups[now.Key], f.c.Order[now.Ordinal] = now, now
		after, saidAfter := Judge{}.Remarks(f.c, []*record.Group{now}), texts(f.c)
		aliased := false
		for g := range f.c.All() {
			for i := range g.Records {
				aliased = aliased || g.Records[i].Alias != nil && g.Records[i].Alias.Name == now.Name
			}
		}
		if !slices.Equal(before, after) || aliased && !(Judge{}).Alike(f.c, now, old) {
			refused++
			continue
		}
		same++
		drop := func(s string) bool {
			return strings.Contains(s, "[unused-check]") || strings.Contains(s, "[threshold-never-met]")
		}
		saidBefore, saidAfter = slices.DeleteFunc(saidBefore, drop), slices.DeleteFunc(saidAfter, drop)
		if !slices.Equal(saidBefore, saidAfter) {
			t.Fatalf("seed %d: %s changes from checks %v to %v, which is no matter, but what is found goes from\n%s\nto\n%s", seed, now.Key, used(old), used(now), strings.Join(saidBefore, "\n"), strings.Join(saidAfter, "\n"))
		}
	}
	if same < 500 || refused < 500 {
		t.Errorf("%d changes are no matter, %d are", same, refused)
	}
}
