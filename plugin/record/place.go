package record

import (
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// Place is how a name lies in a catalog: it decides what a question for the name is
// answered from.
//
// Source: RFC 1034, section 4.3.2; RFC 4592, section 3.3, for wildcards; RFC 6672,
// section 3.2, for DNAMEs.
type Place struct {
	Zone     string // the closest enclosing zone; "" outside of the zones, where the rest is empty too
	Encloser string // the closest name that exists: the name itself, or the closest above it
	Cut      string // the delegation that the encloser is at or below, or ""
	DNAME    string // the encloser of a name that does not exist, if it has a DNAME; else ""

	// Holder is the name whose groups answer: the name itself if it exists, or the wildcard
	// below the encloser if anything is served there. It is "" if there is neither.
	Holder string
}

// Place returns how a canonical name lies in the catalog. The first look-up costs a walk
// over all groups.
func (c *Catalog) Place(name string) Place {
	zone, ok := c.Zone(name)
	if !ok {
		return Place{}
	}
	p := Place{Zone: zone, Encloser: name}
	for !c.Exists(p.Encloser) {
		p.Encloser, _ = Parent(p.Encloser) // ends at the zone, which exists
	}
	p.Cut = c.Cut(p.Encloser)
	if p.Encloser == name {
		p.Holder = name
		return p
	}
	if _, ok := c.Groups[Key{p.Encloser, dns.TypeDNAME}]; ok {
		p.DNAME = p.Encloser
	}
	if wildcard := "*." + strings.TrimPrefix(p.Encloser, "."); c.serves(wildcard) {
		p.Holder = wildcard
	}
	return p
}

// serves reports whether a wildcard exists because of what is served: then it answers for
// other names. An edit changes nothing about that.
func (c *Catalog) serves(wildcard string) bool {
	if len(c.Names) == 0 || !c.Exists(wildcard) {
		return c.Exists(wildcard)
	}
	if c.served == nil {
		c.served = make(map[string]struct{})
		c.EachName(func(name string) bool {
			if Wildcard(name) {
				c.served[name] = struct{}{}
			}
			return false
		})
	}
	_, ok := c.served[wildcard]
	return ok
}

// Types returns the types held at a name itself, sorted by number. It asks for every type
// there is, so it is for the rare case and for messages.
func (c *Catalog) Types(name string) []uint16 {
	var types []uint16
	for t := range dns.TypeToString {
		if _, ok := c.Groups[Key{name, t}]; ok {
			types = append(types, t)
		}
	}
	for t := range c.unnamed {
		if _, ok := c.Groups[Key{name, t}]; ok {
			types = append(types, t)
		}
	}
	slices.Sort(types)
	return types
}

// noteType notes a type that is in use but has no name.
func (c *Catalog) noteType(t uint16) {
	if _, named := dns.TypeToString[t]; named {
		return
	}
	if c.unnamed == nil {
		c.unnamed = make(map[uint16]struct{})
	}
	c.unnamed[t] = struct{}{}
}

// MaxFollow is how many CNAMEs an answer follows among the names held here, those that
// DNAMEs make included. A longer chain is answered as far as that, and resolvers go on from
// there.
const MaxFollow = 16
