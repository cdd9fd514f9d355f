package routing

import (
	"slices"
	"testing"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// TestTransitions checks the lines that an operator reads when zones leave and return.
func TestTransitions(t *testing.T) {
	half := [2]record.Minimum{{Count: 1, Percent: 50}, {Count: 1, Percent: 50}}
	b := balancer(true, false, half, "a2 b10")
	tab := NewTable(catalog(t, 12, b.RRGroups()...), statuses("hhhhhhhhhhhh"))
	var got []string
	tab.OnBalance = func(tr Transition) {
		sign := "+ "
		if tr.Worse {
			sign = "- "
		}
		got = append(got, sign+tr.Text)
	}
	steps := []struct {
		health string
		want   []string
	}{
		{"hhuuuuuhhhhh", nil},
		{"hhuuuuuuhhhh", []string{`- load balancer lb.example.: zone "b" leaves DNS: target group "g0": 4 of 10 targets healthy, dns_failover wants 50%`}},
		{"uuuuuuuuhhhh", []string{
			`- load balancer lb.example.: zone "a" leaves DNS: target group "g0": 0 of 2 targets healthy, dns_failover wants 50%`,
			`- load balancer lb.example.: all zones are unhealthy, so all are answered`,
		}},
		{"uuhhhhuuhhhh", []string{
			`+ load balancer lb.example.: zone "b" returns to DNS: target group "g0": 8 of 10 targets healthy, dns_failover wants 50%`,
			`+ load balancer lb.example.: healthy zones alone are answered again`,
		}},
	}
	for _, step := range steps {
		got = nil
		var changes []healthcheck.Change
		for i, s := range statuses(step.health) {
			changes = append(changes, healthcheck.Change{Check: i, Status: s})
		}
		tab.Update(changes, nil, func(int, *Selection) {})
		if !slices.Equal(got, step.want) {
			t.Errorf("health %s:\n got %q\nwant %q", step.health, got, step.want)
		}
	}
}
