package record

import (
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// Edit is a change of a validated catalog by whole groups.
type Edit struct {
	Put  []*Group // take the place of those of their keys, or are new
	Drop []Key    // go

	// Near are the keys of groups that have aliases to those of Put, as they were.
	Near []Key
}

// Edit changes a validated catalog. It refuses, and changes nothing, what could matter to
// groups that the edit does not name: NS, SOA, CNAME, DNAME and DS that are new or go,
// wildcards that do, names at or below a delegation or below a DNAME, names that change
// where an alias leads, alias cycles, CNAME loops, and groups that stanzas of a Corefile
// define. Otherwise it calls commit, with the catalog changed already, and with what
// [Catalog.Validate] says of Put and Near before and after; if commit returns false, the
// catalog is as it was. It reports whether the catalog was changed.
//
// Nobody may use the catalog meanwhile. The cost is that of what the edit names, but for
// the first edit with groups that are new or go, which looks at all of them once.
func (c *Catalog) Edit(e Edit, commit func(before, after []Problem) bool) bool {
	touched := make(map[Key]struct{}, len(e.Put)+len(e.Near))
	for _, k := range e.Near {
		touched[k] = struct{}{}
	}
	for _, k := range e.Drop {
		delete(touched, k)
		if g := c.Groups[k]; g == nil || !g.imported() || !c.mayChange(k) {
			return false
		}
	}
	for _, g := range e.Put {
		if !c.mayPut(g) {
			return false
		}
		if g.Policy == Multivalue {
			g.levelTTL()
		}
		touched[g.Key] = struct{}{}
	}
	before, around := c.review(touched), c.surroundings(e)
	undo := c.change(e)
	if c.disturbs(around) || slices.ContainsFunc(e.Put, c.onCycle) || slices.ContainsFunc(e.Put, c.onLoop) || !commit(before, c.review(touched)) {
		undo()
		return false
	}
	for _, g := range e.Put {
		c.noteLoose(g)
	}
	return true
}

// imported reports whether a group comes from Route 53's JSON.
func (g *Group) imported() bool { return g.Balancer == nil && g.Records[0].Imported }

// mayPut reports whether a group may take the place of the one of its key or be new.
func (c *Catalog) mayPut(g *Group) bool {
	if g.check() != nil {
		return false
	}
	if old := c.Groups[g.Key]; old != nil {
		return old.imported() && g.imported() && g.Type != dns.TypeSOA && g.Type != dns.TypeNS && !c.onLoop(old)
	}
	if c.Allows(g.Key, g.Pos) != nil || !c.mayChange(g.Key) {
		return false
	}
	_, beside := c.Groups[Key{g.Name, dns.TypeCNAME}]
	return !beside
}

// mayChange reports whether a group may appear or go without a change of what others
// mean.
func (c *Catalog) mayChange(k Key) bool {
	switch k.Type {
	case dns.TypeNS, dns.TypeSOA, dns.TypeCNAME, dns.TypeDNAME, dns.TypeDS:
		return false
	}
	_, apex := c.zones[k.Name]
	wildcard := strings.Contains("."+k.Name, ".*.") // the name, or one that stands above it
	return !apex && !wildcard && c.Cut(k.Name) == "" && c.redirector(k.Name) == nil
}

// surroundings returns the names whose existence an edit may change, and what is the
// matter with them before it. It is empty for an edit that only replaces groups.
func (c *Catalog) surroundings(e Edit) map[string]standing {
	around := make(map[string]standing)
	see := func(k Key) {
		c.Survey()
		around[k.Name] = standing{exists: c.exists[k.Name] > 0, edited: true}
		for name, ok := c.above(k.Name); ok; name, ok = c.above(name) {
			if _, seen := around[name]; seen {
				break
			}
			around[name] = standing{exists: c.exists[name] > 0}
		}
	}
	for _, k := range e.Drop {
		see(k)
	}
	for _, g := range e.Put {
		if c.Groups[g.Key] == nil {
			see(g.Key)
		}
	}
	return around
}

// standing is how a name stands before an edit.
type standing struct {
	exists bool
	edited bool // a type of it is new or goes
}

// disturbs reports whether an edit changes where an alias leads that it does not name.
func (c *Catalog) disturbs(around map[string]standing) bool {
	for name, was := range around {
		if _, loose := c.loose[name]; loose && (was.edited || was.exists != (c.exists[name] > 0)) {
			return true
		}
	}
	return false
}

// Survey prepares for edits with groups that are new or go. It looks at the whole catalog
// once; an edit does it where it has not been done. Others may read the catalog meanwhile.
func (c *Catalog) Survey() {
	c.countNames()
	c.findLoose()
}

// findLoose finds the names whose existence decides where something leads: targets of
// aliases and CNAMEs that hold no group of the type themselves, names that an alias of a stanza could
// have meant, hosts of health checks, and all names above those.
func (c *Catalog) findLoose() {
	if c.loose != nil {
		return
	}
	c.loose = make(map[string]struct{})
	for g := range c.All() {
		c.noteLoose(g)
	}
	for name := range c.untaken {
		c.loosen(name)
	}
	for i := range c.Checks {
		if host, named := namedHost(&c.Checks[i]); named {
			c.loosen(host)
		}
	}
}

// noteLoose notes where one group points that is loose.
func (c *Catalog) noteLoose(g *Group) {
	if c.loose == nil {
		return
	}
	for i := range g.Records {
		target := c.pointsAt(&g.Records[i])
		if target == "" {
			continue
		}
		if _, direct := c.Groups[Key{target, g.Type}]; !direct {
			c.loosen(target)
		}
	}
}

// pointsAt returns the name that a record set points at and that has another meaning when
// names come or go: the target of an alias or, where a wildcard holds a CNAME, of a CNAME.
// It is "" if there is none.
func (c *Catalog) pointsAt(r *RecordSet) string {
	if r.Alias != nil {
		return r.Alias.Name
	}
	cname, ok := r.Values[0].(*dns.CNAME)
	if !ok || !c.wildCNAMEs {
		return ""
	}
	target, err := Canonical(cname.Target)
	if _, inside := c.Zone(target); err != nil || !inside {
		return ""
	}
	return target
}

func (c *Catalog) loosen(name string) {
	for ok := true; ok; name, ok = c.above(name) {
		c.loose[name] = struct{}{}
	}
}

// review says of some groups what Validate says, but for what only NS and CNAME can bring
// about, and for cycles. A key that holds nothing is passed over.
func (c *Catalog) review(keys map[Key]struct{}) []Problem {
	v := &validator{catalog: c}
	for k := range keys {
		if g := c.Groups[k]; g != nil {
			v.aliasesOf(g)
			v.traps(g)
		}
	}
	return v.problems
}

// change carries an edit out, and returns what undoes it: every group has its place again,
// which others know it by.
func (c *Catalog) change(e Edit) (undo func()) {
	places, free := len(c.Order), slices.Clone(c.free)
	var olds, fresh []*Group
	for _, k := range e.Drop {
		olds = append(olds, c.Groups[k])
		c.remove(c.Groups[k])
	}
	for _, g := range e.Put {
		if old := c.Groups[g.Key]; old != nil {
			olds = append(olds, old)
		} else {
			fresh = append(fresh, g)
		}
		c.put(g)
	}
	return func() {
		for _, g := range fresh {
			c.Order[g.Ordinal] = nil
			delete(c.Groups, g.Key)
			if c.exists != nil {
				c.release(g.Name)
			}
		}
		if len(c.Order) > places {
			clear(c.Order[places:])
		}
		c.Order, c.free = c.Order[:places], free
		for _, old := range olds {
			if c.Groups[old.Key] == nil && c.exists != nil {
				c.hold(old.Name)
			}
			c.Groups[old.Key], c.Order[old.Ordinal] = old, old
		}
	}
}

// put enters a group, in the place of the one of its key if there is one.
func (c *Catalog) put(g *Group) {
	switch old := c.Groups[g.Key]; {
	case old != nil:
		g.Ordinal = old.Ordinal
	case len(c.free) > 0:
		g.Ordinal = c.free[len(c.free)-1]
		c.free = c.free[:len(c.free)-1]
	default:
		g.Ordinal = int32(len(c.Order))
		c.Order = append(c.Order, nil)
	}
	if c.Groups[g.Key] == nil && c.exists != nil {
		c.hold(g.Name)
	}
	c.Groups[g.Key], c.Order[g.Ordinal] = g, g
}

// remove takes a group out.
func (c *Catalog) remove(g *Group) {
	delete(c.Groups, g.Key)
	switch last := len(c.Order) - 1; {
	case int(g.Ordinal) == last:
		c.Order = c.Order[:last]
	default:
		c.Order[g.Ordinal] = nil
		c.free = append(c.free, g.Ordinal)
	}
	if c.exists != nil {
		c.release(g.Name)
	}
}
