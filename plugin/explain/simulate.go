package explain

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// Change is a name and type that something changes the answers of, or the way they stand.
type Change struct {
	// Cause is what failed or recovered, in a simulation: the checks, the endpoint, the
	// zone, or what was named.
	Cause []string `json:"cause,omitempty"`

	Name string `json:"name"`
	Type string `json:"type"`

	Before []Answer `json:"before"` // the likeliest first
	After  []Answer `json:"after"`

	LastResort bool `json:"last_resort"` // some of the answers after it are a last resort

	// LastSpare is true when the change costs the name its last spare: before it, no single
	// failure of a check could take the name to last resort, after it one can.
	LastSpare bool `json:"last_spare"`
}

// WhatIf returns what changes when causes fail and others recover, all at once. The health
// of the Model stays as it is.
func (m *Model) WhatIf(fail, recover []Cause) []Change {
	var t turn
	var names []string
	for i, c := range append(slices.Clip(fail), recover...) {
		more := c.fails(m, i < len(fail))
		t.probes, t.pins, t.externals = append(t.probes, more.probes...), append(t.pins, more.pins...), append(t.externals, more.externals...)
		names = append(names, c.Names...)
	}
	return slices.Collect(m.changes(t, names))
}

// EachFailure yields what changes when each of some causes fails by itself. The health of
// the Model stays as it is; nobody may change it meanwhile. The cost is that of what each
// failure touches.
func (m *Model) EachFailure(causes []Cause) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for i := range causes {
			for c := range m.changes(causes[i].fails(m, true), causes[i].Names) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// changes yields what a turn of health changes, by name and type.
func (m *Model) changes(t turn, cause []string) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		s := m.allSenses()
		after := s.look(t)
		questions := m.questions(after)
		for _, q := range questions {
			if c, ok := m.change(q, after); ok {
				c.Cause = cause
				if !yield(c) {
					return
				}
			}
		}
	}
}

// allSenses returns the senses of all groups under the health of the moment.
func (m *Model) allSenses() *senses {
	if m.senses == nil {
		m.senses = newSenses(m)
		for i := range m.table.Len() {
			m.senses.was(i)
		}
	}
	return m.senses
}

// turned is what a turn of health makes of a Model.
type turned struct {
	selections map[*record.Group]*routing.Selection // those that are new
	externals  map[*routing.External]bool
	senses     map[int32]*sense // those that are new
	groups     []int32          // whose answers or senses may be new
}

// look makes a turn of health, notes what it changes, and turns back.
func (s *senses) look(t turn) *turned {
	after := &turned{
		selections: make(map[*record.Group]*routing.Selection), senses: make(map[int32]*sense),
		externals: make(map[*routing.External]bool),
	}
	marked := make(map[int32]bool)
	publish := func(group int, sel *routing.Selection) {
		g, _, _ := s.table.Group(group)
		after.selections[g] = sel
		marked[int32(group)] = true
	}
	checks, back := s.turn(t, publish)
	s.turned = after.senses
	work := newRanked(s.table)
	for _, c := range checks {
		work.add(s.table.Users(int(c))...)
	}
	for _, e := range back.externals {
		after.externals[s.table.Externals()[e.External]] = !e.Healthy
		work.add(s.table.ExternalUsers(e.External)...)
		s.mark(marked, s.table.ExternalUsers(e.External))
	}
	work.each(func(group int32) {
		now := s.workOut(int(group))
		if now.equal(s.was(int(group))) {
			return
		}
		after.senses[group] = &now
		marked[group] = true
		work.add(s.table.Above(int(group))...)
	})
	s.turn(back, func(int, *routing.Selection) {})
	s.turned = nil
	after.groups = slices.Sorted(maps.Keys(marked))
	return after
}

// mark marks groups and all those with aliases that lead to them: what a target held
// elsewhere answers changes no Selection.
func (s *senses) mark(marked map[int32]bool, groups []int32) {
	for _, g := range groups {
		if !marked[g] {
			marked[g] = true
			s.mark(marked, s.table.Above(int(g)))
		}
	}
}

// ranked is groups to be looked at, those that others have aliases to before these.
type ranked struct {
	table  *routing.Table
	byRank [][]int32
	in     map[int32]bool
}

func newRanked(t *routing.Table) *ranked { return &ranked{table: t, in: make(map[int32]bool)} }

func (r *ranked) add(groups ...int32) {
	for _, g := range groups {
		if r.in[g] {
			continue
		}
		r.in[g] = true
		rank := r.table.Rank(int(g))
		for rank >= len(r.byRank) {
			r.byRank = append(r.byRank, nil)
		}
		r.byRank[rank] = append(r.byRank[rank], g)
	}
}

// each calls f with each group; f may add groups of a greater rank.
func (r *ranked) each(f func(group int32)) {
	for rank := 0; rank < len(r.byRank); rank++ {
		for _, g := range r.byRank[rank] {
			f(g)
		}
	}
}

// change returns what a turn changes for one question, and whether it changes anything.
func (m *Model) change(k record.Key, after *turned) (Change, bool) {
	before := m.current(k)
	m.assume(after)
	now := m.current(k)
	m.assume(nil)
	if before.empty() && now.empty() {
		return Change{}, false
	}
	c := Change{Name: k.Name, Type: dns.Type(k.Type).String(), LastResort: now.resort()}
	if g := m.catalog.Groups[k]; g != nil {
		if is := after.senses[g.Ordinal]; is != nil {
			c.LastSpare = m.senses.was(int(g.Ordinal)).spare() && !is.resort && !is.spare()
		}
	}
	if before.equal(now) && before.resort() == c.LastResort && !c.LastSpare {
		return Change{}, false
	}
	c.Before, c.After = answersOf(before), answersOf(now)
	return c, true
}

// assume answers as a turn would make it, until it is called with nil.
func (m *Model) assume(after *turned) {
	m.assumed.selections, m.assumed.externals = nil, nil
	if after != nil {
		m.assumed.selections, m.assumed.externals = after.selections, after.externals
	}
}

// current returns what a question may be answered, that for a group by the short way.
func (m *Model) current(k record.Key) *chances {
	if g := m.catalog.Groups[k]; g != nil && !m.hidden(g) {
		return m.groupAnswers(g, m.selection(g))
	}
	return m.answers(k.Name, k.Type)
}

// questions returns the names and types whose answers a turn may change, in order: those
// of groups, and those that CNAMEs lead on to them.
func (m *Model) questions(after *turned) []record.Key {
	var keys []record.Key
	seen := make(map[record.Key]bool)
	for _, i := range after.groups {
		g, _, _ := m.table.Group(int(i))
		if m.hidden(g) {
			continue
		}
		keys = append(keys, g.Key)
		seen[g.Key] = true
	}
	for i := 0; i < len(keys); i++ {
		for _, k := range m.followers(keys[i]) {
			if !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		}
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

func compareKeys(a, b record.Key) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type))
}

// hidden reports whether a delegation hides a group from questions.
func (m *Model) hidden(g *record.Group) bool {
	cut := m.catalog.Cut(g.Name)
	return cut != "" && !(cut == g.Name && g.Type == dns.TypeDS)
}
