package explain

import (
	"iter"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// Difference is a name and type that two configurations answer otherwise.
type Difference struct {
	// Status is "new" if only the new configuration answers it, "gone" if only the old one
	// does, else "changed".
	Status string `json:"status"`

	// Under is the failure under which the two differ, of a name that they answer alike
	// while all is healthy; absent of what differs without any.
	Under []string `json:"under,omitempty"`

	Name string `json:"name"`
	Type string `json:"type"`

	Before []Answer `json:"before"` // of the old configuration, the likeliest first
	After  []Answer `json:"after"`  // of the new one

	LastResort bool `json:"last_resort"` // some answers of the new configuration are a last resort
}

// Diff yields where two configurations decide otherwise: first under the health that the
// Models have, which is meant to be all healthy, then under the failure of each single
// probe. A check of one is that of the other if it has the same name or probes the same.
// Names that differ without a failure are not told of again, and neither is in which way
// nothing is answered. SOAs that nobody wrote are
// left out, since their serials differ.
func Diff(before, after *Model) iter.Seq[Difference] {
	return func(yield func(Difference) bool) {
		d := &diff{before: before, after: after, differ: make(map[record.Key]bool)}
		for _, k := range d.questions() {
			if difference, ok := d.compare(k); ok {
				d.differ[k] = true
				if !yield(difference) {
					return
				}
			}
		}
		for _, pair := range pairs(before, after) {
			for difference := range d.under(pair) {
				if !yield(difference) {
					return
				}
			}
		}
	}
}

type diff struct {
	before, after *Model
	differ        map[record.Key]bool // without a failure
}

// questions returns the names and types that one of the configurations may answer
// otherwise, in order: those of all groups, those that CNAMEs lead on to, and, of a name
// that one of them does not have, the types of the wildcard that answers in its place.
func (d *diff) questions() []record.Key {
	seen := make(map[record.Key]bool)
	var keys []record.Key
	add := func(k record.Key) {
		if !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	for _, m := range []*Model{d.before, d.after} {
		other := d.after
		if m == other {
			other = d.before
		}
		for g := range m.catalog.All() {
			if g.Type == dns.TypeSOA && g.Pos == (record.Pos{}) || m.hidden(g) && other.hidden(g) {
				continue
			}
			add(g.Key)
			if g.Type == dns.TypeCNAME {
				for _, typ := range m.typesBelow(g) {
					add(record.Key{Name: g.Name, Type: typ})
				}
			}
			if other.catalog.Exists(g.Name) {
				continue
			}
			if holder := other.catalog.Place(g.Name).Holder; holder != "" {
				for _, typ := range other.catalog.Types(holder) {
					add(record.Key{Name: g.Name, Type: typ})
				}
			}
		}
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// compare compares what the two answer to a question.
func (d *diff) compare(k record.Key) (Difference, bool) {
	was, is := d.before.current(k), d.after.current(k)
	if was.equal(is) || was.empty() && is.empty() {
		return Difference{}, false
	}
	out := Difference{
		Status: "changed", Name: k.Name, Type: dns.Type(k.Type).String(),
		Before: answersOf(was), After: answersOf(is), LastResort: is.resort(),
	}
	switch {
	case was.empty():
		out.Status = "new"
	case is.empty():
		out.Status = "gone"
	}
	return out, true
}

// pair is a failure in both configurations.
type pair struct {
	names         []string
	before, after []int32 // probes
}

// pairs returns the failures of single probes in either configuration, each together with
// that of the other which is the same.
func pairs(before, after *Model) []pair {
	byName, bySpec := make(map[string]int32), make(map[healthcheck.Spec]int32)
	for i := range after.checks {
		if p := after.health.probeOf[i]; p != none {
			byName[after.checks[i].Name], bySpec[after.checks[i].Spec] = p, p
		}
	}
	paired := make([]bool, len(after.health.probes))
	var all []pair
	for _, c := range before.Each(CheckKind) {
		p := pair{names: c.Names, before: c.probes}
		for _, i := range before.health.probes[c.probes[0]].checks {
			check := &before.checks[i]
			if to, ok := bySpec[check.Spec]; ok {
				p.after = append(p.after, to)
			} else if to, ok := byName[check.Name]; ok {
				p.after = append(p.after, to)
			}
		}
		slices.Sort(p.after)
		p.after = slices.Compact(p.after)
		for _, to := range p.after {
			paired[to] = true
		}
		all = append(all, p)
	}
	for _, c := range after.Each(CheckKind) {
		if !paired[c.probes[0]] {
			all = append(all, pair{names: c.Names, after: c.probes})
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return strings.Compare(a.names[0], b.names[0]) })
	return all
}

// under yields what differs under a failure only.
func (d *diff) under(p pair) iter.Seq[Difference] {
	return func(yield func(Difference) bool) {
		was := d.before.allSenses().look(failing(p.before))
		is := d.after.allSenses().look(failing(p.after))
		keys := append(d.before.questions(was), d.after.questions(is)...)
		slices.SortFunc(keys, compareKeys)
		d.before.assume(was)
		d.after.assume(is)
		defer d.before.assume(nil)
		defer d.after.assume(nil)
		for _, k := range slices.Compact(keys) {
			if d.differ[k] {
				continue
			}
			if difference, ok := d.compare(k); ok {
				difference.Under = p.names
				if !yield(difference) {
					return
				}
			}
		}
	}
}

func failing(probes []int32) turn {
	c := Cause{probes: probes}
	return c.fails(nil, true)
}
