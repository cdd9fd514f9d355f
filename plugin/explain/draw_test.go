package explain

import (
	"fmt"
	"maps"
	"math/big"
	"net/netip"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// counter is a source of random numbers that goes through all of the first few; the rest,
// which only shuffle, are 0.
type counter struct {
	path, bounds []uint64
	at, few      int
}

func (c *counter) rand(n uint64) uint64 {
	if c.at == c.few {
		return 0
	}
	if c.at == len(c.path) {
		c.path, c.bounds = append(c.path, 0), append(c.bounds, n)
	}
	c.at++
	return c.path[c.at-1]
}

func (c *counter) next() bool {
	c.at = 0
	for n := len(c.path) - 1; n >= 0; n-- {
		if c.path[n]++; c.path[n] < c.bounds[n] {
			c.path, c.bounds = c.path[:n+1], c.bounds[:n+1]
			return true
		}
	}
	return false
}

// TestDraws: the odds of values that are drawn are those counted over the whole range of
// the random numbers.
func TestDraws(t *testing.T) {
	const name = "www.example.org."
	multivalue := func(n int) []*record.Group {
		g := &record.Group{Key: record.Key{Name: name, Type: dns.TypeA}, Policy: record.Multivalue}
		for i := range n {
			g.Records = append(g.Records, record.RecordSet{SetID: fmt.Sprint(i), Check: record.NoCheck, Values: []dns.RR{
				&dns.A{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: []byte{192, 0, 2, byte(i)}},
			}})
		}
		return []*record.Group{g}
	}
	balancer := func(cross bool, nodes int, zones ...int) []*record.Group {
		b := &record.LoadBalancer{Name: name, TTL: 60, CrossZone: cross}
		group := record.TargetGroup{ID: "g", DNS: record.DefaultMinimum, Routing: record.DefaultMinimum}
		for z, targets := range zones {
			b.Zones = append(b.Zones, record.BalancerZone{ID: fmt.Sprint(z)})
			for i := range targets {
				group.Targets = append(group.Targets, record.Target{Zone: z, Addr: netip.AddrFrom4([4]byte{192, 0, byte(z), byte(i)})})
			}
		}
		for z := range nodes {
			b.Zones = append(b.Zones, record.BalancerZone{ID: fmt.Sprint("n", z), Nodes: []netip.Addr{netip.AddrFrom4([4]byte{198, 51, 100, byte(z)})}})
			group.Targets = append(group.Targets, record.Target{Zone: len(b.Zones) - 1, Addr: netip.AddrFrom4([4]byte{203, 0, 113, byte(z)})})
		}
		b.Groups = []record.TargetGroup{group}
		return b.RRGroups()
	}
	tests := []struct {
		name   string
		groups []*record.Group
		draws  int // random numbers that choose
		draw   Draw
		odds   string // of some value that is drawn; "" if none is
	}{
		{"eight values are all answered", multivalue(8), 0, Draw{8, 8}, ""},
		{"eight of nine", multivalue(9), 1, Draw{8, 9}, "8/9"},
		{"two zones take turns", balancer(false, 0, 5, 5), 4, Draw{8, 10}, "4/5"},
		{"a small zone gives all it has", balancer(false, 0, 2, 7), 2, Draw{8, 9}, "6/7"},
		{"across zones all targets are alike", balancer(true, 0, 2, 7), 2, Draw{8, 9}, "8/9"},
		{"three zones cannot share eight evenly", balancer(false, 1, 4, 4, 4), 6, Draw{9, 13}, "2/3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := record.NewCatalog([]string{"example.org."})
			c.Checks = large(0, 1).Checks
			for _, g := range tt.groups {
				if err := c.Add(g); err != nil {
					t.Fatal(err)
				}
			}
			c.Validate()
			m := New(c)
			e, err := m.Explain(name, dns.TypeA)
			if err != nil {
				t.Fatal(err)
			}
			if *e.Tree.Draw != tt.draw {
				t.Errorf("%+v are drawn, want %+v", *e.Tree.Draw, tt.draw)
			}
			got, drawn := map[string]string{}, tt.odds == ""
			for _, a := range e.Answers {
				for _, v := range a.Values {
					got[v] = a.Odds
				}
				if a.Each && a.Odds == tt.odds {
					drawn = true
				}
			}
			if !drawn {
				t.Errorf("no value has odds of %s: %v", tt.odds, got)
			}
			if want := counted(m.selection(tt.groups[0]).Answer, tt.draws); !maps.Equal(got, want) {
				t.Errorf("odds %v, counted %v", got, want)
			}
			for _, r := range e.Tree.Records {
				if r.Odds != got[r.Values[0]] || r.Total != r.Odds {
					t.Errorf("record set %s has odds %s, want %s", r.Label, r.Odds, got[r.Values[0]])
				}
			}
		})
	}
}

// counted returns how often each value is answered.
func counted(answer func(owner string, rnd routing.Rand) routing.Answer, draws int) map[string]string {
	counts := map[uint64]map[dns.RR]int64{} // by how many ways there are, of which one is taken
	for c := (&counter{few: draws}); ; {
		rrs := answer("www.example.org.", c.rand).RRs
		ways := uint64(1)
		for _, n := range c.bounds {
			ways *= n
		}
		if counts[ways] == nil {
			counts[ways] = map[dns.RR]int64{}
		}
		for _, rr := range rrs {
			counts[ways][rr]++
		}
		if !c.next() {
			break
		}
	}
	sums := map[string]*big.Rat{}
	for ways, of := range counts {
		for rr, n := range of {
			if sums[rdata(rr)] == nil {
				sums[rdata(rr)] = new(big.Rat)
			}
			sums[rdata(rr)].Add(sums[rdata(rr)], big.NewRat(n, int64(ways)))
		}
	}
	odds := map[string]string{}
	for v, p := range sums {
		odds[v] = p.RatString()
	}
	return odds
}
