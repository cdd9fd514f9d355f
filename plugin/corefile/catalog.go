package corefile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/internal/arena"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// builder makes the catalog of a declaration: it looks names up, makes RRs of values,
// and gives each record the index of its check.
type builder struct {
	decl     *declaration
	now      time.Time
	catalog  *record.Catalog
	checks   *checkList
	aliases  []aliasDecl
	relative []relativeValue
	targets  map[aliasKey]string
	before   map[aliasKey]string // targets of the configuration that this one is built after; nil if it is the first

	imported *route53json.Import // nil until it is loaded
	unloaded error               // why it could not be
	again    bool                // the files may have changed since the block was read

	findings []lint.Finding
	failures *failures

	kept struct { // where the catalog's parts are allocated
		groups arena.Of[record.Group]
		sets   arena.Of[record.RecordSet]
		rrs    arena.Of[dns.RR]
		values record.ValueParser
	}
}

// aliasDecl is an alias whose target waits until all groups are known.
type aliasDecl struct {
	pos    record.Pos
	zone   string
	typ    uint16
	target string // as written
	to     *record.AliasTarget
}

// relativeValue is a value with a name of several labels that has no final dot.
type relativeValue struct {
	pos     record.Pos
	key     record.Key
	id      string
	warning string
	rr      dns.RR
}

// aliasKey tells the aliases of a block apart: a stanza can have several names and types.
type aliasKey struct {
	pos  record.Pos
	zone string
	typ  uint16
}

func newBuilder(d *declaration, now time.Time) *builder {
	b := &builder{decl: d, now: now, catalog: record.NewCatalog(d.zones), checks: newCheckList(d.checks), failures: new(failures)}
	b.catalog.Judge = lint.Judge{}
	b.kept.values = record.NewValueParser()
	return b
}

