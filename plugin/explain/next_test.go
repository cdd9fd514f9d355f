package explain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// TestNext compares the next threat to each group with what each cause does when it is
// tried on the whole catalog.
func TestNext(t *testing.T) {
	catalogs := 400
	if testing.Short() {
		catalogs = 40
	}
	tally := map[string]int{}
	for seed := range catalogs {
		rnd := rand.New(rand.NewPCG(uint64(seed), 8))
		m := New(grow(t, rnd))
		if rnd.IntN(2) == 0 {
			upset(m, rnd)
		}
		for g := range m.catalog.All() {
			got, want := m.Next(g.Key), tried(m, g)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("seed %d, %s: %v, want %v", seed, g.Key, got, want)
			}
			if want != nil {
				tally[string(want.Kind)+" "+string(want.Effect)]++
			}
		}
	}
	for _, kind := range []string{"check last_resort", "check last_spare", "address last_resort", "address last_spare", "zone last_resort", "zone last_spare"} {
		if tally[kind] == 0 && !testing.Short() {
			t.Errorf("there was no %s", kind)
		}
	}
}

// tried finds the next threat by trying all causes.
func tried(m *Model, g *record.Group) *Threat {
	group := int(g.Ordinal)
	if stand(m, group).resort {
		return nil
	}
	support := m.excerpt(group).support()
	var checks, larger []Cause
	for _, c := range m.Each(CheckKind) {
		if slices.Contains(support, c.probes[0]) {
			checks = append(checks, c)
		}
	}
	size := func(c Cause) int {
		n := 0
		for _, p := range c.probes {
			if slices.Contains(support, p) {
				n++
			}
		}
		return n
	}
	for _, c := range append(m.Each(AddressKind), m.Each(ZoneKind)...) {
		name, _, _ := strings.Cut(c.Names[0], "/")
		if c.Kind == ZoneKind && !leadsTo(m, g, name) {
			continue // the zone of a load balancer that the group has nothing to do with
		}
		if size(c) > 1 {
			larger = append(larger, c)
		}
	}
	slices.SortStableFunc(larger, func(a, b Cause) int { return size(a) - size(b) })
	for _, effect := range []Effect{ToLastResort, NoSpare} {
		for _, causes := range [][]Cause{checks, larger} {
			var bad []Cause
			for _, c := range causes {
				_, back := m.turn(c.fails(m, true), ignore)
				hit := stand(m, group).resort == (effect == ToLastResort) && !spare(m, group)
				m.turn(back, ignore)
				if hit && (len(bad) == 0 || bad[0].Kind == c.Kind) {
					bad = append(bad, c)
				}
			}
			if len(bad) > 0 {
				return &Threat{bad[0].Names, bad[0].Kind, g.Name, dns.Type(g.Type).String(), effect, len(bad) - 1}
			}
		}
	}
	return nil
}

// leadsTo reports whether a group is a load balancer's, or has aliases that lead there.
func leadsTo(m *Model, g *record.Group, name string) bool {
	if g.Balancer != nil {
		return g.Balancer.Name == name
	}
	return slices.ContainsFunc(g.Records, func(r record.RecordSet) bool {
		if r.Alias == nil {
			return false
		}
		to, _ := m.catalog.Target(r.Alias.Name, g.Type)
		return to != nil && leadsTo(m, to, name)
	})
}

// TestNextOfLargeGroup: a group of very many record sets that no two failures can hurt is
// not tried failure by failure.
func TestNextOfLargeGroup(t *testing.T) {
	c := large(0, 2000)
	g := &record.Group{Key: record.Key{Name: "www.example.org.", Type: dns.TypeA}, Policy: record.Weighted}
	for i := range 2000 {
		g.Records = append(g.Records, record.RecordSet{Check: int32(i), Weight: 1, SetID: fmt.Sprint(i), Values: []dns.RR{
			&dns.A{Hdr: dns.RR_Header{Name: g.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: []byte{10, 0, byte(i >> 8), byte(i)}},
		}})
	}
	if err := c.Add(g); err != nil {
		t.Fatal(err)
	}
	m := New(c)
	x := m.excerpt(int(g.Ordinal))
	if !x.safe(x.support()) {
		t.Error("2000 record sets of their own checks are not safe")
	}
	if got := m.Next(g.Key); got != nil {
		t.Errorf("%+v, want nothing", got)
	}
}
