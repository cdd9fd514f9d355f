package routing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// signed is a transition as the tests write it: "- " before what is worse.
func signed(t Transition) string {
	if t.Worse {
		return "- " + t.Line("block")
	}
	return "+ " + t.Line("block")
}

// TestMoves checks the lines that an operator reads when groups change their rule or tier.
// Checks are named c0, c1 and so on.
func TestMoves(t *testing.T) {
	const www, eu, us = "www.example.", "eu.example.", "us.example."
	far := alias("far.test.", none, true)
	tests := []struct {
		name   string
		groups []*record.Group
		steps  [][]string // first the health: a letter a check, and one for far.test. after a space
	}{
		{"failover goes to its secondary and comes back",
			[]*record.Group{group(record.Failover, www, tier(1, plain(www, 0, 1)), tier(2, plain(www, none, 2)))},
			[][]string{
				{"u", `- www.example. A of block: primary -> secondary: check "c0" is unhealthy`},
				{"u"},
				{"h", `+ www.example. A of block: secondary -> primary: check "c0" is healthy`},
			}},
		{"tiers are told apart, and what comes back is named",
			[]*record.Group{group(record.Failover, www, tier(1, plain(www, 0, 1)), tier(2, plain(www, 1, 2)), tier(3, plain(www, 2, 3)), tier(4, plain(www, 3, 4)))},
			[][]string{
				{"uhhh", `- www.example. A of block: primary -> secondary: check "c0" is unhealthy`},
				{"uuhh", `- www.example. A of block: secondary -> tier 3: check "c1" is unhealthy`},
				{"uuuh", `- www.example. A of block: tier 3 -> tier 4: check "c2" is unhealthy`},
				{"uuuu", `- www.example. A of block: tier 4 -> last-resort: nothing healthy: check "c3" is unhealthy`},
				{"uuhu", `+ www.example. A of block: last-resort -> tier 3: check "c2" is healthy`},
				{"uhhu", `+ www.example. A of block: tier 3 -> secondary: check "c1" is healthy`},
				{"hhhh", `+ www.example. A of block: secondary -> primary: check "c0" is healthy`},
				{"uuuu", `- www.example. A of block: primary -> last-resort: nothing healthy: check "c0" is unhealthy`},
			}},
		{"weighted: one check less is no move",
			[]*record.Group{group(record.Weighted, www, weight(1, plain(www, 0, 1)), weight(1, plain(www, 1, 2)), weight(0, plain(www, 2, 3)))},
			[][]string{
				{"uhh"},
				{"uuh", `- www.example. A of block: weighted -> zero-weight: check "c1" is unhealthy`},
				{"uuu", `- www.example. A of block: zero-weight -> last-resort: nothing healthy: check "c2" is unhealthy`},
				{"uhh", `+ www.example. A of block: last-resort -> weighted: check "c1" is healthy`},
				{"huu"},
				{"uuh", `- www.example. A of block: weighted -> zero-weight: check "c0" is unhealthy`},
				{"huh", `+ www.example. A of block: zero-weight -> weighted: check "c0" is healthy`},
			}},
		{"weights of 0 alone are no zero-weight",
			[]*record.Group{group(record.Weighted, www, weight(0, plain(www, 0, 1)), weight(0, plain(www, 1, 2)))},
			[][]string{
				{"uh"},
				{"uu", `- www.example. A of block: weighted -> last-resort: nothing healthy: check "c1" is unhealthy`},
				{"hu", `+ www.example. A of block: last-resort -> weighted: check "c0" is healthy`},
			}},
		{"multivalue",
			[]*record.Group{group(record.Multivalue, www, plain(www, 0, 1), plain(www, 1, 2))},
			[][]string{
				{"uh"},
				{"uu", `- www.example. A of block: multivalue -> last-resort: nothing healthy: check "c1" is unhealthy`},
				{"uh", `+ www.example. A of block: last-resort -> multivalue: check "c1" is healthy`},
			}},
		{"simple records and aliases answer as before",
			[]*record.Group{group(record.Simple, www, plain(www, 0, 1)), group(record.Simple, eu, alias(www, none, true))},
			[][]string{{"u"}, {"h"}}},
		{"an alias above is told by its target and the check below, the alias in between is not",
			[]*record.Group{
				group(record.Weighted, eu, weight(1, plain(eu, 0, 1)), weight(1, plain(eu, 1, 2))),
				group(record.Simple, us, alias(eu, none, true)),
				group(record.Failover, www, tier(1, alias(us, none, true)), tier(2, plain(www, none, 9))),
			},
			[][]string{
				{"uh"},
				{"uu", `- eu.example. A of block: weighted -> last-resort: nothing healthy: check "c1" is unhealthy`,
					`- www.example. A of block: primary -> secondary: alias target us.example. is unhealthy: check "c1" is unhealthy`},
				{"hu", `+ www.example. A of block: secondary -> primary: alias target us.example. is healthy: check "c0" is healthy`,
					`+ eu.example. A of block: last-resort -> weighted: check "c0" is healthy`},
			}},
		{"a target that is not evaluated moves nobody",
			[]*record.Group{
				group(record.Failover, eu, tier(1, plain(eu, 0, 1)), tier(2, plain(eu, 1, 2))),
				group(record.Failover, www, tier(1, alias(eu, none, false)), tier(2, plain(www, none, 9))),
			},
			[][]string{{"uu", `- eu.example. A of block: primary -> last-resort: nothing healthy: check "c0" is unhealthy`}}},
		{"of a check and a target the one that is new",
			[]*record.Group{
				group(record.Simple, eu, plain(eu, 0, 1)),
				group(record.Failover, www, tier(1, alias(eu, 1, true)), tier(2, plain(www, none, 9))),
			},
			[][]string{
				{"uh", `- www.example. A of block: primary -> secondary: alias target eu.example. is unhealthy: check "c0" is unhealthy`},
				{"uu"},
				{"hu"},
				{"hh", `+ www.example. A of block: secondary -> primary: check "c1" is healthy`},
				{"hu", `- www.example. A of block: primary -> secondary: check "c1" is unhealthy`},
			}},
		{"an external target",
			[]*record.Group{group(record.Failover, www, tier(1, far), tier(2, plain(www, none, 2)))},
			[][]string{
				{" u", `- www.example. A of block: primary -> secondary: alias target far.test. has no A records`},
				{" h", `+ www.example. A of block: secondary -> primary: alias target far.test. has A records`},
				{" ?", `- www.example. A of block: primary -> secondary: alias target far.test. is not resolved`},
			}},
		{"a load balancer",
			append(balancer(true, false, [2]record.Minimum{record.DefaultMinimum, record.DefaultMinimum}, "a1").RRGroups(),
				group(record.Failover, www, tier(1, alias("lb.example.", none, true)), tier(2, plain(www, none, 9)))),
			[][]string{
				{"u", `- load balancer lb.example. of block: zone "a" is unhealthy: target group "g0": 0 of 1 targets healthy, dns_failover wants 1`,
					`- load balancer lb.example. of block: all zones are unhealthy, so all are answered`,
					`- load balancer lb.example. of block: routing failover: target group "g0" is to use all targets of zone "a", unhealthy ones too: 0 of 1 healthy, routing_failover wants 1`,
					`- www.example. A of block: primary -> secondary: load balancer lb.example. is unhealthy`},
			}},
		{"a target that nothing holds, from the start",
			[]*record.Group{group(record.Failover, www, tier(1, alias("gone.example.", none, true)), tier(2, plain(www, 0, 2)))},
			[][]string{
				{"h", `- www.example. A of block: starts as secondary: alias target gone.example. holds no A records`},
				{"u", `- www.example. A of block: secondary -> last-resort: nothing healthy: check "c0" is unhealthy`},
			}},
		{"a secondary alone is in its best state",
			[]*record.Group{group(record.Failover, www, imported(tier(2, plain(www, 0, 1))))},
			[][]string{
				{"u", `- www.example. A of block: secondary -> last-resort: nothing healthy: check "c0" is unhealthy`},
				{"h", `+ www.example. A of block: last-resort -> secondary: check "c0" is healthy`},
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checks, _, _ := strings.Cut(test.steps[0][0], " ")
			c := catalog(t, len(checks), test.groups...)
			tab := NewTable(c, statuses(strings.Repeat("h", len(checks))))
			for _, e := range tab.Externals() {
				e.Set(Resolution{})
			}
			var got []string
			tab.Listen(nil, func(tr Transition) { got = append(got, signed(tr)) })
			for _, step := range test.steps {
				flip(tab, step[0])
				if want := step[1:]; !slices.Equal(got, want) {
					t.Errorf("health %q:\n got %q\nwant %q", step[0], got, want)
				}
				got = nil
			}
		})
	}
}

