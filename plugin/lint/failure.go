package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// failures finds groups that a single failure takes to last resort: nothing in them is
// healthy any more. Groups that an alias evaluates are parts of a tree, whose top tells. A
// failure is a probe that fails, together with whatever shares it, or a target held
// elsewhere that has no records.
func (l *linter) failures() {
	f := newFatal(l)
	evaluated := l.evaluated()
	for g := range l.catalog.All() {
		alone := len(g.Records) == 1 && unevaluating(&g.Records[0]) // there are other traps for that
		if alone || evaluated[g.Ordinal] || g.Balancer != nil && g.Type != dns.TypeA {
			continue
		}
		if by := f.lastResort(g); len(by.ids) > 0 {
			l.find(SingleFailure, g, nil, func() (string, string) {
				return fmt.Sprintf("nothing in %s is healthy when %s", g.Key, f.describe(by.ids)), ""
			})
		}
	}
	f.oneForAll()
}

// fatal works out which single failures make what unhealthy, as if all else were healthy.
type fatal struct {
	*linter
	probes  map[probe]int32
	targets map[string]int32
	names   []string // of failures, by id

	checks []*causes // by index
	groups []*causes // by Ordinal
}

func newFatal(l *linter) *fatal {
	return &fatal{
		linter:  l,
		probes:  make(map[probe]int32),
		targets: make(map[string]int32),
		checks:  make([]*causes, len(l.catalog.Checks)),
		groups:  make([]*causes, len(l.catalog.Order)),
	}
}

// probe is what fails at once.
type probe struct {
	spec   healthcheck.Spec // untimed
	invert bool
}

// causes are the single failures that make something unhealthy.
type causes struct {
	ids   []int32 // sorted
	never bool    // it never is healthy
}

var none = &causes{}

// identify returns the id of a failure, with its name when it is new.
func identify[K comparable](f *fatal, ids map[K]int32, k K, name func() string) int32 {
	id, ok := ids[k]
	if !ok {
		id = int32(len(f.names))
		ids[k] = id
		f.names = append(f.names, name())
	}
	return id
}

// check returns what makes a check report unhealthy.
func (f *fatal) check(i int32) *causes {
	if i == record.NoCheck {
		return none
	}
	if f.checks[i] == nil {
		f.checks[i] = f.lookCheck(&f.catalog.Checks[i])
	}
	return f.checks[i]
}

func (f *fatal) lookCheck(c *healthcheck.Check) *causes {
	switch {
	case c.Disabled:
		return &causes{never: c.Invert}
	case c.Fixed:
		return &causes{never: (c.FixedStatus == healthcheck.Healthy) == c.Invert}
	case c.Calculated:
		return f.calculated(c)
	}
	id := identify(f, f.probes, probe{untimed(c.Spec), c.Invert}, func() string { return fmt.Sprintf("check %q fails", c.Name) })
	return &causes{ids: []int32{id}}
}

// calculated counts how many children each failure takes.
func (f *fatal) calculated(c *healthcheck.Check) *causes {
	if c.Invert { // then it takes health to make it unhealthy
		return none
	}
	healthy := 0
	lost := make(map[int32]int)
	for _, child := range c.Children {
		by := f.check(int32(child))
		if by.never {
			continue
		}
		healthy++
		for _, id := range by.ids {
			lost[id]++
		}
	}
	if healthy < c.HealthyThreshold {
		return &causes{never: true}
	}
	out := &causes{}
	for id, n := range lost {
		if healthy-n < c.HealthyThreshold {
			out.ids = append(out.ids, id)
		}
	}
	slices.Sort(out.ids)
	return out
}

// group returns what makes a group unhealthy, as an alias that evaluates it sees it.
func (f *fatal) group(g *record.Group) *causes {
	if f.groups[g.Ordinal] != nil {
		return f.groups[g.Ordinal]
	}
	f.groups[g.Ordinal] = none // aliases form no cycles; this is for a catalog that is not validated
	var all *causes
	if g.Balancer != nil {
		all, _ = f.balancer(g.Balancer)
	}
	for i := range g.Records {
		all = both(all, f.record(g, &g.Records[i]))
	}
	f.groups[g.Ordinal] = all
	return all
}

// lastResort returns what takes a group to last resort.
func (f *fatal) lastResort(g *record.Group) *causes {
	if g.Balancer != nil {
		_, open := f.balancer(g.Balancer)
		return open
	}
	return f.group(g)
}

// record returns what makes a record set unhealthy.
func (f *fatal) record(g *record.Group, r *record.RecordSet) *causes {
	own := f.check(r.Check)
	if unevaluating(r) {
		return own
	}
	switch to, held := f.catalog.Target(r.Alias.Name, g.Type); held {
	case record.Here:
		return either(own, f.group(to))
	case record.Elsewhere:
		key := record.Key{Name: r.Alias.Name, Type: g.Type}.String()
		id := identify(f, f.targets, key, func() string { return key + " has no records" })
		return either(own, &causes{ids: []int32{id}})
	}
	return &causes{never: true}
}

// both returns what makes two record sets unhealthy at once; nil is those of none so far.
func both(a, b *causes) *causes {
	switch {
	case a == nil || a == b || a.never:
		return b
	case b.never:
		return a
	case len(a.ids) == 0 || len(b.ids) == 0:
		return none
	}
	out := &causes{}
	for _, id := range a.ids {
		if _, ok := slices.BinarySearch(b.ids, id); ok {
			out.ids = append(out.ids, id)
		}
	}
	return out
}

// either returns what makes a record set unhealthy that needs two things.
func either(a, b *causes) *causes {
	switch {
	case a == b || len(b.ids) == 0 && !b.never:
		return a
	case len(a.ids) == 0 && !a.never:
		return b
	case a.never || b.never:
		return &causes{never: true}
	}
	out := &causes{ids: slices.Concat(a.ids, b.ids)}
	slices.Sort(out.ids)
	out.ids = slices.Compact(out.ids)
	return out
}

// describe names failures.
func (f *fatal) describe(ids []int32) string {
	if len(ids) == 1 {
		return f.names[ids[0]]
	}
	names := make([]string, 0, maxNames)
	for _, id := range ids[:min(len(ids), maxNames)] {
		names = append(names, f.names[id])
	}
	return "one of these happens: " + strings.Join(names, ", ") + more(len(ids))
}

// oneForAll finds a block all whose checks probe one endpoint.
func (f *fatal) oneForAll() {
	for i, used := range f.used {
		if used {
			f.check(int32(i))
		}
	}
	if len(f.probes) != 1 {
		return
	}
	names := make(map[string]struct{})
	first := int32(record.NoCheck)
	note := func(g *record.Group, check int32) {
		if by := f.check(check); len(by.ids) > 0 {
			names[g.Name] = struct{}{}
			if first == record.NoCheck {
				first = check
			}
		}
	}
	for g := range f.catalog.All() {
		for i := range g.Records {
			if check := g.Records[i].Check; check != record.NoCheck {
				note(g, check)
			}
		}
		if b := g.Balancer; b != nil && g.Type == dns.TypeA {
			for i := range b.Groups {
				for _, t := range b.Groups[i].Targets {
					note(g, t.Check)
				}
			}
		}
	}
	if len(names) < 2 {
		return
	}
	f.findCheck(OneCheckForAll, int(first), func() (string, string) {
		return fmt.Sprintf("all health checks of the block, of %d names, depend on one endpoint: when check %q fails, so do all", len(names), f.checkName(first)), ""
	})
}