func (b *builder) build(ctx context.Context) (*Config, error) {
	if len(b.decl.imports) > 0 {
		b.checks.imported = func(id string) (healthcheck.Check, record.Pos, bool, error) { return b.importedCheck(ctx, id) }
	}
	b.checks.failed = b.failures.checks
	b.resolveChecks()
	b.addGroups()
	b.addBalancers()
	if err := b.addImports(ctx); err != nil {
		b.failures.add(err)
		b.failures.files = true
	}
	b.resolveTargets()
	b.warnRelative()
	err := b.setSOAs()
	b.failures.add(err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.findings = append(b.findings, b.decl.findings...)
	b.setFallthrough()
	if err == nil {
		b.failures.add(b.addNameServers())
	}
	if len(b.failures.errs) > 0 {
		b.expectFailed()
	}
	b.judge()
	if err := b.failures.err(); err != nil {
		return &Config{Findings: b.findings, Import: b.imported}, err
	}
	return &Config{Catalog: b.catalog, Findings: b.findings, decl: b.decl, Import: b.imported, targets: b.targets}, nil
}

// judge has the catalog validated and looked at for traps. What concerns imported data goes
// into the import's report.
func (b *builder) judge() {
	problems := b.catalog.Validate()
	if b.imported != nil {
		problems = b.imported.Note(problems)
	}
	for _, p := range problems {
		if p.Level == record.Refused {
			b.failures.add(record.ErrorAt(p.Pos, "%w", lint.Refusal{Finding: lint.Of(p)}))
			continue
		}
		b.findings = append(b.findings, lint.Of(p))
	}
	traps := lint.Check(b.catalog, b.decl.lint)
	if len(b.failures.errs) > 0 {
		traps = slices.DeleteFunc(traps, func(f lint.Finding) bool { return f.Trap.Whole() })
	}
	if b.imported != nil {
		traps = b.imported.Warn(traps)
	}
	for _, f := range traps {
		b.findings = append(b.findings, f.Written())
	}
	lint.Sort(b.findings)
}

// warn notes a trap that takes the stanzas to see.
func (b *builder) warn(t *lint.Trap, pos record.Pos, key record.Key, id, format string, args ...any) {
	b.findings = append(b.findings, t.At(pos, format, args...).About(key, id))
}

// addGroups adds a group for each name and type of each stanza.
func (b *builder) addGroups() {
	n := 0
	for _, g := range b.decl.groups {
		n += len(g.names) * len(g.types)
	}
	b.catalog.Groups, b.catalog.Order = make(map[record.Key]*record.Group, n), make([]*record.Group, 0, n)
	for _, g := range b.decl.groups {
		for _, at := range g.names {
			for _, typ := range g.types {
				if err := b.addGroup(g, at, typ); err != nil {
					b.failures.add(err)
					b.failures.name(at.name)
				}
			}
		}
	}
	for _, g := range b.decl.broken {
		b.checkRecords(g)
	}
}

// checkRecords looks for errors in the records of a stanza that has others.
func (b *builder) checkRecords(d *groupDecl) {
	for i := range d.records {
		for _, at := range d.names {
			for _, typ := range d.types {
				_, err := b.recordSet(&d.records[i], record.Key{Name: at.name, Type: typ}, at.zone)
				b.failures.add(err)
			}
		}
	}
}

func (b *builder) addGroup(d *groupDecl, at placed, typ uint16) error {
	g := b.kept.groups.New()
	g.Key, g.Pos, g.Policy = record.Key{Name: at.name, Type: typ}, d.pos, d.policy
	if err := b.catalog.Allows(g.Key, g.Pos); err != nil {
		return err
	}
	g.Records = b.kept.sets.Make(len(d.records))[:0]
	for i := range d.records {
		r, err := b.recordSet(&d.records[i], g.Key, at.zone)
		if err != nil {
			return err
		}
		g.Records = append(g.Records, r)
	}
	if err := b.catalog.Add(g); err != nil {
		return err
	}
	if d.policy == record.Multivalue {
		return distinct(g)
	}
	return nil
}

// recordSet makes the record set of a key from a record.
func (b *builder) recordSet(d *recordDecl, key record.Key, zone string) (record.RecordSet, error) {
	r := record.RecordSet{Pos: d.pos, SetID: d.id, Check: record.NoCheck, Weight: d.weight, Tier: d.tier}
	var err error
	if d.isAlias() {
		r.Alias = &record.AliasTarget{EvaluateTargetHealth: d.evaluate}
		b.aliases = append(b.aliases, aliasDecl{d.pos, zone, key.Type, d.target, r.Alias})
	} else if r.Values, err = b.values(d, key, zone); err != nil {
		return r, err
	}
	if d.check != nil {
		r.Check, err = b.checks.index(d.check, r.Values)
	}
	return r, err
}

func (b *builder) values(d *recordDecl, key record.Key, zone string) ([]dns.RR, error) {
	ttl := b.decl.ttl
	if d.ttl != nil {
		ttl = *d.ttl
	}
	rrs := b.kept.rrs.Make(len(d.values))[:0]
	for _, value := range d.values {
		rr, warning, err := b.kept.values.Parse(key, ttl, zone, value)
		if err != nil {
			return nil, record.ErrorAt(d.pos, "%w", d.explain(err, key, zone, value))
		}
		if warning != "" {
			b.relative = append(b.relative, relativeValue{d.pos, key, d.id, warning, rr})
		}
		if slices.ContainsFunc(rrs, func(other dns.RR) bool { return dns.IsDuplicate(rr, other) }) {
			return nil, record.ErrorAt(d.pos, "%s has the value %q twice", key, value)
		}
		rrs = append(rrs, rr)
	}
	b.warnSplitText(d, key)
	return rrs, nil
}

// warnSplitText warns of a text whose words became values of their own, since nobody put it
// in quotes.
func (b *builder) warnSplitText(d *recordDecl, key record.Key) {
	if len(d.values) < 2 || key.Type != dns.TypeTXT && key.Type != dns.TypeSPF {
		return
	}
	if slices.ContainsFunc(d.values, func(v string) bool { return strings.ContainsAny(v, " \t\"") }) {
		return
	}
	b.warn(lint.SplitText, d.pos, key, d.id, "%s has %d texts of one word each, not the one text \"%s\"", key, len(d.values), strings.Join(d.values, " "))
}

// explain guesses why a word is no value: its line was meant as one value but has no
// quotes, or it is an option misspelt.
func (d *recordDecl) explain(err error, key record.Key, zone, value string) error {
	whole := strings.Join(d.values, " ")
	if _, _, err := record.ParseValue(key, 0, zone, whole); len(d.values) > 1 && err == nil {
		quoted := `"` + strings.ReplaceAll(whole, `"`, `\"`) + `"`
		return fmt.Errorf("%q is not a whole %s value; write it in quotes: %s", value, dns.Type(key.Type), quoted)
	}
	return fmt.Errorf("%w%s", err, valueHint(value, key.Type))
}

// distinct refuses a value that several records of a multivalue group have: an answer
// would hold it twice.
func distinct(g *record.Group) error {
	seen := make(map[string]record.Pos, len(g.Records))
	for i := range g.Records {
		r := &g.Records[i]
		value := strings.TrimPrefix(r.Values[0].String(), r.Values[0].Header().String())
		if at, ok := seen[value]; ok {
			return record.ErrorAt(r.Pos, "%s has the value %q twice: here and at %s", g.Key, value, at)
		}
		seen[value] = r.Pos
	}
	return nil
}

// resolveTargets finds out which names the aliases point at. A target that was taken for a
// name of these zones stays that name when a change of imported files takes it away.
func (b *builder) resolveTargets() {
	if len(b.decl.imports) > 0 {
		b.targets = make(map[aliasKey]string, len(b.aliases))
	}
	for _, a := range b.aliases {
		name, err := b.catalog.ResolveTarget(a.zone, a.target, a.typ)
		if err != nil {
			b.failures.add(record.ErrorAt(a.pos, "alias target %w", err))
			a.to.Name = "invalid." // elsewhere
			continue
		}
		written := aliasKey{a.pos, a.zone, a.typ}
		if before, ok := b.before[written]; ok && before != name {
			if _, inside := b.catalog.Zone(before); inside {
				name = before
			}
		}
		if b.targets != nil {
			b.targets[written] = name
		}
		a.to.Name = name
		b.warnOutside(a, name)
		if key := (record.Key{Name: name, Type: a.typ}); b.catalog.Groups[key] == nil && strings.Contains(strings.TrimSuffix(a.target, "."), ".") && !strings.HasSuffix(a.target, ".") {
			if g := b.catalog.Lookup(key); g != nil {
				b.warn(lint.WildcardTarget, a.pos, key, "", "alias target %q is taken for %s, which the wildcard %s answers", a.target, name, g.Name)
			}
		}
	}
}

// warnOutside warns of an alias whose target is outside the zones, and was probably not
// meant to be or not meant as an alias.
func (b *builder) warnOutside(a aliasDecl, name string) {
	c := b.catalog
	if _, inside := c.Zone(name); inside {
		return
	}
	key := record.Key{Name: name, Type: a.typ}
	if a.typ == dns.TypeCNAME {
		b.warn(lint.AliasOfCNAME, a.pos, key, "", "the alias answers with the CNAME record that %s itself has, not with a CNAME to it", name)
	}
	if dns.IsFqdn(a.target) || a.zone == "." {
		return
	}
	here, _ := record.Parent(name)
	if here += strings.TrimPrefix(a.zone, "."); here != a.zone && c.Exists(here) {
		b.warn(lint.OutsideTarget, a.pos, key, "", "alias target %q is taken for a name outside these zones, since %s holds no name %[1]q", a.target, a.zone)
	}
}

// warnRelative warns of values whose relative names nobody holds: they were probably meant
// to be absolute.
func (b *builder) warnRelative() {
	c := b.catalog
	for _, v := range b.relative {
		held := true
		record.EachName(v.rr, func(name string) {
			if canonical, err := record.Canonical(name); err == nil {
				_, inside := c.Zone(canonical)
				held = held && (!inside || c.Exists(canonical))
			}
		})
		if !held {
			b.warn(lint.RelativeName, v.pos, v.key, v.id, "%s: %s", v.key, v.warning)
		}
	}
	b.relative = nil
}

// expectFailed lets names that could not be read count as held by others, so that aliases
// to them are no errors too.
func (b *builder) expectFailed() {
	c := b.catalog
	names, types := c.Fallthrough, c.FallthroughTypes
	c.Fallthrough = func(name string) bool { return b.failures.mayHold(name) || names != nil && names(name) }
	c.FallthroughTypes = func(name string) bool { return b.failures.mayHold(name) || types != nil && types(name) }
}

// setSOAs gives every zone its SOA: the record that the block holds, else one made from
// the soa line, else the default.
func (b *builder) setSOAs() error {
	serial := uint32(b.now.Unix())
	for _, zone := range b.catalog.Zones {
		key := record.Key{Name: zone, Type: dns.TypeSOA}
		if g := b.catalog.Groups[key]; g != nil {
			b.catalog.SOA[zone] = g.Records[0].Values[0].(*dns.SOA)
			continue
		}
		d := b.decl.soa
		if d == nil {
			b.catalog.SOA[zone] = record.DefaultSOA(zone, serial)
			continue
		}
		var names [2]string
		for i, written := range [2]string{d.mname, d.rname} {
			name, warning, err := record.ParseName(zone, written)
			if err != nil {
				return d.errorf("%q %w", d.text(2), err)
			}
			if warning != "" && !b.catalog.Exists(name) {
				b.warn(lint.RelativeName, d.pos, key, "", "%s: %s", key, warning)
			}
			names[i] = name
		}
		b.catalog.SOA[zone] = record.NewSOA(zone, names[0], names[1], serial, d.minimum)
	}
	return nil
}

// addNameServers gives a zone without NS the server that the soa line names, if that can
// have an address. Resolvers take what a zone says of its own servers over what its parent
// says, so a name that leads nowhere is worse than none. With fallthrough_types the next
// plugin may hold the NS.
func (b *builder) addNameServers() error {
	d, c := b.decl.soa, b.catalog
	if d == nil {
		return nil
	}
	for _, zone := range c.Zones {
		key := record.Key{Name: zone, Type: dns.TypeNS}
		if c.Groups[key] != nil || c.Groups[record.Key{Name: zone, Type: dns.TypeSOA}] != nil || c.FallthroughTypes != nil && c.FallthroughTypes(zone) {
			continue
		}
		server := c.SOA[zone].Ns
		if !b.hasAddress(server) {
			continue
		}
		ns := &dns.NS{Hdr: dns.RR_Header{Name: zone, Rrtype: dns.TypeNS, Class: dns.ClassINET, Ttl: b.decl.ttl}, Ns: server}
		err := c.Add(&record.Group{Key: key, Pos: d.pos, Records: []record.RecordSet{{Pos: d.pos, Values: []dns.RR{ns}, Check: record.NoCheck}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// hasAddress reports whether a name has an address, as far as can be told from here.
func (b *builder) hasAddress(server string) bool {
	c := b.catalog
	name, err := record.Canonical(server)
	if err != nil || name == "." {
		return false
	}
	if _, inside := c.Zone(name); !inside {
		return true
	}
	types := []uint16{dns.TypeA, dns.TypeAAAA}
	return slices.ContainsFunc(types, func(typ uint16) bool { return c.Groups[record.Key{Name: name, Type: typ}] != nil }) ||
		slices.ContainsFunc(types, func(typ uint16) bool {
			_, held := c.Target(name, typ)
			return held != record.Nowhere
		})
}

// setFallthrough tells the catalog what goes to the next plugin.
func (b *builder) setFallthrough() {
	b.catalog.Fallthrough = b.decl.through.through()
	b.catalog.FallthroughTypes = b.decl.types.through()
	for _, d := range []*throughDecl{b.decl.through, b.decl.types} {
		for _, zone := range d.outside(b.catalog.Zones) {
			b.warn(lint.FallthroughZone, d.pos, record.Key{}, "", "%s %s has no effect: the zones of this block are %s", d.keyword, zone, record.Enumerate(b.catalog.Zones))
		}
	}
}