// imported is a record set of Route 53's JSON.
func imported(r record.RecordSet) record.RecordSet {
	r.Imported = true
	return r
}

// flip brings about a state: a letter for each check and, after a space, one for each
// external target: '?' of one that has been forgotten.
func flip(tab *Table, health string) {
	checks, outside, _ := strings.Cut(health, " ")
	var changes []healthcheck.Change
	for i, s := range statuses(checks) {
		changes = append(changes, healthcheck.Change{Check: i, Status: s})
	}
	var externals []ExternalChange
	for i, letter := range outside {
		if letter == '?' {
			tab.Externals()[i].Forget()
		}
		externals = append(externals, ExternalChange{External: i, Healthy: letter == 'h'})
	}
	tab.Update(changes, externals, func(int, *Selection) {})
}

// TestManyMoves: one flip that moves very many groups writes few lines, the worst first,
// and a sum.
func TestManyMoves(t *testing.T) {
	var groups []*record.Group
	for i := range 4221 {
		name := fmt.Sprintf("g%04d.example.", i)
		g := group(record.Failover, name, tier(1, plain(name, 0, 1)), tier(2, plain(name, none, 2)))
		if i%1000 == 999 {
			g = group(record.Failover, name, tier(1, plain(name, 0, 1)))
		}
		if i == 5 {
			g = group(record.Failover, name, tier(1, plain(name, 1, 1)), tier(2, plain(name, none, 2)))
		}
		groups = append(groups, g)
	}
	tab := NewTable(catalog(t, 2, groups...), statuses("hh"))
	flip(tab, "hu") // one that will come back when the others go
	var got []string
	tab.Listen(nil, func(tr Transition) { got = append(got, signed(tr)) })
	want := []string{`- g0005.example. A of block: starts as secondary: check "c1" is unhealthy`}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	got, want = nil, nil
	flip(tab, "uh")
	for i := range 4 {
		want = append(want, fmt.Sprintf(`- g%d999.example. A of block: primary -> last-resort: nothing healthy: check "c0" is unhealthy`, i))
	}
	for i := 0; len(want) < maxLines; i++ {
		if i != 5 {
			want = append(want, fmt.Sprintf(`- g%04d.example. A of block: primary -> secondary: check "c0" is unhealthy`, i))
		}
	}
	want = append(want, `- block: and 4,201 more: 4,200 worse, 1 better`)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	got = nil
	flip(tab, "hh")
	if n := len(got); n != maxLines+1 || got[n-1] != "+ block: and 4,200 more: 0 worse, 4,200 better" {
		t.Errorf("%d lines, the last is %q", n, got[n-1])
	}
}

