package record

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
)

// ResolveTarget turns the target of an alias, as written in a Corefile, into a
// canonical name. In order: a name with a final dot, or one that ends in a zone of the
// block, is absolute; a name that holds a group of the type when taken relative to the
// alias's zone is that group; any other name with a dot in it is absolute, and will be
// resolved through the server; what is left is a name of one label that nothing holds.
func (c *Catalog) ResolveTarget(zone, written string, typ uint16) (string, error) {
	if written == "@" {
		return zone, nil
	}
	name, err := Canonical(written)
	if err != nil {
		return "", err
	}
	if dns.IsFqdn(written) {
		return name, nil
	}
	if zone, ok := c.Zone(name); ok && zone != "." {
		return name, nil
	}
	relative, err := Canonical(strings.TrimSuffix(name, ".") + "." + strings.TrimPrefix(zone, "."))
	if err != nil {
		return "", err
	}
	if c.Lookup(Key{relative, typ}) != nil || c.Exists(relative) {
		return relative, nil
	}
	if dns.CountLabel(name) > 1 {
		c.passedOver = append(c.passedOver, relative)
		return name, nil
	}
	return relative, nil
}

// Lookup returns the group that answers a key: its own or, when the name does not
// exist, that of the closest encloser's wildcard (RFC 4592). It returns nil if there is
// none. The first look-up of a name that holds nothing costs a walk over all groups.
func (c *Catalog) Lookup(k Key) *Group {
	if g, ok := c.Groups[k]; ok {
		return g
	}
	return c.Groups[Key{c.source(k.Name), k.Type}]
}

// source returns the name whose groups answer for a name: itself if it exists, else
// the wildcard below its closest encloser, whether or not that holds anything.
func (c *Catalog) source(name string) string {
	encloser := name
	for !c.Exists(encloser) {
		var ok bool
		if encloser, ok = Parent(encloser); !ok {
			return name
		}
	}
	if encloser == name {
		return name
	}
	return "*." + strings.TrimPrefix(encloser, ".")
}

// Exists reports whether a name exists: it is a zone, holds a group, or stands above
// one that does (an empty non-terminal). The first call costs a walk over all groups.
func (c *Catalog) Exists(name string) bool {
	c.countNames()
	return c.exists[name] > 0
}

// countNames counts why each name exists: for a zone, each group, a name that held one,
// and each name right below it.
func (c *Catalog) countNames() {
	if c.exists != nil {
		return
	}
	c.exists = make(map[string]int32, len(c.Groups))
	for _, zone := range c.Zones {
		c.hold(zone)
	}
	for g := range c.All() {
		c.hold(g.Name)
	}
	for name := range c.Names {
		c.hold(name)
	}
}

// keepName makes a name exist whatever becomes of its groups.
func (c *Catalog) keepName(name string) {
	if _, kept := c.Names[name]; kept {
		return
	}
	c.Names[name] = struct{}{}
	if c.exists != nil {
		c.hold(name)
	}
}

// hold counts one more reason for a name to exist.
func (c *Catalog) hold(name string) {
	c.exists[name]++
	if above, ok := c.above(name); ok && c.exists[name] == 1 {
		c.hold(above)
	}
}

// release counts one reason less.
func (c *Catalog) release(name string) {
	if c.exists[name]--; c.exists[name] > 0 {
		return
	}
	delete(c.exists, name)
	if above, ok := c.above(name); ok {
		c.release(above)
	}
}

// above returns the name right above one, if that is in a zone as well.
func (c *Catalog) above(name string) (string, bool) {
	parent, ok := Parent(name)
	if _, apex := c.zones[name]; apex && ok {
		_, ok = c.Zone(parent)
	}
	return parent, ok
}

