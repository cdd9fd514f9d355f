package stanza_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/corefile/stanza"
)

var update = flag.Bool("update", false, "write what is written now into testdata")

// TestGolden compares the server blocks of some imports, and what they do not say, with
// testdata, word for word. Each is read by whoever reads a Corefile.
func TestGolden(t *testing.T) {
	const corpus, examples = "../../route53json/testdata/", "../../../examples/route53/"
	tests := []struct {
		name, zone string
		files      []string
	}{
		{"whole-zone", "example.com.", []string{corpus + "simple-01-cli-v2-whole-zone.json"}},
		{"texts", "example.com.", []string{corpus + "simple-02-txt-quoting.json"}},
		{"names", "example.com.", []string{corpus + "simple-03-octal-names.json"}},
		{"weights", "example.com.", []string{corpus + "weighted-02-zero-duplicates-odd-identifiers.json"}},
		{"failover", "shop.example.com.", []string{corpus + "failover-03-primary-without-health-check-and-lonely-halves.json"}},
		{"multivalue", "example.com.", []string{corpus + "multivalue-02-ten-proxies-some-without-checks-wildcard-cname.json"}},
		{"aliases", "example.com.", []string{corpus + "alias-03-aws-resource-targets-and-wrong-zone-ids.json"}},
		{"left-out", "example.com.", []string{corpus + "alias-02-aws-docs-latency-weighted-tree.json"}},
		{"checks", "example.com.", []string{corpus + "healthchecks-01-list-endpoint-types.json", corpus + "healthchecks-02-calculated-inverted-no-callerreference.json", "testdata/uses.json"}},
		{"example", "example.org.", []string{examples + "zone.json", examples + "checks.json"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, notes := imported(t, []string{tt.zone}, tt.files...)
			if c == nil {
				t.Fatal("the files cannot be read")
			}
			got, problems := write(t, c, stanza.Options{Block: true, Notes: notes})
			golden(t, filepath.Join("testdata", tt.name+".corefile"), got)
			golden(t, filepath.Join("testdata", tt.name+".problems"), strings.Join(append(problems, ""), "\n"))
			file, err := corefile.ReadFile(filepath.Join("testdata", tt.name+".corefile"))
			if err != nil || len(file.Blocks) != 1 || len(file.Problems) > 0 {
				t.Fatalf("%d blocks, error %v", len(file.Blocks), err)
			}
			if _, err := file.Blocks[0].Load(t.Context(), now); err != nil {
				t.Error(err)
			}
		})
	}
}

// golden compares a text with a file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("writes\n%s\nwant\n%s", got, want)
	}
}
