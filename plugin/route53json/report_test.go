package route53json_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

var update = flag.Bool("update", false, "write what the reports say now into testdata/reports.txt")

// zoneOf are the zones into which the files of testdata are loaded.
var zoneOf = map[string]string{
	"failover-02-alias-elb-primary-s3-secondary.json":                 "training.example.com.",
	"failover-03-primary-without-health-check-and-lonely-halves.json": "shop.example.com.",
	"multivalue-01-cloud-map-private-tld.json":                        "staging.",
	"weighted-03-cname-alias-to-same-zone-cname.json":                 "example.test.",
}

// The reports on all files of testdata, word for word.
func TestReports(t *testing.T) {
	t.Chdir("testdata")
	paths, err := filepath.Glob("*.json")
	if err != nil || len(paths) != 26 {
		t.Fatalf("%d files, %v; want the 26 of the corpus", len(paths), err)
	}
	var b strings.Builder
	for _, path := range paths {
		zone, ok := zoneOf[path]
		if !ok {
			zone = "example.com."
		}
		im, err := route53json.Load(context.Background(), []string{path}, route53json.Options{Zones: []string{zone}, DefaultTTL: 60})
		if err != nil {
			b.WriteString("error: " + err.Error() + "\n\n")
			continue
		}
		c := record.NewCatalog([]string{zone})
		if err := im.AddTo(context.Background(), c); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		im.Note(c.Validate())
		im.Warn(lint.Check(c, lint.Options{}))
		b.WriteString(im.Summary() + "\n")
		for _, p := range im.Problems {
			b.WriteString(p.String() + "\n")
		}
		b.WriteByte('\n')
	}
	if *update {
		if err := os.WriteFile("reports.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("reports.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		switch {
		case i >= len(got):
			t.Fatalf("line %d is missing: %s", i+1, wanted[i])
		case i >= len(wanted) || got[i] != wanted[i]:
			t.Fatalf("line %d: %s\n\twant the line of testdata/reports.txt", i+1, got[i])
		}
	}
}
