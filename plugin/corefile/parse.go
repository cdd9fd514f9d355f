// Package corefile reads steer stanzas: words become declarations, declarations become a
// [record.Catalog] and a list of problems. It knows no server, opens no socket and starts
// nothing; it reads the files that a stanza names.
//
// Each stanza goes down through three kinds of files. The reader of blocks (block.go, word.go)
// splits lines and holds them against rules. The declarations (zone, group, record, balancer,
// minimum, check, option, header, ca, url, import) check every word by itself. The builder
// (catalog, target, probe) looks names up and makes the catalog, which validates itself.
package corefile

import (
	"net/netip"
	"time"

	"github.com/coredns/caddy/caddyfile"
	"github.com/coredns/coredns/plugin"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// declaration is a steer block as written: every word is checked by itself, nothing is
// looked up yet.
type declaration struct {
	zones   []string // canonical
	ttl     uint32   // of values that give none, in seconds
	soa     *soaDecl // nil is the default
	through *throughDecl
	types   *throughDecl // fallthrough_types

	resolveAs netip.Addr // zero is the default

	checks []*checkDecl // named ones
	groups []*groupDecl
	broken []*groupDecl // could be read in part only: held nowhere

	balancers []*balancerDecl

	findings []lint.Finding // legal, and seldom meant
	lint     lint.Options

	imports []importDecl
	reload  time.Duration        // between looks at the imported files; 0 is never
	probes  healthcheck.Networks // what imported health checks may probe
}

// defaultTTL is the TTL in seconds of records that give none.
const defaultTTL = 60

func newDeclaration() *declaration {
	return &declaration{ttl: defaultTTL, reload: defaultReload, probes: healthcheck.NotLinkLocal}
}

// parser reads one steer directive.
type parser struct {
	tokens *caddyfile.Dispenser
	env    Env
	decl   *declaration
	zones  *record.Catalog       // empty; it knows which zone a name is in
	checks map[string]record.Pos // where the named ones are defined
	cas    map[string]string     // the files of CA certificates that were read
	blocks [][]rule              // of the blocks that are open, the innermost last
	depth  int                   // how many braces are open

	failures *failures
}

// directive reads `steer [ZONE...] { ... }`; the keyword is the current token.
func (p *parser) directive() error {
	s, err := p.line()
	if err != nil {
		return err
	}
	if p.decl.zones, err = zones(s, p.env.Keys); err != nil {
		return err
	}
	p.zones = record.NewCatalog(p.decl.zones)
	p.unreachableZones(s)
	if !s.open {
		return s.errorf("%q needs a block: end the line with '{'", s.keyword)
	}
	return p.block(s, p.stanzas())
}

// unreachableZones records the zones that no query reaches: CoreDNS hands a server block
// what is at or below its keys. It notes these.
func (p *parser) unreachableZones(s statement) {
	keys := plugin.OriginsFromArgsOrServerBlock(nil, p.env.Keys)
	if len(keys) == 0 {
		return
	}
	for i, key := range keys {
		if name, err := record.Canonical(key); err == nil {
			keys[i] = name
		}
	}
	p.decl.lint.Block = keys
	reached := newZoneSet(keys)
	for _, zone := range p.decl.zones {
		if !reached.related(zone) {
			f := lint.UnreachableZone.At(s.pos, "zone %q is not in this server block (%s), so no query for it arrives here", zone, record.Enumerate(keys))
			p.decl.findings = append(p.decl.findings, f.About(record.Key{Name: zone}, ""))
		}
	}
}

// stanzas are the keywords of a steer block.
func (p *parser) stanzas() []rule {
	return []rule{
		{word: "ttl", usage: "SECONDS", min: 1, max: 1, once: true, read: p.ttl},
		{word: "soa", usage: "MNAME RNAME [MINIMUM]", min: 2, max: 3, once: true, read: p.soa},
		{word: "fallthrough", usage: "[ZONE...]", max: many, once: true, read: p.fallthroughNames},
		{word: "fallthrough_types", usage: "[ZONE...]", max: many, once: true, read: p.fallthroughTypes},
		{word: "resolve_as", usage: "ADDRESS", min: 1, max: 1, once: true, read: p.resolveAs},
		{word: "route53", usage: "FILE...", min: 1, max: many, read: p.route53},
		{word: "route53_reload", usage: "DURATION", min: 1, max: 1, once: true, read: p.route53Reload},
		{word: "route53_checks_allow", usage: "CIDR...", min: 1, max: many, once: true, read: p.route53ChecksAllow},
		{word: "check", usage: "NAME URL|calculated ...", min: 2, max: many, block: optional, read: p.check},
		{word: "simple", usage: "NAME TYPE VALUE... " + valueUsage, also: []string{"record"}, min: 3, max: many, read: p.simple},
		{word: "alias", usage: "NAME TYPE TARGET " + aliasUsage, min: 3, max: many, read: p.alias},
		{word: "weighted", usage: "NAME TYPE {", min: 2, max: 2, block: required, read: p.weighted},
		{word: "failover", usage: "NAME TYPE {", min: 2, max: 2, block: required, read: p.failover},
		{word: "multivalue", usage: "NAME TYPE {", min: 2, max: 2, block: required, read: p.multivalue},
		{word: "load_balancer", also: []string{"lb", "balancer"}, usage: "NAME {", min: 1, max: 1, block: required, read: p.loadBalancer},
	}
}
