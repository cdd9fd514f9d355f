package explain

import (
	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// step is where the way of a question goes at one name.
type step struct {
	kind  stepKind
	name  string // that is looked at, canonical
	place record.Place
	group *record.Group // of holds, cname, dname, referral
	steps int           // of the chain that leads here; only a tree counts them
}

type stepKind uint8

const (
	holds    stepKind = iota // a group of the type answers
	cname                    // the name has a CNAME instead, which is followed
	dname                    // a DNAME above the name redirects it
	referral                 // the name is delegated
	minimal                  // everything is asked for
	noData                   // the name has nothing of the type
	noName                   // there is no such name
	next                     // the next plugin answers
	besides                  // the next plugin is asked first about a name that exists
	outside                  // the name is in none of the zones: the next plugin answers
	through                  // the rest of a chain is resolved through the server
	refused                  // a zone transfer
)

// ask returns where the way of a question begins. It decides as the handler does.
func (m *Model) ask(name string, typ uint16) step {
	s := m.lie(name)
	switch {
	case s.place.Zone == "":
		s.kind = outside
	case typ == dns.TypeAXFR || typ == dns.TypeIXFR:
		s.kind = refused
	case s.delegated(typ):
		s.kind, s.group = referral, m.group(s.place.Cut, dns.TypeNS)
	case s.place.DNAME != "":
		s.kind, s.group = dname, m.group(s.place.DNAME, dns.TypeDNAME)
	case s.place.Holder == "":
		s.kind = noName
		if below := m.catalog.Fallthrough; below != nil && below(name) {
			s.kind = next
		}
	default:
		m.hold(&s, typ)
		if s.kind == noData && m.passes(s) {
			s.kind = besides
		}
	}
	return s
}

// follow returns where the way goes on at the target of a CNAME or DNAME.
func (m *Model) follow(target string, typ uint16) step {
	s := m.lie(target)
	switch {
	case s.place.Zone == "", s.delegated(typ):
		s.kind = through
	case s.place.DNAME != "":
		s.kind, s.group = dname, m.group(s.place.DNAME, dns.TypeDNAME)
	case s.place.Holder == "":
		s.kind = noName
		if below := m.catalog.Fallthrough; below != nil && below(target) {
			s.kind = through
		}
	default:
		m.hold(&s, typ)
		if s.kind == noData && m.passes(s) {
			s.kind = through
		}
	}
	return s
}

func (m *Model) lie(name string) step { return step{name: name, place: m.catalog.Place(name)} }

// delegated reports whether the type at the name is another server's: all at or below a
// delegation but its own DS.
func (s *step) delegated(typ uint16) bool {
	at := s.place.Encloser == s.name && s.place.Cut == s.name
	return s.place.Cut != "" && !(at && typ == dns.TypeDS)
}

// hold decides by what the name, or the wildcard in its place, holds.
func (m *Model) hold(s *step, typ uint16) {
	if typ == dns.TypeANY && len(m.catalog.Types(s.place.Holder)) > 0 {
		s.kind = minimal
		if g := m.group(s.place.Holder, dns.TypeCNAME); g != nil {
			s.kind, s.group = holds, g
		}
		return
	}
	if s.group = m.group(s.place.Holder, typ); s.group != nil {
		s.kind = holds
		return
	}
	if s.group = m.group(s.place.Holder, dns.TypeCNAME); s.group != nil && follows(typ) {
		s.kind = cname
		return
	}
	s.kind, s.group = noData, nil
}

// passes reports whether a type that is not held at a name that exists is the next
// plugin's to answer.
func (m *Model) passes(s step) bool {
	through := m.catalog.FallthroughTypes
	if len(m.catalog.Types(s.place.Holder)) == 0 {
		through = m.catalog.Fallthrough
	}
	return through != nil && through(s.name)
}

func (m *Model) group(name string, typ uint16) *record.Group {
	return m.catalog.Groups[record.Key{Name: name, Type: typ}]
}

// follows reports whether a question for the type is answered with a CNAME found in its
// place (RFC 1034, section 3.6.2; RFC 4035, section 2.5).
func follows(typ uint16) bool {
	switch typ {
	case dns.TypeCNAME, dns.TypeANY,
		dns.TypeDS, dns.TypeDNSKEY, dns.TypeRRSIG, dns.TypeNSEC, dns.TypeNSEC3, dns.TypeNSEC3PARAM, dns.TypeCDS, dns.TypeCDNSKEY:
		return false
	}
	return true
}

// redirected returns a name below a DNAME's owner as the DNAME redirects it, and false if
// that is too long for a name.
func redirected(name, owner, target string) (string, bool) {
	to := record.Substitute(name, owner, target)
	_, ok := dns.IsDomainName(to)
	return to, ok
}

// negativeTTL returns how long a negative answer from a name may be held: the lesser of the
// SOA's TTL and minimum (RFC 2308, section 5). The DS of a zone is its parent's to deny
// (RFC 4035, section 3.1.4.1).
func (m *Model) negativeTTL(s step, typ uint16) uint32 {
	zone := s.place.Zone
	if s.place.Holder != "" {
		zone, _ = m.catalog.Zone(s.place.Holder)
	}
	if typ == dns.TypeDS && s.place.Holder == zone {
		if above, ok := record.Parent(zone); ok {
			if outer, ok := m.catalog.Zone(above); ok {
				zone = outer
			}
		}
	}
	g := m.group(zone, dns.TypeSOA)
	if g == nil || len(g.Records[0].Values) != 1 {
		return 0
	}
	soa, ok := g.Records[0].Values[0].(*dns.SOA)
	if !ok {
		return 0
	}
	return min(soa.Hdr.Ttl, soa.Minttl)
}
