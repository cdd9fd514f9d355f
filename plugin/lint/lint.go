// Package lint finds what is legal in a catalog but seldom meant. Such a trap is served as
// it stands, and hurts on the day that something fails.
//
// It is pure: it looks at a validated [record.Catalog], whichever of stanzas and imported
// files its groups come from. What cannot be served at all, package record refuses; its
// problems have a [Trap] here as well, so that each thing an operator is told has an id, a
// remedy and a section in docs/lint.md.
package lint

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/steerdns/steer/plugin/record"
)

// Options are what the catalog does not say.
type Options struct {
	Strict bool // find traps of the level [Info], too

	// Block are the zones of the server block, which are the catalog's if it is empty, and
	// Others those of the other server blocks at the same address. They are canonical.
	Block, Others []string
}

// Check returns the traps of a validated catalog, in the order of the configuration. The
// time that it takes is proportional to the number of record sets, checks and targets.
func Check(c *record.Catalog, o Options) []Finding {
	l := newLinter(c)
	l.strict = o.Strict
	l.owners = owners(c, o)
	for g := range c.All() {
		l.group(g)
	}
	l.loops()
	l.checks()
	l.relatives()
	if l.strict {
		l.failures()
	}
	Sort(l.findings)
	return l.findings
}

// Sort brings findings into the order of the configuration, and leaves those of one line and
// group in theirs.
func Sort(findings []Finding) {
	order := func(a, b *Finding) int {
		return cmp.Or(
			strings.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			strings.Compare(a.Key.Name, b.Key.Name), cmp.Compare(a.Key.Type, b.Key.Type),
		)
	}
	// Those of files are in order mostly. Findings are too large to be moved often.
	if slices.IsSortedFunc(findings, func(a, b Finding) int { return order(&a, &b) }) {
		return
	}
	was := slices.Clone(findings)
	places := make([]int, len(was))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(i, j int) int { return cmp.Or(order(&was[i], &was[j]), i-j) })
	for i, place := range places {
		findings[i] = was[place]
	}
}

// linter looks at one catalog.
type linter struct {
	catalog  *record.Catalog
	findings []Finding
	strict   bool

	owners map[string]owner // of zones, if some are other server blocks'
	named  []bool           // by check: it probes an endpoint that is given by name; nil where few groups are looked at
	tree   tree

	detections map[int32]time.Duration // of calculated checks

	// What can be told only when all groups have been seen.
	undecided   []undecided
	isEvaluated []bool // see evaluated
	used        []bool // by check: a record set or a target has it; nil where few groups are looked at
	aliases     bool   // there are some
}

func newLinter(c *record.Catalog) *linter {
	return &linter{catalog: c, tree: tree{catalog: c}, named: namedChecks(c), used: make([]bool, len(c.Checks))}
}

// group finds the traps of one group, as far as they depend on nothing but the group, its
// checks and what its aliases lead to.
func (l *linter) group(g *record.Group) {
	l.hidden(g)
	l.inOtherBlock(g)
	if g.Balancer != nil {
		l.balancer(g)
		return
	}
	checked, last := false, lastTier(g)
	for i := range g.Records {
		r := &g.Records[i]
		l.aliases = l.aliases || r.Alias != nil
		if r.Check != record.NoCheck {
			checked = true
			l.use(r.Check)
			l.circular(g, r)
		}
		l.evaluation(g, r, last)
	}
	if checked {
		l.longTTL(g)
		l.undecide(g)
	}
	switch g.Policy {
	case record.Weighted:
		l.weights(g)
	case record.Failover:
		l.tiers(g, last)
	}
}

// find adds a finding about a record set of a group, or about all of it if r is nil. text
// makes the message and, where the trap's own will not do, the remedy.
func (l *linter) find(t *Trap, g *record.Group, r *record.RecordSet, text func() (message, remedy string)) {
	l.add(t.in(g, r, text))
}

func (l *linter) add(f Finding) {
	if f.Level == Info && !l.strict {
		return
	}
	if len(l.findings) == cap(l.findings) {
		l.findings = slices.Grow(l.findings, max(16, len(l.findings))) // less often than append
	}
	l.findings = append(l.findings, f)
}

func (l *linter) use(check int32) {
	if l.used != nil {
		l.used[check] = true
	}
}
