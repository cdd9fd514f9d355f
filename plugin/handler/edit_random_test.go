package handler_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// TestEditRandom edits random zones and compares what is edited with what a load makes of
// the same files: what is held, what is reported, and all that is answered, under random
// health.
func TestEditRandom(t *testing.T) {
	zones, edits := 120, 6
	if testing.Short() {
		zones = 20
	}
	t.Chdir(t.TempDir())
	tried, done, changed := 0, 0, 0
	for seed := range zones {
		z := newRandomZone(rand.New(rand.NewPCG(uint64(seed), 2)))
		s, err := load(z.write(t), z.stanzas)
		if err != nil {
			continue // the stanza's alias leads nowhere
		}
		h := make(health)
		for edit := range edits {
			for range 1 + z.IntN(3) {
				z.mutate()
			}
			paths := z.write(t)
			fresh, err := load(paths, z.stanzas)
			if err != nil {
				fresh = nil // and what was served stays
			} else {
				fresh.update(h)
			}
			keys, edited, err := s.edit(t, paths, fresh)
			tried++
			switch {
			case err != nil:
				t.Fatalf("seed %d, edit %d of %q, health %v: %v", seed, edit, keys, h, err)
			case edited:
				done++
				changed += min(len(keys), 1)
			case fresh != nil:
				s = fresh
			}
			for _, name := range []string{"hc0", "hc1", "hc2", "hc3", "own", "lb.example.net. A", "lb2.example.net. A"} {
				if z.IntN(3) == 0 {
					h[name] = !h[name]
				}
			}
			s.update(h)
			if fresh == nil {
				continue
			}
			fresh.update(h)
			if err := different(s.answers(t, fresh), fresh.answers(t, s)); err != nil {
				t.Fatalf("seed %d, after edit %d of %q, health %v: %v", seed, edit, keys, h, err)
			}
		}
	}
	t.Logf("%d of %d edits done, %d of them with changes", done, tried, changed)
	if tried < zones*edits*3/4 || changed < tried/10 {
		t.Error("too few to tell anything")
	}
}

// FuzzEdit turns one file into another: what is edited is what a load makes of it, and what
// is not leaves no trace.
func FuzzEdit(f *testing.F) {
	one, two := simpleSet("a.example.com", "192.0.2.1"), simpleSet("b.example.com", "192.0.2.2")
	for _, pair := range [][2]string{
		{one + two, two},
		{one, "[" + one + "," + two + "]"},
		{"[" + one + "," + one + "]", "[" + two + "," + one + "]"},
		{`{"ResourceRecordSets": [` + one + `], "IsTruncated": true}`, `{"ResourceRecordSets": [` + one + `]}`},
		{upsert(one) + two, upsert(two) + two},
	} {
		f.Add(pair[0], pair[1])
	}
	path := filepath.Join(f.TempDir(), "1.json")
	f.Fuzz(func(t *testing.T, before, after string) {
		loadText := func(text string) *imported {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := load([]string{path}, nil)
			if err != nil {
				return nil
			}
			return s
		}
		s := loadText(before)
		if s == nil {
			return
		}
		if keys, _, err := s.edit(t, []string{path}, loadText(after)); err != nil {
			t.Errorf("edit of %q: %v", keys, err)
		}
	})
}

// randomZone is files of record sets and health checks that change at random.
type randomZone struct {
	*rand.Rand
	files  [][]*zoneSet
	ports  []int  // of the health checks, which are in the last file
	change string // a change batch behind those
	stanza bool   // an alias to the first name, and a check
	number int    // of the last value or set identifier
}

// zoneSet is a record set of a file: its members as JSON.
type zoneSet struct{ members map[string]string }

// zoneNames are the names that zones begin with. Aliases lead from earlier ones to later
// ones, mostly.
var zoneNames = []string{"a", "b", "c", "d", "*.w", "e", "x.w", "f", "g"}

func newRandomZone(rnd *rand.Rand) *randomZone {
	z := &randomZone{Rand: rnd, files: make([][]*zoneSet, 1+rnd.IntN(2)), ports: []int{80, 80, 80, 80}, stanza: rnd.IntN(3) == 0}
	z.put(&zoneSet{members: map[string]string{"Name": `"example.com."`, "Type": `"NS"`, "TTL": "900", "ResourceRecords": `[{"Value": "ns.example.net."}]`}})
	z.group("a", "A", 1+z.IntN(3))
	for _, name := range zoneNames[1:] {
		if z.IntN(4) > 0 {
			z.group(name, z.pick("A", "A", "A", "A", "AAAA", "TXT", "CNAME"), 1+z.IntN(4))
		}
		if z.IntN(6) == 0 {
			z.group(name, "AAAA", 1+z.IntN(3))
		}
	}
	for range z.IntN(3) {
		z.spoil(z.one())
	}
	return z
}

func (z *randomZone) pick(of ...string) string { return of[z.IntN(len(of))] }

func (z *randomZone) next() int { z.number++; return z.number }

func (z *randomZone) put(s *zoneSet) {
	f := &z.files[z.IntN(len(z.files))]
	*f = slices.Insert(*f, z.IntN(len(*f)+1), s)
}

func (z *randomZone) drop(s *zoneSet) {
	for i := range z.files {
		z.files[i] = slices.DeleteFunc(z.files[i], func(o *zoneSet) bool { return o == s })
	}
}

