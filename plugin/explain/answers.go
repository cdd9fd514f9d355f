package explain

import (
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// Names of response codes (RFC 1035, section 4.1.1; RFC 6672, section 2.2).
const (
	noError  = "NOERROR"
	servFail = "SERVFAIL"
	nxDomain = "NXDOMAIN"
	refusal  = "REFUSED"
	yxDomain = "YXDOMAIN"
)

// anyTTL is the TTL in seconds of the answer to ANY.
const anyTTL = 3600

// answering works out the answers to one question.
type answering struct {
	*Model
	typ     uint16
	chances chances
	spread  spread

	// visit is told of each Selection on the way of an answer, with the odds that it comes
	// that way, perhaps in several parts. It may be nil.
	visit func(s *routing.Selection, o odds)

	roots []*record.Group // that the question or a chain leads to, not those below aliases
}

// answers returns what a question may be answered.
func (m *Model) answers(name string, typ uint16) *chances {
	a := answering{Model: m, typ: typ}
	a.from(m.ask(name, typ))
	return &a.chances
}

// groupAnswers returns what a group may answer to a question for its own name and type.
func (m *Model) groupAnswers(g *record.Group, s *routing.Selection) *chances {
	a := answering{Model: m, typ: g.Type}
	a.choose(step{name: g.Name, place: record.Place{Holder: g.Name}}, s, certain, nil)
	return &a.chances
}

// from adds what is answered from the first step of a question.
func (a *answering) from(s step) {
	why := reasons{}
	switch s.kind {
	case holds:
		a.roots = append(a.roots, s.group)
		a.choose(s, a.selection(s.group), certain, nil)
	case cname, dname:
		a.chase(s)
	case minimal:
		why.told = routing.Minimal
		a.chances.add(minimalOutcome, []string{minimalOutcome.values}, certain, why)
	case referral:
		why.told = routing.Referral
		a.none(outcome{rcode: noError, note: "referral"}, certain, why)
	case noData:
		why.told = routing.NoData
		a.none(outcome{rcode: noError, note: "no data", ttl: a.negativeTTL(s, a.typ)}, certain, why)
	case noName:
		why.told = routing.NameError
		a.none(outcome{rcode: nxDomain, note: "no such name", ttl: a.negativeTTL(s, a.typ)}, certain, why)
	case refused:
		a.none(outcome{rcode: refusal, note: "zone transfers are refused"}, certain, why)
	case outside, next, besides:
		a.none(outcome{external: a.key(s.name), note: "the next plugin answers"}, certain, why)
	}
}

var minimalOutcome = outcome{values: `"RFC8482" ""`, ttl: anyTTL, rcode: noError}

func (a *answering) key(name string) string { return record.Key{Name: name, Type: a.typ}.String() }

// none adds an outcome without values.
func (a *answering) none(o outcome, p odds, why reasons) { a.chances.add(o, nil, p, why) }

// choose adds what a Selection answers. chain is nil for the group that was asked for; in a
// chain of CNAMEs it has the reasons so far, and the server tells those of its first group.
func (a *answering) choose(s step, from *routing.Selection, p odds, chain *reasons) {
	a.spread.visit = a.visit
	a.spread.end = func(sel *routing.Selection, c routing.Choice, told routing.Reason, o odds) {
		why := reasons{told, told == routing.LastResort}
		if chain != nil {
			why = reasons{chain.told, chain.resort || why.resort}
		}
		a.end(s, sel, c, o, why, chain != nil)
	}
	a.spread.from(from, p)
}

// end adds what is answered at the end of the aliases.
func (a *answering) end(s step, sel *routing.Selection, c routing.Choice, o odds, why reasons, chained bool) {
	if d, several := sel.Draw(); several {
		if len(d.Always)+d.Drawn == 0 {
			a.nothing(s, "it has no address of the type", o, why, chained)
			return
		}
		a.draw(d, o, why)
		return
	}
	switch {
	case c.External != nil:
		a.external(s, c.External, o, why, chained)
	case len(c.Values) == 0:
		a.nothing(s, "the alias leads to nothing", o, why, chained)
	default:
		v := a.valuesOf(c.Values)
		a.chances.add(outcome{values: v.key, ttl: v.ttl, rcode: noError}, v.texts, o, why)
	}
}

// draw adds records that are drawn: each of a pool has the same odds.
func (a *answering) draw(d routing.Draw, o odds, why reasons) {
	if len(d.Always) > 0 {
		v := render(d.Always)
		a.chances.add(outcome{values: v.key, ttl: v.ttl, rcode: noError}, v.texts, o, why)
	}
	for _, pool := range d.Pools {
		v := render(pool)
		each := o.times(uint64(d.Drawn), uint64(len(d.Pools)*len(pool)))
		for i := range v.texts {
			a.chances.add(outcome{values: v.texts[i], ttl: v.ttl, each: true, rcode: noError}, v.texts[i:i+1:i+1], each, why)
		}
	}
}

// external adds what a target held elsewhere is answered with, as far as it is known.
func (a *answering) external(s step, e *routing.External, o odds, why reasons, chained bool) {
	switch rrs := e.RRs(); {
	case !a.externalHealthy(e), e.Known() && len(rrs) == 0:
		a.nothing(s, "the alias's target "+e.Name+" has no records", o, why, chained)
	case len(rrs) > 0:
		v := render(rrs)
		a.chances.add(outcome{values: v.key, ttl: v.ttl, rcode: noError}, v.texts, o, why)
	default:
		a.none(outcome{external: e.Key.String(), note: "it is resolved through the server"}, o, why)
	}
}

// nothing adds NODATA where a record set was chosen that has no records.
func (a *answering) nothing(s step, note string, o odds, why reasons, chained bool) {
	if !chained {
		why.told = routing.NoData
	}
	if s.place.Zone == "" { // of a group: see groupAnswers
		s.place = a.catalog.Place(s.name)
	}
	a.none(outcome{rcode: noError, ttl: a.negativeTTL(s, a.typ), note: note}, o, why)
}

// selection returns what a group answers or, while a change of health is looked at, would
// answer.
func (m *Model) selection(g *record.Group) *routing.Selection {
	if s, ok := m.assumed.selections[g]; ok {
		return s
	}
	_, s, _ := m.table.Group(int(g.Ordinal))
	return s
}

// externalHealthy reports whether a target held elsewhere is healthy, likewise.
func (m *Model) externalHealthy(e *routing.External) bool {
	if m.externals == nil {
		m.externals = make(map[*routing.External]int)
		for i, e := range m.table.Externals() {
			m.externals[e] = i
		}
	}
	if healthy, ok := m.assumed.externals[e]; ok {
		return healthy
	}
	return m.table.ExternalHealthy(m.externals[e])
}

// target returns the name that a CNAME or DNAME of RDATA in text form points at, in lower
// case.
func target(rr dns.RR) string {
	switch rr := rr.(type) {
	case *dns.CNAME:
		return strings.ToLower(rr.Target)
	case *dns.DNAME:
		return strings.ToLower(rr.Target)
	}
	return ""
}
