package corefile

import (
	"fmt"
	"strings"

	"github.com/steerdns/steer/plugin/record"
)

// dumpBalancer writes a load balancer: its zones with their nodes, and its target groups
// with a line for each run of targets in one zone, each target with its check's number.
func dumpBalancer(lb *record.LoadBalancer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  ttl %d, cross_zone %t\n", lb.TTL, lb.CrossZone)
	for _, z := range lb.Zones {
		fmt.Fprintf(&b, "  zone %q %v, %s\n", z.ID, z.Nodes, z.Pos)
	}
	for _, g := range lb.Groups {
		fmt.Fprintf(&b, "  target_group %q dns %s, routing %s, %s, minimums at %s\n", g.ID, g.DNS, g.Routing, g.Pos, g.Limits)
		for i, t := range g.Targets {
			if i == 0 || t.Zone != g.Targets[i-1].Zone || t.Pos != g.Targets[i-1].Pos {
				if i > 0 {
					b.WriteString("\n")
				}
				fmt.Fprintf(&b, "    %q, %s:", lb.Zones[t.Zone].ID, t.Pos)
			}
			fmt.Fprintf(&b, " %s check %d", t.Addr, t.Check)
		}
		if len(g.Targets) > 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}
