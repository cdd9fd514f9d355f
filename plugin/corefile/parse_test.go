package corefile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy/caddyfile"
)

var update = flag.Bool("update", false, "write what the parser says into testdata")

// parsedAt makes the serials of the golden files.
var parsedAt = time.Unix(1700000000, 0)

// parseText parses a directive in a server block of example.org, or of the zones in a
// line "# keys: ZONE...". Files are looked for in testdata.
func parseText(text string) (*Config, error) {
	env := Env{Keys: []string{"dns://example.org.:53"}, Root: "testdata", Now: parsedAt}
	for line := range strings.Lines(text) {
		if keys, ok := strings.CutPrefix(line, "# keys:"); ok {
			env.Keys = strings.Fields(keys)
		}
	}
	tokens := caddyfile.NewDispenser("Testfile", strings.NewReader(text))
	return Load(context.Background(), &tokens, env)
}

// TestParseOK compares what each file of testdata/ok declares with the dump
// beside it, word for word.
func TestParseOK(t *testing.T) {
	for _, file := range corefiles(t, "ok") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			cfg, err := parseText(read(t, file))
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".corefile") + ".want"
			got := dump(cfg)
			if *update {
				write(t, golden, got)
			}
			if want := read(t, golden); got != want {
				t.Errorf("declares\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestParseBad compares the error of each file of testdata/bad with the comment
// in its first line. There is a file for every error that the parser knows.
func TestParseBad(t *testing.T) {
	for _, file := range corefiles(t, "bad") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := read(t, file)
			first, rest, _ := strings.Cut(text, "\n")
			want, ok := strings.CutPrefix(first, "# ")
			if !ok {
				t.Fatal("the first line is not a comment with the expected error")
			}
			_, err := parseText(text)
			if err == nil {
				t.Fatalf("no error, want %s", want)
			}
			got := err.Error()
			if *update {
				write(t, file, "# "+got+"\n"+rest)
			} else if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestParseSeveral compares all errors of each file of testdata/several, and the traps in it,
// with the lines beside it: a mistake does not hide others, and is reported once.
func TestParseSeveral(t *testing.T) {
	for _, file := range corefiles(t, "several") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			cfg, err := parseText(read(t, file))
			all, ok := errors.AsType[Errors](err)
			if !ok {
				t.Fatalf("got %v, want errors", err)
			}
			got := ""
			for _, err := range all {
				got += err.Error() + "\n"
			}
			if cfg != nil {
				for _, f := range cfg.Findings {
					got += fmt.Sprintf("%s %s: %s\n", f.Level, f.Pos, f)
				}
			}
			golden := strings.TrimSuffix(file, ".corefile") + ".want"
			if *update {
				write(t, golden, got)
			}
			if want := read(t, golden); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if want := fmt.Sprintf("%d errors:\n%v\n", len(all), all[0]); !strings.HasPrefix(err.Error(), want) {
				t.Errorf("the error is %q, want it to begin with %q", err, want)
			}
		})
	}
}

// TestParseRepeats parses every file several times: neither errors nor results may
// depend on the order of a map.
func TestParseRepeats(t *testing.T) {
	for _, file := range slices.Concat(corefiles(t, "ok"), corefiles(t, "bad"), corefiles(t, "several")) {
		text := read(t, file)
		first := outcome(text)
		for range 5 {
			if again := outcome(text); again != first {
				t.Fatalf("%s: first\n%s\nthen\n%s", file, first, again)
			}
		}
	}
}

func outcome(text string) string {
	cfg, err := parseText(text)
	if err != nil {
		return err.Error()
	}
	return dump(cfg)
}

// TestParseEmpty parses what CoreDNS never hands over.
func TestParseEmpty(t *testing.T) {
	tokens := caddyfile.NewDispenser("Testfile", strings.NewReader(""))
	if _, err := Load(t.Context(), &tokens, Env{}); err == nil || err.Error() != "no steer directive" {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range slices.Concat(corefiles(f, "ok"), corefiles(f, "bad"), corefiles(f, "several")) {
		f.Add(read(f, file))
	}
	f.Fuzz(func(t *testing.T, text string) {
		cfg, err := parseText(text)
		if err == nil && len(cfg.Catalog.SOA) != len(cfg.Catalog.Zones) {
			t.Errorf("%d zones and %d SOAs", len(cfg.Catalog.Zones), len(cfg.Catalog.SOA))
		}
	})
}

func TestSuggest(t *testing.T) {
	known := []string{"weight", "ttl", "check", "evaluate_target_health"}
	tests := []struct{ word, want string }{
		{"wieght", `; did you mean "weight"?`},
		{"Weight", `; did you mean "weight"?`},
		{"tll", `; did you mean "ttl"?`},
		{"evaluate_targt_helth", `; did you mean "evaluate_target_health"?`},
		{"ip", ""},
		{"forward", ""},
	}
	for _, tt := range tests {
		if got := suggest(tt.word, known); got != tt.want {
			t.Errorf("suggest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

func corefiles(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.corefile"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	return files
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestForgotten: what stanzas say is kept for as long as a catalog may be built of them
// again, and the next one holds the same.
func TestForgotten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "zone.json")
	write(t, file, `[{"Name": "two.example.org.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.2"}]}]`)
	const stanzas = "check c tcp://192.0.2.1:80\nsimple one A 192.0.2.1 check c\n"
	for text, kept := range map[string]bool{
		"steer example.org {\n" + stanzas + "}":                       false,
		"steer example.org {\n" + stanzas + "route53 " + file + "\n}": true,
	} {
		cfg, err := parseText(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.decl.groups != nil && cfg.decl.checks != nil; got != kept {
			t.Errorf("%s\nthe stanzas are kept: %t", text, got)
		}
		if !kept {
			continue
		}
		again, err := cfg.Reload(t.Context(), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		if first, second := cfg.Catalog, again.Catalog; len(second.Groups) != len(first.Groups) || len(second.Checks) != 1 {
			t.Errorf("built again it has %d groups and %d checks, before %d and %d", len(second.Groups), len(second.Checks), len(first.Groups), len(first.Checks))
		}
	}
}
