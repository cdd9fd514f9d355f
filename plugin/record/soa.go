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

// Renew returns the changes that give the zones of changes another serial, where nobody
// wrote their SOA.
func (c *Catalog) Renew(changes []Change, serial uint32) []Change {
	var renewals []Change
	done := make(map[string]bool)
	for _, ch := range changes {
		zone, _ := c.Zone(ch.Key().Name)
		old := c.Groups[Key{zone, dns.TypeSOA}]
		if done[zone] || old == nil || old.Pos != (Pos{}) {
			continue
		}
		done[zone] = true
		if soa, ok := dns.Copy(old.Records[0].Values[0]).(*dns.SOA); ok {
			soa.Serial = serial
			renewals = append(renewals, Change{old, &Group{Key: old.Key, Records: []RecordSet{{Values: []dns.RR{soa}, Check: NoCheck}}}})
		}
	}
	return renewals
}
