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
	tab.Listen(nil, func(tr Transition) { got = append(got, signed(tr)) })
	steps := []struct {
		health string
		want   []string
	}{
		{"hhuuuuuhhhhh", nil},
		{"hhuuuuuuhhhh", []string{
			`- load balancer lb.example. of block: zone "b" leaves DNS: target group "g0": 4 of 10 targets healthy, dns_failover wants 50%`,
			`- load balancer lb.example. of block: routing failover: target group "g0" is to use all targets of zone "b", unhealthy ones too: 4 of 10 healthy, routing_failover wants 50%`,
		}},
		{"uuuuuuuuhhhh", []string{
			`- load balancer lb.example. of block: zone "a" is unhealthy: target group "g0": 0 of 2 targets healthy, dns_failover wants 50%`,
			`- load balancer lb.example. of block: all zones are unhealthy, so all are answered`,
			`- load balancer lb.example. of block: routing failover: target group "g0" is to use all targets of zone "a", unhealthy ones too: 0 of 2 healthy, routing_failover wants 50%`,
		}},
		{"uuhhhhuuhhhh", []string{
			`+ load balancer lb.example. of block: zone "b" is healthy again: target group "g0": 8 of 10 targets healthy, dns_failover wants 50%`,
			`+ load balancer lb.example. of block: healthy zones alone are answered again`,
			`+ load balancer lb.example. of block: routing failover ends: target group "g0" is to use the healthy targets of zone "b" alone: 8 of 10 healthy`,
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

// TestReconfigured: a reload that moves a threshold tells what it moved.
func TestReconfigured(t *testing.T) {
	half, most := record.Minimum{Count: 1, Percent: 50}, record.Minimum{Count: 1, Percent: 75}
	old := balancer(true, false, [2]record.Minimum{half, record.DefaultMinimum}, "a4 b4")
	now := balancer(true, false, [2]record.Minimum{most, record.DefaultMinimum}, "b4 a4 c1") // other order, and a zone more
	healthy, _ := up("4/0", "4/2", "1/0")
	moved := func(check int32) bool { return healthy((check + 4) % 8) }
	got := reconfigured(old, balance(old, healthy), now, balance(now, moved))
	want := `zone "b" leaves DNS: target group "g0": 2 of 4 targets healthy, dns_failover wants 75%`
	if len(got) != 1 || got[0].Text != want || !got[0].Worse {
		t.Errorf("got %+v, want %s", got, want)
	}
}
