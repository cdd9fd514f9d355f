package routing

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// state is by which rule a group answers itself, whatever its targets do, and whether it
// could do better. Load balancers have none here.
func (n *naive) state(g *record.Group) (state string, degraded bool) {
	h := n.healthyOf(g)
	switch {
	case g.Balancer != nil:
		return "", false
	case g.Policy == record.Simple:
		return "simple", false
	case len(h) == 0:
		return "last-resort", true
	case g.Policy == record.Failover:
		first, best := g.Records[0].Tier, h[0].Tier
		for _, r := range g.Records {
			first = min(first, r.Tier)
		}
		for _, r := range h {
			best = min(best, r.Tier)
		}
		return record.TierName(best), best > first
	case g.Policy == record.Weighted:
		_, why := n.shares(g, h)
		return why.String(), why == ZeroWeight
	}
	return g.Policy.String(), false
}

// standing is the state of every group, and the health that others can name as a cause.
type standing struct {
	states   map[record.Key]string
	degraded map[record.Key]bool
	checks   []healthcheck.Status
	found    map[string]bool
	balancer map[string]bool
}

func (n *naive) standing() standing {
	s := standing{map[record.Key]string{}, map[record.Key]bool{}, slices.Clone(n.checks), map[string]bool{}, map[string]bool{}}
	for k, g := range n.catalog.Groups {
		s.states[k], s.degraded[k] = n.state(g)
		if g.Balancer != nil {
			s.balancer[k.Name] = n.balancerHealthy(g.Balancer)
		}
	}
	for k, found := range n.found {
		s.found[k.String()] = found
	}
	return s
}

// movesBetween are what is to be told of groups that are in another state than before.
func movesBetween(before, after standing) []string {
	var list []string
	for k, now := range after.states {
		if was := before.states[k]; was != now && (before.degraded[k] || after.degraded[k]) {
			list = append(list, fmt.Sprintf("%s: %s -> %s", k, was, now))
		}
	}
	slices.Sort(list)
	return list
}

var (
	checkCause    = regexp.MustCompile(`check "c(\d+)" is (healthy|unhealthy)$`)
	balancerCause = regexp.MustCompile(`load balancer (\S+) is (healthy|unhealthy)$`)
	externalCause = regexp.MustCompile(`alias target (\S+) (has|has no|is not resolved)(?: (\S+) records)?$`)
)

// fault returns what is wrong with the cause that a line names: something whose health has
// just become what the line says is one.
func fault(line Transition, typ string, before, after standing) string {
	var was, is, says bool
	switch m := checkCause.FindStringSubmatch(line.Text); {
	case m != nil:
		i := 0
		fmt.Sscan(m[1], &i)
		was, is = before.checks[i] == healthcheck.Healthy, after.checks[i] == healthcheck.Healthy
		says = m[2] == "healthy"
	default:
		if m = balancerCause.FindStringSubmatch(line.Text); m != nil {
			was, is, says = before.balancer[m[1]], after.balancer[m[1]], m[2] == "healthy"
			break
		}
		if m = externalCause.FindStringSubmatch(line.Text); m == nil {
			return "no cause"
		}
		k := m[1] + " " + typ
		was, is, says = before.found[k], after.found[k], m[2] == "has"
	}
	switch {
	case is != says:
		return "not so"
	case was == is:
		return "no news"
	}
	return ""
}

// TestMovesAgainstNaive flips random checks and external targets of random trees, replaces
// groups now and then, and compares what is told with the states before and after, as the
// naive evaluator sees them. The groups by state are counted anew each time.
func TestMovesAgainstNaive(t *testing.T) {
	trees, flips := 600, 12
	if testing.Short() {
		trees = 40
	}
	told := 0
	for seed := range trees {
		rnd := rand.New(rand.NewPCG(uint64(seed), 2))
		c := randomCatalog(t, rnd)
		n := &naive{catalog: c, checks: make([]healthcheck.Status, len(c.Checks)), found: map[record.Key]bool{}, outside: map[record.Key]string{}}
		tab := NewTable(c, n.checks)
		for _, e := range tab.Externals() {
			n.found[e.Key] = true
		}
		var lines []Transition
		tab.Listen(nil, func(tr Transition) {
			if !strings.HasPrefix(tr.Subject, "load balancer") {
				lines = append(lines, tr)
			}
		})
		compare := func(what string, before standing) {
			t.Helper()
			checkCensus(t, tab)
			after := n.standing()
			var got []string
			for _, line := range lines {
				how, _, _ := strings.Cut(line.Text, ": ")
				got = append(got, line.Subject+": "+how)
				if f := fault(line, line.Subject[strings.LastIndex(line.Subject, " ")+1:], before, after); f != "" && what == "update" {
					t.Fatalf("seed %d: %s: %s", seed, f, line.Line("block"))
				}
			}
			slices.Sort(got)
			if want := movesBetween(before, after); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s:\n got %q\nwant %q", seed, what, got, want)
			}
			told += len(lines)
			lines = nil
		}
		lines = nil
		for range flips {
			before := n.standing()
			changes, externals := randomFlips(rnd, tab, n)
			tab.Update(changes, externals, func(int, *Selection) {})
			compare("update", before)
			before = n.standing()
			if g := randomSuccessor(rnd, tab); g != nil {
				changes := []record.Change{{Old: c.Groups[g.Key], New: g}}
				c.Edit(changes, func() bool { return tab.Edit(changes, func(int, *Selection) {}) })
			}
			compare("edit", before)
		}
	}
	if told < trees*flips/4 {
		t.Errorf("only %d moves were told", told)
	}
}
