package route53json_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAmendRandom edits random zones and compares what is amended with what a load makes
// of the same files: what is held, what is wrong with it, and what is answered, under
// random health.
func TestAmendRandom(t *testing.T) {
	zones, edits := 400, 5
	if testing.Short() {
		zones = 40
	}
	t.Chdir(t.TempDir())
	tried, amended, changed := 0, 0, 0
	for seed := range zones {
		z := newRandomZone(rand.New(rand.NewPCG(uint64(seed), 2)))
		h := healthy()
		s, err := begin(z.write(t), h, z.stanzas)
		switch {
		case err != nil && z.stanza:
			continue // its alias leads nowhere
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		}
		for edit := range edits {
			for range 1 + z.IntN(3) {
				z.mutate()
			}
			paths := z.write(t)
			fresh, err := begin(paths, h, z.stanzas)
			if err != nil {
				fresh = nil // and what was served stays
			}
			keys, done, err := s.attempt(paths, fresh)
			if err != nil {
				t.Fatalf("seed %d, edit %d, amended %q: %v", seed, edit, keys, err)
			}
			tried++
			if !done {
				if fresh != nil {
					s = fresh
				}
				continue
			}
			amended++
			if len(keys) > 0 {
				changed++
			}
			for range 2 {
				h.flip(fresh, func() bool { return z.IntN(3) == 0 })
				s.update(h)
				fresh.update(h)
				if err := s.answersDiffer(fresh); err != nil {
					t.Fatalf("seed %d, edit %d, amended %q, health %v: %v", seed, edit, keys, h, err)
				}
			}
		}
	}
	t.Logf("%d of %d edits amended, %d of them with groups", amended, tried, changed)
	if tried < zones*edits*9/10 || changed < tried/4 {
		t.Error("too few to tell anything")
	}
}

// randomZone is files of record sets and health checks that change at random.
type randomZone struct {
	*rand.Rand
	files  [][]*zoneSet
	ports  []int  // of the health checks, which are in the last file
	change string // a change batch behind that
	stanza bool   // an alias to the first name, and a check
	number int    // of the last value, set identifier or name
}

// zoneSet is a record set of a file.
type zoneSet struct {
	gap     string            // before it
	members map[string]string // JSON; those of AliasTarget are beside the others
}

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

// zoneNames are the names that zones begin with. Aliases lead from earlier ones to later
// ones, mostly.
var zoneNames = []string{"a", "b", "c", "d", "*.w", "e", "x.w", "f", "g"}

func (z *randomZone) pick(of ...string) string { return of[z.IntN(len(of))] }

func (z *randomZone) next() int { z.number++; return z.number }

func (z *randomZone) put(s *zoneSet) {
	f := &z.files[z.IntN(len(z.files))]
	*f = slices.Insert(*f, z.IntN(len(*f)+1), s)
}

// group adds the record sets of a name and type that has none.
func (z *randomZone) group(name, typ string, n int) {
	if slices.ContainsFunc(z.all(), func(s *zoneSet) bool { return s.is(name) && s.members["Type"] == `"`+typ+`"` }) {
		return
	}
	policy := z.pick("simple", "simple", "Weight", "Weight", "Failover", "MultiValueAnswer")
	for i := range n {
		s := &zoneSet{members: map[string]string{"Name": fmt.Sprintf(`"%s.example.com."`, name), "Type": `"` + typ + `"`}}
		if i == 0 || policy != "simple" && (policy != "Failover" || i == 1) {
			z.route(s, policy, i)
			z.answer(s)
			z.put(s)
		}
	}
}

// route gives a record set a policy, as the i-th of its group.
func (z *randomZone) route(s *zoneSet, policy string, i int) {
	m := s.members
	for _, old := range []string{"Weight", "Failover", "MultiValueAnswer"} {
		delete(m, old)
	}
	switch policy {
	case "simple":
		delete(m, "SetIdentifier")
		return
	case "Weight":
		m[policy] = z.pick("0", "1", "3", "10")
	case "Failover":
		m[policy] = []string{`"PRIMARY"`, `"SECONDARY"`}[i%2]
	case "MultiValueAnswer":
		m[policy] = "true"
	}
	if m["SetIdentifier"] == "" {
		m["SetIdentifier"] = fmt.Sprintf(`"m%d"`, z.next())
	}
}

// answer gives a record set values or an alias, and perhaps a health check.
func (z *randomZone) answer(s *zoneSet) {
	m := s.members
	if m["MultiValueAnswer"] == "" && z.IntN(2) == 0 {
		delete(m, "TTL")
		delete(m, "ResourceRecords")
		m["DNSName"], m["EvaluateTargetHealth"] = z.target(s), z.pick("true", "true", "false")
	} else {
		delete(m, "DNSName")
		delete(m, "EvaluateTargetHealth")
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
	own := slices.IndexFunc(zoneNames, func(name string) bool { return s.is(name) })
	below := zoneNames[own+1:]
	switch n := z.IntN(30); {
	case n == 0:
		below = zoneNames
	case n == 1:
		below = []string{"gone.x.w"}
	case n < 6:
		return z.pick(`"lb.example.net."`, `"lb.example.net"`, `"lb2.example.net."`)
	case n < 9 || len(below) == 0:
		below = []string{"q.w", "x.n1", "n2"}
	}
	return fmt.Sprintf(`"%s.example.com."`, z.pick(below...))
}

func (s *zoneSet) is(name string) bool { return s.members["Name"] == `"`+name+`.example.com."` }

// one returns a record set at random.
func (z *randomZone) one() *zoneSet { return z.all()[z.IntN(len(z.all()))] }

func (z *randomZone) all() []*zoneSet { return slices.Concat(z.files...) }

// siblings returns the record sets of the same name and type, and itself.
func (z *randomZone) siblings(s *zoneSet) []*zoneSet {
	return slices.DeleteFunc(z.all(), func(o *zoneSet) bool {
		return o.members["Name"] != s.members["Name"] || o.members["Type"] != s.members["Type"]
	})
}

func (z *randomZone) drop(s *zoneSet) {
	for i := range z.files {
		z.files[i] = slices.DeleteFunc(z.files[i], func(o *zoneSet) bool { return o == s })
	}
}
