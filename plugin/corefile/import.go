package corefile

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// defaultReload is how often imported files are looked at.
const defaultReload = 30 * time.Second

// reloads are the limits of route53_reload; 0 is never.
var reloads = limits{time.Second, 24 * time.Hour, "1s to 24h, or 0 for never"}

// importDecl is one `route53 FILE...` line.
type importDecl struct {
	statement
	files []string // patterns, as written but for the root directive
}

// route53 reads `route53 FILE...`. The files are read by the builder, after the stanzas.
func (p *parser) route53(s statement) error {
	d := importDecl{statement: s}
	for _, file := range s.args {
		d.files = append(d.files, p.path(file))
	}
	p.decl.imports = append(p.decl.imports, d)
	return nil
}

// route53Reload reads `route53_reload DURATION`.
func (p *parser) route53Reload(s statement) (err error) {
	if s.args[0] == "0" || s.args[0] == "0s" {
		p.decl.reload = 0
		return nil
	}
	p.decl.reload, err = s.duration(s.args[0], reloads)
	return err
}

// route53ChecksAllow reads `route53_checks_allow CIDR...`.
func (p *parser) route53ChecksAllow(s statement) error {
	prefixes := make([]netip.Prefix, 0, len(s.args))
	for _, word := range s.args {
		prefix, err := netip.ParsePrefix(word)
		addr, isAddr := netip.ParseAddr(word)
		switch {
		case err != nil && isAddr == nil && addr.Zone() == "":
			return s.errorf("%s %q is an address; write its network: %s", s.keyword, word, netip.PrefixFrom(addr, addr.BitLen()))
		case err != nil:
			return s.errorf("%s %q is not a network in CIDR form, such as 10.0.0.0/8 or 2001:db8::/32", s.keyword, word)
		case prefix.Addr().Is4In6():
			return s.errorf("%s %q is an IPv4 network in IPv6 form; write it as IPv4", s.keyword, word)
		case prefix != prefix.Masked():
			return s.errorf("%s %q has host bits; write %s", s.keyword, word, prefix.Masked())
		}
		prefixes = append(prefixes, prefix)
	}
	p.decl.probes = healthcheck.OnlyNetworks(prefixes)
	return nil
}

// files returns the files that a block imports, in order, each once.
func (d *declaration) files(ctx context.Context) ([]string, error) {
	var paths []string
	for _, i := range d.imports {
		more, err := route53json.Expand(ctx, i.files)
		if err != nil {
			return nil, i.errorf("route53: %w", err)
		}
		for _, path := range more {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths, nil
}

// naming returns the line that a file is named by.
func (d *declaration) naming(ctx context.Context, path string) importDecl {
	for _, i := range d.imports {
		if paths, err := route53json.Expand(ctx, i.files); err == nil && slices.Contains(paths, path) {
			return i
		}
	}
	return d.imports[0]
}

// load reads the block's files, once.
func (b *builder) load(ctx context.Context) (*route53json.Import, error) {
	if b.imported != nil {
		return b.imported, nil
	}
	files, err := b.decl.files(ctx)
	if err != nil {
		return nil, err
	}
	im, err := route53json.Load(ctx, files, importOptions(b.catalog, b.decl))
	if err != nil {
		return nil, b.explainImport(ctx, err)
	}
	b.imported = im
	return im, nil
}

// importedCheck returns the health check that the files define under an id. Where they do
// so no more, it is one that counts as healthy, as for an imported record set.
func (b *builder) importedCheck(ctx context.Context, id string) (check healthcheck.Check, at record.Pos, ok bool, err error) {
	im, err := b.load(ctx)
	if err != nil {
		return check, at, false, err
	}
	if check, at, ok = im.Lend(id); ok || !b.again {
		return check, at, ok, nil
	}
	b.warn(lint.UnknownCheck, b.decl.imports[0].pos, record.Key{}, "", "check %q, which stanzas of this block use, is no longer defined by any imported file; it counts as healthy", id)
	return healthcheck.Check{Name: id, Fixed: true, FixedStatus: healthcheck.Healthy}, at, true, nil
}

// addImports reads the block's files and adds what they hold.
func (b *builder) addImports(ctx context.Context) error {
	b.catalog.Checks, b.catalog.CheckPos = b.checks.all, b.checks.at // the block's own; other imported ones come after them
	if len(b.decl.imports) == 0 {
		return nil
	}
	im, err := b.load(ctx)
	if err != nil {
		return err
	}
	if err := im.AddTo(ctx, b.catalog); err != nil {
		return b.explainImport(ctx, err)
	}
	return nil
}

// importOptions returns what a block says about its imports.
func importOptions(c *record.Catalog, d *declaration) route53json.Options {
	return route53json.Options{Zones: c.Zones, DefaultTTL: d.ttl, Networks: d.probes}
}

// explainImport gives an error about imported data its line in the Corefile: of what is
// defined twice, or of the lines that name the files which cannot be loaded. Those come
// after the line and column of the file, where the mistake is.
func (b *builder) explainImport(ctx context.Context, err error) error {
	if twice, ok := errors.AsType[*route53json.CheckError](err); ok {
		if i, ok := b.checks.named[twice.Name]; ok {
			return record.ErrorAt(b.checks.defined[i].pos, "%w", err)
		}
	}
	broken, ok := errors.AsType[route53json.Errors](err)
	if !ok {
		return err
	}
	failed := &ImportError{Files: broken}
	for _, e := range broken {
		failed.At = append(failed.At, b.decl.naming(ctx, e.Path).pos)
	}
	return failed
}

// ImportFiles reads files as a directive would that serves some zones, canonical ones, and
// holds nothing but a line with these files.
func ImportFiles(ctx context.Context, zones, files []string, env Env) (*Config, error) {
	d := newDeclaration()
	d.zones, d.lint = zones, env.Lint
	d.imports = []importDecl{{files: files}}
	return newBuilder(d, env.Now).build(ctx)
}

// ImportError is why imported files cannot be loaded.
type ImportError struct {
	Files route53json.Errors
	At    []record.Pos // the line that names each of them
}

func (e *ImportError) Error() string {
	var text strings.Builder
	for i, file := range e.Files {
		text.WriteString(file.Error())
		switch {
		case e.At[i] == (record.Pos{}): // of no line: see ImportFiles
			if i < len(e.Files)-1 {
				text.WriteString("; ")
			}
		case i == len(e.Files)-1:
			fmt.Fprintf(&text, " (imported at %s)", e.At[i])
		case e.At[i+1] != e.At[i]:
			fmt.Fprintf(&text, " (imported at %s); ", e.At[i])
		default:
			text.WriteString("; ")
		}
	}
	return text.String()
}

func (e *ImportError) Unwrap() error { return e.Files }
