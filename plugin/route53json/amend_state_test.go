package route53json_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
	"github.com/steerdns/steer/plugin/routing"
)

var amendOptions = route53json.Options{Zones: []string{"example.com."}, DefaultTTL: 60}

// state is an import, the catalog it is in, and what is answered from that.
type state struct {
	im      *route53json.Import
	catalog *record.Catalog
	table   *routing.Table
	answers []*routing.Selection // as published, by the groups' Ordinals
}

// health is what states are under: what is unhealthy.
type health struct {
	checks    map[string]bool // by name
	externals map[record.Key]bool
}

func healthy() health { return health{make(map[string]bool), make(map[record.Key]bool)} }

// begin loads files beside the stanzas that a function adds, which may be nil.
func begin(paths []string, h health, stanzas func(*record.Catalog) error) (*state, error) {
	im, err := route53json.Load(context.Background(), paths, amendOptions)
	if err != nil {
		return nil, err
	}
	s := &state{im: im, catalog: record.NewCatalog(amendOptions.Zones)}
	if stanzas != nil {
		if err := stanzas(s.catalog); err != nil {
			return nil, err
		}
	}
	if err := im.AddTo(context.Background(), s.catalog); err != nil {
		return nil, err
	}
	for _, p := range im.Note(s.catalog.Validate()) {
		if p.Level != record.Warning {
			return nil, p.Err
		}
	}
	statuses := make([]healthcheck.Status, len(s.catalog.Checks))
	for i := range s.catalog.Checks {
		statuses[i] = healthcheck.Healthy
	}
	s.table = routing.NewTable(s.catalog, statuses)
	s.answers = make([]*routing.Selection, s.table.Len())
	for i := range s.answers {
		_, s.answers[i], _ = s.table.Group(i)
	}
	for _, e := range s.table.Externals() {
		e.Set(routing.Resolution{RRs: []dns.RR{&dns.CNAME{Hdr: dns.RR_Header{Name: e.Name, Rrtype: dns.TypeCNAME, Class: dns.ClassINET}, Target: e.Name}}})
	}
	s.update(h)
	return s, nil
}

// update puts a state under other health.
func (s *state) update(h health) {
	var changes []healthcheck.Change
	for i := range s.catalog.Checks {
		c := healthcheck.Change{Check: i, Status: healthcheck.Healthy}
		if h.checks[s.catalog.Checks[i].Name] {
			c.Status = c.Status.Not()
		}
		changes = append(changes, c)
	}
	var externals []routing.ExternalChange
	for i, e := range s.table.Externals() {
		externals = append(externals, routing.ExternalChange{External: i, Healthy: !h.externals[e.Key]})
	}
	s.table.Update(changes, externals, s.publish)
}

func (s *state) publish(group int, now *routing.Selection) { s.answers[group] = now }

// amend does to a state what handler.Snapshot.Edit does, and reports whether that did.
func (s *state) amend(a *route53json.Amendment) bool {
	e := record.Edit{Put: a.Put, Drop: a.Drop}
	for _, g := range a.Put {
		if old := s.catalog.Groups[g.Key]; old != nil {
			e.Near = append(e.Near, s.table.Parents(old)...)
		}
	}
	var dropped []*record.Group
	for _, k := range a.Drop {
		dropped = append(dropped, s.catalog.Groups[k])
	}
	changed := make(map[int]*routing.Selection)
	if !s.catalog.Edit(e, func(before, after []record.Problem) bool {
		return a.Agrees(before, after) && s.table.Edit(a.Put, dropped, func(group int, now *routing.Selection) { changed[group] = now })
	}) {
		return false
	}
	s.im = a.Import
	for len(s.answers) < s.table.Len() {
		s.answers = append(s.answers, nil)
	}
	for group, now := range changed {
		s.answers[group] = now
	}
	return true
}

