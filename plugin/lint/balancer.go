package lint

import (
	"fmt"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// balancer finds the traps of a load balancer. Its group of IPv4 addresses stands for both.
//
// Source: Elastic Load Balancing guide, "Target group health".
func (l *linter) balancer(g *record.Group) {
	b := g.Balancer
	own := make([]int, len(b.Zones)) // targets by zone, of all target groups
	total := 0
	for i := range b.Groups {
		for _, target := range b.Groups[i].Targets {
			l.use(target.Check)
			own[target.Zone]++
			total++
		}
	}
	if g.Type != dns.TypeA {
		return
	}
	s := balancerLinter{l, g, b}
	for z, n := range own {
		if n == 0 && len(b.Zones[z].Nodes) == 0 {
			s.find(EmptyZone, b.Zones[z].Pos, "zone %q of load_balancer %s has neither node addresses nor targets, so it is never answered", b.Zones[z].ID, b.Name)
		}
	}
	if total == 0 {
		s.find(EmptyTargetGroup, b.Pos, "load_balancer %s has no targets: its zones are always answered, and an alias that evaluates its health never is healthy", b.Name)
		return
	}
	found := time.Duration(0)
	for i := range b.Groups {
		s.targetGroup(&b.Groups[i])
		for _, target := range b.Groups[i].Targets {
			found = max(found, l.slowest(target.Check))
		}
	}
	l.findLongTTL(LongTTL, g, "load_balancer "+b.Name, b.TTL, found)
}

// balancerLinter looks at one load balancer.
type balancerLinter struct {
	*linter
	group *record.Group
	b     *record.LoadBalancer
}

func (l *balancerLinter) find(t *Trap, pos record.Pos, format string, args ...any) {
	l.add(t.At(pos, format, args...).About(l.group.Key, ""))
}

func (l *balancerLinter) targetGroup(g *record.TargetGroup) {
	if len(g.Targets) == 0 {
		l.find(EmptyTargetGroup, g.Pos, "target_group %q of load_balancer %s has no targets, so it is ignored", g.ID, l.b.Name)
		return
	}
	// Either all targets have the same check or each has one of its own address.
	for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
		if check, ok := l.probes(g.Targets[0].Check, l.catalog.Groups[record.Key{Name: l.b.Name, Type: typ}]); ok {
			l.find(CircularCheck, g.Pos, "target_group %q: check %q probes the name that load_balancer %s itself answers, so it depends on its own answer", g.ID, check, l.b.Name)
			break
		}
	}
	s := scopes{l: l, g: g}
	if l.b.CrossZone {
		s.look(len(g.Targets), "", "no zone is ever healthy")
		s.report()
		return
	}
	own := make([]int, len(l.b.Zones))
	for _, target := range g.Targets {
		own[target.Zone]++
	}
	for z, n := range own {
		id := l.b.Zones[z].ID
		switch {
		case n > 0:
			s.look(n, fmt.Sprintf("zone %q", id), fmt.Sprintf("zone %q is never healthy", id))
		case !g.DNS.Off():
			l.find(ZoneWithoutTargets, l.b.Zones[z].Pos, "zone %q of load_balancer %s has no target of target_group %q, so without cross_zone it is never healthy", id, l.b.Name, g.ID)
		}
	}
	s.report()
}

// scopes looks at what the thresholds of a target group are taken of: the targets of each
// zone or, across zones, all.
type scopes struct {
	l       *balancerLinter
	g       *record.TargetGroup
	brittle [2][]string // zones where one failure breaches dns_failover, and routing_failover
	targets [2]int      // in the first of those
}

// look looks at the targets of one zone, or of all of them if the zone is "".
func (s *scopes) look(registered int, zone, outcome string) {
	g, b := s.g, s.l.b
	of := "load_balancer " + b.Name
	if zone != "" {
		of = zone + " of " + of
	}
	switch {
	case g.DNS.Count > registered:
		s.l.find(ThresholdNeverMet, g.Limits, "target_group %q: dns_failover wants %d healthy targets, and %s has %d, so %s", g.ID, g.DNS.Count, of, registered, outcome)
	case g.Routing.Count > registered:
		s.l.find(ThresholdNeverMet, g.Limits, "target_group %q: routing_failover wants %d healthy targets, and %s has %d, so unhealthy ones are always used as well", g.ID, g.Routing.Count, of, registered)
	case registered < 2:
	default:
		for i, m := range []record.Minimum{g.DNS, g.Routing} {
			if m.Breached(registered-1, registered) {
				if s.brittle[i] == nil {
					s.targets[i] = registered
				}
				s.brittle[i] = append(s.brittle[i], zone)
				return
			}
		}
	}
}

// report tells of thresholds that one failure breaches, in one finding for all zones.
func (s *scopes) report() {
	for i, what := range []string{"dns_failover", "routing_failover"} {
		zones := s.brittle[i]
		if zones == nil {
			continue
		}
		minimum, effect := s.g.DNS, "takes the zone out of DNS"
		if i == 1 {
			minimum, effect = s.g.Routing, "has unhealthy targets used as well"
		}
		where := "load_balancer " + s.l.b.Name
		switch {
		case s.l.b.CrossZone && i == 0:
			effect = "makes every zone unhealthy"
		case len(zones) == 1 && zones[0] != "":
			where = zones[0] + " of " + where
		case len(zones) > 1:
			where = strings.Join(zones[:min(len(zones), maxNames)], ", ") + more(len(zones)) + " of " + where
		}
		s.l.find(ThresholdOfOneFailure, s.g.Limits, "target_group %q: %s wants %s of %d targets healthy, so one failure in %s %s", s.g.ID, what, minimum, s.targets[i], where, effect)
	}
}

// maxNames is how many names a message lists.
const maxNames = 3

// more says how many of n are not listed.
func more(n int) string {
	if n <= maxNames {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-maxNames)
}

// balancerOutlook returns whether a load balancer has targets that can make it unhealthy,
// and whether it has targets none of which can.
func balancerOutlook(b *record.LoadBalancer) (checked, always bool) {
	populated := false
	for i := range b.Groups {
		if len(b.Groups[i].Targets) == 0 {
			continue
		}
		populated = true
		checked = checked || !b.Groups[i].DNS.Off()
	}
	return checked, populated && !checked
}
