package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// Change gives a name and type another group. At least one of the two is not nil.
type Change struct {
	Old *Group // what the catalog holds; nil if the name does not have the type
	New *Group // nil if the name is to lose the type
}

// Key returns the name and type.
func (ch Change) Key() Key {
	if ch.New != nil {
		return ch.New.Key
	}
	return ch.Old.Key
}

// Moves reports whether the name gets or loses the type.
func (ch Change) Moves() bool { return ch.Old == nil || ch.New == nil }

// Ordinal returns the place in the catalog.
func (ch Change) Ordinal() int32 {
	if ch.New != nil {
		return ch.New.Ordinal
	}
	return ch.Old.Ordinal
}

// Edit makes changes of different keys to a validated catalog, and calls commit when they
// are made. It reports whether the catalog is changed: it is as it was when commit returns
// false, or when something other than the groups themselves could notice the changes. Then
// the whole has to be built and validated anew. See docs/adr/0011. No group gets the place
// of one that goes in the same edit.
//
// Nobody may use the catalog meanwhile. The cost is that of the changes, but for
// [Catalog.PrepareEdits].
func (c *Catalog) Edit(changes []Change, commit func() bool) bool {
	if slices.ContainsFunc(changes, Change.Moves) {
		c.PrepareEdits()
	}
	before, ok := c.remarks(changes), true
	made := make([]Change, 0, len(changes))
	for _, goes := range []bool{false, true} {
		for _, ch := range changes {
			if (ch.New == nil) != goes || !ok {
				continue
			}
			if ok = c.admits(ch); ok {
				c.set(ch.Key(), ch.New)
				made = append(made, ch)
			}
		}
	}
	circular := func(ch Change) bool { return ch.New != nil && c.leadsBack(ch.New) }
	if !ok || slices.ContainsFunc(changes, circular) || !slices.Equal(before, c.remarks(changes)) || !commit() {
		for _, ch := range slices.Backward(made) { // so that each gets its place again
			c.set(ch.Key(), ch.Old)
		}
		return false
	}
	for _, ch := range changes {
		if ch.New != nil && c.sensitive != nil {
			c.watchTargets(ch.New)
		}
	}
	return true
}

// set gives a key a group, or takes the one it has away.
func (c *Catalog) set(k Key, g *Group) {
	if g == nil {
		c.remove(c.Groups[k])
		return
	}
	c.put(g)
}

// admits reports whether only its own name can notice a change, as far as names are
// concerned.
func (c *Catalog) admits(ch Change) bool {
	k := ch.Key()
	if c.Groups[k] != ch.Old || ch.Old != nil && c.leadsBack(ch.Old) {
		return false
	}
	if ch.New != nil {
		if ch.New.check() != nil {
			return false
		}
		c.complete(ch.New)
	}
	if !ch.Moves() {
		return true
	}
	switch k.Type { // those that decide what is answered for other types or names
	case dns.TypeNS, dns.TypeSOA, dns.TypeCNAME, dns.TypeDNAME, dns.TypeDS:
		return false
	}
	_, apex := c.zones[k.Name]
	_, kept := c.Names[k.Name]                             // perhaps a CNAME was left out beside this type
	wildcard := strings.Contains("."+k.Name, ".*.")        // the name, or one above it
	_, besideCNAME := c.Groups[Key{k.Name, dns.TypeCNAME}] // which is an error
	if apex || kept || wildcard || besideCNAME || c.Cut(k.Name) != "" || c.redirector(k.Name) != nil || c.Allows(k, Pos{}) != nil {
		return false
	}
	return c.unnoticed(ch)
}

// unnoticed reports whether no name is sensitive that gets or loses a type by a change, or
// begins or ceases to exist.
func (c *Catalog) unnoticed(ch Change) bool {
	reasons := int32(0) // that there are for a name to exist, if this change decides it
	if ch.New == nil {
		reasons = 1
	}
	own := ch.Key().Name
	for name, ok := own, true; ok; name, ok = c.above(name) {
		decides := c.exists[name] == reasons
		if _, sensitive := c.sensitive[name]; sensitive && (decides || name == own) {
			return false
		}
		if !decides {
			return true
		}
	}
	return true
}

// PrepareEdits prepares for edits in which groups are new or go: it looks at the whole
// catalog, once. An edit does it where it has not been done. Others may read the catalog
// meanwhile.
func (c *Catalog) PrepareEdits() {
	c.countNames()
	if c.sensitive != nil {
		return
	}
	c.sensitive = make(map[string]struct{})
	for g := range c.All() {
		c.watchTargets(g)
	}
	for _, name := range c.passedOver {
		c.watch(name)
	}
	for i := range c.Checks {
		if host, named := ProbedName(&c.Checks[i]); named {
			c.watch(host)
		}
	}
}

// watchTargets makes those targets of a group sensitive that hold no group of the type
// themselves: a wildcard answers for them, or another server, or nobody. Targets of CNAMEs
// matter where a wildcard holds one, which can be part of a loop.
func (c *Catalog) watchTargets(g *Group) {
	for i := range g.Records {
		r := &g.Records[i]
		target := ""
		switch {
		case r.Alias != nil:
			target = r.Alias.Name
		case c.wildCNAMEs:
			if cname, ok := r.Values[0].(*dns.CNAME); ok {
				target, _ = Canonical(cname.Target)
			}
		}
		if _, direct := c.Groups[Key{target, g.Type}]; target != "" && !direct {
			c.watch(target)
		}
	}
}

// watch makes a name sensitive, and those above it: whether they exist decides which
// wildcard answers for it.
func (c *Catalog) watch(name string) {
	_, ok := c.Zone(name)
	for ; ok; name, ok = c.above(name) {
		c.sensitive[name] = struct{}{}
	}
}

// Judge finds what is to be said of groups beside what [Catalog.Validate] finds: see package
// lint.
type Judge interface {
	// Remarks returns a text of all that there is to say of some groups, and of others because
	// of them, but for places.
	Remarks(c *Catalog, groups []*Group) []string

	// Alike reports whether the same is to be said of an alias to a group as of one to another,
	// which it takes the place of.
	Alike(c *Catalog, now, before *Group) bool
}

// Alike reports whether the same is to be said of an alias to a group as of one to another,
// which it takes the place of.
func (c *Catalog) Alike(now, before *Group) bool {
	return c.Judge == nil || c.Judge.Alike(c, now, before)
}

// remarks returns what is to be said of the groups that changes are about, as they are now,
// in alphabetical order.
func (c *Catalog) remarks(changes []Change) []string {
	v := &validator{catalog: c}
	var groups []*Group
	for _, ch := range changes {
		if g := c.Groups[ch.Key()]; g != nil {
			v.aliasesOf(g)
			groups = append(groups, g)
		}
	}
	var remarks []string
	if c.Judge != nil {
		remarks = c.Judge.Remarks(c, groups)
	}
	for _, p := range v.problems {
		remarks = append(remarks, fmt.Sprintf("%s: %s %q %d %s: %v", p.Pos.File, p.Key, p.SetID, p.Level, p.Kind, p.Err))
	}
	slices.Sort(remarks)
	return remarks
}
