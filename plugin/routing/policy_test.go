package routing

import (
	"math/big"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

const none = record.NoCheck

// TestWeightZero is the table of weights 1, 1 and 0 in the
// Route 53 Developer Guide, "Weighted routing".
func TestWeightZero(t *testing.T) {
	tests := []struct {
		checks string // of records 1, 2 and 3: h healthy, u unhealthy, - none
		want   string
		reason Reason
	}{
		{"uuh", "192.0.2.3 1", ZeroWeight},
		{"uuu", "192.0.2.1 1/2; 192.0.2.2 1/2", LastResort},
		{"uhu", "192.0.2.2 1", Weighted},
		{"hhu", "192.0.2.1 1/2; 192.0.2.2 1/2", Weighted},
		{"hhh", "192.0.2.1 1/2; 192.0.2.2 1/2", Weighted},
		{"hh-", "192.0.2.1 1/2; 192.0.2.2 1/2", Weighted},
		{"uu-", "192.0.2.3 1", ZeroWeight},
		{"uh-", "192.0.2.2 1", Weighted},
	}
	for _, test := range tests {
		t.Run(test.checks, func(t *testing.T) {
			third := int32(2)
			if test.checks[2] == '-' {
				third = none
			}
			c := catalog(t, 3, group(record.Weighted, "www.example.",
				weight(1, plain("www.example.", 0, 1)),
				weight(1, plain("www.example.", 1, 2)),
				weight(0, plain("www.example.", third, 3))))
			s, _ := selected(t, NewTable(c, statuses(strings.ReplaceAll(test.checks, "-", "u"))), "www.example.")
			if got := oddsOf(s, values).String(); got != test.want {
				t.Errorf("answers %s, want %s", got, test.want)
			}
			if got := s.Answer("www.example.", zero).Reason; got != test.reason {
				t.Errorf("reason %s, want %s", got, test.reason)
			}
		})
	}
}

func TestPolicies(t *testing.T) {
	const www = "www.example."
	tests := []struct {
		name   string
		group  *record.Group
		health string // one letter a check
		want   string // odds of each answer
		reason Reason
		up     bool // what the group reports to aliases
	}{
		{"C01: an unhealthy record's weight is left out of the sum",
			group(record.Weighted, www, weight(10, plain(www, 0, 1)), weight(20, plain(www, 1, 2)), weight(20, plain(www, 2, 3))),
			"hhu", "192.0.2.1 1/3; 192.0.2.2 2/3", Weighted, true},
		{"C02: none healthy, the weights apply again",
			group(record.Weighted, www, weight(10, plain(www, 0, 1)), weight(20, plain(www, 1, 2)), weight(20, plain(www, 2, 3))),
			"uuu", "192.0.2.1 1/5; 192.0.2.2 2/5; 192.0.2.3 2/5", LastResort, false},
		{"C03: weight 0 when all others are unhealthy",
			group(record.Weighted, www, weight(10, plain(www, 0, 1)), weight(10, plain(www, 1, 2)), weight(0, plain(www, 2, 3))),
			"uuh", "192.0.2.3 1", ZeroWeight, true},
		{"C04: weight 0 is never answered beside others",
			group(record.Weighted, www, weight(1, plain(www, none, 1)), weight(2, plain(www, none, 2)), weight(0, plain(www, none, 3))),
			"", "192.0.2.1 1/3; 192.0.2.2 2/3", Weighted, true},
		{"C05: in last resort weight 0 still yields to others",
			group(record.Weighted, www, weight(10, plain(www, 0, 1)), weight(0, plain(www, 1, 2))),
			"uu", "192.0.2.1 1", LastResort, false},
		{"all weights 0: equal odds, and that is the rule, not an exception",
			group(record.Weighted, www, weight(0, plain(www, none, 1)), weight(0, plain(www, none, 2))),
			"", "192.0.2.1 1/2; 192.0.2.2 1/2", Weighted, true},
		{"C06: a record set is answered whole, never mixed",
			group(record.Weighted, www, weight(100, plain(www, none, 10, 11)), weight(255, plain(www, none, 20))),
			"", "192.0.2.10+192.0.2.11 20/71; 192.0.2.20 51/71", Weighted, true},
		{"weights beyond Route 53's 255",
			group(record.Weighted, www, weight(65535, plain(www, none, 1)), weight(1, plain(www, none, 2))),
			"", "192.0.2.1 65535/65536; 192.0.2.2 1/65536", Weighted, true},
		{"C08: the primary, whatever the secondary's health",
			group(record.Failover, www, tier(1, plain(www, 0, 1)), tier(2, plain(www, 1, 2))),
			"hh", "192.0.2.1 1", Primary, true},
		{"C09: the secondary when the primary is down",
			group(record.Failover, www, tier(1, plain(www, 0, 1)), tier(2, plain(www, 1, 2))),
			"uh", "192.0.2.2 1", Secondary, true},
		{"C10: a secondary without a check is always healthy",
			group(record.Failover, www, tier(1, plain(www, 0, 1)), tier(2, plain(www, none, 2))),
			"u", "192.0.2.2 1", Secondary, true},
		{"the tier decides, not the place",
			group(record.Failover, www, tier(3, plain(www, 2, 3)), tier(2, plain(www, 1, 2)), tier(1, plain(www, 0, 1))),
			"hhh", "192.0.2.1 1", Primary, true},
		{"of two healthy tiers behind an unhealthy one, too",
			group(record.Failover, www, tier(3, plain(www, 2, 3)), tier(1, plain(www, 0, 1)), tier(2, plain(www, 1, 2))),
			"uhh", "192.0.2.2 1", Secondary, true},
		{"both down: the primary",
			group(record.Failover, www, tier(2, plain(www, 1, 2)), tier(1, plain(www, 0, 1))),
			"uu", "192.0.2.1 1", LastResort, false},
		{"C11: a primary without a check is always answered",
			group(record.Failover, www, tier(1, plain(www, none, 1)), tier(2, plain(www, none, 2))),
			"", "192.0.2.1 1", Primary, true},
		{"C15: a lonely primary is answered although it is down",
			group(record.Failover, www, tier(1, plain(www, 0, 1))),
			"u", "192.0.2.1 1", LastResort, false},
		{"the third tier when two are down",
			group(record.Failover, www, tier(3, plain(www, 2, 3)), tier(1, plain(www, 0, 1)), tier(2, plain(www, 1, 2))),
			"uuh", "192.0.2.3 1", LaterTier, true},
		{"C23: a simple record's health does not matter to itself",
			group(record.Simple, www, plain(www, 0, 1)),
			"u", "192.0.2.1 1", Simple, false},
		{"a simple record is answered with all its values",
			group(record.Simple, www, plain(www, none, 1, 2, 3)),
			"", "192.0.2.1+192.0.2.2+192.0.2.3 1", Simple, true},
		{"C25: unchecked multivalue records are healthy",
			group(record.Multivalue, www, plain(www, 0, 1), plain(www, 1, 2), plain(www, 2, 3), plain(www, none, 4), plain(www, none, 5)),
			"huu", "192.0.2.1+192.0.2.4+192.0.2.5 1", Multivalue, true},
		{"multivalue with none healthy answers with all",
			group(record.Multivalue, www, plain(www, 0, 1), plain(www, 1, 2)),
			"uu", "192.0.2.1+192.0.2.2 1", LastResort, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, up := selected(t, NewTable(catalog(t, len(test.health), test.group), statuses(test.health)), www)
			if got := oddsOf(s, values).String(); got != test.want {
				t.Errorf("answers %s, want %s", got, test.want)
			}
			if got := s.Answer(www, zero).Reason; got != test.reason {
				t.Errorf("reason %s, want %s", got, test.reason)
			}
			if up != test.up {
				t.Errorf("healthy upward: %t, want %t", up, test.up)
			}
		})
	}
}

