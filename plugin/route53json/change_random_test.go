package route53json_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChangesRandom holds random batches of changes against an interpreter that does what
// the documents say, one record set at a time.
func TestChangesRandom(t *testing.T) {
	batches := 3000
	if testing.Short() {
		batches = 500
	}
	path := filepath.Join(t.TempDir(), "changes.json")
	left, deleted, missed := 0, 0, 0
	for seed := range batches {
		b := newBatch(rand.New(rand.NewPCG(uint64(seed), 7)))
		var naive naiveZone
		var texts []string
		for _, c := range b.changes {
			texts = append(texts, c.json())
			naive.do(c)
		}
		if err := os.WriteFile(path, []byte("["+strings.Join(texts, ",\n")+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
		got := loadPaths(t, "example.com.", path)
		want := naive.held()
		if lines := held(got.catalog); !slices.Equal(lines, want) {
			t.Fatalf("seed %d: held\n\t%s\nwant\n\t%s\nafter\n%s", seed, strings.Join(lines, "\n\t"), strings.Join(want, "\n\t"), strings.Join(texts, "\n"))
		}
		for _, name := range batchNames {
			if exists := got.catalog.Exists(name + ".example.com."); exists != naive.exists(name) {
				t.Fatalf("seed %d: %s exists: %t, want %t, after\n%s", seed, name, exists, !exists, strings.Join(texts, "\n"))
			}
		}
		warned := 0
		for _, p := range problems(got.im) {
			if strings.Contains(p, "DELETE") {
				warned++
			}
		}
		if warned != naive.missed {
			t.Fatalf("seed %d: %d warnings of a DELETE, want %d, after\n%s", seed, warned, naive.missed, strings.Join(texts, "\n"))
		}
		left, deleted, missed = left+len(want), deleted+naive.deleted, missed+naive.missed
	}
	t.Logf("%d record sets left, %d deleted, %d DELETEs of nothing", left, deleted, missed)
	if least := batches / 2; left < least || deleted < least || missed < least {
		t.Error("too few to tell anything")
	}
}

// naiveChange is a change, or a record set of a list if it has no action.
type naiveChange struct {
	action string
	naiveSet
}

type naiveSet struct {
	name, id string
	policy   string // "" is simple
	weight   int
	tier     string // PRIMARY or SECONDARY
	value    string
}

var batchNames = []string{"a", "b"}

const badValue = "192.0.2"

type batch struct {
	*rand.Rand
	changes []naiveChange
}

// newBatch makes a batch: of few identifiers, so that they meet, or now and then of many.
func newBatch(rnd *rand.Rand) *batch {
	b := &batch{Rand: rnd}
	ids, changes := []string{"", "", "one", "One", "two"}, 2+rnd.IntN(12)
	if rnd.IntN(10) == 0 {
		changes = 200
		for i := range 40 {
			ids = append(ids, fmt.Sprintf("id-%d", i))
		}
	}
	policies := []string{"", "weighted", "failover", "multivalue"}
	if rnd.IntN(2) == 0 {
		policies = []string{b.pick(policies...)}
	}
	for range changes {
		c := naiveChange{b.pick("", "CREATE", "CREATE", "UPSERT", "DELETE", "DELETE"), naiveSet{
			name: b.pick(batchNames...), id: b.pick(ids...), policy: b.pick(policies...), weight: 1 + b.IntN(2),
			tier: b.pick("PRIMARY", "SECONDARY"), value: b.pick("192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", badValue),
		}}
		if c.action == "DELETE" && b.IntN(4) == 0 {
			c.policy = "" // says nothing of it
		}
		b.changes = append(b.changes, c)
	}
	return b
}

func (b *batch) pick(of ...string) string { return of[b.IntN(len(of))] }

func (c naiveChange) json() string {
	members := ""
	if c.id != "" {
		members += fmt.Sprintf(`, "SetIdentifier": %q`, c.id)
	}
	switch c.policy {
	case "weighted":
		members += fmt.Sprintf(`, "Weight": %d`, c.weight)
	case "failover":
		members += fmt.Sprintf(`, "Failover": %q`, c.tier)
	case "multivalue":
		members += `, "MultiValueAnswer": true`
	}
	set := fmt.Sprintf(`{"Name": "%s.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": %q}]%s}`, c.name, c.value, members)
	if c.action == "" {
		return set
	}
	return change(c.action, set)
}

// naiveZone is what is left of the record sets that were read, in the order of the file.
type naiveZone struct {
	sets            []naiveSet
	deleted, missed int
}

func (s naiveSet) bad() bool { return s.value == badValue }

// nameless reports whether others may have the same identity.
func (s naiveSet) nameless() bool {
	return s.id == "" && (s.policy == "weighted" || s.policy == "multivalue")
}

// is reports whether two record sets of a name are the same one.
func (s naiveSet) is(o naiveSet) bool {
	if s.id != "" || o.id != "" {
		return s.id == o.id
	}
	return s.samePolicy(o)
}

func (s naiveSet) samePolicy(o naiveSet) bool {
	return s.policy == o.policy && (s.policy != "failover" || s.tier == o.tier)
}

func (z *naiveZone) do(c naiveChange) {
	if c.action == "DELETE" {
		if i := z.meant(c.naiveSet); i >= 0 {
			z.sets = slices.Delete(z.sets, i, i+1)
			z.deleted++
		} else {
			z.missed++
		}
		return
	}
	i := slices.IndexFunc(z.sets, func(o naiveSet) bool { return o.name == c.name && o.is(c.naiveSet) })
	switch {
	case i < 0, c.nameless() && c.action != "UPSERT":
		z.sets = append(z.sets, c.naiveSet)
	case c.bad():
	case z.sets[i].bad():
		z.sets = append(slices.Delete(z.sets, i, i+1), c.naiveSet)
	case c.action == "UPSERT":
		z.sets[i] = c.naiveSet
	}
}

// meant returns the place of the record set that a DELETE means, or -1.
func (z *naiveZone) meant(d naiveSet) int {
	var same, all, equal []int
	for i, s := range z.sets {
		if s.name != d.name {
			continue
		}
		all = append(all, i)
		if s.is(d) {
			same = append(same, i)
			if !s.bad() && s.value == d.value && (s.policy != "weighted" || s.weight == d.weight) {
				equal = append(equal, i)
			}
		}
	}
	switch {
	case len(same) == 1:
		return same[0]
	case len(equal) > 0:
		return equal[0]
	case len(same) == 0 && d.id == "" && len(all) == 1 && (d.policy == "" || d.samePolicy(z.sets[all[0]])):
		return all[0]
	}
	return -1
}

func (z *naiveZone) exists(name string) bool {
	return slices.ContainsFunc(z.sets, func(s naiveSet) bool { return s.name == name })
}

// held returns what is served, as the function of that name does for a catalog: the record
// sets that have the policy of most, one if it is simple, one for each tier if it is
// failover. The file's order decides between them.
func (z *naiveZone) held() []string {
	var lines []string
	for _, name := range batchNames {
		votes, policy := make(map[string]int), ""
		for _, s := range z.sets {
			if s.name == name && !s.bad() {
				votes[s.policy]++
			}
		}
		for _, s := range slices.Backward(z.sets) {
			if s.name == name && !s.bad() && votes[s.policy] >= votes[policy] {
				policy = s.policy
			}
		}
		taken := make(map[string]bool)
		for _, s := range z.sets {
			one := map[string]string{"": "simple", "failover": s.tier}[policy]
			if s.name != name || s.bad() || s.policy != policy || one != "" && taken[one] {
				continue
			}
			taken[one] = true
			line := name + ".example.com. A "
			if policy == "" {
				line += "simple"
			}
			line += policy
			if s.id != "" {
				line += " " + s.id
			}
			lines = append(lines, line+" = "+s.value)
		}
	}
	slices.Sort(lines)
	return lines
}