// TestManyBalancers: the lines of load balancers are bounded as well.
func TestManyBalancers(t *testing.T) {
	var groups []*record.Group
	for i := range 30 {
		b := balancer(true, false, [2]record.Minimum{record.DefaultMinimum, {}}, "a1 b1")
		b.Name = fmt.Sprintf("lb%02d.example.", i)
		groups = append(groups, b.RRGroups()...)
	}
	tab := NewTable(catalog(t, 2, groups...), statuses("hh"))
	var got []string
	tab.Listen(nil, func(tr Transition) { got = append(got, signed(tr)) })
	flip(tab, "uh")
	const first = `- load balancer lb00.example. of block: zone "a" leaves DNS: target group "g0": 0 of 1 targets healthy, dns_failover wants 1`
	if n := len(got); n != maxLines+1 || got[0] != first || got[n-1] != "- block: and 10 more: 10 worse, 0 better" {
		t.Errorf("%d lines:\n%s", n, strings.Join(got, "\n"))
	}
}

// TestListenAfter: the table that replaces another one tells what is other than before, by
// name, and the old one tells nothing more.
func TestListenAfter(t *testing.T) {
	const www, api, gone, fresh = "www.example.", "api.example.", "gone.example.", "fresh.example."
	pair := func(name string, check int32) *record.Group {
		return group(record.Failover, name, tier(1, plain(name, check, 1)), tier(2, plain(name, none, 2)))
	}
	old := NewTable(catalog(t, 2, pair(www, 0), pair(api, 0), pair(gone, 0), pair("same.example.", 0),
		pair("lb.example.", 0), group(record.Weighted, "best.example.", weight(1, plain("best.example.", none, 1)))), statuses("uh"))
	var got []string
	listen := func(tr Transition) { got = append(got, signed(tr)) }
	old.Listen(nil, listen)
	got = nil

	lb := balancer(true, false, [2]record.Minimum{record.DefaultMinimum, record.DefaultMinimum}, "a1 b1")
	now := NewTable(catalog(t, 2, append(lb.RRGroups(),
		pair(api, none), // without a check
		group(record.Weighted, www, weight(1, plain(www, 0, 1))),
		pair(fresh, 0),
		pair("same.example.", 0),
		group(record.Simple, "best.example.", plain("best.example.", none, 1)))...), statuses("uh"))
	now.Listen(old, listen)
	slices.Sort(got)
	want := []string{
		`+ api.example. A of block: secondary -> primary: its configuration changed`,
		`- fresh.example. A of block: starts as secondary: check "c0" is unhealthy`,
		`- load balancer lb.example. of block: routing failover: target group "g0" is to use all targets of zone "a", unhealthy ones too: 0 of 1 healthy, routing_failover wants 1`,
		`- load balancer lb.example. of block: zone "a" leaves DNS: target group "g0": 0 of 1 targets healthy, dns_failover wants 1`,
		`- www.example. A of block: secondary -> last-resort: nothing healthy: check "c0" is unhealthy`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	got = nil
	flip(old, "hh")
	if len(got) > 0 {
		t.Errorf("the old table tells %q", got)
	}
	flip(now, "hh")
	if len(got) != 5 { // www, fresh, same, and lb's zone in DNS and in routing
		t.Errorf("the new table tells %q", got)
	}
}

// TestEditMoves: an edit tells what it moves, as a change of health does.
func TestEditMoves(t *testing.T) {
	const www = "www.example."
	records := func(check int32) []record.RecordSet {
		return []record.RecordSet{imported(tier(1, plain(www, check, 1))), imported(tier(2, plain(www, 1, 2)))}
	}
	c := catalog(t, 2, group(record.Failover, www, records(1)...), group(record.Simple, "other.example.", plain("other.example.", 0, 1)))
	tab := NewTable(c, statuses("uh"))
	var got []string
	tab.Listen(nil, func(tr Transition) { got = append(got, signed(tr)) })
	edit := func(changes ...record.Change) {
		t.Helper()
		if !c.Edit(changes, func() bool { return tab.Edit(changes, func(int, *Selection) {}) }) {
			t.Fatal("the edit is refused")
		}
		checkCensus(t, tab)
	}
	steps := []struct {
		put  *record.Group
		want []string
	}{
		{group(record.Failover, www, imported(tier(1, plain(www, 0, 1))), imported(tier(2, plain(www, 1, 2)))),
			[]string{`- www.example. A of block: primary -> secondary: check "c0" is unhealthy`}},
		{group(record.Weighted, www, imported(weight(1, plain(www, 0, 1))), imported(weight(1, plain(www, 1, 2)))),
			[]string{`+ www.example. A of block: secondary -> weighted: check "c1" is healthy`}},
		{group(record.Failover, www, records(1)...), nil}, // another policy, best before and after
		{group(record.Weighted, www, imported(weight(1, plain(www, 0, 1))), imported(weight(0, plain(www, 1, 2)))),
			[]string{`- www.example. A of block: primary -> zero-weight: check "c0" is unhealthy`}},
	}
	for _, step := range steps {
		got = nil
		edit(record.Change{Old: c.Groups[step.put.Key], New: step.put})
		if !slices.Equal(got, step.want) {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
	got = nil
	fresh := group(record.Failover, "fresh.example.", imported(tier(1, plain("fresh.example.", 0, 1))), imported(tier(2, plain("fresh.example.", 1, 2))))
	edit(record.Change{New: fresh}, record.Change{Old: c.Groups[record.Key{Name: www, Type: dns.TypeA}]})
	if want := []string{`- fresh.example. A of block: starts as secondary: check "c0" is unhealthy`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSilence: who does not listen pays nothing for what others are told.
func TestSilence(t *testing.T) {
	name := "www.example."
	tab := NewTable(catalog(t, 1, group(record.Failover, name, tier(1, plain(name, 0, 1)), tier(2, plain(name, none, 2)))), statuses("h"))
	both := func() {
		for _, s := range []healthcheck.Status{healthcheck.Unhealthy, healthcheck.Healthy} {
			tab.Update([]healthcheck.Change{{Check: 0, Status: s}}, nil, func(int, *Selection) {})
		}
	}
	both()
	if n := testing.AllocsPerRun(10, both); n > 2 { // the changes handed in
		t.Errorf("two flips allocate %v times", n)
	}
	if tab.moves.first != nil || tab.news.checks.on != nil || tab.news.groups.on != nil {
		t.Error("moves are kept for nobody")
	}
}
