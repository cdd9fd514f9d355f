package stanza_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/caddy/caddyfile"

	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/corefile/stanza"
)

// TestCorefiles writes what the Corefiles of the grammar's tests declare, and compares.
func TestCorefiles(t *testing.T) {
	paths, err := filepath.Glob("../testdata/ok/*.corefile")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			keys, options := []string{"dns://example.org.:53"}, ""
			for line := range strings.Lines(string(text)) {
				switch words := strings.Fields(line); {
				case strings.HasPrefix(line, "# keys:"):
					keys = words[2:]
				case len(words) > 0 && slices.Contains([]string{"fallthrough", "fallthrough_types", "soa"}, words[0]):
					options += line // they are the block's
				}
			}
			tokens := caddyfile.NewDispenser("Corefile", strings.NewReader(string(text)))
			cfg, err := corefile.Load(context.Background(), &tokens, corefile.Env{Keys: keys, Root: "../testdata", Now: now})
			if err != nil {
				t.Fatal(err)
			}
			stanzas, problems := write(t, cfg.Catalog, stanza.Options{})
			again, err := read(t, cfg.Catalog.Zones, options+stanzas)
			if err != nil {
				t.Fatalf("%v in\n%s", err, stanzas)
			}
			compare(t, rand.New(rand.NewPCG(1, 1)), cfg.Catalog, again.Catalog, problems)
		})
	}
}
