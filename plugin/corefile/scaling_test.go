package corefile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steerdns/steer/internal/scaling"
)

// manyZones returns n zones, each below one of its own.
func manyZones(n int) []string {
	zones := make([]string, n)
	for i := range zones {
		zones[i] = fmt.Sprintf("z%d.example%d.org.", i, i)
	}
	return zones
}

// TestScaling: what a directive of many zones costs grows with their number, and not
// with its square. So does what its queries cost.
func TestScaling(t *testing.T) {
	tests := []struct {
		name    string
		n       int
		prepare func(t *testing.T, n int) (job func())
	}{
		{"names that may fall through", 4000, func(t *testing.T, n int) func() {
			zones := manyZones(n)
			through, err := newThrough(statement{keyword: "fallthrough", args: zones})
			if err != nil {
				t.Fatal(err)
			}
			return func() {
				for i := 0; i < n; i += 16 {
					if !through.through()("www." + zones[i]) {
						t.Fatalf("%s does not fall through", zones[i])
					}
				}
			}
		}},
		{"zones of other blocks", 500, func(t *testing.T, n int) func() {
			list := strings.Join(manyZones(n), " ")
			text := "# keys: " + strings.ReplaceAll(list, "org", "com") + "\nsteer " + list + " {\nfallthrough " + strings.ReplaceAll(list, "org", "net") + "\n}"
			return func() {
				if cfg, err := parseText(text); err != nil || len(cfg.Findings) != 2*n {
					t.Fatal(err, len(cfg.Findings))
				}
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { scaling.Linear(t, tt.n, func(n int) func() { return tt.prepare(t, n) }) })
	}
}
