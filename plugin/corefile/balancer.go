package corefile

import (
	"net/netip"

	"github.com/steerdns/steer/plugin/record"
)

// balancerDecl is a load_balancer stanza as written.
type balancerDecl struct {
	pos    record.Pos
	names  []placed
	ttl    *uint32 // nil is the block's
	cross  bool
	zones  []record.BalancerZone
	groups []*targetGroupDecl
}

// targetGroupDecl is a target_group as written. Its targets' zones may be declared
// after it.
type targetGroupDecl struct {
	record.TargetGroup // but for Targets
	check              *checkRef
	targets            []targetDecl

	both, dns, routing *statement // the lines that set its minimums
}

// targetDecl is a line of targets.
type targetDecl struct {
	statement
	zone  string
	addrs []netip.Addr
}

// loadBalancer reads `load_balancer NAME { ... }`.
func (p *parser) loadBalancer(s statement) (err error) {
	d := &balancerDecl{pos: s.pos}
	if d.names, err = p.names(s, s.args[0]); err != nil {
		return err
	}
	err = p.block(s, []rule{
		ttlRule(&d.ttl),
		{word: "cross_zone", usage: "on|off", min: 1, max: 1, once: true, read: d.crossZone},
		{word: "zone", usage: "ZONE-ID [ADDRESS...]", min: 1, max: many, read: d.zone},
		{word: "target_group", usage: "GROUP-ID {", min: 1, max: 1, block: required, read: func(s statement) error {
			return p.targetGroup(s, d)
		}},
	})
	if err == nil {
		p.decl.balancers = append(p.decl.balancers, d)
	}
	return err
}

func (d *balancerDecl) crossZone(s statement) error {
	switch s.args[0] {
	case "on":
		d.cross = true
	case "off":
	default:
		return s.errorf("cross_zone %q is not on or off", s.args[0])
	}
	return nil
}

func (d *balancerDecl) zone(s statement) (err error) {
	z := record.BalancerZone{ID: s.args[0], Pos: s.pos}
	if _, err := netip.ParseAddr(z.ID); err == nil {
		return s.errorf("zone %q is an address; the zone's identifier comes first, such as: zone a %s", z.ID, z.ID)
	}
	if err := s.identifier("zone", z.ID); err != nil {
		return err
	}
	z.Nodes, err = s.addresses(s.args[1:])
	d.zones = append(d.zones, z)
	return err
}

// targetGroup reads `target_group GROUP-ID { ... }`.
func (p *parser) targetGroup(s statement, d *balancerDecl) error {
	g := &targetGroupDecl{TargetGroup: record.TargetGroup{
		ID: s.args[0], Pos: s.pos, DNS: record.DefaultMinimum, Routing: record.DefaultMinimum, Limits: s.pos,
	}}
	if err := s.identifier("target_group", g.ID); err != nil {
		return err
	}
	err := p.block(s, []rule{
		p.checkRule(&g.check),
		{word: "minimum_healthy", usage: minimumUsage, min: 1, max: 2, once: true, read: g.minimumHealthy},
		{word: "dns_failover", usage: dnsFailoverUsage, min: 1, max: 2, once: true, read: g.dnsFailover},
		{word: "routing_failover", usage: minimumUsage, min: 1, max: 2, once: true, read: g.routingFailover},
		{word: "target", also: []string{"backend", "endpoint", "member", "server"}, usage: "ZONE-ID ADDRESS...", min: 1, max: many, read: g.target},
	})
	if err != nil {
		return err
	}
	if g.check == nil {
		return s.errorf("target_group %q has no check; to probe each target's own address, write: check http://:8080/healthz", g.ID)
	}
	d.groups = append(d.groups, g)
	return nil
}

func (g *targetGroupDecl) target(s statement) (err error) {
	d := targetDecl{statement: s, zone: s.args[0]}
	if _, err := netip.ParseAddr(d.zone); err == nil {
		return s.errorf("target %q is an address; the zone of the target comes first: target ZONE-ID ADDRESS...", d.zone)
	}
	if len(s.args) == 1 {
		return s.errorf("%q lacks arguments; write: target ZONE-ID ADDRESS...", s.text(1))
	}
	d.addrs, err = s.addresses(s.args[1:])
	g.targets = append(g.targets, d)
	return err
}

// addresses reads IPv4 and IPv6 addresses.
func (s *statement) addresses(words []string) ([]netip.Addr, error) {
	addrs := make([]netip.Addr, 0, len(words))
	for _, word := range words {
		addr, err := netip.ParseAddr(word)
		switch {
		case err != nil && hasPort(word):
			return nil, s.errorf("%s %q has a port; an answer is an address alone, and the port to probe is in the check's URL", s.keyword, word)
		case err != nil:
			return nil, s.errorf("%q is neither an IPv4 nor an IPv6 address, which %q takes here", word, s.keyword)
		case addr.Zone() != "":
			return nil, s.errorf("%s %q has an IPv6 zone, which is valid on one machine only", s.keyword, word)
		case addr.Is4In6():
			return nil, s.errorf("%s %q is an IPv4 address in IPv6 form; write %s", s.keyword, word, addr.Unmap())
		}
		addrs = append(addrs, addr)
	}
	return addrs, nil
}

func hasPort(word string) bool {
	_, err := netip.ParseAddrPort(word)
	return err == nil
}
