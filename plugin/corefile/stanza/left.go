package stanza

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// leaveOut decides which groups and records the stanzas cannot have.
func (w *writer) leaveOut() {
	var aliases []*record.Group
	for g := range w.catalog.All() {
		if err := w.groupError(g); err != nil {
			w.left[g] = err.Error()
			continue
		}
		if g.Policy == record.Multivalue {
			w.leaveOutTwins(g)
		}
		if slices.ContainsFunc(g.Records, func(r record.RecordSet) bool { return r.Alias != nil }) {
			aliases = append(aliases, g)
		}
	}
	for w.leaveOutAliases(aliases) { // an alias to what is left out goes as well
	}
}

// groupError returns why a group has no stanza.
func (w *writer) groupError(g *record.Group) error {
	if g.Balancer != nil {
		return w.balancerError(g.Balancer)
	}
	if name, ok := typeName(g.Type); !ok {
		return fmt.Errorf("no stanza can have the type %s", name)
	}
	return nil
}

// leaveOutTwins leaves out all but one of the records of a multivalue group that have the same
// value, since an answer would hold it twice. The one to stay has no check, or comes first.
func (w *writer) leaveOutTwins(g *record.Group) {
	kept := make(map[string]int, len(g.Records))
	for i := range g.Records {
		value := data(g.Records[i].Values[0])
		before, twice := kept[value]
		switch {
		case !twice:
			kept[value] = i
		case g.Records[i].Check == record.NoCheck && g.Records[before].Check != record.NoCheck:
			w.drop(g, before, fmt.Sprintf("record %s has its value as well", g.Label(i)))
			kept[value] = i
		default:
			w.drop(g, i, fmt.Sprintf("record %s has its value as well", g.Label(before)))
		}
	}
}

// leaveOutAliases leaves out aliases that lead to nothing, which is an error in a stanza, and
// reports whether there were any.
func (w *writer) leaveOutAliases(groups []*record.Group) (any bool) {
	for _, g := range groups {
		for i := range g.Records {
			r := &g.Records[i]
			if r.Alias == nil || !w.keeps(g, i) {
				continue
			}
			switch to, held := w.catalog.Target(r.Alias.Name, g.Type); {
			case held == record.Nowhere:
				w.drop(g, i, fmt.Sprintf("an alias to %s, which has no %s records", r.Alias.Name, dns.Type(g.Type)))
				any = true
			case held == record.Here && w.gone(to):
				w.drop(g, i, fmt.Sprintf("an alias to %s, whose %s records are left out", r.Alias.Name, dns.Type(g.Type)))
				any = true
			case held == record.Elsewhere:
				w.outside = true
			}
		}
	}
	return any
}

func (w *writer) drop(g *record.Group, i int, why string) {
	if w.dropped[g] == nil {
		w.dropped[g] = make(map[int]string)
	}
	w.dropped[g][i] = why
}

// keeps reports whether a record is written.
func (w *writer) keeps(g *record.Group, i int) bool { return w.left[g] == "" && w.dropped[g][i] == "" }

// kept returns the records of a group that are written.
func (w *writer) kept(g *record.Group) []record.RecordSet {
	if w.left[g] == "" && len(w.dropped[g]) == 0 {
		return g.Records
	}
	var kept []record.RecordSet
	for i := range g.Records {
		if w.keeps(g, i) {
			kept = append(kept, g.Records[i])
		}
	}
	return kept
}

// gone reports whether nothing of a group is written.
func (w *writer) gone(g *record.Group) bool {
	return w.left[g] != "" || len(w.dropped[g]) > 0 && len(w.dropped[g]) == len(g.Records)
}

// lostNames reports the names that exist in the catalog and not in the stanzas: nothing but
// what was left out was held there, so they answered NODATA.
func (w *writer) lostNames() {
	names := maps.Clone(w.catalog.Names)
	for g := range w.catalog.All() {
		if w.gone(g) {
			names[g.Name] = struct{}{}
		}
	}
	if len(names) == 0 {
		return
	}
	held, exists := w.existing()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if exists[name] {
			continue
		}
		w.note(name)
		encloser := name
		for ok := true; ok && !exists[encloser]; {
			encloser, ok = record.Parent(encloser)
		}
		if wildcard := "*." + strings.TrimPrefix(encloser, "."); held[wildcard] {
			w.problem("%s holds only what was left out and answers NODATA; without a stanza the wildcard %s answers for it", name, wildcard)
			continue
		}
		w.problem("%s holds only what was left out and answers NODATA; without a stanza it does not exist (NXDOMAIN)", name)
	}
}

// existing returns the names that stanzas hold, and those that exist because of them.
func (w *writer) existing() (held, exists map[string]bool) {
	held, exists = make(map[string]bool), make(map[string]bool)
	for _, zone := range w.catalog.Zones {
		exists[zone] = true
	}
	for g := range w.catalog.All() {
		if w.gone(g) {
			continue
		}
		held[g.Name] = true
		for name, ok := g.Name, true; ok && !exists[name]; name, ok = record.Parent(name) {
			exists[name] = true
		}
	}
	return held, exists
}
