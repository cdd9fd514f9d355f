package handler_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
	"github.com/steerdns/steer/plugin/routing"
)

var importOptions = route53json.Options{Zones: []string{"example.com."}, DefaultTTL: 60}

// imported is an import of files and a handler that answers from it.
type imported struct {
	im      *route53json.Import
	data    *handler.Snapshot
	handler *handler.Handler
	draw    uint64 // the random number, in quarters of its range
}

// load loads files beside what a function adds, which may be nil.
func load(paths []string, stanzas func(*record.Catalog) error) (*imported, error) {
	im, err := route53json.Load(context.Background(), paths, importOptions)
	if err != nil {
		return nil, err
	}
	c := record.NewCatalog(importOptions.Zones)
	c.SOA["example.com."] = record.DefaultSOA("example.com.", 1)
	if stanzas != nil {
		if err := stanzas(c); err != nil {
			return nil, err
		}
	}
	if err := im.AddTo(context.Background(), c); err != nil {
		return nil, err
	}
	for _, p := range im.Note(c.Validate()) {
		if p.Level == record.Refused {
			return nil, p.Err
		}
	}
	c.Judge = lint.Judge{}
	if others := im.Warn(lint.Check(c, lint.Options{})); len(others) > 0 && stanzas == nil {
		return nil, fmt.Errorf("of files alone, stanzas are said to have traps: %v", others)
	}
	statuses := make([]healthcheck.Status, len(c.Checks))
	for i := range statuses {
		statuses[i] = healthcheck.Healthy
	}
	s := &imported{im: im, data: handler.NewSnapshot(c, statuses)}
	for _, e := range s.data.Externals() {
		e.Set(routing.Resolution{RRs: []dns.RR{&dns.TXT{Hdr: dns.RR_Header{Name: e.Name, Rrtype: dns.TypeTXT, Class: dns.ClassINET}, Txt: []string{e.String()}}}})
	}
	s.handler = handler.New(s.data)
	s.handler.SetRand(func(n uint64) uint64 { return n * s.draw / 4 })
	return s, nil
}

// health is what is unhealthy, by the names of checks and of external targets.
type health map[string]bool

// update puts what is imported under a health.
func (s *imported) update(h health) {
	status := func(name string) healthcheck.Status {
		if h[name] {
			return healthcheck.Unhealthy
		}
		return healthcheck.Healthy
	}
	var checks []healthcheck.Change
	for i := range s.data.Catalog.Checks {
		checks = append(checks, healthcheck.Change{Check: i, Status: status(s.data.Catalog.Checks[i].Name)})
	}
	var externals []routing.ExternalChange
	for i, e := range s.data.Externals() {
		externals = append(externals, routing.ExternalChange{External: i, Healthy: !h[e.String()]})
	}
	s.data.Update(checks, externals)
}

// place is where something else stands, in the reason of a problem; that may have moved.
var place = regexp.MustCompile(`\d+\.json:\d+`)