func (z *randomZone) all() []*zoneSet { return slices.Concat(z.files...) }

func (z *randomZone) one() *zoneSet { return z.all()[z.IntN(len(z.all()))] }

// siblings returns the record sets of the same name and type, and itself.
func (z *randomZone) siblings(s *zoneSet) []*zoneSet {
	return slices.DeleteFunc(z.all(), func(o *zoneSet) bool {
		return o.members["Name"] != s.members["Name"] || o.members["Type"] != s.members["Type"]
	})
}

// group adds the record sets of a name and type that has none.
func (z *randomZone) group(name, typ string, n int) {
	first := &zoneSet{members: map[string]string{"Name": fmt.Sprintf(`"%s.example.com."`, name), "Type": `"` + typ + `"`}}
	if len(z.siblings(first)) > 0 {
		return
	}
	policy := z.pick("", "", "Weight", "Weight", "Failover", "MultiValueAnswer")
	for i := range n {
		if i > 0 && (policy == "" || policy == "Failover" && i > 1) {
			return
		}
		s := &zoneSet{members: maps.Clone(first.members)}
		z.route(s, policy, i)
		z.answer(s)
		z.put(s)
	}
}

// route gives a record set a policy, as the i-th of its group.
func (z *randomZone) route(s *zoneSet, policy string, i int) {
	for _, old := range []string{"Weight", "Failover", "MultiValueAnswer", "SetIdentifier"} {
		delete(s.members, old)
	}
	switch policy {
	case "":
		return
	case "Weight":
		s.members[policy] = z.pick("0", "1", "3", "10")
	case "Failover":
		s.members[policy] = []string{`"PRIMARY"`, `"SECONDARY"`}[i%2]
	case "MultiValueAnswer":
		s.members[policy] = "true"
	}
	s.members["SetIdentifier"] = fmt.Sprintf(`"m%d"`, z.next())
}

// answer gives a record set values or an alias, and perhaps a health check.
func (z *randomZone) answer(s *zoneSet) {
	m := s.members
	if m["MultiValueAnswer"] == "" && z.IntN(2) == 0 {
		delete(m, "TTL")
		delete(m, "ResourceRecords")
		m["AliasTarget"] = z.target(s)
	} else {
		delete(m, "AliasTarget")
		m["TTL"], m["ResourceRecords"] = "60", "["+z.value(s)+"]"
	}
	if z.IntN(2) == 0 {
		m["HealthCheckId"] = z.check()
	}
}

func (z *randomZone) check() string {
	if z.stanza && z.IntN(8) == 0 {
		return `"own"`
	}
	return z.pick(`"hc0"`, `"hc1"`, `"/healthcheck/hc1"`, `"hc2"`, `"hc3"`, `"sum"`)
}

// value returns a value of the type of a record set.
func (z *randomZone) value(s *zoneSet) string {
	n := z.next()
	text := fmt.Sprintf("198.18.%d.%d", n/256, n%256)
	switch s.members["Type"] {
	case `"AAAA"`:
		text = fmt.Sprintf("2001:db8::%x", n)
	case `"TXT"`:
		text = fmt.Sprintf(`\"%d\"`, n)
	case `"CNAME"`, `"NS"`:
		text = fmt.Sprintf("n%d.example.net.", n)
		if s.members["Type"] == `"CNAME"` && z.IntN(3) == 0 { // perhaps a loop
			text = z.pick(append([]string{"x.n1", "q.w"}, zoneNames...)...) + ".example.com."
		}
	}
	return fmt.Sprintf(`{"Value": "%s"}`, text)
}

// target returns a target for an alias: seldom one that leads back.
func (z *randomZone) target(s *zoneSet) string {
	own := slices.IndexFunc(zoneNames, func(name string) bool { return s.members["Name"] == `"`+name+`.example.com."` })
	targets := zoneNames[own+1:]
	switch n := z.IntN(30); {
	case n == 0:
		targets = zoneNames
	case n == 1:
		targets = []string{"gone.x.w"}
	case n < 9 || len(targets) == 0:
		targets = []string{"q.w", "x.n1", "n2"}
	}
	name := z.pick(targets...) + ".example.com."
	if z.IntN(7) == 0 {
		name = z.pick("lb.example.net.", "lb2.example.net.")
	}
	return fmt.Sprintf(`{"DNSName": "%s", "EvaluateTargetHealth": %s}`, name, z.pick("true", "true", "false"))
}

// stanzas adds what the block has beside its files.
func (z *randomZone) stanzas(c *record.Catalog) error {
	if !z.stanza {
		return nil
	}
	spec := healthcheck.Defaults(healthcheck.TCP)
	spec.Host, spec.Port = "192.0.2.9", 443
	c.Checks = append(c.Checks, healthcheck.Check{Name: "own", Spec: spec})
	return c.Add(&record.Group{
		Key: record.Key{Name: "stanza.example.com.", Type: dns.TypeA}, Pos: record.Pos{File: "Corefile", Line: 4}, Policy: record.Weighted,
		Records: []record.RecordSet{
			{Weight: 1, Check: 0, Alias: &record.AliasTarget{Name: "a.example.com.", EvaluateTargetHealth: true}},
			{Weight: 2, Check: record.NoCheck, Alias: &record.AliasTarget{Name: "lb.example.net.", EvaluateTargetHealth: true}},
		},
	})
}
