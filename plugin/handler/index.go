package handler

import (
	"sync/atomic"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// slot holds what a group answers at the moment. Queries load it, a change of health
// stores it.
type slot = atomic.Pointer[routing.Selection]

// zone is a zone of the block.
type zone struct {
	name     string
	number   int     // in the order of the block, for counters
	soa      *slot   // nil when the zone has none
	negative dns.RR  // its SOA as negative answers carry it; nil likewise
	apex     *holder // the zone's own name
}

// holder is a name that exists in a zone, and what it holds: nothing, if it is an empty
// non-terminal.
type holder struct {
	zone     *zone
	sets     []set
	wildcard *holder // the name "*" below this one
	cut      *holder // the delegation at or above this name, inside its zone
	cname    bool    // the only set is a CNAME
	dname    bool    // one of the sets is a DNAME
}

// set is one type of a holder.
type set struct {
	typ  uint16
	slot *slot
}

// find returns what a name holds of a type, or nil.
func (h *holder) find(typ uint16) *slot {
	for i := range h.sets {
		if h.sets[i].typ == typ {
			return h.sets[i].slot
		}
	}
	return nil
}

// buildIndex makes the map from names to holders that queries look into. It never
// changes after that.
func buildIndex(c *record.Catalog, table *routing.Table, slots []slot) (map[string]*holder, []*zone) {
	x := &indexer{catalog: c, names: make(map[string]*holder, len(c.Groups)+len(c.Zones)), zones: make(map[string]*zone, len(c.Zones))}
	zones := make([]*zone, len(c.Zones))
	for i, name := range c.Zones {
		zones[i] = &zone{name: name, number: i}
		x.zones[name] = zones[i]
	}
	c.EachName(x.exists)
	for i := range table.Len() {
		g, _, _ := table.Group(i)
		x.holds(g.Key, &slots[i])
	}
	for name, h := range x.names {
		x.connect(name, h)
	}
	for _, z := range zones {
		z.apex = x.names[z.name]
		z.soa = z.apex.find(dns.TypeSOA)
		if z.soa != nil {
			z.negative = negativeSOA(z.soa)
		}
	}
	return x.names, zones
}

type indexer struct {
	catalog *record.Catalog
	names   map[string]*holder
	zones   map[string]*zone
	chunk   []holder // holders are allocated many at a time
}

func (x *indexer) exists(name string) (known bool) {
	if _, ok := x.names[name]; ok {
		return true
	}
	if len(x.chunk) == 0 {
		x.chunk = make([]holder, 64)
	}
	h := &x.chunk[0]
	x.chunk = x.chunk[1:]
	zone, _ := x.catalog.Zone(name)
	h.zone = x.zones[zone]
	x.names[name] = h
	return false
}

func (x *indexer) holds(k record.Key, s *slot) {
	h := x.names[k.Name]
	h.sets = append(h.sets, set{k.Type, s})
	h.cname = h.cname || k.Type == dns.TypeCNAME
	h.dname = h.dname || k.Type == dns.TypeDNAME
}

// connect finds the holder's delegation, and makes it known to the name above if it is
// a wildcard.
func (x *indexer) connect(name string, h *holder) {
	if record.Wildcard(name) {
		parent, _ := record.Parent(name)
		if p := x.names[parent]; p != nil {
			p.wildcard = h
		}
	}
	// The topmost NS set below the apex is the cut: what lies beneath is another
	// server's, further cuts included.
	for name != h.zone.name {
		if p := x.names[name]; p != nil && p.find(dns.TypeNS) != nil {
			h.cut = p
		}
		var ok bool
		if name, ok = record.Parent(name); !ok {
			return
		}
	}
}

// negativeSOA returns the SOA as it stands in negative answers: with the lesser of its
// TTL and its minimum (RFC 2308, section 5).
func negativeSOA(s *slot) dns.RR {
	a := s.Load().Choose("", first)
	if len(a.RRs) == 0 {
		return nil
	}
	soa, ok := dns.Copy(a.RRs[0]).(*dns.SOA)
	if !ok {
		return nil
	}
	soa.Hdr.Ttl = min(soa.Hdr.Ttl, soa.Minttl)
	return soa
}

// first is the random number that always is 0.
func first(uint64) uint64 { return 0 }
