package stanza_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy/caddyfile"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/corefile/stanza"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// now makes the serials of SOAs that nobody wrote.
var now = time.Unix(1700000000, 0)

// zoneOf are the zones of the files of the corpus that are not of example.com.
var zoneOf = map[string]string{
	"failover-02-alias-elb-primary-s3-secondary.json":                 "training.example.com.",
	"multivalue-01-cloud-map-private-tld.json":                        "staging.",
	"failover-03-primary-without-health-check-and-lonely-halves.json": "shop.example.com.",
	"weighted-03-cname-alias-to-same-zone-cname.json":                 "example.test.",
}

// imported returns the catalog of Route 53 files, or nil for one that is not JSON, and the
// reasons why checks and record sets are not as the files have them.
func imported(t *testing.T, zones []string, paths ...string) (*record.Catalog, map[string][]string) {
	t.Helper()
	im, err := route53json.Load(context.Background(), paths, route53json.Options{Zones: zones, DefaultTTL: 60, Networks: healthcheck.NotLinkLocal})
	if err != nil {
		return nil, nil
	}
	c := record.NewCatalog(zones)
	for _, zone := range zones {
		c.SOA[zone] = record.DefaultSOA(zone, uint32(now.Unix()))
	}
	if err := im.AddTo(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	im.Note(c.Validate())
	notes := make(map[string][]string)
	for _, p := range im.Problems {
		if p.Level != route53json.Warning {
			notes[p.Name] = append(notes[p.Name], filepath.Base(p.String()))
		}
	}
	return c, notes
}

// write returns the stanzas of a catalog and what they do not say.
func write(t *testing.T, c *record.Catalog, options stanza.Options) (text string, problems []string) {
	t.Helper()
	var b strings.Builder
	problems, err := stanza.Write(&b, c, options)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), problems
}

// read reads stanzas as a block of some zones, with environment variables and all.
func read(t *testing.T, zones []string, stanzas string) (*corefile.Config, error) {
	t.Helper()
	blocks, err := caddyfile.Parse("Corefile", strings.NewReader("block {\nsteer {\n"+stanzas+"}\n}\n"), nil)
	if err != nil {
		return nil, err
	}
	tokens := caddyfile.NewDispenserTokens("Corefile", blocks[0].Tokens["steer"])
	var keys []string
	for _, zone := range zones {
		keys = append(keys, "dns://"+zone+":53")
	}
	return corefile.Load(context.Background(), &tokens, corefile.Env{Keys: keys, Now: now})
}

// TestCorpus writes every file of the corpus as stanzas, reads them, and compares all that
// both decide.
func TestCorpus(t *testing.T) {
	paths, err := filepath.Glob("../../route53json/testdata/*.json")
	if err != nil || len(paths) != 26 {
		t.Fatalf("%d files, %v; want the 26 of the corpus", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			zones := []string{cmp.Or(zoneOf[filepath.Base(path)], "example.com.")}
			c, _ := imported(t, zones, path)
			if c == nil {
				t.Skip("not JSON")
			}
			roundTrip(t, rand.New(rand.NewPCG(1, 1)), c)
		})
	}
}

// roundTrip writes a catalog, reads the stanzas and compares both.
func roundTrip(t *testing.T, rnd *rand.Rand, c *record.Catalog) {
	t.Helper()
	text, problems := write(t, c, stanza.Options{})
	cfg, err := read(t, c.Zones, text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, f := range cfg.Findings {
		if f.Trap == lint.SplitText || f.Trap == lint.WildcardTarget {
			t.Errorf("warning: %s in\n%s", f.Message(), text)
		}
	}
	cfg.Catalog.Fallthrough, cfg.Catalog.FallthroughTypes = c.Fallthrough, c.FallthroughTypes
	compare(t, rnd, c, cfg.Catalog, problems)
}
