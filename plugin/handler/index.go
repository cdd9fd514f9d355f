package handler

import (
	"strings"
	"sync/atomic"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/internal/arena"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// slot holds what a group answers at the moment. Queries load it, a change of health
// stores it.
type slot = atomic.Pointer[routing.Selection]

// zone is a zone of the block.
type zone struct {
	name     string
	number   int                     // in the order of the block, for counters
	soa      *slot                   // nil when the zone has none
	negative atomic.Pointer[dns.SOA] // as negative answers carry it; nil likewise
	apex     *nameNode               // the zone's own name
	parent   *zone                   // the zone of the block that this one is in, if there is one
}

// nameNode is a name that exists in a zone, and what it holds: nothing, if it is an empty
// non-terminal.
//
// Its first set is a part of it, and beside what else a query looks at: with a million
// names each pointer on its way, and each line of the cache, is a wait for memory.
type nameNode struct {
	first    set
	cut      *nameNode // the delegation at or above this name, inside its zone
	zone     *zone
	wildcard *nameNode // the name "*" below this one
	cname    bool      // the only set is a CNAME
	dname    bool      // one of the sets is a DNAME
}

// set is one type of a name node.
type set struct {
	typ  uint16 // 0 if there is none
	slot slot
	next *set
}

// find returns what a name holds of a type, or nil.
func (h *nameNode) find(typ uint16) *slot {
	if typ == 0 {
		return nil
	}
	for s := &h.first; s != nil; s = s.next {
		if s.typ == typ {
			return &s.slot
		}
	}
	return nil
}

// empty reports whether the name holds nothing.
func (h *nameNode) empty() bool { return h.first.typ == 0 }

// index leads from a name to what it holds. Most names are in a map that never changes;
// those that came, went or got another type since it was made are in a small one that is
// copied for each change.
type index struct {
	base    map[string]*nameNode
	overlay atomic.Pointer[map[string]*nameNode] // nil: none; a nil node: the name is gone
}

// find returns what a canonical name holds, or nil when it does not exist.
func (x *index) find(name string) *nameNode { return x.now().find(name) }

// lower returns what the lower-case form of a name holds.
//
//go:noinline
func (x *index) lower(name string) *nameNode { return x.find(strings.ToLower(name)) }

// names is an index as it is at one moment: who looks up more than one name and draws a
// conclusion has to do so in one.
type names struct{ base, overlay map[string]*nameNode }

// now returns the index as it is.
func (x *index) now() names {
	n := names{base: x.base}
	if overlay := x.overlay.Load(); overlay != nil {
		n.overlay = *overlay
	}
	return n
}

// find returns what a canonical name holds, or nil when it does not exist.
func (n names) find(name string) *nameNode {
	if h, ok := n.overlay[name]; ok {
		return h
	}
	return n.base[name]
}

// encloser returns the closest name above a lower-case name that exists, and nil when
// the name is outside the zones.
func (n names) encloser(name string) (*nameNode, string) {
	for {
		parent, ok := record.Parent(name)
		if !ok {
			return nil, ""
		}
		if h := n.find(parent); h != nil {
			return h, parent
		}
		name = parent
	}
}

// edited returns what a name holds since the last edit, if h was it before all of them.
//
//go:noinline
func (x *index) edited(h *nameNode, name string) *nameNode {
	if now, ok := (*x.overlay.Load())[name]; ok {
		return now
	}
	return h
}

// buildIndex makes the map from names to nodes that queries look into. It never
// changes after that, but for the slots, which it returns by the groups' Ordinals.
func buildIndex(c *record.Catalog, table *routing.Table) (map[string]*nameNode, []*zone, []*slot) {
	x := &indexer{catalog: c, names: make(map[string]*nameNode, len(c.Order)+len(c.Zones)), zones: make(map[string]*zone, len(c.Zones))}
	zones := make([]*zone, len(c.Zones))
	for i, name := range c.Zones {
		zones[i] = &zone{name: name, number: i}
		x.zones[name] = zones[i]
	}
	c.EachName(x.exists)
	x.linkWildcards()
	c.EachNameLeft(x.exists)
	slots := make([]*slot, len(c.Order))
	for g := range c.All() {
		_, s, _ := table.Group(int(g.Ordinal))
		slots[g.Ordinal] = x.holds(g.Key, s)
	}
	if x.delegates {
		for name, h := range x.names {
			x.findCut(name, h)
		}
	}
	for _, z := range zones {
		z.apex = x.names[z.name]
		if above, ok := record.Parent(z.name); ok {
			outer, _ := c.Zone(above)
			z.parent = x.zones[outer]
		}
		z.soa = z.apex.find(dns.TypeSOA)
		z.negate()
	}
	return x.names, zones, slots
}

type indexer struct {
	catalog   *record.Catalog
	names     map[string]*nameNode
	zones     map[string]*zone
	nodes     arena.Of[nameNode]
	sets      arena.Of[set]
	wildcards []string
	delegates bool // there is an NS set below an apex
}

func (x *indexer) exists(name string) (known bool) {
	if _, known = x.names[name]; known {
		return true
	}
	x.names[name] = x.node(name)
	if record.Wildcard(name) {
		x.wildcards = append(x.wildcards, name)
	}
	return false
}

// linkWildcards makes wildcards known to the names that they stand below.
func (x *indexer) linkWildcards() {
	for _, name := range x.wildcards {
		parent, _ := record.Parent(name)
		if above := x.names[parent]; above != nil { // nil if the wildcard is a zone itself
			above.wildcard = x.names[name]
		}
	}
}

func (x *indexer) node(name string) *nameNode {
	h := x.nodes.New()
	zone, _ := x.catalog.Zone(name)
	h.zone = x.zones[zone]
	return h
}

// holds enters what a group answers, and returns where that stands.
func (x *indexer) holds(k record.Key, s *routing.Selection) *slot {
	h := x.names[k.Name]
	h.cname = h.cname || k.Type == dns.TypeCNAME
	h.dname = h.dname || k.Type == dns.TypeDNAME
	x.delegates = x.delegates || k.Type == dns.TypeNS && k.Name != h.zone.name
	return h.enter(k.Type, s, &x.sets)
}

// enter adds a type to what a name holds, and returns where its answer stands.
func (h *nameNode) enter(typ uint16, s *routing.Selection, room *arena.Of[set]) *slot {
	at := &h.first
	if !h.empty() {
		at = room.New()
		at.next, h.first.next = h.first.next, at
	}
	at.typ = typ
	at.slot.Store(s)
	return &at.slot
}

// findCut finds the delegation that a name is at or below: the topmost NS set below the
// apex. What lies beneath is another server's, further cuts included.
func (x *indexer) findCut(name string, h *nameNode) {
	for at := name; at != h.zone.name; {
		if p := x.names[at]; p != nil && p.find(dns.TypeNS) != nil {
			h.cut = p
		}
		var ok bool
		if at, ok = record.Parent(at); !ok {
			return
		}
	}
}

// negate makes the SOA that negative answers carry of the zone's: with the lesser of its
// TTL and its minimum (RFC 2308, section 5).
func (z *zone) negate() {
	if z.soa == nil {
		return
	}
	one, _, _, _, _ := z.soa.Load().Choose(first)
	if len(one) != 1 {
		return
	}
	if soa, ok := dns.Copy(one[0]).(*dns.SOA); ok {
		soa.Hdr.Ttl = min(soa.Hdr.Ttl, soa.Minttl)
		z.negative.Store(soa)
	}
}

// first is the random number that always is 0.
func first(uint64) uint64 { return 0 }
