package record

import (
	"strings"

	"github.com/miekg/dns"
)

// Timers of a synthesised SOA, in seconds. Nobody transfers these zones, so refresh,
// retry and expire are only there for the form; the minimum is the TTL of negative
// answers (RFC 2308).
const (
	soaRefresh = 7200
	soaRetry   = 900
	soaExpire  = 1209600
	SOAMinimum = 60 // where the operator says nothing
)

// NewSOA returns a SOA for a zone that was given none. Its TTL is the minimum, too: the
// lesser of the two is the TTL of negative answers.
func NewSOA(zone, mname, rname string, serial, minimum uint32) *dns.SOA {
	return &dns.SOA{
		Hdr:     dns.RR_Header{Name: zone, Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: minimum},
		Ns:      mname,
		Mbox:    rname,
		Serial:  serial,
		Refresh: soaRefresh,
		Retry:   soaRetry,
		Expire:  soaExpire,
		Minttl:  minimum,
	}
}

// DefaultSOA returns the SOA of a zone for which the operator said nothing.
func DefaultSOA(zone string, serial uint32) *dns.SOA {
	below := "." + strings.TrimPrefix(zone, ".")
	return NewSOA(zone, "ns.dns"+below, "hostmaster"+below, serial, SOAMinimum)
}

// completeSOA gives each zone without a SOA record the one of [Catalog.SOA], so that
// SOA is a type like any other from here on.
func (c *Catalog) completeSOA() {
	for _, zone := range c.Zones {
		k := Key{zone, dns.TypeSOA}
		if soa := c.SOA[zone]; soa != nil && c.Groups[k] == nil {
			c.put(&Group{Key: k, Records: []RecordSet{{Values: []dns.RR{soa}, Check: NoCheck}}})
		}
	}
}

// Renew gives the SOAs of [Catalog.SOA] that stand for missing records another serial, in a
// validated catalog, and returns their groups, which take the places of the old ones.
func (c *Catalog) Renew(serial uint32) []*Group {
	var groups []*Group
	for _, zone := range c.Zones {
		old := c.Groups[Key{zone, dns.TypeSOA}]
		if old == nil || old.Pos != (Pos{}) { // somebody wrote it
			continue
		}
		soa, ok := dns.Copy(old.Records[0].Values[0]).(*dns.SOA)
		if !ok {
			continue
		}
		soa.Serial = serial
		g := &Group{Key: old.Key, Pos: old.Pos, Records: []RecordSet{old.Records[0]}}
		g.Records[0].Values = []dns.RR{soa}
		c.SOA[zone] = soa
		c.put(g)
		groups = append(groups, g)
	}
	return groups
}
