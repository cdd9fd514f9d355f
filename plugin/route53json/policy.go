package route53json

import (
	"strconv"
	"strings"

	"github.com/steerdns/steer/plugin/record"
)

// policy finds the routing policy of a record set, for which Route 53 has a member
// each, and reports whether it is served.
func (c *candidate) policy(m member) bool {
	set := &c.it.set
	var room [3 + len(unservedPolicies)]string
	members := room[:0]
	if len(set.weight.text) > 0 {
		members = append(members, "Weight")
	}
	if len(set.failover.text) > 0 {
		members = append(members, "Failover")
	}
	if boolean(c.report, "MultiValueAnswer", set.multivalue) {
		members = append(members, "MultiValueAnswer")
	}
	unserved := false
	for i, present := range set.unserved {
		if present {
			unserved = true
			members = append(members, unservedPolicies[i])
		}
	}
	switch {
	case len(members) > 1:
		c.report(LeftOut, Conflict, "has several routing policies, %s; a record set has one", strings.Join(members, " and "))
		return false
	case unserved:
		c.report(LeftOut, Unserved, "routing by %s is not served yet", members[0])
		return false
	case len(members) == 0:
		m.policy = record.Simple
		if m.set.SetID != "" {
			c.report(Warning, BadPolicy, "has a SetIdentifier but no routing policy; taken for a simple record set")
		}
		return true
	}
	if m.set.SetID == "" {
		c.report(Warning, BadPolicy, "has a routing policy but no SetIdentifier")
	}
	switch members[0] {
	case "Weight":
		m.policy = record.Weighted
		return c.weight(m)
	case "Failover":
		m.policy = record.Failover
		return c.tier(m)
	}
	m.policy = record.Multivalue
	return true
}

func (c *candidate) weight(m member) bool {
	v := c.it.set.weight
	n, err := strconv.ParseUint(string(v.text), 10, 16)
	if err != nil {
		c.report(LeftOut, BadPolicy, "Weight %q is not a whole number from 0 to %d", v.text, record.MaxWeight)
		return false
	}
	reportQuoted(c.report, "Weight", v)
	m.set.Weight = uint16(n)
	return true
}

func (c *candidate) tier(m member) bool {
	switch v := c.it.set.failover; {
	case v.is("primary"):
		m.set.Tier = 1
	case v.is("secondary"):
		m.set.Tier = 2
	default:
		c.report(LeftOut, BadPolicy, "Failover %q is neither PRIMARY nor SECONDARY", v.text)
		return false
	}
	return true
}
