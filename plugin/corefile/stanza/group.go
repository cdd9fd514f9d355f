package stanza

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// set is a record set as a line of a stanza has it.
type set struct {
	*record.RecordSet
	index int    // in its group
	what  string // values, or alias and target
	ttl   uint32 // of the values
}

// group writes the stanza of a group, or what is left of it.
func (w *writer) group(g *record.Group) {
	w.note(g.Name)
	switch why := w.left[g]; {
	case why != "":
		w.problem("%s is left out: %s", g.Key, why)
		return
	case g.Balancer != nil:
		w.balancer(g)
		return
	}
	types, first := w.types(g)
	if !first {
		return
	}
	for _, typ := range types {
		twin := w.catalog.Groups[record.Key{Name: g.Name, Type: typ}]
		for i := range twin.Records {
			if why := w.dropped[twin][i]; why != "" {
				w.problem("%s: record %s is left out: %s", twin.Key, twin.Label(i), why)
			}
		}
	}
	var sets []set
	for i := range g.Records {
		if !w.keeps(g, i) {
			continue
		}
		if s, ok := w.set(g, i, types); ok {
			sets = append(sets, s)
		}
	}
	if len(sets) == 0 {
		return
	}
	names := make([]string, len(types))
	for i, typ := range types {
		names[i], _ = typeName(typ)
	}
	if g.Policy == record.Simple {
		w.simple(g, strings.Join(names, ","), sets[0])
		return
	}
	w.policy(g, strings.Join(names, ","), sets)
}

// types returns the types of the groups that one stanza is for, and whether g is the first of
// them: groups of aliases for A and AAAA are often the same.
func (w *writer) types(g *record.Group) (types []uint16, first bool) {
	other := uint16(dns.TypeAAAA)
	switch g.Type {
	case dns.TypeA:
	case dns.TypeAAAA:
		other = dns.TypeA
	default:
		return []uint16{g.Type}, true
	}
	twin := w.catalog.Groups[record.Key{Name: g.Name, Type: other}]
	if twin == nil || !w.sameAliases(g, twin) {
		return []uint16{g.Type}, true
	}
	return []uint16{dns.TypeA, dns.TypeAAAA}, g.Ordinal < twin.Ordinal
}

// sameAliases reports whether two groups hold aliases alone and differ in type alone, as far
// as they are written.
func (w *writer) sameAliases(a, b *record.Group) bool {
	if a.Policy != b.Policy || a.Balancer != nil || b.Balancer != nil {
		return false
	}
	return slices.EqualFunc(w.kept(a), w.kept(b), func(x, y record.RecordSet) bool {
		return x.Alias != nil && y.Alias != nil && *x.Alias == *y.Alias && x.SetID == y.SetID && x.Check == y.Check && x.Weight == y.Weight && x.Tier == y.Tier
	})
}

// set returns the line of a record set, and false where it has no value that can be written.
func (w *writer) set(g *record.Group, i int, types []uint16) (set, bool) {
	r := &g.Records[i]
	s := set{RecordSet: r, index: i}
	if r.Alias != nil {
		s.what = w.target(r.Alias.Name, types...)
		return s, true
	}
	var words []string
	s.ttl = r.Values[0].Header().Ttl
	for n, rr := range r.Values {
		if slices.ContainsFunc(r.Values[:n], func(other dns.RR) bool { return dns.IsDuplicate(rr, other) }) {
			w.problem("%s: record %s has a value twice, and is written with it once: %s", g.Key, g.Label(i), data(rr))
			continue
		}
		value, ok := w.value(g.Key, rr, len(r.Values) > 1)
		if !ok {
			w.problem("%s: record %s has a value that cannot be written: %s", g.Key, g.Label(i), data(rr))
			continue
		}
		words = append(words, value)
		s.ttl = min(s.ttl, rr.Header().Ttl, math.MaxInt32)
	}
	if slices.ContainsFunc(r.Values, func(rr dns.RR) bool { return rr.Header().Ttl != s.ttl }) {
		w.problem("%s: record %s has values of different TTLs; all are written with %d s", g.Key, g.Label(i), s.ttl)
	}
	s.what = strings.Join(words, " ")
	return s, len(words) > 0
}

