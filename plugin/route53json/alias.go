package route53json

import (
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// target makes the alias of a record set, and reports whether it can be served.
func (c *candidate) target(m member) bool {
	set := &c.it.set
	switch {
	case len(set.dnsName.text) == 0:
		c.report(LeftOut, BadAlias, "AliasTarget has no DNSName")
		return false
	case c.key.Type == dns.TypeSOA || c.key.Type == dns.TypeNS:
		c.report(LeftOut, BadAlias, "%s records cannot be an alias", dns.Type(c.key.Type))
		return false
	case m.policy == record.Multivalue:
		c.report(LeftOut, BadAlias, "an alias cannot be one of a multivalue answer")
		return false
	}
	name, err := c.targetName(set.dnsName.text)
	if err != nil {
		c.report(LeftOut, BadAlias, "DNSName: %v", err)
		return false
	}
	if addr, err := netip.ParseAddr(strings.TrimSuffix(name, ".")); err == nil {
		c.report(LeftOut, BadAlias, "DNSName %q is an address, and an alias leads to a name; give it as the Value of a ResourceRecord", addr)
		return false
	}
	evaluate := boolean(c.report, "EvaluateTargetHealth", set.evaluate)
	if len(set.evaluate.text) == 0 {
		c.report(Changed, BadAlias, "EvaluateTargetHealth is missing; taken for false")
	}
	if _, inside := c.zones.Zone(name); !inside && c.key.Type == dns.TypeCNAME {
		return c.plainCNAME(m, name)
	}
	if len(set.ttl.text) > 0 {
		c.report(Changed, BadTTL, "TTL %s stands beside AliasTarget and is ignored: an alias is answered with the TTL of its target", set.ttl.text)
	}
	m.set.Alias = c.alloc.aliases.New()
	*m.set.Alias = record.AliasTarget{Name: name, EvaluateTargetHealth: evaluate}
	return true
}

// plainCNAME makes a CNAME record of an alias of that type whose target is outside the
// zones. Route 53 refuses it: what is there to be answered under the alias's own name is
// a CNAME that the target itself seldom has. Who wrote it meant the target.
func (c *candidate) plainCNAME(m member, target string) bool {
	ttl := c.options.DefaultTTL
	if len(c.it.set.ttl.text) > 0 {
		var ok bool
		if ttl, ok = c.ttl(); !ok {
			return false
		}
	}
	c.report(Changed, BadAlias, "a CNAME alias has to lead to a CNAME of its own zone, and %s is outside; answered as a CNAME of that name with a TTL of %d s", target, ttl)
	m.set.Values = []dns.RR{&dns.CNAME{
		Hdr:    dns.RR_Header{Name: c.key.Name, Rrtype: dns.TypeCNAME, Class: dns.ClassINET, Ttl: ttl},
		Target: target,
	}}
	return true
}
