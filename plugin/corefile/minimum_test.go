package corefile

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// minimums returns the minimums of a target group that has these lines.
func minimums(lines ...string) (dnsFailover, routingFailover record.Minimum, err error) {
	cfg, err := parseText("steer {\n load_balancer lb {\n  zone a 192.0.2.1\n  target_group g {\n   check tcp://:80\n   " +
		strings.Join(lines, "\n   ") + "\n  }\n }\n}\n")
	if err != nil {
		return dnsFailover, routingFailover, err
	}
	g := cfg.Catalog.Groups[record.Key{Name: "lb.example.org.", Type: dns.TypeA}].Balancer.Groups[0]
	return g.DNS, g.Routing, nil
}

// TestMinimums is the table of what may be written and what it means. Thresholds are
// those of Elastic Load Balancing: counts from 1, percentages from 1 to 100 or none, and
// of the two actions only DNS failover can be off.
func TestMinimums(t *testing.T) {
	type minimum = record.Minimum
	both := func(count, percent int) minimum { return minimum{Count: count, Percent: percent} }
	one := record.DefaultMinimum
	tests := []struct {
		lines        string // separated by "; "
		dns, routing minimum
		err          string // part of the error
	}{
		{lines: "", dns: one, routing: one},
		{lines: "minimum_healthy 3", dns: minimum{Count: 3}, routing: minimum{Count: 3}},
		{lines: "minimum_healthy 50%", dns: both(1, 50), routing: both(1, 50)},
		{lines: "minimum_healthy 3 50%", dns: both(3, 50), routing: both(3, 50)},
		{lines: "minimum_healthy 50% 3", dns: both(3, 50), routing: both(3, 50)},
		{lines: "minimum_healthy 65535 100%", dns: both(65535, 100), routing: both(65535, 100)},
		{lines: "minimum_healthy 1 1%", dns: both(1, 1), routing: both(1, 1)},
		{lines: "dns_failover 3", dns: minimum{Count: 3}, routing: one},
		{lines: "dns_failover 3; routing_failover 3", dns: minimum{Count: 3}, routing: minimum{Count: 3}},
		{lines: "routing_failover 2; dns_failover 3", dns: minimum{Count: 3}, routing: minimum{Count: 2}},
		{lines: "dns_failover 50%; routing_failover 50%", dns: both(1, 50), routing: both(1, 50)},
		{lines: "dns_failover off", dns: minimum{}, routing: one},
		{lines: "dns_failover off; routing_failover 9 90%", dns: minimum{}, routing: both(9, 90)},
		{lines: "dns_failover off 50%; routing_failover 9", dns: both(0, 50), routing: minimum{Count: 9}},
		{lines: "dns_failover 2; routing_failover 3", err: "dns_failover count 2 is below routing_failover count 3"},
		{lines: "routing_failover 2", err: "dns_failover count 1 (the default) is below routing_failover count 2"},
		{lines: "dns_failover 50%; routing_failover 2", err: "dns_failover count 1 (the default) is below routing_failover count 2"},
		{lines: "dns_failover 9 49%; routing_failover 50%", err: "dns_failover 49% is below routing_failover 50%"},
		{lines: "dns_failover 9; routing_failover 1%", err: "dns_failover without a percentage is below routing_failover 1%"},
		{lines: "dns_failover 0", err: "a count from 1"},
		{lines: "dns_failover 0%", err: "is not a percentage"},
		{lines: "dns_failover 101%", err: "is not a percentage"},
		{lines: "dns_failover %", err: "is not a percentage"},
		{lines: "dns_failover +5%", err: "is not a percentage"},
		{lines: "dns_failover 65536", err: "a count from 1"},
		{lines: "routing_failover off", err: "cannot be off"},
	}
	for _, tt := range tests {
		d, r, err := minimums(strings.Split(tt.lines, "; ")...)
		switch {
		case tt.err == "" && err != nil:
			t.Errorf("%s: %v", tt.lines, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s: error %v, want %s", tt.lines, err, tt.err)
		case d != tt.dns || r != tt.routing:
			t.Errorf("%s: dns_failover %+v, routing_failover %+v; want %+v, %+v", tt.lines, d, r, tt.dns, tt.routing)
		}
	}
}

// TestMinimumsOfELB writes the attributes of a real target group as a Corefile has them:
// their values are in range, and mean the same. A percentage that is off is left out.
func TestMinimumsOfELB(t *testing.T) {
	var file struct {
		Attributes []struct{ Key, Value string }
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join("testdata", "elb", "target-group-attributes.json"))), &file); err != nil {
		t.Fatal(err)
	}
	value := make(map[string]string)
	for _, a := range file.Attributes {
		value[a.Key] = a.Value
	}
	line := func(keyword, action string) string {
		prefix := "target_group_health." + action + ".minimum_healthy_targets."
		count, percent := value[prefix+"count"], value[prefix+"percentage"]
		if count == "" || percent == "" {
			t.Fatalf("no %scount or percentage", prefix)
		}
		if percent == "off" {
			return fmt.Sprintf("%s %s", keyword, count)
		}
		return fmt.Sprintf("%s %s %s%%", keyword, count, percent)
	}
	d, r, err := minimums(line("dns_failover", "dns_failover"), line("routing_failover", "unhealthy_state_routing"))
	if want := (record.Minimum{Count: 3}); err != nil || d != want || r != (record.Minimum{Count: 2}) {
		t.Errorf("dns_failover %v, routing_failover %v, %v; want 3 and 2", d, r, err)
	}
}
