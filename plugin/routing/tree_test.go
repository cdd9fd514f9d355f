package routing

import (
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// tree is the set-up of C12 to C14 and C20: a failover of two weighted groups of three,
// under an alias.
func tree(evaluate bool) []*record.Group {
	leaf := func(name string, check int32, octet int) *record.Group {
		return group(record.Weighted, name,
			weight(1, plain(name, check, octet)), weight(1, plain(name, check+1, octet+1)), weight(2, plain(name, check+2, octet+2)))
	}
	return []*record.Group{
		leaf("p.example.", 0, 1),
		leaf("s.example.", 3, 11),
		group(record.Failover, "pool.example.", tier(1, alias("p.example.", none, evaluate)), tier(2, alias("s.example.", none, evaluate))),
		group(record.Simple, "www.example.", alias("pool.example.", none, true)),
	}
}

func TestTrees(t *testing.T) {
	tests := []struct {
		name     string
		evaluate bool
		health   string
		want     string
		up       bool
		reason   Reason
	}{
		{"all up: the primary group by weight", true, "hhhhhh", "192.0.2.1 1/4; 192.0.2.2 1/4; 192.0.2.3 1/2", true, Primary},
		{"C12: the primary group is down, one of the secondary is up", true, "uuuuhu", "192.0.2.12 1", true, Secondary},
		{"one target up keeps the primary group healthy", true, "uhuhhh", "192.0.2.2 1", true, Primary},
		{"C13: all six down: the primary's three by weight", true, "uuuuuu", "192.0.2.1 1/4; 192.0.2.2 1/4; 192.0.2.3 1/2", false, LastResort},
		{"C14: without evaluation the primary stays", false, "uuuhhh", "192.0.2.1 1/4; 192.0.2.2 1/4; 192.0.2.3 1/2", true, LastResort},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, up := selected(t, NewTable(catalog(t, 6, tree(test.evaluate)...), statuses(test.health)), "www.example.")
			if got := oddsOf(s, values).String(); got != test.want {
				t.Errorf("answers %s, want %s", got, test.want)
			}
			if up != test.up {
				t.Errorf("healthy upward: %t, want %t", up, test.up)
			}
			if got := s.Answer("www.example.", func(uint64) uint64 { return 0 }).Reason; got != test.reason {
				t.Errorf("reason %s, want %s", got, test.reason)
			}
		})
	}
}

// TestC18: one record without a check keeps its branch healthy.
func TestC18(t *testing.T) {
	c := catalog(t, 2,
		group(record.Weighted, "us.example.", weight(1, plain("us.example.", 0, 1)), weight(1, plain("us.example.", none, 2))),
		group(record.Weighted, "ap.example.", weight(1, plain("ap.example.", 1, 11))),
		group(record.Failover, "www.example.", tier(1, alias("us.example.", none, true)), tier(2, alias("ap.example.", none, true))))
	s, _ := selected(t, NewTable(c, statuses("uh")), "www.example.")
	if got := oddsOf(s, values).String(); got != "192.0.2.2 1" {
		t.Errorf("answers %s, want the unchecked record of the first branch", got)
	}
}

// TestAnswerOwner checks whose name an answer bears and that shared records stay as
// they are.
func TestAnswerOwner(t *testing.T) {
	tab := NewTable(catalog(t, 6, tree(true)...), statuses("hhhhhh"))
	s, _ := selected(t, tab, "www.example.")
	a := s.Answer("www.example.", zero)
	if len(a.RRs) != 1 || cap(a.RRs) != 1 || a.RRs[0].Header().Name != "www.example." || a.RRs[0].Header().Ttl != 60 {
		t.Errorf("answer %v, want one record under the alias's own name with the target's TTL", a.RRs)
	}
	p, _ := selected(t, tab, "p.example.")
	if b := p.Answer("p.example.", zero); b.RRs[0].Header().Name != "p.example." {
		t.Errorf("the target's record is now under %s", b.RRs[0].Header().Name)
	}
	if b := p.Answer("P.Example.", zero); b.RRs[0].Header().Name != "P.Example." {
		t.Errorf("owner %s, want the query's case", b.RRs[0].Header().Name)
	}
}

// TestUpdateTouchesWhatChanged checks that a flip publishes the groups whose answer it
// changes and no other, each once and after those it points at.
func TestUpdateTouchesWhatChanged(t *testing.T) {
	c := catalog(t, 7, append(tree(true), group(record.Simple, "other.example.", plain("other.example.", 6, 99)))...)
	tab := NewTable(c, statuses("hhhhhhh"))
	var got []string
	flip := func(check int, s healthcheck.Status) []string {
		got = nil
		tab.Update([]healthcheck.Change{{Check: check, Status: s}}, nil, func(i int, _ *Selection) {
			g, _, _ := tab.Group(i)
			got = append(got, g.Name)
		})
		return got
	}
	tests := []struct {
		name   string
		check  int
		status healthcheck.Status
		want   int // groups published
	}{
		{"a leaf that is in use moves all above it", 0, healthcheck.Unhealthy, 3},
		{"the same again moves nothing", 0, healthcheck.Unhealthy, 0},
		{"a leaf that is not in use moves its own group", 3, healthcheck.Unhealthy, 1},
		{"a simple record is answered whatever its health", 6, healthcheck.Unhealthy, 0},
	}
	for _, test := range tests {
		names := flip(test.check, test.status)
		if len(names) != test.want {
			t.Errorf("%s: published %v, want %d groups", test.name, names, test.want)
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		tab.Update([]healthcheck.Change{{Check: 6, Status: healthcheck.Healthy}}, nil, func(int, *Selection) {})
		tab.Update([]healthcheck.Change{{Check: 6, Status: healthcheck.Unhealthy}}, nil, func(int, *Selection) {})
	}); n > 2 {
		t.Errorf("a flip that changes no answer allocates %v times", n)
	}
}

// TestExternal checks that an external target's answer reaches selections without
// compilation, and that its health does by an Update.
func TestExternal(t *testing.T) {
	c := catalog(t, 0, group(record.Failover, "www.example.",
		tier(1, alias("lb.test.", none, true)), tier(2, plain("www.example.", none, 2))))
	tab := NewTable(c, nil)
	e := tab.Externals()[0]
	s, _ := selected(t, tab, "www.example.")
	if a := s.Answer("www.example.", zero); a.External != e || len(a.RRs) != 0 || e.Known() {
		t.Errorf("before the first resolution: %+v", a)
	}
	e.Set(Resolution{RRs: []dns.RR{address("lb.test.", 7)}})
	if got := oddsOf(s, values).String(); got != "192.0.2.7 1" {
		t.Errorf("answers %s, want the target's address", got)
	}
	tab.Update(nil, []ExternalChange{{External: 0, Healthy: false}}, func(_ int, now *Selection) { s = now })
	if got := oddsOf(s, values).String(); got != "192.0.2.2 1" {
		t.Errorf("target gone: answers %s, want the secondary", got)
	}
}
