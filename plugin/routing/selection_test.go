package routing

import (
	"slices"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

func zero(uint64) uint64 { return 0 }

// TestOwn: an RR goes out under another name as a copy; the shared one stays as it is.
func TestOwn(t *testing.T) {
	for _, text := range []string{
		"www.example. 60 IN A 192.0.2.1",
		"www.example. 60 IN AAAA 2001:db8::1",
		`www.example. 60 IN TXT "one" "two"`,
		"www.example. 60 IN MX 10 mail.example.",
		`www.example. 60 IN TYPE65280 \# 2 0102`,
	} {
		rr, err := dns.NewRR(text)
		if err != nil {
			t.Fatal(err)
		}
		before := rr.String()
		if got := Own(rr, "www.example."); got != rr {
			t.Errorf("%s: its own name makes a copy", text)
		}
		for _, owner := range []string{"WWW.example.", "other.example."} {
			got := Own(rr, owner)
			if got == rr || got.Header().Name != owner {
				t.Errorf("%s: under %s it is %s", text, owner, got)
			}
			want := dns.Copy(rr)
			want.Header().Name = owner
			if got.String() != want.String() {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if rr.String() != before {
			t.Errorf("the shared record is now %s, was %s", rr, before)
		}
	}
}

// TestAnswersLeaveTheCatalogAlone answers under all sorts of names, then looks at what the
// catalog holds, and at the room behind the answers.
func TestAnswersLeaveTheCatalogAlone(t *testing.T) {
	text, err := dns.NewRR(`txt.example. 60 IN TXT "one"`)
	if err != nil {
		t.Fatal(err)
	}
	txt := record.RecordSet{Check: none, Values: make([]dns.RR, 1, 4)}
	txt.Values[0] = text
	roomy := plain("roomy.example.", none, 20, 21)
	roomy.Values = append(make([]dns.RR, 0, 8), roomy.Values...)
	single := plain("single.example.", none, 22)
	single.Values = append(make([]dns.RR, 0, 8), single.Values...)
	var many []record.RecordSet
	for n := range 9 {
		many = append(many, plain("many.example.", none, n+1))
	}
	lb := balancer(true, false, [2]record.Minimum{record.DefaultMinimum, record.DefaultMinimum}, "a1 b1 c1")
	groups := append(lb.RRGroups(),
		&record.Group{Key: record.Key{Name: "txt.example.", Type: dns.TypeTXT}, Records: []record.RecordSet{txt}},
		group(record.Simple, "single.example.", single),
		group(record.Simple, "roomy.example.", roomy),
		group(record.Weighted, "weighted.example.", weight(1, plain("weighted.example.", none, 30)), weight(1, plain("weighted.example.", none, 31))),
		group(record.Multivalue, "two.example.", plain("two.example.", none, 40), plain("two.example.", none, 41)),
		group(record.Multivalue, "many.example.", many...),
		group(record.Simple, "alias.example.", alias("roomy.example.", none, true)),
		group(record.Simple, "away.example.", alias("away.test.", none, true)),
		group(record.Simple, "away2.example.", alias("away2.test.", none, true)),
	)
	c := catalog(t, 3, groups...)
	tab := NewTable(c, statuses("hhh"))
	for i, e := range tab.Externals() {
		rrs := append(make([]dns.RR, 0, 8), address(e.Name, 50))
		if i == 1 {
			rrs = append(rrs, address(e.Name, 51))
		}
		e.Set(Resolution{RRs: rrs})
	}
	held := func() (lines []string) {
		for _, g := range c.Order {
			for _, r := range g.Records {
				for _, rr := range r.Values {
					lines = append(lines, rr.String())
				}
			}
		}
		return lines
	}
	before := held()
	for i := range tab.Len() {
		g, s, _ := tab.Group(i)
		for _, owner := range []string{g.Name, "X.example."} {
			a := s.Answer(owner, zero)
			if len(a.RRs) == 0 && g.Balancer == nil {
				t.Errorf("%s: no answer", g.Key)
			}
			if len(a.RRs) != cap(a.RRs) {
				t.Errorf("%s under %s: %d records in a slice with room for %d", g.Key, owner, len(a.RRs), cap(a.RRs))
			}
		}
		if pool, _, _, _, _ := s.Choose(zero); len(pool) != cap(pool) {
			t.Errorf("%s: %d pool in a slice with room for %d", g.Key, len(pool), cap(pool))
		}
	}
	for i, line := range held() {
		if line != before[i] {
			t.Errorf("the catalog now holds %s, was %s", line, before[i])
		}
	}
}

// TestReasonFollowsHealth: where the same records are answered for another reason, the
// answer says so.
func TestReasonFollowsHealth(t *testing.T) {
	const www = "www.example."
	tests := []struct {
		name  string
		group *record.Group
		steps []string // health and reason, in turn
	}{
		{"multivalue", group(record.Multivalue, www, plain(www, 0, 1), plain(www, 1, 2)),
			[]string{"hh", "multivalue", "uu", "last-resort", "hh", "multivalue"}},
		{"weighted", group(record.Weighted, www, weight(1, plain(www, 0, 1)), weight(2, plain(www, 1, 2))),
			[]string{"hh", "weighted", "uu", "last-resort", "hu", "weighted", "uu", "last-resort"}},
		{"a single record of weight 0", group(record.Weighted, www, weight(0, plain(www, 0, 1)), weight(1, plain(www, 1, 2))),
			[]string{"hu", "zero-weight", "uu", "last-resort", "hu", "zero-weight"}},
		{"failover", group(record.Failover, www, tier(1, plain(www, 0, 1)), tier(2, plain(www, 1, 2))),
			[]string{"hu", "primary", "uu", "last-resort", "hu", "primary", "uh", "secondary"}},
		{"a lonely primary", group(record.Failover, www, tier(1, plain(www, 0, 1))),
			[]string{"hh", "primary", "uh", "last-resort", "hh", "primary"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tab := NewTable(catalog(t, 2, tt.group,
				group(record.Simple, "alias.example.", alias(tt.group.Name, none, true))), statuses("hh"))
			published := map[int]*Selection{}
			for i := range tab.Len() {
				_, published[i], _ = tab.Group(i)
			}
			for i := 0; i < len(tt.steps); i += 2 {
				health, want := tt.steps[i], tt.steps[i+1]
				var changes []healthcheck.Change
				for check, s := range statuses(health) {
					changes = append(changes, healthcheck.Change{Check: check, Status: s})
				}
				tab.Update(changes, nil, func(i int, s *Selection) { published[i] = s })
				for i, s := range published {
					if g, _, _ := tab.Group(i); s.Answer(g.Name, zero).Reason.String() != want {
						t.Errorf("health %s: %s is answered for the reason %s, want %s", health, g.Name, s.Answer(g.Name, zero).Reason, want)
					}
				}
			}
		})
	}
}

// TestBalancerReasonFollowsHealth: a zone that leaves DNS without an answer of its own
// changes nothing but the reason.
func TestBalancerReasonFollowsHealth(t *testing.T) {
	one := [2]record.Minimum{record.DefaultMinimum, record.DefaultMinimum}
	lb := balancer(true, false, one, "a1 b1")
	lb.Zones[1].Nodes = nil // an IPv4 target only, which AAAA does not see
	tab := NewTable(catalog(t, 2, lb.RRGroups()...), statuses("hh"))
	g := tab.catalog.Groups[record.Key{Name: "lb.example.", Type: dns.TypeAAAA}]
	var got []string
	for _, health := range []string{"hh", "hu", "uu", "hh"} {
		var changes []healthcheck.Change
		for check, s := range statuses(health) {
			changes = append(changes, healthcheck.Change{Check: check, Status: s})
		}
		tab.Update(changes, nil, func(int, *Selection) {})
		_, s, _ := tab.Group(int(g.Ordinal))
		got = append(got, s.Answer(g.Name, zero).Reason.String())
	}
	if want := []string{"load-balancer", "zone-out", "last-resort", "load-balancer"}; !slices.Equal(got, want) {
		t.Errorf("reasons %q, want %q", got, want)
	}
}
