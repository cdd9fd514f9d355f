package routing

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// maxLines is how many moves one change of health or of the configuration tells. One check
// can move every group there is. Further moves are summed up in one line.
const maxLines = 20

// Transition is a change of what is answered that an operator wants to read about.
type Transition struct {
	Worse   bool
	Subject string // what moved; "" sums up several
	Text    string // how, and why
}

// Line returns the transition as the log has it, with the server block that it is in.
func (t Transition) Line(block string) string {
	if t.Subject == "" {
		return block + ": " + t.Text
	}
	return t.Subject + " of " + block + ": " + t.Text
}

// move is a group that has come to another state, or a line about a load balancer.
type move struct {
	group    int32
	starts   bool // the group was not there before
	from, to State
	line     *Transition // of a load balancer; nil for a group
}

func (m *move) worse() bool {
	if m.line != nil {
		return m.line.Worse
	}
	return m.starts || m.from.compare(m.to) < 0
}

// before orders moves by how much an operator wants to know of them.
func (m *move) before(o *move) int {
	switch worse := m.worse(); {
	case worse != o.worse() && worse:
		return -1
	case worse != o.worse():
		return 1
	}
	return cmp.Or(o.to.compare(m.to), cmp.Compare(m.group, o.group))
}

// news is what one Update has changed. Of several reasons for a move, the new one is told.
// It is kept only while somebody listens.
type news struct{ checks, externals, groups flags }

// flags is a set of small numbers. To clear it costs in proportion to what is in it.
type flags struct {
	on   []bool
	list []int32
}

func (f *flags) has(i int32) bool { return int(i) < len(f.on) && f.on[i] }

func (f *flags) set(i int32) {
	if int(i) >= len(f.on) {
		f.on = append(f.on, make([]bool, int(i)+1-len(f.on))...)
	}
	if !f.on[i] {
		f.on[i] = true
		f.list = append(f.list, i)
	}
}

func (f *flags) clear() {
	for _, i := range f.list {
		f.on[i] = false
	}
	f.list = f.list[:0]
}

// changed enters a check, an external target or a group into what an Update has changed.
func (t *Table) changed(f *flags, i int32) {
	if t.tell != nil {
		f.set(i)
	}
}

// moves is what is to be told at the end of an Update: the first maxLines moves, and how
// many there are in all. One flip can move all groups, so the others are not kept.
type moves struct {
	first  []move // in order
	worse  int    // of all
	better int
}

// add enters a move.
func (s *moves) add(m move) {
	if m.worse() {
		s.worse++
	} else {
		s.better++
	}
	at := len(s.first)
	if at == maxLines && s.first[at-1].before(&m) <= 0 {
		return
	}
	for at > 0 && m.before(&s.first[at-1]) < 0 {
		at--
	}
	s.first = slices.Insert(s.first, at, m)
	s.first = s.first[:min(len(s.first), maxLines)]
}

// rest sums up the moves that are not told one by one.
func (s *moves) rest() (t Transition, ok bool) {
	worse, better := s.worse, s.better
	for i := range s.first {
		if s.first[i].worse() {
			worse--
		} else {
			better--
		}
	}
	return Transition{
		Worse: worse > 0,
		Text:  fmt.Sprintf("and %s more: %s worse, %s better", grouped(worse+better), grouped(worse), grouped(better)),
	}, worse+better > 0
}

// note keeps the move of a group to be told. A group in its best state before and after has
// got another policy by a reload or an edit, which is no news.
func (t *Table) note(i int32, from, to State, starts bool) {
	if from.alike(to) && !starts || !from.Degraded && !to.Degraded {
		return
	}
	t.moves.add(move{group: i, starts: starts, from: from, to: to})
}

// noteLines keeps lines about a load balancer to be told. now is the state that it is in.
func (t *Table) noteLines(g *record.Group, now Balance, lines []Transition) {
	rule := now.rule(g.Balancer)
	to := State{Rule: rule, Degraded: rule != Balanced}
	for i := range lines {
		t.moves.add(move{group: g.Ordinal, to: to, line: &lines[i]})
	}
}

// Listen calls f with what moves from now on, in the course of [Table.Update] and
// [Table.Edit]. First it calls f with what is different from old, the table that this one
// replaces; old tells nothing more. Groups are compared by name and type. Those that are new,
// which is all of them when old is nil, are told if they are not in their best state.
func (t *Table) Listen(old *Table, f func(Transition)) {
	t.tell = f
	for _, list := range t.census.degraded {
		for _, i := range list {
			n := &t.groups[i]
			if was, ok := old.find(n.group.Key); n.policy != record.Balanced {
				t.note(i, was, n.filed, !ok)
			}
		}
	}
	if old != nil {
		old.tell = nil
		for _, list := range old.census.degraded {
			for _, i := range list {
				before := &old.groups[i]
				g := t.catalog.Groups[before.group.Key]
				if g == nil || g.Policy == record.Balanced || before.policy == record.Balanced {
					continue
				}
				if n := &t.groups[g.Ordinal]; !n.filed.Degraded { // others are noted already
					t.note(g.Ordinal, before.filed, n.filed, false)
				}
			}
		}
	}
	t.compareBalances(old)
	t.report()
}

// find returns the state of a group, unless that is a load balancer.
func (t *Table) find(k record.Key) (State, bool) {
	if t == nil {
		return State{}, false
	}
	g := t.catalog.Groups[k]
	if g == nil || g.Policy == record.Balanced {
		return State{}, false
	}
	return t.groups[g.Ordinal].filed, true
}

// compareBalances notes how load balancers differ from those of the table before. A new one
// is compared with itself as it would be if all its targets were healthy.
func (t *Table) compareBalances(old *Table) {
	before := make(map[string]*record.LoadBalancer)
	if old != nil {
		for b := range old.balances {
			before[b.Name] = b
		}
	}
	for b, now := range t.balances {
		g := t.catalog.Groups[record.Key{Name: b.Name, Type: dns.TypeA}]
		if was := before[b.Name]; was != nil {
			t.noteLines(g, now, reconfigured(was, old.balances[was], b, now))
			continue
		}
		t.noteLines(g, now, transitions(b, balance(b, func(int32) bool { return true }), now))
	}
}

// report tells what has moved, the worst first.
func (t *Table) report() {
	if m := &t.moves; len(m.first) > 0 {
		for i := range m.first {
			t.tell(t.transition(&m.first[i]))
		}
		if rest, ok := m.rest(); ok {
			t.tell(rest)
		}
		clear(m.first)
		t.moves = moves{first: m.first[:0]}
	}
	t.news.checks.clear()
	t.news.externals.clear()
	t.news.groups.clear()
}

// grouped writes a number with a comma before each three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// transition says how a group moved, and why.
func (t *Table) transition(m *move) Transition {
	if m.line != nil {
		return *m.line
	}
	n := &t.groups[m.group]
	how := m.from.String() + " -> " + m.to.String()
	if m.starts {
		how = "starts as " + m.to.String()
	}
	why := t.because(n, m)
	switch {
	case m.worse() && m.to.Rule == LastResort && why == "":
		why = "nothing healthy"
	case m.worse() && m.to.Rule == LastResort:
		why = "nothing healthy: " + why
	case why == "":
		why = "its configuration changed"
	}
	return Transition{Worse: m.worse(), Subject: n.group.Key.String(), Text: how + ": " + why}
}
