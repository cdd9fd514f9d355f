package test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/steerdns/steer"

// mayImport are the packages and what they may import of ours; "*" is everything. A new
// arrow means a new entry here, and a reason in docs/adr.
var mayImport = map[string][]string{
	"":                       {"plugin/instance", "plugin/handler"},
	"healthcheck":            {},
	"internal/arena":         {},
	"internal/regular":       {},
	"internal/scaling":       {},
	"plugin/record":          {"healthcheck", "internal/arena"},
	"plugin/routing":         {"plugin/record", "healthcheck", "internal/arena"},
	"plugin/explain":         {"plugin/routing", "plugin/record", "healthcheck"},
	"plugin/handler":         {"plugin/routing", "plugin/record", "healthcheck", "internal/arena"},
	"plugin/lint":            {"plugin/record", "healthcheck"},
	"plugin/route53json":     {"plugin/lint", "plugin/record", "healthcheck", "internal/arena", "internal/regular"},
	"plugin/corefile":        {"plugin/route53json", "plugin/lint", "plugin/record", "healthcheck", "internal/arena", "internal/regular"},
	"plugin/instance":        {"plugin/corefile", "plugin/route53json", "plugin/handler", "plugin/routing", "plugin/record", "healthcheck", "internal/regular"},
	"cmd/coredns":            {""},
	"cmd/steer":              {"plugin/corefile", "plugin/corefile/stanza", "plugin/explain", "plugin/lint", "plugin/route53json", "plugin/record"},
	"bench/":                 {"*"},
	"test":                   {"*"},
	"plugin/corefile/stanza": {"plugin/record", "healthcheck"},
}

// forbidden are packages that a package must not import, tests aside: healthcheck knows
// nothing of DNS servers, and what is pure, and who reads a Corefile, needs none to run.
var forbidden = map[string][]string{
	"healthcheck":            {"github.com/coredns/", "github.com/miekg/dns"},
	"plugin/record":          {"github.com/coredns/"},
	"plugin/routing":         {"github.com/coredns/"},
	"plugin/explain":         {"github.com/coredns/", "context", "io", "os", "time", "math/rand"},
	"plugin/lint":            {"github.com/coredns/", "context", "io", "os", "math/rand"},
	"plugin/route53json":     {"github.com/coredns/"},
	"plugin/corefile":        {"github.com/coredns/coredns/core/"},
	"plugin/corefile/stanza": {"github.com/coredns/"},
}

// unlinked are packages that a command must not link, by whatever way: the root package
// registers the plugin and its metrics, and the rest is for a server that runs.
var unlinked = map[string][]string{
	"cmd/steer": {
		module, module + "/plugin/instance", module + "/plugin/handler",
		"github.com/coredns/coredns/core/", "github.com/coredns/coredns/coremain",
	},
}

func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := inside(words[0])
		rule := pkg
		if top, _, _ := strings.Cut(pkg, "/"); mayImport[top+"/"] != nil {
			rule = top + "/"
		}
		allowed, ok := mayImport[rule]
		if !ok {
			t.Errorf("package %q is not in the table of import rules", pkg)
			continue
		}
		for _, imported := range words[1:] {
			for _, s := range forbidden[rule] {
				if strings.HasPrefix(imported, s) {
					t.Errorf("%s imports %s", pkg, imported)
				}
			}
			if imported != module && !strings.HasPrefix(imported, module+"/") {
				continue
			}
			if to := inside(imported); !slices.Contains(allowed, "*") && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s", pkg, to)
			}
		}
	}
}

// TestLinked looks at all that a command links.
func TestLinked(t *testing.T) {
	for pkg, banned := range unlinked {
		cmd := exec.Command("go", "list", "-deps", "./"+pkg)
		cmd.Dir = ".."
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		linked := strings.Fields(string(out))
		if !slices.Contains(linked, module+"/plugin/corefile") {
			t.Errorf("%s does not link the reader of Corefiles: %d packages", pkg, len(linked))
		}
		for _, path := range linked {
			for _, s := range banned {
				if path == s || strings.HasSuffix(s, "/") && strings.HasPrefix(path, s) {
					t.Errorf("%s links %s", pkg, path)
				}
			}
		}
	}
}

// inside returns the path of a package inside the module.
func inside(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}
