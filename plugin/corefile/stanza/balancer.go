package stanza

import (
	"fmt"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// balancer writes a load balancer, which is a group of each address family.
func (w *writer) balancer(g *record.Group) {
	b := g.Balancer
	if twin := w.catalog.Groups[record.Key{Name: g.Name, Type: dns.TypeA}]; g.Type != dns.TypeA && twin != nil && twin.Balancer == b {
		return
	}
	w.open("load_balancer " + w.owner(b.Name))
	if b.TTL != w.ttl {
		w.line(fmt.Sprintf("ttl %d", b.TTL))
	}
	if b.CrossZone {
		w.line("cross_zone on")
	}
	rows := make([][]string, len(b.Zones))
	for i := range b.Zones {
		z := &b.Zones[i]
		id, _ := word(z.ID)
		addrs := make([]string, len(z.Nodes))
		for i, addr := range z.Nodes {
			addrs[i] = addr.String()
		}
		rows[i] = []string{"zone", id, strings.Join(addrs, " ")}
	}
	for _, line := range table(rows) {
		w.line(line)
	}
	for i := range b.Groups {
		w.targetGroup(b, &b.Groups[i])
	}
	w.close()
}

// balancerError returns why a load balancer cannot be written.
func (w *writer) balancerError(b *record.LoadBalancer) error {
	for i := range b.Zones {
		if !isIdentifier(b.Zones[i].ID) || isAddress(b.Zones[i].ID) {
			return fmt.Errorf("no zone can be called %q", b.Zones[i].ID)
		}
	}
	for i := range b.Groups {
		g := &b.Groups[i]
		switch {
		case !isIdentifier(g.ID):
			return fmt.Errorf("no target group can be called %q", g.ID)
		case g.Routing.Off():
			return fmt.Errorf("target group %q: routing_failover cannot be off", g.ID)
		case !w.oneCheck(targetUses(g.Targets)):
			return fmt.Errorf("target group %q: its targets have different checks", g.ID)
		}
	}
	return nil
}

func (w *writer) targetGroup(b *record.LoadBalancer, g *record.TargetGroup) {
	id, _ := word(g.ID)
	w.open("target_group " + id)
	if len(g.Targets) > 0 {
		w.writeGroupCheck(w.shared(targetUses(g.Targets)))
	} else {
		w.line("check tcp://:1") // of no target
	}
	routing := g.Routing
	routing.Count = max(routing.Count, 1) // beside a percentage it is the same as 0
	switch {
	case g.DNS == routing && routing != record.DefaultMinimum:
		w.line("minimum_healthy " + minimum(routing))
	default:
		if g.DNS != record.DefaultMinimum {
			w.line("dns_failover " + minimum(g.DNS))
		}
		if routing != record.DefaultMinimum {
			w.line("routing_failover " + minimum(routing))
		}
	}
	var rows [][]string
	for i, t := range g.Targets {
		addr := t.Addr.String()
		if i > 0 && g.Targets[i-1].Zone == t.Zone {
			rows[len(rows)-1][2] += " " + addr
			continue
		}
		zone, _ := word(b.Zones[t.Zone].ID)
		rows = append(rows, []string{"target", zone, addr})
	}
	for _, line := range table(rows) {
		w.line(line)
	}
	w.close()
}

// minimum writes a threshold. A percentage implies a count of 1.
func minimum(m record.Minimum) string {
	switch {
	case m.Off():
		return "off"
	case m.Percent == 0:
		return fmt.Sprint(m.Count)
	case m.Count == 0:
		return fmt.Sprintf("off %d%%", m.Percent)
	case m.Count == 1:
		return fmt.Sprintf("%d%%", m.Percent)
	}
	return fmt.Sprintf("%d %d%%", m.Count, m.Percent)
}
