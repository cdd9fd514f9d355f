package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// MaxAliases is how many aliases of a catalog can follow each other. Trees of Route 53 are
// far less deep. Queries and changes of health follow aliases one by one, so a chain
// without a limit could make each of them slow.
const MaxAliases = 32

// cycles finds aliases that lead back to themselves and chains of more than MaxAliases,
// in the groups that can be part of one. It goes in a fixed order, so that the message is
// always the same.
func (v *validator) cycles(suspects []*Group) {
	slices.SortFunc(suspects, func(a, b *Group) int { return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type)) })
	w := newWalk(v.catalog, func(g *Group, r *RecordSet) *Group { return v.aliasTarget(g, r) })
	w.limit = MaxAliases
	w.cycle = func(g *Group, r *RecordSet, target *Group) {
		v.refuse(g, r, AliasCycle, w.aliasCycle(g, r, target))
	}
	w.tooDeep = func(g *Group, r *RecordSet) {
		v.refuse(g, r, AliasChain, fmt.Errorf("alias %s leads through more than %d aliases; point it at a name nearer to the records than %s", g.Key, MaxAliases, r.Alias.Name))
	}
	for _, g := range suspects {
		w.from(g)
	}
}

// aliasTarget returns the group that a record set of g points at, or nil. A target that
// is gone, since it was found to be part of a cycle, is reported: it was there when targets
// were looked at.
func (v *validator) aliasTarget(g *Group, r *RecordSet) *Group {
	if r.Alias == nil {
		return nil
	}
	target, held := v.catalog.Target(r.Alias.Name, g.Type)
	if held == Nowhere && len(v.gone) > 0 && v.gone[Key{v.catalog.source(r.Alias.Name), g.Type}] {
		v.warn(g, r, BadTarget, targetError(v.catalog, g, r))
	}
	return target
}

// aliasCycle says how target, which is on the path, leads back to itself.
func (w *walk) aliasCycle(g *Group, r *RecordSet, target *Group) error {
	switch {
	case target != g:
		return fmt.Errorf("alias cycle: %s (%s)", w.loop(target), dns.Type(g.Type))
	case r.Alias.Name != g.Name:
		return fmt.Errorf("%s: the alias points at %s, which this wildcard itself answers", g.Key, r.Alias.Name)
	}
	return fmt.Errorf("%s: the alias points at itself", g.Key)
}

// Loops calls found with each record set of a CNAME or DNAME group that leads back to where
// it was come from, and with the names on the way, such as "a. -> b. -> a.".
func (c *Catalog) Loops(found func(g *Group, r *RecordSet, path string)) {
	if !c.cnames && !c.dnames {
		return
	}
	w := newWalk(c, c.leadsTo)
	w.cycle = func(g *Group, r *RecordSet, target *Group) { found(g, r, w.loop(target)) }
	for g := range c.All() {
		if g.redirects() {
			w.from(g)
		}
	}
}

// redirects reports whether a group sends who asks for other types to another name.
func (g *Group) redirects() bool { return g.Type == dns.TypeCNAME || g.Type == dns.TypeDNAME }

// leadsTo returns the group that an alias points at, or the next one that redirects when a
// CNAME or DNAME is followed, as far as that is in this catalog.
func (c *Catalog) leadsTo(g *Group, r *RecordSet) *Group {
	if r.Alias != nil {
		target, _ := c.Target(r.Alias.Name, g.Type)
		return target
	}
	switch rr := r.Values[0].(type) {
	case *dns.CNAME:
		return c.followName(rr.Target)
	case *dns.DNAME:
		name, err := Canonical(rr.Target)
		if err != nil {
			return nil
		}
		if again := c.Groups[Key{name, dns.TypeDNAME}]; again != nil {
			return again
		}
		return c.redirector(name)
	}
	return nil
}

// maxRedirects is how many DNAMEs followName goes through. Those that lead to each other
// are found as such.
const maxRedirects = 16

// followName returns the CNAME group that answers for a name, perhaps after DNAMEs.
func (c *Catalog) followName(target string) *Group {
	name, err := Canonical(target)
	for range maxRedirects {
		if err != nil || c.Cut(name) != "" {
			return nil
		}
		if g := c.cname(name); g != nil {
			return g
		}
		d := c.redirector(name)
		if d == nil || d.Records[0].Alias != nil {
			return nil
		}
		to, ok := d.Records[0].Values[0].(*dns.DNAME)
		if !ok {
			return nil
		}
		name, err = Canonical(Substitute(name, d.Name, to.Target))
	}
	return nil
}

