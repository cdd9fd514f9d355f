package corefile

import (
	"strconv"
	"strings"

	"github.com/steerdns/steer/plugin/record"
)

const (
	minimumUsage     = "[COUNT] [PERCENT%]"
	dnsFailoverUsage = "[off|COUNT] [PERCENT%]"

	// noMinimum is the count that takes no target to be healthy.
	noMinimum = "off"
)

// maxCount is the greatest count of a minimum; Elastic Load Balancing allows as many as
// there can be targets.
const maxCount = 65535

// minimumHealthy reads the minimum for both actions.
func (g *targetGroupDecl) minimumHealthy(s statement) error {
	for _, other := range []*statement{g.dns, g.routing} {
		if other != nil {
			return s.errorf("%q sets both dns_failover and routing_failover, and %q is given at %s", s.keyword, other.keyword, other.pos)
		}
	}
	m, err := s.minimum(minimumUsage)
	g.DNS, g.Routing, g.both, g.Limits = m, m, &s, s.pos
	return err
}

// dnsFailover reads the minimum below which a zone leaves DNS.
func (g *targetGroupDecl) dnsFailover(s statement) (err error) {
	if g.both != nil {
		return s.besideBoth(g.both)
	}
	g.dns, g.Limits = &s, s.pos
	g.DNS, err = s.minimum(dnsFailoverUsage)
	return err
}

// routingFailover reads the minimum below which unhealthy targets are used too.
func (g *targetGroupDecl) routingFailover(s statement) (err error) {
	if g.both != nil {
		return s.besideBoth(g.both)
	}
	g.routing, g.Limits = &s, s.pos
	g.Routing, err = s.minimum(minimumUsage)
	return err
}

func (s *statement) besideBoth(both *statement) error {
	return s.errorf("%q cannot be used with %q at %s, which sets it; write either dns_failover and routing_failover, or %q alone",
		s.keyword, both.keyword, both.pos, both.keyword)
}

// minimum reads a count, a percentage, or both. A count that is not given is 1.
//
// Source: Elastic Load Balancing guide, "Target group attributes": counts from 1,
// percentages from 1 to 100.
func (s *statement) minimum(usage string) (m record.Minimum, err error) {
	count, percent := "", ""
	for _, word := range s.args {
		to := &count
		if strings.HasSuffix(word, "%") {
			to = &percent
		}
		if *to != "" {
			return m, s.errorf("unexpected %q after %q; write: %s %s", word, *to, s.keyword, usage)
		}
		*to = word
	}
	m = record.DefaultMinimum
	switch {
	case count == "":
	case count == noMinimum && usage == dnsFailoverUsage:
		m.Count = 0
	case count == noMinimum:
		return m, s.errorf("%s cannot be off, only dns_failover can; without the line the count is 1", s.keyword)
	default:
		if m.Count, err = s.count(count, usage); err != nil {
			return m, err
		}
	}
	if percent != "" {
		m.Percent, err = s.percentage(percent)
	}
	return m, err
}

func (s *statement) count(word, usage string) (int, error) {
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil || n < 1 || n > maxCount {
		is := "not"
		if usage == dnsFailoverUsage {
			is = "neither \"off\" nor"
		}
		return 0, s.errorf("%s %q is %s a count from 1 to %d; a percentage ends in %%", s.keyword, word, is, maxCount)
	}
	return int(n), nil
}

func (s *statement) percentage(word string) (int, error) {
	n, err := strconv.ParseUint(strings.TrimSuffix(word, "%"), 10, 64)
	if err != nil || n < 1 || n > 100 {
		return 0, s.errorf("%s %q is not a percentage from 1%% to 100%%", s.keyword, word)
	}
	return int(n), nil
}
