package routing

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// explorer is a source of random numbers that goes through all of them, so that odds
// are counted, not estimated: each run takes one path through the tree of draws.
type explorer struct {
	path, bounds []uint64
	at           int
}

func (e *explorer) rand(n uint64) uint64 {
	if e.at == len(e.path) {
		e.path, e.bounds = append(e.path, 0), append(e.bounds, n)
	}
	if e.bounds[e.at] != n {
		panic("draws depend on something other than the numbers drawn")
	}
	e.at++
	return e.path[e.at-1]
}

// probability returns the odds of the run that just ended.
func (e *explorer) probability() *big.Rat {
	p := big.NewRat(1, 1)
	for _, n := range e.bounds {
		p.Mul(p, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).SetUint64(n)))
	}
	return p
}

// next moves on to the next path, and returns false after the last.
func (e *explorer) next() bool {
	e.at = 0
	for n := len(e.path) - 1; n >= 0; n-- {
		if e.path[n]++; e.path[n] < e.bounds[n] {
			e.path, e.bounds = e.path[:n+1], e.bounds[:n+1]
			return true
		}
	}
	return false
}

// odds maps an answer, its values in order of their text, to its probability.
type odds map[string]*big.Rat

func (o odds) add(answer string, p *big.Rat) {
	if o[answer] == nil {
		o[answer] = new(big.Rat)
	}
	o[answer].Add(o[answer], p)
}

func (o odds) String() string {
	lines := make([]string, 0, len(o))
	for answer, p := range o {
		lines = append(lines, fmt.Sprintf("%s %s", answer, p.RatString()))
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// oddsOf counts what a Selection answers over the whole range of its random numbers.
func oddsOf(s *Selection, render func([]dns.RR) string) odds {
	return count(func(rnd Rand) string { return render(s.Answer("x.example.", rnd).RRs) })
}

// setsOf counts the sets of records that are drawn over the whole range of a draw's
// random numbers.
func setsOf(draw func(Rand) []dns.RR) odds {
	return count(func(rnd Rand) string { return values(draw(rnd)) })
}

func count(draw func(Rand) string) odds {
	o := odds{}
	for e := new(explorer); ; {
		drawn := draw(e.rand)
		o.add(drawn, e.probability())
		if !e.next() {
			return o
		}
	}
}

// shares counts over the whole range of a draw's random numbers how often each record is
// drawn. All paths through the draw must have the same odds.
func shares(draw func(Rand) []dns.RR) map[dns.RR]*big.Rat {
	counts, paths := map[dns.RR]int64{}, int64(0)
	for e := new(explorer); ; {
		distinct := map[dns.RR]bool{}
		for _, rr := range draw(e.rand) {
			if !distinct[rr] {
				distinct[rr] = true
				counts[rr]++
			}
		}
		paths++
		if !e.next() {
			break
		}
	}
	out := map[dns.RR]*big.Rat{}
	for rr, n := range counts {
		out[rr] = big.NewRat(n, paths)
	}
	return out
}

// values renders an answer without its order.
func values(rrs []dns.RR) string {
	v := data(rrs)
	slices.Sort(v)
	return strings.Join(v, "+")
}

// inOrder renders an answer with its order.
func inOrder(rrs []dns.RR) string { return strings.Join(data(rrs), ",") }

func data(rrs []dns.RR) []string {
	v := make([]string, len(rrs))
	for i, rr := range rrs {
		v[i] = strings.TrimPrefix(rr.String(), rr.Header().String())
	}
	return v
}

// address returns the A record of 192.0.2.n.
func address(name string, n int) dns.RR {
	rr, err := dns.NewRR(fmt.Sprintf("%s 60 IN A 192.0.2.%d", name, n))
	if err != nil {
		panic(err)
	}
	return rr
}

// group builds a group of A records at a name.
func group(policy record.Policy, name string, sets ...record.RecordSet) *record.Group {
	return &record.Group{Key: record.Key{Name: name, Type: dns.TypeA}, Policy: policy, Records: sets}
}

// plain is a record set of 192.0.2.n for each n; check is an index or record.NoCheck.
func plain(name string, check int32, ns ...int) record.RecordSet {
	r := record.RecordSet{Check: check, Imported: true}
	for _, n := range ns {
		r.Values = append(r.Values, address(name, n))
	}
	return r
}

// alias is a record set that points at a name.
func alias(target string, check int32, evaluate bool) record.RecordSet {
	return record.RecordSet{Check: check, Imported: true, Alias: &record.AliasTarget{Name: target, EvaluateTargetHealth: evaluate}}
}

func weight(w uint16, r record.RecordSet) record.RecordSet { r.Weight = w; return r }
func tier(n uint16, r record.RecordSet) record.RecordSet   { r.Tier = n; return r }

// catalog builds and validates a catalog of zone example. with n checks.
func catalog(t *testing.T, checks int, groups ...*record.Group) *record.Catalog {
	t.Helper()
	c := record.NewCatalog([]string{"example."})
	c.Checks = make([]healthcheck.Check, checks)
	for i := range c.Checks {
		c.Checks[i].Name = fmt.Sprint("c", i)
	}
	for _, g := range groups {
		if err := c.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range c.Validate() {
		if p.Level == record.Refused {
			t.Fatal(p.Err)
		}
	}
	return c
}

// statuses reads "hu": one letter a check.
func statuses(s string) []healthcheck.Status {
	out := make([]healthcheck.Status, len(s))
	for i := range s {
		if s[i] == 'h' {
			out[i] = healthcheck.Healthy
		}
	}
	return out
}

// selected returns the Selection of the A group at a name.
func selected(t *testing.T, tab *Table, name string) (*Selection, bool) {
	t.Helper()
	g := tab.catalog.Groups[record.Key{Name: name, Type: dns.TypeA}]
	if g == nil {
		t.Fatalf("no group at %s", name)
	}
	_, s, healthy := tab.Group(int(g.Ordinal))
	return s, healthy
}
