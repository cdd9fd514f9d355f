package explain

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestExplain compares explanations, as text and as JSON, with golden files.
func TestExplain(t *testing.T) {
	tests := []struct {
		file     string
		question string
		down     string
		through  bool // fallthrough of both kinds
	}{
		{file: "weighted", question: "www.example.org. A", down: "tokyo"},
		{file: "weighted-last-resort", question: "www.example.org. A", down: "tokyo london paris"},
		{file: "multivalue", question: "pool.example.org. A", down: "127.0.0.2"},
		{file: "tree", question: "api.example.org. A", down: "tokyo"},
		{file: "tree-last-resort", question: "api.example.org. A", down: "127.0.0.0/24"},
		{file: "calculated", question: "shop.example.org. A", down: "to*"},
		{file: "load-balancer", question: "app.example.org. A", down: "10.0.2.1 10.0.2.2 10.0.2.3 10.0.2.4 10.0.2.5 10.0.2.6"},
		{file: "load-balancer-zone", question: "lb.example.org. A", down: "lb/a"},
		{file: "load-balancer-no-address", question: "lb.example.org. AAAA"},
		{file: "wildcard", question: "any.wild.example.org. A"},
		{file: "wildcard-nodata", question: "any.wild.example.org. MX"},
		{file: "empty-non-terminal", question: "deep.example.org. A"},
		{file: "nodata", question: "www.example.org. AAAA"},
		{file: "nxdomain", question: "no.example.org. A"},
		{file: "cname", question: "alias.example.org. A", down: "tokyo"},
		{file: "cname-mixed", question: "mixed.example.org. A"},
		{file: "cname-loop", question: "one.example.org. A"},
		{file: "dname", question: "www.old.example.org. A"},
		{file: "referral", question: "x.sub.example.org. A"},
		{file: "external", question: "site.example.org. A"},
		{file: "external-down", question: "site.example.org. A", down: "lb.example.net"},
		{file: "any", question: "www.example.org. ANY"},
		{file: "transfer", question: "example.org. AXFR"},
		{file: "outside", question: "www.example.net. A"},
		{file: "fallthrough", question: "no.example.org. A", through: true},
		{file: "fallthrough-types", question: "www.example.org. MX", through: true},
	}
	files := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			x := newExample(t)
			if tt.through {
				x.catalog.Fallthrough = func(string) bool { return true }
				x.catalog.FallthroughTypes = x.catalog.Fallthrough
			}
			name, typ, _ := strings.Cut(tt.question, " ")
			e, err := x.model(strings.Fields(tt.down)...).Explain(name, dns.StringToType[typ])
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.MarshalIndent(e, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.file+".txt", e.Text(ASCII))
			golden(t, tt.file+".json", string(b)+"\n")
		})
		files[tt.file] = true
	}
	left, _ := filepath.Glob("testdata/*.*")
	for _, file := range left {
		if name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)); !files[name] {
			t.Errorf("%s belongs to no test", file)
		}
	}
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
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
		t.Errorf("%s:\n%s\nwant\n%s", path, got, want)
	}
}
