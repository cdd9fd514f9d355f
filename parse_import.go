package steer

import (
	"errors"
	"time"

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

// files returns the files that a block imports, in order.
func (d *declaration) files() ([]string, error) {
	var patterns []string
	for _, i := range d.imports {
		patterns = append(patterns, i.files...)
	}
	return route53json.Expand(patterns)
}

// addImports reads the block's files and adds what they hold.
func (b *builder) addImports() error {
	b.catalog.Checks = b.checks.all // the block's own; imported ones come after them
	if len(b.decl.imports) == 0 {
		return nil
	}
	first := b.decl.imports[0]
	files, err := b.decl.files()
	if err != nil {
		return first.errorf("%w", err)
	}
	im, err := route53json.Load(files, route53json.Options{Zones: b.catalog.Zones, DefaultTTL: b.decl.ttl})
	if err != nil {
		return first.errorf("route53: %w", err)
	}
	if err := im.AddTo(b.catalog); err != nil {
		return first.explainImport(err)
	}
	b.imported = im
	return nil
}

// explainImport gives an error about imported data a position, unless it has one.
func (d importDecl) explainImport(err error) error {
	if _, ok := errors.AsType[*record.Error](err); ok {
		return err
	}
	return d.errorf("route53: %w", err)
}
