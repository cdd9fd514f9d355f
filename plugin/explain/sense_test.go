package explain

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/steerdns/steer/plugin/routing"
)

// standing is how a group stands, as the table and its answers tell.
type standing struct{ healthy, resort bool }

func stand(m *Model, group int) standing {
	g, s, healthy := m.table.Group(group)
	return standing{healthy, m.groupAnswers(g, s).resort()}
}

func ignore(int, *routing.Selection) {}

// TestSenses compares what groups are said to be sensitive to with what happens when each
// probe fails, over random catalogs and health.
func TestSenses(t *testing.T) {
	catalogs := 3000
	if testing.Short() {
		catalogs = 300
	}
	toggles, resorts := 0, 0
	for seed := range catalogs {
		rnd := rand.New(rand.NewPCG(uint64(seed), 3))
		m := New(grow(t, rnd))
		upset(m, rnd)
		s := newSenses(m)
		for group := range m.table.Len() {
			now := stand(m, group)
			want := sense{healthy: now.healthy, resort: now.resort}
			for p := range m.health.probes {
				c := Cause{probes: []int32{int32(p)}}
				_, back := m.turn(c.fails(m, true), ignore)
				then := stand(m, group)
				m.turn(back, ignore)
				if then.healthy != now.healthy {
					want.toggles = append(want.toggles, int32(p))
				}
				if then.resort != now.resort {
					want.resorts = append(want.resorts, int32(p))
				}
			}
			toggles, resorts = toggles+len(want.toggles), resorts+len(want.resorts)
			if got := s.was(group); !got.equal(&want) {
				g, _, _ := m.table.Group(group)
				t.Fatalf("seed %d, %s: %+v, want %+v", seed, g.Key, *got, want)
			}
		}
	}
	if toggles < catalogs/2 || resorts < catalogs/2 {
		t.Errorf("only %d toggles and %d last resorts", toggles, resorts)
	}
}

// TestTurns: a turn of health that is turned back leaves nothing behind.
func TestTurns(t *testing.T) {
	for seed := range 200 {
		rnd := rand.New(rand.NewPCG(uint64(seed), 4))
		m := New(grow(t, rnd))
		upset(m, rnd)
		before := make([]*chances, m.table.Len())
		for i := range before {
			g, s, _ := m.table.Group(i)
			before[i] = m.groupAnswers(g, s)
		}
		reports := slices.Clone(m.health.reports)
		var causes []Cause
		for _, kind := range []Kind{CheckKind, AddressKind, ZoneKind} {
			causes = append(causes, m.Each(kind)...)
		}
		for _, c := range m.checks {
			cause, err := m.Match(c.Name)
			if err != nil {
				t.Fatal(err)
			}
			causes = append(causes, cause)
		}
		for _, c := range causes {
			for _, fail := range []bool{true, false} {
				_, back := m.turn(c.fails(m, fail), ignore)
				m.turn(back, ignore)
				for i := range before {
					if g, s, _ := m.table.Group(i); !m.groupAnswers(g, s).equal(before[i]) {
						t.Fatalf("seed %d: %v leaves %s changed", seed, c.Names, g.Key)
					}
				}
				if !slices.Equal(m.health.reports, reports) || len(m.health.pinned) > 0 {
					t.Fatalf("seed %d: %v leaves checks changed", seed, c.Names)
				}
			}
		}
	}
}
