package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// spare reports whether no failure of a single probe takes a group to last resort, by
// trying each.
func spare(m *Model, group int) bool {
	if stand(m, group).resort {
		return false
	}
	for p := range m.health.probes {
		c := Cause{probes: []int32{int32(p)}}
		_, back := m.turn(c.fails(m, true), ignore)
		resort := stand(m, group).resort
		m.turn(back, ignore)
		if resort {
			return false
		}
	}
	return true
}

// told is all that is told of a question.
type told struct {
	answers *chances
	spare   bool
}

// tell asks a Model everything: each group for itself, and what each CNAME leads to.
func tell(m *Model) map[record.Key]told {
	all := map[record.Key]told{}
	for g := range m.catalog.All() {
		all[g.Key] = told{m.answers(g.Name, g.Type), spare(m, int(g.Ordinal))}
		if g.Type == dns.TypeCNAME {
			for _, typ := range m.typesBelow(g) {
				all[record.Key{Name: g.Name, Type: typ}] = told{answers: m.answers(g.Name, typ)}
			}
		}
	}
	return all
}

// differences compares all that is told before and after, as changes are told.
func differences(before, after map[record.Key]told, cause []string) []Change {
	var changes []Change
	for _, k := range slices.SortedFunc(maps.Keys(before), compareKeys) {
		was, is := before[k], after[k]
		c := Change{Cause: cause, Name: k.Name, Type: dns.Type(k.Type).String(), LastResort: is.answers.resort()}
		c.LastSpare = was.spare && !is.spare && !c.LastResort
		if was.answers.empty() && is.answers.empty() || was.answers.equal(is.answers) && was.answers.resort() == c.LastResort && !c.LastSpare {
			continue
		}
		c.Before, c.After = answersOf(was.answers), answersOf(is.answers)
		changes = append(changes, c)
	}
	return changes
}

// TestEachFailure compares the changes of each single failure, of checks, endpoints, zones
// and patterns, with those between two Models that are asked everything.
func TestEachFailure(t *testing.T) {
	catalogs := 250
	if testing.Short() {
		catalogs = 25
	}
	changed, lost, followed := 0, 0, 0
	for seed := range catalogs {
		m, before := simulated(t, seed)
		causes := everyCause(t, m)
		got := map[string][]Change{}
		for c := range m.EachFailure(causes) {
			got[fmt.Sprint(c.Cause)] = append(got[fmt.Sprint(c.Cause)], c)
		}
		for _, cause := range causes {
			other, _ := simulated(t, seed)
			other.Fail(cause)
			want := differences(before, tell(other), cause.Names)
			if have := got[fmt.Sprint(cause.Names)]; text(have) != text(want) {
				t.Fatalf("seed %d: %v changes\n%s, want\n%s", seed, cause.Names, text(have), text(want))
			}
			for _, c := range want {
				changed++
				if c.LastSpare {
					lost++
				}
				if c.Name[0] == 'c' && c.Type != "CNAME" {
					followed++
				}
			}
		}
		if text(m.WhatIf(nil, nil)) != "null" {
			t.Fatalf("seed %d: something changes although nothing fails", seed)
		}
	}
	if changed < 10*catalogs || lost < catalogs/4 || followed < catalogs/4 {
		t.Errorf("only %d changes, %d spares lost, %d followed CNAMEs", changed, lost, followed)
	}
}

// TestWhatIf does so for several failures and recoveries at once.
func TestWhatIf(t *testing.T) {
	catalogs := 400
	if testing.Short() {
		catalogs = 40
	}
	for seed := range catalogs {
		m, before := simulated(t, seed)
		rnd := rand.New(rand.NewPCG(uint64(seed), 6))
		causes := everyCause(t, m)
		some := func() []Cause {
			var list []Cause
			for range rnd.IntN(3) {
				list = append(list, causes[rnd.IntN(len(causes))])
			}
			return list
		}
		fail, recover := some(), some()
		var names []string
		for _, c := range slices.Concat(fail, recover) {
			names = append(names, c.Names...)
		}
		got := m.WhatIf(fail, recover)
		other, _ := simulated(t, seed)
		other.Fail(fail...)
		other.Recover(recover...)
		if want := differences(before, tell(other), names); text(got) != text(want) {
			t.Fatalf("seed %d: %v fail and %v recover:\n%s, want\n%s", seed, fail, recover, text(got), text(want))
		}
	}
}

// simulated makes a random Model, and all that it tells.
func simulated(t *testing.T, seed int) (*Model, map[record.Key]told) {
	rnd := rand.New(rand.NewPCG(uint64(seed), 5))
	m := New(grow(t, rnd))
	upset(m, rnd)
	return m, tell(m)
}

// everyCause returns causes of all kinds, each by other names.
func everyCause(t *testing.T, m *Model) []Cause {
	var causes []Cause
	for _, kind := range []Kind{CheckKind, AddressKind, ZoneKind} {
		causes = append(causes, m.Each(kind)...)
	}
	for i, e := range m.table.Externals() {
		causes = append(causes, Cause{Kind: ExternalKind, Names: []string{e.Key.String()}, externals: []int{i}})
	}
	for _, word := range []string{"192.0.2.0/31", "check-*", "calculated-?", "*"} {
		if c, err := m.Match(word); err == nil {
			causes = append(causes, c)
		}
	}
	return causes
}

func text(changes []Change) string {
	b, err := json.MarshalIndent(changes, "", " ")
	if err != nil {
		panic(err)
	}
	return string(b)
}