// place is where something else stands, in the reason of a problem; that may have moved.
var place = regexp.MustCompile(`\d+\.json:\d+`)

// possibleNames are names that may have been there.
var possibleNames = []string{"a.example.com.", "b.example.com.", "c.example.com.", "d.example.com.", "x.w.example.com.", "w.example.com.", "f.example.com.", "n1.example.com.", "x.n1.example.com.", "n2.example.com.", "y.n2.example.com.", "s.example.com.", "new.example.com.", "deep.example.com."}

// facts lists all that is known of an import and its catalog.
func (s *state) facts() []string {
	var facts []string
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	for i, g := range s.catalog.Order {
		if g != nil && (s.catalog.Groups[g.Key] != g || int(g.Ordinal) != i) {
			add("%s at %d is not held", g.Key, i)
		}
	}
	for key, g := range s.catalog.Groups {
		if key != g.Key || s.catalog.Order[g.Ordinal] != g {
			add("%s is not at its place", key)
		}
		for i := range g.Records {
			r := &g.Records[i]
			line := fmt.Sprintf("%s %s %d: %q, imported %t, weight %d, tier %d", g.Key, g.Policy, i, r.SetID, r.Imported, r.Weight, r.Tier)
			if r.Check != record.NoCheck {
				line += ", check " + s.catalog.Checks[r.Check].Name
			}
			if r.Alias != nil {
				line += fmt.Sprintf(", alias %v", *r.Alias)
			}
			for _, rr := range r.Values {
				line += ", " + rr.String()
			}
			facts = append(facts, line)
		}
	}
	for name := range s.catalog.Names {
		add("name %s", name)
	}
	exists := make(map[string]bool)
	note := func(name string) (known bool) {
		known, exists[name] = exists[name], true
		return known
	}
	s.catalog.EachName(note)
	s.catalog.EachNameLeft(note)
	for _, name := range append(slices.Collect(maps.Keys(exists)), possibleNames...) {
		if s.catalog.Exists(name) != exists[name] {
			add("%s exists: %t, but for look-ups: %t", name, exists[name], s.catalog.Exists(name))
		}
	}
	for name := range exists {
		add("%s exists", name)
	}
	for i := range s.catalog.Checks {
		c := s.catalog.Checks[i]
		children := c.Children
		c.Children = nil
		add("check %+v", c)
		for _, child := range children {
			add("check %s has the child %s", c.Name, s.catalog.Checks[child].Name)
		}
	}
	for _, e := range s.table.Externals() {
		add("external %s", e.Key)
	}
	for _, p := range s.im.Problems {
		p.Reason = place.ReplaceAllString(p.Reason, "somewhere")
		add("problem of kind %q, %s", p.Kind, p.Placeless())
	}
	for _, f := range s.im.Files {
		add("file %s %x: %d %d %d %d %d", f.Path, f.Digest, f.RecordSets, f.HealthChecks, f.LeftOut, f.Changed, f.Warnings)
	}
	add("counts %v, %s", s.im.Counts(), s.im.Summary())
	slices.Sort(facts)
	return facts
}

// differs returns how a state differs from the one that it ought to be, nil if it does
// not.
func (s *state) differs(want *state) error {
	if got, want := s.facts(), want.facts(); !slices.Equal(got, want) {
		only := func(a, b []string) string {
			return strings.Join(slices.DeleteFunc(slices.Clone(a), func(l string) bool { return slices.Contains(b, l) }), "\n\t")
		}
		return fmt.Errorf("has too much:\n\t%s\nand too little:\n\t%s", only(got, want), only(want, got))
	}
	return s.answersDiffer(want)
}

