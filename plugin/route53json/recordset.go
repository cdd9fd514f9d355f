package route53json

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// maxTTL is the largest TTL in seconds (RFC 2181, section 8).
const maxTTL = 1<<31 - 1

// takeRecordSet adds a record set, or does with it what a change says. It returns the
// digest of its key, 0 when it has none.
func (l *loader) takeRecordSet(it *item, do action) (key uint64) {
	c := &candidate{loader: l, it: it}
	if !c.identify() {
		return 0
	}
	d := l.draft(c.key)
	c.key = d.group.Key // whose name is kept
	m := member{new(record.RecordSet), &memberInfo{index: int32(l.index), state: leftOut}}
	*m.set = record.RecordSet{Pos: l.pos(it), SetID: l.shared(it.set.setID.text), Check: record.NoCheck, Imported: true}
	switch {
	case do == remove:
		c.delete(d, m)
		return keyDigest(c.key)
	case c.fill(m):
		m.state = served
		if id := it.set.checkID; len(id.text) > 0 {
			m.set.Check = c.checkIndex(id.text, m.set.Pos)
		}
	}
	c.place(d, m, do)
	return keyDigest(c.key)
}

// candidate is a record set on its way in.
type candidate struct {
	*loader
	it  *item
	key record.Key

	silent bool // nothing is reported: it is not to be served
}

// report adds a problem of the record set.
func (c *candidate) report(level Level, kind Kind, format string, args ...any) {
	if c.silent {
		return
	}
	set := &c.it.set
	p := Problem{
		Pos: c.pos(c.it), Index: c.index,
		Name: c.key.Name, Type: strings.ToUpper(string(set.typ.text)), SetID: string(set.setID.text),
	}
	if p.Name == "" {
		p.Name = string(set.name.text)
	}
	c.im.report(p, level, kind, format, args...)
}

// identify finds name and type, and reports whether the record set has a place in the
// zones of the block.
func (c *candidate) identify() bool {
	set := &c.it.set
	if len(bytes.TrimSpace(set.name.text)) == 0 {
		c.report(LeftOut, BadName, "Name is empty")
		return false
	}
	name, err := c.ownerName(set.name.text)
	if err != nil {
		c.report(LeftOut, BadName, "Name: %v", err)
		return false
	}
	c.key.Name = name
	zone, ok := c.zones.Zone(name)
	if !ok {
		c.report(LeftOut, OutsideZone, "name %q is outside the zones of this block (%s)%s", name, record.Enumerate(c.zones.Zones), relativeHint(name, c.zones.Zones))
		return false
	}
	if c.key.Type, err = c.recordType(set.typ); err != nil {
		c.report(LeftOut, BadType, "%v", err)
		c.im.names[name] = struct{}{}
		return false
	}
	if c.key.Type == dns.TypeSOA && name != zone {
		c.foreignZones[name] = struct{}{}
		c.report(LeftOut, Misplaced, "%s is not a zone of this block (%s); its records are served as names of %s", name, record.Enumerate(c.zones.Zones), zone)
		return false
	}
	if err := c.zones.Allows(c.key, record.Pos{}); err != nil {
		c.report(LeftOut, Misplaced, "%v", bare(err))
		c.im.names[name] = struct{}{}
		return false
	}
	return true
}

// relativeHint helps who wrote a name without its zone.
func relativeHint(name string, zones []string) string {
	if dns.CountLabel(name) != 1 || len(zones) == 0 {
		return ""
	}
	return "; names are absolute here, so write " + strconv.Quote(name+strings.TrimPrefix(zones[0], "."))
}

func (l *loader) recordType(v scalar) (uint16, error) {
	switch string(v.text) {
	case "A":
		return dns.TypeA, nil
	case "AAAA":
		return dns.TypeAAAA, nil
	}
	return record.ParseType(string(bytes.TrimSpace(v.text)))
}

// fill makes the record set, and reports whether it can be served.
func (c *candidate) fill(m member) bool {
	set := &c.it.set
	switch {
	case c.it.malformed != "":
		c.report(LeftOut, Shape, "%s is not in the form that Route 53 uses", c.it.malformed)
	case len(set.traffic.text) > 0:
		c.report(LeftOut, Unserved, "belongs to the traffic policy instance %q, and traffic policies are not imported", set.traffic.text)
	case !c.policy(m):
	case set.alias && len(set.values) > 0:
		c.report(LeftOut, BadAlias, "has both ResourceRecords and AliasTarget, and can have only one of them")
	case set.more > 0:
		c.report(LeftOut, BadValue, "has %d values; %d are the most", len(set.values)+set.more, maxValues)
	case set.alias:
		return c.target(m)
	case len(set.values) == 0:
		c.report(LeftOut, Empty, "has neither ResourceRecords nor AliasTarget")
	default:
		return c.answers(m)
	}
	return false
}

// answers makes the RRs of a record set that has values.
func (c *candidate) answers(m member) bool {
	set := &c.it.set
	switch {
	case c.key.Type == dns.TypeCNAME && len(set.values) > 1:
		c.report(LeftOut, BadValue, "has %d values; a name has one CNAME", len(set.values))
		return false
	case c.key.Type == dns.TypeSOA && len(set.values) > 1:
		c.report(LeftOut, BadValue, "has %d values; a zone has one SOA", len(set.values))
		return false
	case (c.key.Type == dns.TypeSOA || c.key.Type == dns.TypeNS) && m.policy != record.Simple:
		c.report(LeftOut, BadPolicy, "%s records cannot have a routing policy", dns.Type(c.key.Type))
		return false
	case c.key.Type == dns.TypeCNAME && m.policy == record.Multivalue:
		c.report(LeftOut, BadPolicy, "a CNAME cannot be one of a multivalue answer")
		return false
	}
	ttl, ok := c.ttl()
	return ok && c.parseValues(m, ttl)
}

// ttl returns the TTL of a record set with values.
func (c *candidate) ttl() (uint32, bool) {
	v := c.it.set.ttl
	if len(v.text) == 0 {
		c.report(Changed, BadTTL, "has no TTL; answered with %d s", c.options.DefaultTTL)
		return c.options.DefaultTTL, true
	}
	n, err := strconv.ParseUint(string(v.text), 10, 32)
	if err != nil || n > maxTTL {
		c.report(LeftOut, BadTTL, "TTL %q is not a whole number from 0 to %d", v.text, maxTTL)
		return 0, false
	}
	reportQuoted(c.report, "TTL", v)
	return uint32(n), true
}