// data returns the data of an RR for a message.
func data(rr dns.RR) string { return strings.TrimPrefix(rr.String(), rr.Header().String()) }

// simple writes a stanza of one line.
func (w *writer) simple(g *record.Group, types string, s set) {
	keyword := "simple"
	if s.Alias != nil {
		keyword = "alias"
	}
	words := s.what
	for _, option := range w.recordOptions(g, &s, s.Check != record.NoCheck, s.ttl != w.ttl) {
		if option != "" {
			words += " " + option
		}
	}
	w.row(g.Name, []string{keyword, w.owner(g.Name), types, words})
}

// policy writes a stanza with a block.
func (w *writer) policy(g *record.Group, types string, sets []set) {
	tiers := make([]string, len(sets))
	if g.Policy == record.Failover {
		slices.SortStableFunc(sets, func(a, b set) int { return cmp.Compare(a.Tier, b.Tier) })
		w.tiers(g, sets, tiers)
	}
	check := w.groupCheck(g)
	ttl, oneTTL := commonTTL(sets)
	rows := make([][]string, len(sets))
	for i := range sets {
		s := &sets[i]
		var cells []string
		switch g.Policy {
		case record.Weighted:
			cells = []string{"weight", fmt.Sprint(s.Weight)}
		case record.Failover:
			cells = []string{tiers[i]}
		default:
			cells = []string{"value"}
		}
		if what := s.what; s.Alias != nil {
			cells = append(cells, "alias "+what)
		} else {
			cells = append(cells, what)
		}
		rows[i] = append(cells, w.recordOptions(g, s, s.Check != record.NoCheck && !check.fits(), !oneTTL && s.ttl != w.ttl)...)
	}
	w.open(fmt.Sprintf("%s %s %s", g.Policy, w.owner(g.Name), types))
	if oneTTL && ttl != w.ttl {
		w.line(fmt.Sprintf("ttl %d", ttl))
	}
	w.writeGroupCheck(check)
	for _, line := range table(rows) {
		w.line(line)
	}
	w.close()
}

// commonTTL returns the TTL that all records with values have, and false where they differ or
// there are none.
func commonTTL(sets []set) (ttl uint32, ok bool) {
	for i := range sets {
		switch s := &sets[i]; {
		case s.Alias != nil:
		case !ok:
			ttl, ok = s.ttl, true
		case s.ttl != ttl:
			return 0, false
		}
	}
	return ttl, ok
}

// tiers gives the records of a failover group, which are in order, the words for their tiers.
// Stanzas begin with the first tier and leave none out.
func (w *writer) tiers(g *record.Group, sets []set, words []string) {
	gap := false
	for i := range sets {
		if words[i] = fmt.Sprintf("tier %d", i+1); len(sets) <= 2 {
			words[i] = record.TierName(uint16(i + 1))
		}
		gap = gap || int(sets[i].Tier) != i+1
	}
	if !gap {
		return
	}
	had := make([]string, len(sets))
	for i := range sets {
		had[i] = record.TierName(sets[i].Tier)
	}
	w.comment(fmt.Sprintf("%s: the first record below takes the place of the primary; these were: %s", g.Key, strings.Join(had, ", ")))
}

// maxID is the greatest length of a set identifier in bytes.
const maxID = 128

// recordOptions returns the cells of a record's options.
func (w *writer) recordOptions(g *record.Group, s *set, withCheck, withTTL bool) []string {
	cells := make([]string, 3)
	if withCheck {
		cells[0] = w.useWords(s.Check)
	}
	if s.SetID != "" {
		id, ok := word(s.SetID)
		switch {
		case !ok:
			w.problem("%s: record %s is written without its set identifier, which no word of a Corefile can be", g.Key, g.Label(s.index))
		case len(s.SetID) > maxID:
			w.problem("%s: record %.40q is written without its set identifier of %d bytes; %d are the most", g.Key, s.SetID, len(s.SetID), maxID)
		default:
			cells[1] = "id " + id
		}
	}
	switch {
	case s.Alias == nil && withTTL:
		cells[2] = fmt.Sprintf("ttl %d", s.ttl)
	case s.Alias != nil && s.Alias.EvaluateTargetHealth:
		cells[2] = "evaluate_target_health"
	}
	return cells
}