// facts lists all that is held and reported, in alphabetical order.
func (s *imported) facts() []string {
	var facts []string
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	c := s.data.Catalog
	for g := range c.All() {
		if c.Groups[g.Key] != g || c.Order[g.Ordinal] != g {
			add("%s is not in its place", g.Key)
		}
	}
	for key, g := range c.Groups {
		if c.Order[g.Ordinal] != g {
			add("%s is not in order", key)
		}
		for i := range g.Records {
			r := &g.Records[i]
			line := fmt.Sprintf("%s %s %d: %q, imported %t, weight %d, tier %d", key, g.Policy, i, r.SetID, r.Imported, r.Weight, r.Tier)
			if r.Check != record.NoCheck {
				line += ", check " + c.Checks[r.Check].Name
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
	exists := make(map[string]bool)
	note := func(name string) (known bool) {
		known, exists[name] = exists[name], true
		return known
	}
	c.EachName(note)
	c.EachNameLeft(note)
	for name := range exists {
		add("%s exists: %t", name, c.Exists(name))
	}
	for i := range c.Checks {
		check := c.Checks[i]
		var children []string
		for _, child := range check.Children {
			children = append(children, c.Checks[child].Name)
		}
		check.Children = nil
		add("check %+v of %q", check, children)
	}
	for _, e := range s.data.Externals() {
		add("external %s", e.Key)
	}
	for _, p := range s.im.Problems {
		p.Reason = place.ReplaceAllString(p.Reason, "somewhere")
		add("problem of kind %q, %s", p.Kind, p.Placeless())
	}
	for _, f := range s.im.Files {
		add("file %s %x: %d %d %d %d %d", f.Path, f.Digest, f.RecordSets, f.HealthChecks, f.LeftOut, f.Changed, f.Warnings)
	}
	add("counts %v, %s, %d record sets", s.im.Counts(), s.im.Summary(), s.data.RecordSets())
	slices.Sort(facts)
	return facts
}

// answers lists what is answered to questions for all that either of two catalogs holds,
// for names below that, and for the names above.
func (s *imported) answers(t testing.TB, other *imported) []string {
	questions := make(map[record.Key]bool)
	for _, c := range []*record.Catalog{s.data.Catalog, other.data.Catalog} {
		for key := range c.Groups {
			for name, ok := key.Name, true; ok && dns.IsSubDomain("example.com.", name); name, ok = record.Parent(name) {
				questions[record.Key{Name: name, Type: key.Type}] = true
				questions[record.Key{Name: "q." + name, Type: key.Type}] = true
			}
		}
	}
	var lines []string
	for q := range questions {
		for s.draw = range 4 {
			m, _ := query(t, s.handler, q.Name, q.Type)
			lines = append(lines, fmt.Sprintf("%s with %d/4: %s", q, s.draw, render(m)))
		}
	}
	slices.Sort(lines)
	return lines
}

// differs says how what is imported differs from what it ought to be.
func (s *imported) differs(t testing.TB, want *imported) error {
	if err := different(s.facts(), want.facts()); err != nil {
		return err
	}
	return different(s.answers(t, want), want.answers(t, s))
}

func different(got, want []string) error {
	if slices.Equal(got, want) {
		return nil
	}
	only := func(a, b []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(a), func(l string) bool { return slices.Contains(b, l) }), "\n\t")
	}
	return fmt.Errorf("has too much:\n\t%s\nand too little:\n\t%s", only(got, want), only(want, got))
}

// edit edits what is imported after its files, and compares it with a load of them; nil
// stands for one that fails. It returns the keys that changed, and false when only a load
// will do. Then all has to be as it was.
func (s *imported) edit(t testing.TB, paths []string, fresh *imported) (keys []string, done bool, err error) {
	a := s.im.Amend(context.Background(), paths, importOptions, s.data.Catalog)
	if a == nil {
		return nil, false, nil
	}
	facts, answers := s.facts(), s.answers(t, s)
	if !s.data.Edit(a.Changes, 1) {
		return nil, false, errors.Join(different(s.facts(), facts), different(s.answers(t, s), answers))
	}
	s.im = a.Import
	for _, ch := range a.Changes {
		keys = append(keys, ch.Key().String())
		if ch.New == nil {
			keys[len(keys)-1] += " gone"
		}
	}
	slices.Sort(keys)
	if fresh == nil {
		return keys, true, errors.New("edited after what cannot be loaded")
	}
	if again := s.im.Amend(context.Background(), paths, importOptions, s.data.Catalog); again == nil || len(again.Changes) > 0 {
		return keys, true, fmt.Errorf("what has just been edited differs again: %+v", again)
	}
	return keys, true, s.differs(t, fresh)
}

// writeFiles writes 1.json, 2.json and so on and returns their names.
func writeFiles(t testing.TB, texts ...string) []string {
	t.Helper()
	var paths []string
	for i, text := range texts {
		paths = append(paths, fmt.Sprintf("%d.json", i+1))
		if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}
