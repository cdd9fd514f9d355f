package corefile

import (
	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// checkDecl is a check as written. One without a name gets it where it is used, and so
// does its host where the URL has none.
type checkDecl struct {
	pos      record.Pos
	check    healthcheck.Check
	children []string // names, of a calculated check
}

// hostless reports whether the check probes the address of the record that has it.
func (d *checkDecl) hostless() bool { return !d.check.Calculated && d.check.Spec.Host == "" }

// checkRef is the check of a record: the name of one, or one of its own.
type checkRef struct {
	pos  record.Pos
	name string
	own  *checkDecl // nil when name is set
}

const (
	checkUsage      = "NAME URL [{ CHECK-OPTIONS }]"
	calculatedUsage = "NAME calculated CHECK... [{ healthy_threshold N, invert, disabled }]"
	useCheckUsage   = "NAME | check URL [{ CHECK-OPTIONS }]"
)

// maxChildren is how many checks a calculated one may count.
// Source: Route 53 API Reference, HealthCheckConfig, ChildHealthChecks.
const maxChildren = 255

// check reads a stanza that defines a check.
func (p *parser) check(s statement) error {
	name, what := s.args[0], s.args[1]
	if isURL(name) {
		return s.errorf("%q has no name; write: check %s", name, checkUsage)
	}
	if err := s.identifier("check name", name); err != nil {
		return err
	}
	if at, ok := p.checks[name]; ok {
		return s.errorf("check %q is defined twice: here and at %s", name, at)
	}
	p.checks[name] = s.pos
	var d *checkDecl
	var err error
	switch {
	case what == "calculated":
		d, err = p.calculatedCheck(s)
	case !isURL(what):
		return s.errorf("check %q: %q is neither a URL (http://, https:// or tcp://) nor \"calculated\"%s", name, what, checkHint(what))
	case len(s.args) > 2:
		return s.errorf("unexpected %q after %q; write: check %s", s.args[2], s.text(2), checkUsage)
	default:
		d, err = p.urlCheck(s, what)
	}
	if err != nil {
		return err
	}
	if d.hostless() {
		return s.errorf("check %q: the URL %q has no host; only a check that is written at a record can probe that record's address", name, what)
	}
	d.check.Name = name
	p.decl.checks = append(p.decl.checks, d)
	return nil
}

// urlCheck reads a check and the block of its options, if it has one.
func (p *parser) urlCheck(s statement, url string) (*checkDecl, error) {
	spec, err := parseURL(url)
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	d := &checkDecl{pos: s.pos, check: healthcheck.Check{Spec: spec}}
	o := &checkOptions{parser: p, check: &d.check, spec: &d.check.Spec}
	if s.open {
		if err := p.block(s, o.rules()); err != nil {
			return nil, err
		}
	}
	return d, o.finish()
}

// calculatedCheck reads `check NAME calculated CHECK...` and its block.
func (p *parser) calculatedCheck(s statement) (*checkDecl, error) {
	d := &checkDecl{pos: s.pos, children: s.args[2:]}
	d.check.Calculated = true
	d.check.HealthyThreshold = len(d.children)
	switch {
	case len(d.children) == 0:
		return nil, s.errorf("%q names no checks to count; write: check %s", s.text(len(s.args)), calculatedUsage)
	case len(d.children) > maxChildren:
		return nil, s.errorf("calculated check %q counts %d checks; %d is the most", s.args[0], len(d.children), maxChildren)
	}
	seen := make(map[string]bool, len(d.children))
	for _, child := range d.children {
		switch {
		case isURL(child):
			return nil, s.errorf("calculated check %q: %q is a URL; define a check with a name, and count that", s.args[0], child)
		case seen[child]:
			return nil, s.errorf("calculated check %q counts %q twice", s.args[0], child)
		}
		seen[child] = true
	}
	if !s.open {
		return d, nil
	}
	return d, p.block(s, []rule{
		{word: "healthy_threshold", usage: "N", min: 1, max: 1, once: true, read: func(s statement) error {
			n, err := s.number(s.args[0], 0, maxChildren+1)
			d.check.HealthyThreshold = int(n)
			return err
		}},
		flagRule("invert", &d.check.Invert),
		flagRule("disabled", &d.check.Disabled),
	})
}

// useCheck reads `check NAME|URL` where a check is used; only a URL may open a block.
func (p *parser) useCheck(s statement, word string) (*checkRef, error) {
	if isURL(word) {
		own, err := p.urlCheck(s, word)
		return &checkRef{pos: s.pos, own: own}, err
	}
	if s.open {
		return nil, s.errorf("unexpected '{': the options of check %q belong in its definition; write: check %s", word, useCheckUsage)
	}
	return &checkRef{pos: s.pos, name: word}, nil
}
