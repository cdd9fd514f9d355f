package routing

import (
	"fmt"
	"math/big"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// balancer builds a load balancer at lb.example. Each string describes a target group
// by its zones: "a10 b10" has ten targets in zone a and ten in b. Zone a's node is
// 192.0.2.1, b's 192.0.2.2 and so on; targets are 198.51.100.1, .2 … in order, with
// checks 0, 1 … in order.
func balancer(nodes, cross bool, minimum [2]record.Minimum, groups ...string) *record.LoadBalancer {
	b := &record.LoadBalancer{Name: "lb.example.", TTL: 60, CrossZone: cross}
	zone := map[string]int{}
	n := 0
	for i, text := range groups {
		g := record.TargetGroup{ID: fmt.Sprint("g", i), DNS: minimum[0], Routing: minimum[1]}
		for _, word := range strings.Fields(text) {
			id := word[:1]
			z, ok := zone[id]
			if !ok {
				z = len(b.Zones)
				zone[id] = z
				bz := record.BalancerZone{ID: id}
				if nodes {
					bz.Nodes = []netip.Addr{netip.AddrFrom4([4]byte{192, 0, 2, byte(z + 1)})}
				}
				b.Zones = append(b.Zones, bz)
			}
			count := 0
			fmt.Sscan(word[1:], &count)
			for range count {
				n++
				g.Targets = append(g.Targets, record.Target{Zone: z, Addr: netip.AddrFrom4([4]byte{198, 51, 100, byte(n)}), Check: int32(n - 1)})
			}
		}
		b.Groups = append(b.Groups, g)
	}
	return b
}

// up returns a function that says which checks are healthy: all but the first so many
// of each run. "10/4" is ten checks of which the first four are unhealthy.
func up(runs ...string) (func(int32) bool, []healthcheck.Status) {
	var all []healthcheck.Status
	for _, run := range runs {
		var n, down int
		fmt.Sscanf(run, "%d/%d", &n, &down)
		for i := range n {
			s := healthcheck.Healthy
			if i < down {
				s = healthcheck.Unhealthy
			}
			all = append(all, s)
		}
	}
	return func(check int32) bool { return all[check] == healthcheck.Healthy }, all
}

// zonesOf writes a state: each zone's letter if it is in DNS, upper case if it is
// healthy; "routing" and the zones where all targets are used.
func zonesOf(b *record.LoadBalancer, s Balance) string {
	out := ""
	for z, st := range s.Zones {
		switch id := b.Zones[z].ID; {
		case st.Healthy:
			out += strings.ToUpper(id)
		case st.InDNS:
			out += id
		}
	}
	for i, g := range s.Groups {
		for z, sc := range g.Zones {
			if sc.Routing {
				out += fmt.Sprintf(" all of g%d in %s", i, b.Zones[z].ID)
			}
		}
	}
	if !s.Healthy {
		out += ", unhealthy"
	}
	return out
}

func TestBalance(t *testing.T) {
	half := record.Minimum{Count: 1, Percent: 50}
	one := record.DefaultMinimum
	tests := []struct {
		name    string
		cross   bool
		minimum [2]record.Minimum // dns_failover, routing_failover
		groups  []string
		health  []string // per zone of each group
		want    string
	}{
		{"the worked example, cross_zone off: B leaves, and its own routing uses all ten",
			false, [2]record.Minimum{half, half}, []string{"a10 b10"}, []string{"10/0", "10/6"}, "A all of g0 in b"},
		{"the worked example, cross_zone on: 70 %, both are answered",
			true, [2]record.Minimum{half, half}, []string{"a10 b10"}, []string{"10/0", "10/6"}, "AB"},
		{"a percentage at its edge is met", false, [2]record.Minimum{half, half}, []string{"a10 b10"}, []string{"10/0", "10/5"}, "AB"},
		{"a count above its edge", false, [2]record.Minimum{{Count: 3}, one}, []string{"a5 b5"}, []string{"5/0", "5/1"}, "AB"},
		{"a count at its edge", false, [2]record.Minimum{{Count: 3}, one}, []string{"a5 b5"}, []string{"5/0", "5/2"}, "AB"},
		{"a count below its edge", false, [2]record.Minimum{{Count: 3}, one}, []string{"a5 b5"}, []string{"5/0", "5/3"}, "A"},
		{"either of count and percentage breaches: the count", false, [2]record.Minimum{{Count: 3, Percent: 10}, one}, []string{"a4 b4"}, []string{"4/0", "4/2"}, "A"},
		{"either of count and percentage breaches: the percentage", false, [2]record.Minimum{{Count: 1, Percent: 70}, one}, []string{"a4 b4"}, []string{"4/0", "4/2"}, "A"},
		{"C33: count 3 and 70 % of four, three healthy", true, [2]record.Minimum{{Count: 3, Percent: 70}, one}, []string{"a4"}, []string{"4/1"}, "A"},
		{"C33: two healthy", true, [2]record.Minimum{{Count: 3, Percent: 70}, one}, []string{"a4"}, []string{"4/2"}, "a, unhealthy"},
		{"routing failover by its own minimum", false, [2]record.Minimum{{Count: 4}, {Count: 2}}, []string{"a5 b5"}, []string{"5/0", "5/4"}, "A all of g0 in b"},
		{"and not before", false, [2]record.Minimum{{Count: 4}, {Count: 2}}, []string{"a5 b5"}, []string{"5/0", "5/3"}, "A"},
		{"all zones unhealthy: all are answered, and the alias is told", false, [2]record.Minimum{half, half}, []string{"a2 b2"}, []string{"2/2", "2/2"}, "ab all of g0 in a all of g0 in b, unhealthy"},
		{"dns_failover off: a zone stays whatever happens", false, [2]record.Minimum{{}, one}, []string{"a2 b2"}, []string{"2/0", "2/2"}, "AB all of g0 in b"},
		{"off with a percentage", false, [2]record.Minimum{{Percent: 50}, one}, []string{"a2 b2"}, []string{"2/0", "2/2"}, "A all of g0 in b"},
		{"a zone without any of a group's targets is below it", false, [2]record.Minimum{one, one}, []string{"a2 b2", "a2 b0"}, []string{"2/0", "2/0", "2/0"}, "A all of g1 in b"},
		{"but not across zones", true, [2]record.Minimum{one, one}, []string{"a2 b2", "a2 b0"}, []string{"2/0", "2/0", "2/0"}, "AB"},
		{"below a percentage without a count, too", false, [2]record.Minimum{{Percent: 50}, one}, []string{"a2 b2", "a2 b0"}, []string{"2/0", "2/0", "2/0"}, "A all of g1 in b"},
		{"and below nothing with dns_failover off", false, [2]record.Minimum{{}, one}, []string{"a2 b2", "a2 b0"}, []string{"2/0", "2/0", "2/0"}, "AB all of g1 in b"},
		{"C34: an empty group beside a healthy one is ignored", false, [2]record.Minimum{one, one}, []string{"a2 b2", "a0 b0"}, []string{"2/0", "2/0"}, "AB all of g1 in a all of g1 in b"},
		{"all groups empty: the alias is unhealthy", false, [2]record.Minimum{one, one}, []string{"a0 b0"}, nil, "AB all of g0 in a all of g0 in b, unhealthy"},
		{"one unhealthy group among several makes the alias unhealthy", false, [2]record.Minimum{one, one}, []string{"a2 b2", "a2 b2"}, []string{"2/0", "2/0", "2/2", "2/2"}, "ab all of g1 in a all of g1 in b, unhealthy"},
		{"each group healthy in another zone: no zone is, but the alias", false, [2]record.Minimum{one, one}, []string{"a2 b2", "a2 b2"}, []string{"2/2", "2/0", "2/0", "2/2"}, "ab all of g0 in a all of g1 in b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := balancer(true, tt.cross, tt.minimum, tt.groups...)
			healthy, _ := up(tt.health...)
			if got := zonesOf(b, balance(b, healthy)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// balanced compiles a load balancer's A records under a health.
func balanced(t *testing.T, b *record.LoadBalancer, health ...string) *Selection {
	t.Helper()
	_, all := up(health...)
	c := catalog(t, len(all), b.RRGroups()...)
	s, _ := selected(t, NewTable(c, all), b.Name)
	return s
}

func TestBalancedAnswers(t *testing.T) {
	half := [2]record.Minimum{{Count: 1, Percent: 50}, {Count: 1, Percent: 50}}
	tests := []struct {
		name   string
		nodes  bool
		cross  bool
		groups string
		health []string
		want   string
		reason Reason
	}{
		{"nodes of all zones", true, false, "a2 b2", []string{"2/0", "2/0"}, "192.0.2.1+192.0.2.2 1", Balanced},
		{"nodes of the healthy zone", true, false, "a2 b2", []string{"2/0", "2/2"}, "192.0.2.1 1", ZoneOut},
		{"nodes of all when none is healthy", true, false, "a2 b2", []string{"2/2", "2/2"}, "192.0.2.1+192.0.2.2 1", LastResort},
		{"targets that are healthy", false, false, "a2 b2", []string{"2/1", "2/0"}, "198.51.100.2+198.51.100.3+198.51.100.4 1", Balanced},
		{"not those of a zone that left", false, false, "a2 b2", []string{"2/2", "2/0"}, "198.51.100.3+198.51.100.4 1", ZoneOut},
		{"all targets when no zone is healthy", false, false, "a2 b1", []string{"2/2", "1/1"}, "198.51.100.1+198.51.100.2+198.51.100.3 1", LastResort},
		{"across zones the healthy ones of a zone in trouble", false, true, "a3 b3", []string{"3/2", "3/0"}, "198.51.100.3+198.51.100.4+198.51.100.5+198.51.100.6 1", Balanced},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := balanced(t, balancer(tt.nodes, tt.cross, half, tt.groups), tt.health...)
			if got := oddsOf(s, values).String(); got != tt.want {
				t.Errorf("answers %s, want %s", got, tt.want)
			}
			if got := s.Answer("lb.example.", zero).Reason; got != tt.reason {
				t.Errorf("reason %s, want %s", got, tt.reason)
			}
		})
	}
}

// unordered draws an answer, but for its order, which is drawn when all records are there.
func unordered(s *Selection, rnd Rand) []dns.RR {
	pool, from, _, _, _ := s.Choose(rnd)
	out := make([]dns.RR, from.Len(pool))
	from.Fill(out, pool, func(n uint64) uint64 {
		if out[len(out)-1] != nil {
			return 0
		}
		return rnd(n)
	})
	return out
}

// inTurns draws eight of the zones' targets: in an order drawn anew for each answer, each
// zone gives one that it has left, and again.
func inTurns(zones [][]dns.RR, rnd Rand) []dns.RR {
	zones, order := slices.Clone(zones), make([]int, len(zones))
	for i := range order {
		j := rnd(uint64(i + 1))
		order[i] = order[j]
		order[j] = i
	}
	var out []dns.RR
	for {
		for _, z := range order {
			if len(out) == MaxValues {
				return out
			}
			if n := len(zones[z]); n > 0 {
				i := int(rnd(uint64(n)))
				out = append(out, zones[z][i])
				zones[z] = slices.Concat(zones[z][:i], zones[z][i+1:])
			}
		}
	}
}

// TestSpreadTakesTurns: without cross_zone each set of targets has the odds that it has
// when zones take turns.
func TestSpreadTakesTurns(t *testing.T) {
	for _, tt := range []struct {
		targets []int // of each zone, nine or more in all
		sets    int   // different answers
	}{
		{[]int{6, 3}, 6},                // all of the small zone
		{[]int{3, 3, 3}, 3 * 3},         // two of one zone, all of the others
		{[]int{4, 3, 3}, 4*3 + 4*3 + 6}, // two of one zone, three of the others
		{[]int{1, 4, 4}, 4 + 4},
		{[]int{1, 2, 1, 5}, 5},
		{[]int{2, 2, 2, 1, 2}, 4 * 2},
		{[]int{1, 3, 2, 2, 2}, 3 + 3*3*2},
	} {
		groups, health := "", []string(nil)
		for z, n := range tt.targets {
			groups += fmt.Sprintf("%c%d ", 'a'+z, n)
			health = append(health, fmt.Sprintf("%d/0", n))
		}
		b := balancer(false, false, [2]record.Minimum{record.DefaultMinimum, record.DefaultMinimum}, groups)
		zones := make([][]dns.RR, len(b.Zones))
		for _, target := range b.Groups[0].Targets {
			rr, _ := b.RR(target.Addr, dns.TypeA)
			zones[target.Zone] = append(zones[target.Zone], rr)
		}
		s := balanced(t, b, health...)
		want := setsOf(func(rnd Rand) []dns.RR { return inTurns(zones, rnd) })
		got := setsOf(func(rnd Rand) []dns.RR { return unordered(s, rnd) })
		if len(want) != tt.sets {
			t.Errorf("zones of %d: %d different answers in turns, want %d", tt.targets, len(want), tt.sets)
		}
		if !got.equal(want) {
			t.Errorf("zones of %d: answers %s, want %s", tt.targets, got, want)
		}
	}
}

// TestSpreadShares counts each target's share of the answers of eight: without cross_zone
// both zones take turns, so that the small zone's targets are always there; with it all
// nine have the same odds.
func TestSpreadShares(t *testing.T) {
	one := [2]record.Minimum{record.DefaultMinimum, record.DefaultMinimum}
	for _, tt := range []struct {
		cross        bool
		large, small *big.Rat // the odds that a target is in an answer
	}{
		{false, big.NewRat(5, 6), big.NewRat(1, 1)},
		{true, big.NewRat(8, 9), big.NewRat(8, 9)},
	} {
		s := balanced(t, balancer(false, tt.cross, one, "a6 b3"), "6/0", "3/0")
		share := shares(func(rnd Rand) []dns.RR { return unordered(s, rnd) })
		if len(share) != 9 {
			t.Errorf("cross_zone %t: %d targets are answered over time, want 9", tt.cross, len(share))
		}
		for rr, got := range share {
			want := tt.large
			if last := rr.(*dns.A).A[3]; last > 6 {
				want = tt.small
			}
			if got.Cmp(want) != 0 {
				t.Errorf("cross_zone %t: %s has a share of %s, want %s", tt.cross, rr, got.RatString(), want.RatString())
			}
		}
	}
}

// TestSpreadOfManyZones: where there are more zones than records in an answer, each has
// the same odds.
func TestSpreadOfManyZones(t *testing.T) {
	one := [2]record.Minimum{record.DefaultMinimum, record.DefaultMinimum}
	s := balanced(t, balancer(false, false, one, "a1 b1 c1 d1 e1 f1 g1 h1 i1"), "9/0")
	share := shares(func(rnd Rand) []dns.RR { return unordered(s, rnd) })
	if len(share) != 9 {
		t.Errorf("%d targets are answered over time, want 9", len(share))
	}
	for rr, got := range share {
		if want := big.NewRat(8, 9); got.Cmp(want) != 0 {
			t.Errorf("%s has a share of %s, want %s", rr, got.RatString(), want.RatString())
		}
	}
}

// TestBalancerInTree: an unhealthy load balancer sends a failover group to its
// secondary while its own name still answers with all zones.
func TestBalancerInTree(t *testing.T) {
	b := balancer(true, false, [2]record.Minimum{record.DefaultMinimum, record.DefaultMinimum}, "a1 b1")
	groups := append(b.RRGroups(),
		group(record.Failover, "www.example.", tier(1, alias("lb.example.", none, true)), tier(2, plain("www.example.", none, 99))))
	tab := NewTable(catalog(t, 2, groups...), statuses("hh"))
	current := func(name string) string {
		s, _ := selected(t, tab, name)
		return oddsOf(s, values).String()
	}
	steps := []struct{ health, lb, www string }{
		{"hh", "192.0.2.1+192.0.2.2 1", "192.0.2.1+192.0.2.2 1"},
		{"uh", "192.0.2.2 1", "192.0.2.2 1"},
		{"uu", "192.0.2.1+192.0.2.2 1", "192.0.2.99 1"},
		{"hu", "192.0.2.1 1", "192.0.2.1 1"},
	}
	for _, step := range steps {
		var changes []healthcheck.Change
		for i, s := range statuses(step.health) {
			changes = append(changes, healthcheck.Change{Check: i, Status: s})
		}
		tab.Update(changes, nil, func(int, *Selection) {})
		if lb, www := current("lb.example."), current("www.example."); lb != step.lb || www != step.www {
			t.Errorf("health %s: lb answers %s, want %s; www answers %s, want %s", step.health, lb, step.lb, www, step.www)
		}
	}
}

// TestBalancerFamilies: IPv4 addresses answer A, IPv6 addresses AAAA.
func TestBalancerFamilies(t *testing.T) {
	b := balancer(true, false, [2]record.Minimum{record.DefaultMinimum, record.DefaultMinimum}, "a1 b1")
	b.Zones[1].Nodes = append(b.Zones[1].Nodes, netip.MustParseAddr("2001:db8::2"))
	c := catalog(t, 2, b.RRGroups()...)
	tab := NewTable(c, statuses("hh"))
	_, s, _ := tab.Group(int(c.Groups[record.Key{Name: "lb.example.", Type: dns.TypeAAAA}].Ordinal))
	if got := oddsOf(s, values).String(); got != "2001:db8::2 1" {
		t.Errorf("AAAA answers %s", got)
	}
	var names []string
	for _, rr := range s.Answer("LB.example.", zero).RRs {
		names = append(names, rr.Header().Name)
	}
	if !slices.Equal(names, []string{"LB.example."}) {
		t.Errorf("owners %v, want the query's case", names)
	}
}