// EachName calls f with every name that exists because of what is served: zones, names that
// hold a group, and the empty non-terminals above them. Names may come more than once; f
// says whether it knew the name, in which case those above it are known as well.
func (c *Catalog) EachName(f func(name string) (known bool)) {
	for _, zone := range c.Zones {
		f(zone)
	}
	for _, zone := range c.Zones {
		// A zone inside another makes the names between them exist in the outer one.
		parent, ok := Parent(zone)
		if !ok {
			continue
		}
		if _, ok := c.Zone(parent); ok {
			eachUp(parent, f)
		}
	}
	for g := range c.All() {
		eachUp(g.Name, f)
	}
}

// EachNameLeft calls f, as [Catalog.EachName] does, with the names that exist because of
// what was left out. A wildcard among them that EachName does not call with exists itself,
// and does not answer for the names that it would match: nothing is served there.
func (c *Catalog) EachNameLeft(f func(name string) (known bool)) {
	for name := range c.Names {
		eachUp(name, f)
	}
}

// eachUp calls f with a name and those above it, up to one that f knows.
func eachUp(name string, f func(name string) (known bool)) {
	for !f(name) {
		var ok bool
		if name, ok = Parent(name); !ok {
			return
		}
	}
}

// Held says where the target of an alias is resolved.
type Held uint8

// Where a target may be held.
const (
	Here      Held = iota // a group of this catalog
	Elsewhere             // resolved through the server
	Nowhere               // by nobody: no records, and unhealthy
)

// Target says where the target of an alias of the given type is held, and its group if
// that is here.
func (c *Catalog) Target(name string, typ uint16) (*Group, Held) {
	if cut := c.Cut(name); cut != "" {
		return nil, Elsewhere
	}
	if g := c.Lookup(Key{name, typ}); g != nil {
		return g, Here
	}
	if _, ok := c.Zone(name); !ok {
		return nil, Elsewhere
	}
	below := c.Fallthrough
	if len(c.Types(c.source(name))) > 0 {
		below = c.FallthroughTypes
	}
	if below != nil && below(name) {
		return nil, Elsewhere
	}
	return nil, Nowhere
}

// enumerated is how many names a message lists: a block may have thousands of zones.
const enumerated = 8

// Enumerate lists names for a message, or the first of them and how many more there are.
func Enumerate(names []string) string {
	if len(names) <= enumerated {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:enumerated], ", "), len(names)-enumerated)
}

// typeNames lists types for a message.
func typeNames(types []uint16) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = dns.Type(t).String()
	}
	return strings.Join(names, ", ")
}

func targetError(c *Catalog, g *Group, r *RecordSet) error {
	if types := c.Types(c.source(r.Alias.Name)); len(types) > 0 {
		return fmt.Errorf("alias %s: its target %s has no %s records, only %s; an alias answers with records of its own type", g.Key, r.Alias.Name, dns.Type(g.Type), typeNames(types))
	}
	return fmt.Errorf("alias %s: its target %s has no records in this block, and without fallthrough no other plugin is asked", g.Key, r.Alias.Name)
}

// Cut returns the delegation that a name is at or below: the topmost NS set below the
// apex of its zone, or "" if there is none, as is usual. What is there is another
// server's.
func (c *Catalog) Cut(name string) (cut string) {
	if !c.cuts {
		return ""
	}
	zone, _ := c.Zone(name)
	for at := name; at != zone; {
		if _, ok := c.Groups[Key{at, dns.TypeNS}]; ok {
			cut = at
		}
		var ok bool
		if at, ok = Parent(at); !ok {
			break
		}
	}
	return cut
}

// delegates reports whether a group is a delegation.
func (c *Catalog) delegates(k Key) bool {
	zone, _ := c.Zone(k.Name)
	return k.Type == dns.TypeNS && k.Name != zone
}

// ProbedName returns the host of a check as a canonical name, and whether it is one.
func ProbedName(c *healthcheck.Check) (string, bool) {
	if _, err := netip.ParseAddr(c.Spec.Host); err == nil || c.Spec.Host == "" {
		return "", false
	}
	host, err := Canonical(c.Spec.Host)
	return host, err == nil
}
