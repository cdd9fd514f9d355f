package corefile

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/coredns/caddy/caddyfile"
	"github.com/coredns/coredns/plugin"

	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// Env is what a directive depends on beside its own words.
type Env struct {
	Keys []string     // of the server block, as CoreDNS writes them: "dns://example.org.:53"
	Root string       // the directory that relative file names are below; "" is the working directory
	Now  time.Time    // the serial of SOAs that nobody wrote
	Lint lint.Options // Block is that of Keys
}

// Config is what one steer directive declares.
type Config struct {
	Catalog  *record.Catalog     // validated: nothing in it is refused
	Findings []lint.Finding      // traps in stanzas; for the log, once
	Import   *route53json.Import // what files gave and what they could not; nil without any

	decl    *declaration        // what it was built from
	targets map[aliasKey]string // what the targets of stanzas' aliases were taken for; nil without imports
}

// Load reads the steer directive that the tokens of a server block hold, and the files that
// it names. It works in three steps: the parser turns words into declarations, the builder
// turns declarations into a catalog, and the catalog validates itself. An error of what is
// written is of type [Errors]: all that is wrong, each with file and line, and without the
// user names, passwords and queries of URLs. With such an error there is a Config all the same
// if some of the directive could be read, which holds nothing but what else there is to say.
func Load(ctx context.Context, tokens *caddyfile.Dispenser, env Env) (*Config, error) {
	var (
		d      *declaration
		failed failures
	)
	for tokens.Next() {
		if d != nil {
			failed.add(record.ErrorAt(record.Pos{File: tokens.File(), Line: tokens.Line()}, "%w; put all its stanzas into one block", plugin.ErrOnce))
			break
		}
		p := &parser{tokens: tokens, env: env, decl: newDeclaration(), checks: make(map[string]record.Pos), failures: &failed}
		d = p.decl
		d.lint = env.Lint
		if err := p.directive(); err != nil {
			failed.add(err)
			if _, lost := errors.AsType[lostError](err); lost || p.zones == nil {
				return nil, failed.err()
			}
		}
	}
	if d == nil {
		return nil, errors.New("no steer directive")
	}
	b := newBuilder(d, env.Now)
	b.failures = &failed
	c, err := b.build(ctx)
	if len(d.imports) == 0 { // and nothing is built of them again
		d.checks, d.groups, d.balancers = nil, nil, nil
	}
	return c, err
}

// Reload reads the imported files again and returns a new configuration of them and the
// same stanzas. When the context ends it returns an error soon.
func (c *Config) Reload(ctx context.Context, now time.Time) (*Config, error) {
	b := newBuilder(c.decl, now)
	b.before = c.targets
	b.again, b.catalog.LostTargets = true, true
	return b.build(ctx)
}

// Empty returns the configuration of a directive that holds nothing.
func Empty() *Config {
	return &Config{Catalog: record.NewCatalog(nil), decl: newDeclaration()}
}

// Imports reports whether the directive names files to import.
func (c *Config) Imports() bool { return len(c.decl.imports) > 0 }

// ReloadInterval returns how often the imported files are to be looked at; 0 is never.
func (c *Config) ReloadInterval() time.Duration { return c.decl.reload }

// Files returns the paths of the imported files, in order, each once.
func (c *Config) Files(ctx context.Context) ([]string, error) { return c.decl.files(ctx) }

// ResolveAs returns the source address of queries for external targets; the zero Addr is
// the default.
func (c *Config) ResolveAs() netip.Addr { return c.decl.resolveAs }

// Amend returns the difference between the imported files at the paths and what was
// imported, or nil where only Reload will do: see [route53json.Import.Amend].
func (c *Config) Amend(ctx context.Context, paths []string) *route53json.Amendment {
	return c.Import.Amend(ctx, paths, importOptions(c.Catalog, c.decl), c.Catalog)
}

// WithImport returns a copy of the configuration with another import, whose difference has
// been carried out on the catalog.
func (c *Config) WithImport(im *route53json.Import) *Config {
	next := *c
	next.Import = im
	return &next
}
