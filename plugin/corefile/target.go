package corefile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// addBalancers adds the load balancer of each stanza under each of its names.
func (b *builder) addBalancers() {
	for _, d := range b.decl.balancers {
		ttl := b.decl.ttl
		if d.ttl != nil {
			ttl = *d.ttl
		}
		groups, err := b.targetGroups(d)
		if err != nil {
			b.failures.add(err)
			for _, at := range d.names {
				b.failures.name(at.name)
			}
			continue
		}
		for _, at := range d.names {
			lb := &record.LoadBalancer{Name: at.name, Pos: d.pos, TTL: ttl, CrossZone: d.cross, Zones: d.zones, Groups: groups}
			for _, g := range lb.RRGroups() {
				if err := b.catalog.Add(g); err != nil {
					b.failures.add(err)
					break
				}
			}
		}
	}
}

// targetGroups finds the zones and the checks of a load balancer's targets.
func (b *builder) targetGroups(d *balancerDecl) ([]record.TargetGroup, error) {
	groups := make([]record.TargetGroup, 0, len(d.groups))
	for _, g := range d.groups {
		group := g.TargetGroup
		check, err := b.targetCheck(g)
		if err != nil {
			return nil, err
		}
		total := 0
		for _, line := range g.targets {
			total += len(line.addrs)
		}
		group.Targets = make([]record.Target, 0, total)
		for i := range g.targets {
			line := &g.targets[i]
			zone, err := d.zoneOf(line)
			if err != nil {
				return nil, err
			}
			for _, addr := range line.addrs {
				group.Targets = append(group.Targets, record.Target{Zone: zone, Pos: line.pos, Addr: addr, Check: check(addr.String())})
			}
		}
		b.warnShared(g, total)
		b.warnPercentages(g, total)
		groups = append(groups, group)
	}
	return groups, nil
}

// targetCheck returns what numbers the check of a target: a check without a host probes
// the target's own address, any other is one for the whole group.
func (b *builder) targetCheck(g *targetGroupDecl) (func(addr string) int32, error) {
	if own := g.check.own; own != nil && own.hostless() {
		return func(addr string) int32 {
			check := own.check
			check.Spec.Host = addr
			return b.checks.add(check, g.check.pos)
		}, nil
	}
	shared, err := b.checks.index(g.check, nil)
	if err == nil && shared == record.NoCheck { // it could not be read
		err = errRecorded
	}
	return func(string) int32 { return shared }, err
}

// zoneOf returns the index of the zone that a line of targets is in. A load balancer
// without any is refused later, for that reason.
func (d *balancerDecl) zoneOf(line *targetDecl) (int, error) {
	i := slices.IndexFunc(d.zones, func(z record.BalancerZone) bool { return z.ID == line.zone })
	if i < 0 && len(d.zones) > 0 {
		ids := make([]string, len(d.zones))
		for i, z := range d.zones {
			ids[i] = strconv.Quote(z.ID)
		}
		return 0, line.errorf("target is in zone %q, which the load_balancer at %s does not declare; its zones are %s", line.zone, d.pos, strings.Join(ids, ", "))
	}
	return max(i, 0), nil
}

// warnShared warns of a URL with a host in a target group, which is most likely meant
// for each target. To share a check on purpose, define it with a name.
func (b *builder) warnShared(g *targetGroupDecl, targets int) {
	if own := g.check.own; own != nil && !own.hostless() && targets > 1 {
		b.warn(lint.SharedCheck, g.check.pos, record.Key{}, "", "target_group %q: the check's URL has a host, %q, so one probe decides on all %d targets", g.ID, own.check.Spec.Host, targets)
	}
}

// leastPercentage is the least count that may have been meant as a percentage.
const leastPercentage = 10

// warnPercentages warns of counts above the number of targets that make sense as
// percentages.
func (b *builder) warnPercentages(g *targetGroupDecl, targets int) {
	for _, line := range []*statement{g.both, g.dns, g.routing} {
		if line == nil || targets == 0 || len(line.args) > 1 {
			continue
		}
		if n, err := strconv.Atoi(line.args[0]); err == nil && n > targets && leastPercentage <= n && n <= 100 {
			b.warn(lint.CountForPercentage, line.pos, record.Key{}, "", "target_group %q: %s %d is a count, and the group has %d targets", g.ID, line.keyword, n, targets)
		}
	}
}