// TestOrders counts that every order of a shuffled answer has the same odds.
func TestOrders(t *testing.T) {
	const www = "www.example."
	for _, policy := range []record.Policy{record.Simple, record.Multivalue} {
		sets := []record.RecordSet{plain(www, none, 1, 2, 3, 4)}
		if policy == record.Multivalue {
			sets = []record.RecordSet{plain(www, none, 1), plain(www, none, 2), plain(www, none, 3), plain(www, none, 4)}
		}
		s, _ := selected(t, NewTable(catalog(t, 0, group(policy, www, sets...)), nil), www)
		got := oddsOf(s, inOrder)
		if len(got) != 24 {
			t.Errorf("%s: %d orders, want 24", policy, len(got))
		}
		for order, p := range got {
			if p.RatString() != "1/24" {
				t.Errorf("%s: %s has odds %s, want 1/24", policy, order, p.RatString())
			}
		}
	}
}

// TestMultivalueShares is C24: of more than eight healthy records an answer has eight
// distinct ones, each record with the same odds.
func TestMultivalueShares(t *testing.T) {
	const www = "www.example."
	var sets []record.RecordSet
	for n := range 9 {
		sets = append(sets, plain(www, none, n+1))
	}
	s, _ := selected(t, NewTable(catalog(t, 0, group(record.Multivalue, www, sets...)), nil), www)
	share := shares(func(rnd Rand) []dns.RR {
		rrs := s.Answer(www, rnd).RRs
		if len(rrs) != MaxValues {
			t.Fatalf("%d records, want %d", len(rrs), MaxValues)
		}
		return rrs
	})
	for rr, got := range share {
		if got.Cmp(big.NewRat(8, 9)) != 0 {
			t.Errorf("%s has a share of %s, want 8/9", rr, got.RatString())
		}
	}
	if len(share) != 9 {
		t.Errorf("%d records are answered over time, want 9", len(share))
	}
}