// answersDiffer compares what is chosen and who is healthy.
func (s *state) answersDiffer(want *state) error {
	for i := range s.table.Len() {
		if g, _, _ := s.table.Group(i); g != nil && s.catalog.Groups[g.Key] != g {
			return fmt.Errorf("%s: the table has what the catalog has not", g.Key)
		}
	}
	for key, g := range want.catalog.Groups {
		_, b, healthyB := want.table.Group(int(g.Ordinal))
		i := s.catalog.Groups[key].Ordinal
		held, a, healthyA := s.table.Group(int(i))
		switch {
		case held != s.catalog.Groups[key]:
			return fmt.Errorf("%s: the table has another group than the catalog", key)
		case s.answers[i] != a:
			return fmt.Errorf("%s: what is answered has not been published", key)
		case healthyA != healthyB:
			return fmt.Errorf("%s: healthy %t, want %t", key, healthyA, healthyB)
		}
		for k := range uint64(16) {
			rnd := func(n uint64) uint64 { return n * k / 16 }
			if !sameChoice(a, b, rnd) {
				return fmt.Errorf("%s: with %d/16 the choice is %v, want %v", key, k, a.Answer("", rnd), b.Answer("", rnd))
			}
		}
	}
	return nil
}

// choice is what a Selection chooses, beside the cards.
type choice struct {
	answered     int    // of the cards
	set          string // its identifier; "" when several are answered
	weight, tier uint16
	external     record.Key
	reason       routing.Reason
}

// sameChoice reports whether two Selections choose the same by the same random numbers.
func sameChoice(a, b *routing.Selection, rnd routing.Rand) bool {
	choose := func(s *routing.Selection) ([]dns.RR, choice) {
		cards, from, set, external, reason := s.Choose(rnd)
		c := choice{answered: from.Len(cards), reason: reason}
		if set != nil {
			c.set, c.weight, c.tier = set.SetID, set.Weight, set.Tier
		}
		if external != nil {
			c.external = external.Key
		}
		return cards, c
	}
	cardsA, choiceA := choose(a)
	cardsB, choiceB := choose(b)
	return choiceA == choiceB && slices.EqualFunc(cardsA, cardsB, func(a, b dns.RR) bool {
		return a.Header().Ttl == b.Header().Ttl && dns.IsDuplicate(a, b)
	})
}

// attempt amends a state after its files, and compares it with a fresh load of them; nil
// stands for one that fails. It returns the keys that were amended. When only a load will
// do it returns false, and the state has to be as it was.
func (s *state) attempt(paths []string, fresh *state) (keys []string, amended bool, err error) {
	facts, answers := s.facts(), slices.Clone(s.answers)
	a := s.im.Amend(context.Background(), paths, amendOptions, s.catalog)
	if a == nil || !s.amend(a) {
		if !slices.Equal(facts, s.facts()) || !slices.Equal(answers, s.answers) {
			err = errors.New("a refused amendment leaves traces")
		}
		return nil, false, err
	}
	for _, g := range a.Put {
		keys = append(keys, g.Key.String())
	}
	for _, k := range a.Drop {
		keys = append(keys, k.String()+" gone")
	}
	slices.Sort(keys)
	if fresh == nil {
		return keys, true, errors.New("amended what cannot be loaded")
	}
	if err := s.differs(fresh); err != nil {
		return keys, true, err
	}
	if again := s.im.Amend(context.Background(), paths, amendOptions, s.catalog); again == nil || len(again.Put)+len(again.Drop) != 0 {
		return keys, true, fmt.Errorf("what has just been amended differs again: %+v", again)
	}
	return keys, true, nil
}

// flip changes the health of some of what a state has.
func (h health) flip(s *state, rnd func() bool) {
	for i := range s.catalog.Checks {
		if name := s.catalog.Checks[i].Name; rnd() {
			h.checks[name] = !h.checks[name]
		}
	}
	externals := slices.SortedFunc(slices.Values(s.table.Externals()), func(a, b *routing.External) int { return strings.Compare(a.String(), b.String()) })
	for _, e := range externals {
		if rnd() {
			h.externals[e.Key] = !h.externals[e.Key]
		}
	}
}
