package routing

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// TestExcerpt flips checks in excerpts of random tables and in the tables themselves: what
// the group of the excerpt answers, and whether it is healthy, stays the same in both, and
// one does not change with the other.
func TestExcerpt(t *testing.T) {
	trees := 150
	if testing.Short() {
		trees = 15
	}
	for seed := range trees {
		rnd := rand.New(rand.NewPCG(uint64(seed), 2))
		c := randomCatalog(t, rnd)
		n := &naive{catalog: c, checks: make([]healthcheck.Status, len(c.Checks)), found: map[record.Key]bool{}, outside: map[record.Key]string{}}
		tab := NewTable(c, n.checks)
		ignore := func(int, *Selection) {}
		for range 5 {
			changes, externals := randomFlips(rnd, tab, n)
			tab.Update(changes, externals, ignore)
			for i := range tab.Len() {
				g, s, up := tab.Group(i)
				x := tab.Excerpt(i)
				flips, others := randomFlips(rnd, tab, &naive{checks: make([]healthcheck.Status, len(c.Checks)), found: map[record.Key]bool{}})
				before := chosenOdds(s, rnd)
				if xg, xs, xup := x.Group(0); xg != g || xs != s || xup != up {
					t.Fatalf("seed %d, %s: the excerpt stands otherwise", seed, g.Key)
				}
				x.Update(flips, others, ignore)
				checkCensus(t, x)
				if _, same, _ := tab.Group(i); same != s || !chosenOdds(same, rnd).equal(before) {
					t.Fatalf("seed %d, %s: a change of the excerpt is one of the table", seed, g.Key)
				}
				back := turnBack(tab, flips, others)
				tab.Update(flips, others, ignore)
				_, want, healthy := tab.Group(i)
				_, got, xhealthy := x.Group(0)
				if healthy != xhealthy || !chosenOdds(got, rnd).equal(chosenOdds(want, rnd)) {
					t.Fatalf("seed %d, %s: the excerpt answers %s, healthy %t; want %s, %t", seed, g.Key, chosenOdds(got, rnd), xhealthy, chosenOdds(want, rnd), healthy)
				}
				tab.Update(back.checks, back.externals, ignore)
			}
		}
	}
}

type flips struct {
	checks    []healthcheck.Change
	externals []ExternalChange
}

// turnBack returns the changes that undo others which are still to be made.
func turnBack(t *Table, checks []healthcheck.Change, externals []ExternalChange) (back flips) {
	for _, c := range checks {
		back.checks = append(back.checks, healthcheck.Change{Check: c.Check, Status: t.Status(c.Check)})
	}
	for _, e := range externals {
		back.externals = append(back.externals, ExternalChange{External: e.External, Healthy: t.ExternalHealthy(e.External)})
	}
	return back
}

// TestChoices compares the shares of choices with what is counted over the whole range of
// the random numbers.
func TestChoices(t *testing.T) {
	c := catalog(t, 3, group(record.Weighted, "www.example.",
		weight(30, plain("www.example.", 0, 1)), weight(20, plain("www.example.", 1, 2)), weight(50, plain("www.example.", 2, 3))))
	for _, health := range []string{"hhh", "hhu", "huu", "uuu"} {
		s, _ := selected(t, NewTable(c, statuses(health)), "www.example.")
		got := odds{}
		choices, total := s.Choices()
		for c := range choices {
			got.add(values(c.Values), big.NewRat(int64(c.Share), int64(total)))
		}
		if want := oddsOf(s, values); !got.equal(want) {
			t.Errorf("health %s: shares %s, want %s", health, got, want)
		}
		if _, several := s.Draw(); several {
			t.Errorf("health %s: several are drawn", health)
		}
	}
}