// cname returns the CNAME group that answers for a name. It is [Catalog.Lookup] without the
// cost of counting names where there is no CNAME at a wildcard.
func (c *Catalog) cname(name string) *Group {
	if g, ok := c.Groups[Key{name, dns.TypeCNAME}]; ok || !c.wildCNAMEs {
		return g
	}
	if _, inside := c.Zone(name); !inside {
		return nil
	}
	return c.Lookup(Key{name, dns.TypeCNAME})
}

// Substitute returns a name below the owner of a DNAME as the DNAME redirects it (RFC 6672,
// section 2.2). It may be too long for a name.
func Substitute(name, owner, target string) string {
	redirected := strings.TrimSuffix(name[:len(name)-len(owner)], ".") + "."
	if target == "." {
		return redirected
	}
	return redirected + target
}

// redirector returns the DNAME group that redirects a name: one above it in the same zone.
func (c *Catalog) redirector(name string) *Group {
	if !c.dnames {
		return nil
	}
	zone, ok := c.Zone(name)
	for ok && name != zone {
		if name, ok = Parent(name); !ok {
			return nil
		}
		if g := c.Groups[Key{name, dns.TypeDNAME}]; g != nil {
			return g
		}
	}
	return nil
}

// walk goes depth first from groups to those that their record sets lead to. It takes
// neither stack nor more than one look at each record set, so that chains and loops may be
// as long as they like.
type walk struct {
	next func(g *Group, r *RecordSet) *Group

	// cycle is called when a record set leads to a group that is on the path, and tooDeep
	// when more than limit steps lie behind it; a limit of 0 is none. They may take the
	// record set out of its group.
	cycle   func(g *Group, r *RecordSet, target *Group)
	tooDeep func(g *Group, r *RecordSet)
	limit   int32

	state []int32 // by Ordinal: unseen, onPath, or 1 and the steps that lie behind the group
	path  []step
}

const (
	unseen int32 = 0
	onPath int32 = -1
)

// step is a group on the path.
type step struct {
	group  *Group
	record int   // the index of the record set that is looked at
	depth  int32 // the steps behind the record sets before it
}

func newWalk(c *Catalog, next func(g *Group, r *RecordSet) *Group) *walk {
	return &walk{next: next, state: make([]int32, len(c.Order))}
}

// from walks from a group, unless it has been seen.
func (w *walk) from(g *Group) {
	if w.state[g.Ordinal] != unseen {
		return
	}
	w.enter(g)
	for len(w.path) > 0 {
		if at := &w.path[len(w.path)-1]; at.record < len(at.group.Records) {
			w.look(at)
			continue
		}
		w.leave()
	}
}

func (w *walk) enter(g *Group) {
	w.state[g.Ordinal] = onPath
	w.path = append(w.path, step{group: g})
}

func (w *walk) leave() {
	at := w.path[len(w.path)-1]
	w.state[at.group.Ordinal] = at.depth + 1
	w.path = w.path[:len(w.path)-1]
}

// look takes the next record set of a group, or enters what it leads to.
func (w *walk) look(at *step) {
	g := at.group
	r := g.Records[at.record]
	target := w.next(g, &r)
	held := len(g.Records)
	switch {
	case target == nil:
	case w.state[target.Ordinal] == unseen:
		w.enter(target) // and come back
		return
	case w.state[target.Ordinal] == onPath:
		w.cycle(g, &r, target)
	case w.limit > 0 && w.state[target.Ordinal] > w.limit:
		w.tooDeep(g, &r)
	default:
		at.depth = max(at.depth, w.state[target.Ordinal])
	}
	if len(g.Records) == held {
		at.record++
	}
}

// loop names the path from a group on it back to itself.
func (w *walk) loop(from *Group) string {
	at := slices.IndexFunc(w.path, func(s step) bool { return s.group == from })
	names := make([]string, 0, min(len(w.path)-at, maxNamed)+1)
	for i, s := range w.path[at:] {
		if rest := len(w.path) - at - i; i == maxNamed && rest > 1 {
			names = append(names, fmt.Sprintf("(%d more)", rest))
			break
		}
		names = append(names, s.group.Name)
	}
	return strings.Join(append(names, from.Name), " -> ")
}

// maxNamed is how many names of a loop a message has.
const maxNamed = 16

// leadsBack reports whether the record sets of a group lead back to it, or to more groups
// than are to be looked at in the course of an edit.
func (c *Catalog) leadsBack(g *Group) bool {
	seen := make(map[*Group]struct{})
	todo := []*Group{g}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := range at.Records {
			target := c.leadsTo(at, &at.Records[i])
			if target == nil {
				continue
			}
			if target == g || len(seen) == maxReached {
				return true
			}
			if _, ok := seen[target]; !ok {
				seen[target] = struct{}{}
				todo = append(todo, target)
			}
		}
	}
	return false
}

// maxReached is how many groups leadsBack looks at.
const maxReached = 1000
