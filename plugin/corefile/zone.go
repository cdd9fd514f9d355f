package corefile

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/coredns/coredns/plugin"
	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// zones returns the canonical zones of the directive: its arguments, or else the keys of
// the server block.
func zones(s statement, keys []string) ([]string, error) {
	if len(s.args) > 0 {
		return s.zones()
	}
	var zones []string
	for _, origin := range plugin.OriginsFromArgsOrServerBlock(nil, keys) {
		zone, err := record.Canonical(origin)
		if err != nil {
			return nil, s.errorf("the server block's zone %w", err)
		}
		zones = append(zones, zone)
	}
	if len(zones) == 0 {
		return nil, s.errorf("%q has no zone: name one, here or as the key of the server block", s.keyword)
	}
	return zones, nil
}

// zones returns the statement's arguments as canonical zones; a network such as
// 192.0.2.0/24 means its reverse zones.
func (s *statement) zones() ([]string, error) {
	var zones []string
	for _, arg := range s.args {
		origins := plugin.Host(arg).NormalizeExact()
		if len(origins) == 0 {
			return nil, s.errorf("%q is not a zone", arg)
		}
		for _, origin := range origins {
			zone, err := record.Canonical(origin)
			if err != nil {
				return nil, s.errorf("%q is not a zone: %w", arg, err)
			}
			zones = append(zones, zone)
		}
	}
	return zones, nil
}

// placed is the name of a group in one of the block's zones.
type placed struct {
	name string // canonical
	zone string // "" when the name is outside the zones
}

// names places a name as written into the zones: one that is absolute into its own,
// any other into each of them.
func (p *parser) names(s statement, word string) ([]placed, error) {
	if word == "@" {
		return p.everyZone(func(zone string) (string, error) { return zone, nil })
	}
	name, err := record.Canonical(word)
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	if zone, ok := p.zones.Zone(name); dns.IsFqdn(word) || ok && zone != "." {
		return []placed{{name, zone}}, nil
	}
	names, err := p.everyZone(func(zone string) (string, error) {
		return record.Canonical(name + strings.TrimPrefix(zone, "."))
	})
	if err != nil {
		return nil, s.errorf("%w", err)
	}
	p.warnRelative(s, word, names)
	return names, nil
}

// topLevels are top-level domains whose names are seldom those of hosts.
var topLevels = []string{"arpa", "com", "edu", "gov", "net", "org"}

// warnRelative warns of a name that is taken relative to the zones, though it ends as a
// name in another zone does.
func (p *parser) warnRelative(s statement, word string, names []placed) {
	labels := dns.SplitDomainName(strings.ToLower(word))
	if len(labels) < 2 {
		return
	}
	last := labels[len(labels)-1]
	for _, at := range names {
		if at.zone != "." && (slices.Contains(topLevels, last) || strings.HasSuffix(at.zone, "."+last+".")) {
			p.warn(lint.RelativeName, s.pos, "name %q has no final dot, so it means %q", word, at.name)
			return
		}
	}
}

func (p *parser) everyZone(in func(zone string) (string, error)) ([]placed, error) {
	var names []placed
	for _, zone := range p.zones.Zones {
		name, err := in(zone)
		if err != nil {
			return nil, err
		}
		names = append(names, placed{name, zone})
	}
	return names, nil
}

// ttl reads `ttl SECONDS` of the whole block.
func (p *parser) ttl(s statement) (err error) {
	p.decl.ttl, err = s.seconds(s.keyword, s.args[0])
	return err
}

// soaDecl is `soa MNAME RNAME [MINIMUM]`: names as written, relative to each zone.
type soaDecl struct {
	statement
	mname, rname string
	minimum      uint32 // TTL of negative answers, in seconds
}

func (p *parser) soa(s statement) (err error) {
	d := &soaDecl{s, s.args[0], s.args[1], record.SOAMinimum}
	if i := strings.IndexByte(d.rname, '@'); i > 0 && !strings.Contains(d.rname, "://") {
		return s.errorf("soa %q is a mail address; in a SOA it is written %q", d.rname, dns.Fqdn(d.rname[:i]+"."+d.rname[i+1:]))
	}
	if len(s.args) > 2 {
		if d.minimum, err = s.seconds("soa minimum", s.args[2]); err != nil {
			return err
		}
	}
	p.decl.soa = d
	return nil
}

// resolveAs reads `resolve_as ADDRESS`: who asks the server for targets held elsewhere, as
// far as other plugins can tell.
func (p *parser) resolveAs(s statement) error {
	addr, err := netip.ParseAddr(s.args[0])
	switch {
	case err != nil || addr.Zone() != "":
		return s.errorf("resolve_as %q is not an address, such as 192.0.2.1 or 2001:db8::1", s.args[0])
	case addr.Is4In6():
		return s.errorf("resolve_as %q is an IPv4 address in IPv6 form; write %s", s.args[0], addr.Unmap())
	case addr.IsUnspecified() || addr.IsMulticast():
		return s.errorf("resolve_as %q is the address of no client", s.args[0])
	}
	p.decl.resolveAs = addr
	return nil
}

// throughDecl is a fallthrough line. A nil one never falls through.
type throughDecl struct {
	statement
	names []string // canonical
	zones zoneSet
}

func (p *parser) fallthroughNames(s statement) (err error) {
	p.decl.through, err = newThrough(s)
	return err
}

func (p *parser) fallthroughTypes(s statement) (err error) {
	p.decl.types, err = newThrough(s)
	return err
}

func newThrough(s statement) (*throughDecl, error) {
	names, err := s.zones()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	return &throughDecl{s, names, newZoneSet(names)}, nil
}

// through returns what the catalog asks, nil when d is.
func (d *throughDecl) through() func(name string) bool {
	if d == nil {
		return nil
	}
	return d.zones.contain
}

// outside returns the zones of d that no zone of the block lies in, nor in one.
func (d *throughDecl) outside(zones []string) []string {
	if d == nil {
		return nil
	}
	block := newZoneSet(zones)
	return slices.DeleteFunc(slices.Clone(d.names), block.related)
}

// zoneSet is a set of zones in which a name is found in as many steps as it has labels.
type zoneSet struct {
	zones map[string]struct{}
	above map[string]struct{} // what one of the zones lies in
}

// newZoneSet returns a set of canonical zones.
func newZoneSet(zones []string) zoneSet {
	s := zoneSet{make(map[string]struct{}, len(zones)), make(map[string]struct{})}
	for _, zone := range zones {
		s.zones[zone] = struct{}{}
		for above, ok := record.Parent(zone); ok; above, ok = record.Parent(above) {
			if _, known := s.above[above]; known {
				break
			}
			s.above[above] = struct{}{}
		}
	}
	return s
}

// contain reports whether a canonical name is in one of the zones.
func (s zoneSet) contain(name string) bool {
	for ok := true; ok; name, ok = record.Parent(name) {
		if _, in := s.zones[name]; in {
			return true
		}
	}
	return false
}

// related reports whether a canonical zone is in one of the zones, or one of them in it.
func (s zoneSet) related(zone string) bool {
	_, above := s.above[zone]
	return above || s.contain(zone)
}
