package route53json_test

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzAmend turns one file into another: what is amended is what a load makes of it, and
// what is not leaves no trace.
func FuzzAmend(f *testing.F) {
	one, two := set("a.example.com", "192.0.2.1"), set("b.example.com", "192.0.2.2")
	for _, pair := range [][2]string{
		{one + two, two},
		{one, "[" + one + "," + two + "]"},
		{"[" + one + "," + one + "]", "[" + two + "," + one + "]"},
		{`{"ResourceRecordSets": [` + one + `], "IsTruncated": true}`, `{"ResourceRecordSets": [` + one + `]}`},
		{change("UPSERT", one) + two, change("UPSERT", two) + two},
	} {
		f.Add(pair[0], pair[1])
	}
	path := filepath.Join(f.TempDir(), "1.json")
	f.Fuzz(func(t *testing.T, before, after string) {
		load := func(text string) *state {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := begin([]string{path}, healthy(), nil)
			if err != nil {
				return nil
			}
			return s
		}
		s := load(before)
		if s == nil {
			return
		}
		if keys, _, err := s.attempt([]string{path}, load(after)); err != nil {
			t.Errorf("amended %q: %v", keys, err)
		}
	})
}
