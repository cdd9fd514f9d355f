package lint

import (
	"fmt"
	"slices"

	"github.com/steerdns/steer/plugin/record"
)

// Judge is a [record.Judge]: it tells whether an edit matters to what [Check] finds without
// [Options].
type Judge struct{}

// Remarks returns a text of all that [Check] can say of some groups, and of others because
// of them, but for what only NS, CNAME and DNAME can bring about. Where it is the same before
// and after a change of just these groups, and Alike holds for each that an alias points at,
// so is what Check returns, but for places.
func (Judge) Remarks(c *record.Catalog, groups []*record.Group) []string {
	l := &linter{catalog: c, tree: tree{catalog: c, few: make(map[*record.Group]*outlook)}}
	var remarks []string
	for _, g := range groups {
		l.group(g)
		for i := range g.Records {
			if a := g.Records[i].Alias; a != nil && a.EvaluateTargetHealth {
				if to, held := c.Target(a.Name, g.Type); held == record.Here && l.hangsOnOne(to) {
					remarks = append(remarks, fmt.Sprintf("%s evaluates %s", g.Key, to.Key))
				}
			}
		}
	}
	note := func(when string, f Finding) {
		remarks = append(remarks, fmt.Sprintf("%s%s: %s %q %s", when, f.Pos.File, f.Key, f.SetID, f))
	}
	for _, f := range l.findings {
		note("", f)
	}
	for _, f := range l.undecided {
		note("unless an alias evaluates it: ", f.Finding)
	}
	slices.Sort(remarks)
	return remarks
}

// Alike reports whether the same is to be said of an alias to a group as of one to another,
// which it takes the place of, but for places. now is in the catalog, or before is.
func (Judge) Alike(c *record.Catalog, now, before *record.Group) bool {
	t := tree{catalog: c, few: make(map[*record.Group]*outlook)}
	a, b := t.look(now), t.look(before)
	if a.checked != b.checked || a.always != b.always || a.longTTL() != b.longTTL() {
		return false
	}
	l := linter{catalog: c, tree: t}
	return l.explain(a.cause, now) == l.explain(b.cause, before)
}
