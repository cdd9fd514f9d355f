package explain

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// subject is something that can be named.
type subject struct {
	kind  Kind
	names []string // ways to write it, the first as it is told

	check    int32 // of a check that is named, else none
	probes   []int32
	external int // of an ExternalKind
}

// subjects returns all that can be named.
func (m *Model) subjects() []subject {
	var all []subject
	for i := range m.checks {
		all = append(all, subject{kind: CheckKind, names: []string{m.checks[i].Name}, check: int32(i)})
	}
	for p := range m.health.probes {
		all = append(all, subject{kind: CheckKind, names: []string{endpoint(&m.checks[m.health.probes[p].checks[0]])}, check: none, probes: []int32{int32(p)}})
	}
	e := m.endpoints()
	for _, host := range e.hosts {
		all = append(all, subject{kind: AddressKind, names: []string{host}, check: none, probes: e.byHost[host]})
	}
	for _, z := range e.zones {
		if len(z.probes) > 0 {
			all = append(all, subject{kind: ZoneKind, names: m.zoneNames(z), check: none, probes: z.probes})
		}
	}
	for i, e := range m.table.Externals() {
		all = append(all, subject{kind: ExternalKind, names: []string{e.Name, strings.TrimSuffix(e.Name, ".")}, check: none, external: i})
	}
	return all
}

// zoneNames returns the ways to write a zone of a load balancer.
func (m *Model) zoneNames(z zoneCause) []string {
	names := []string{z.name(), strings.TrimSuffix(z.balancer.Name, ".") + "/" + z.id}
	for _, zone := range m.catalog.Zones {
		if short, ok := strings.CutSuffix(z.balancer.Name, "."+zone); ok {
			names = append(names, short+"/"+z.id)
		}
	}
	return names
}

// Match returns the cause that an operator means by a word: the name or the URL of a
// check, the address or name of an endpoint, a CIDR of endpoints, LOAD-BALANCER/ZONE, the
// target of an alias that is held elsewhere, or a glob of these, in which * stands for any
// text and ? for one letter. A check that is named says that it is unhealthy; whatever else
// is named does not answer, so that the probes of it fail. A word that means nothing is an
// error with those that come closest.
func (m *Model) Match(word string) (Cause, error) {
	if word == "" {
		return Cause{}, errors.New(`"" names nothing; write a check, an address, a CIDR or LOAD-BALANCER/ZONE`)
	}
	all := m.subjects()
	if prefix, err := netip.ParsePrefix(word); err == nil {
		found := among(all, func(name string) bool {
			addr, err := netip.ParseAddr(name)
			return err == nil && prefix.Masked().Contains(addr.Unmap())
		})
		if len(found) == 0 {
			return Cause{}, m.unmatched(word, all, "no check probes an address in "+word)
		}
		return gather(PatternKind, word, found), nil
	}
	// A word may be the name of one thing and, its case aside, that of another.
	for _, is := range []func(name string) bool{
		func(name string) bool { return name == word },
		func(name string) bool { return strings.EqualFold(name, normal(word)) },
	} {
		if found := among(all, is); len(found) > 0 {
			return gather(found[0].kind, found[0].names[0], found), nil
		}
	}
	if strings.ContainsAny(word, "*?") {
		pattern := strings.ToLower(word)
		if found := among(all, func(name string) bool { return glob(pattern, strings.ToLower(name)) }); len(found) > 0 {
			return gather(PatternKind, word, found), nil
		}
	}
	return Cause{}, m.unmatched(word, all, "")
}

// among returns the subjects one of whose names is meant.
func among(all []subject, is func(name string) bool) []subject {
	var found []subject
	for _, s := range all {
		if slices.ContainsFunc(s.names, is) {
			found = append(found, s)
		}
	}
	return found
}

// gather makes one cause of what a word names.
func gather(kind Kind, name string, found []subject) Cause {
	c := Cause{Kind: kind, Names: []string{name}, says: make(map[int32]bool)}
	for _, s := range found {
		if s.check != none {
			c.says[s.check] = true
		}
		c.probes = append(c.probes, s.probes...)
		if s.kind == ExternalKind {
			c.externals = append(c.externals, s.external)
		}
	}
	slices.Sort(c.probes)
	c.probes = slices.Compact(c.probes)
	return c
}

// normal returns a URL as endpoints are written, with its port and without its query, and
// an address in its usual form; anything else as it is.
func normal(word string) string {
	if addr, err := netip.ParseAddr(strings.Trim(word, "[]")); err == nil {
		return addr.Unmap().String()
	}
	scheme, rest, ok := strings.Cut(word, "://")
	if !ok {
		return word
	}
	scheme = strings.ToLower(scheme)
	rest, _, _ = strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	if port := map[string]int{"http": 80, "https": 443}[scheme]; port > 0 {
		path = "/" + path
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(port))
		}
	}
	return scheme + "://" + host + path
}

// glob reports whether a name is what a pattern stands for.
func glob(pattern, name string) bool {
	at, star, from := 0, -1, 0 // star is after the last * met, from where its text may end
	for i := 0; i < len(name); {
		switch {
		case at < len(pattern) && pattern[at] == '*':
			at++
			star, from = at, i
		case at < len(pattern) && (pattern[at] == '?' || pattern[at] == name[i]):
			at++
			i++
		case star >= 0:
			from++
			at, i = star, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[at:], "*") == ""
}

// unmatched says what a word might have meant.
func (m *Model) unmatched(word string, all []subject, why string) error {
	if why == "" {
		why = fmt.Sprintf("%q names no check, endpoint, zone of a load balancer or target held elsewhere", word)
		if strings.ContainsAny(word, "*?") {
			why = fmt.Sprintf("%q matches no check, endpoint, zone of a load balancer or target held elsewhere", word)
		}
	}
	if addr, err := netip.ParseAddr(normal(word)); err == nil {
		if k, ok := m.answering(addr); ok {
			why = fmt.Sprintf("no check probes %s, which %s answers with: its failure would go unnoticed", addr, k)
		}
	}
	names := closest(word, all)
	if len(names) == 0 {
		return errors.New(why + "; this block has none of them")
	}
	return fmt.Errorf("%s; the closest are %s", why, strings.Join(names, ", "))
}

// answering returns a group that answers with an address.
func (m *Model) answering(addr netip.Addr) (record.Key, bool) {
	for g := range m.catalog.All() {
		if g.Type != dns.TypeA && g.Type != dns.TypeAAAA || g.Balancer != nil {
			continue
		}
		for i := range g.Records {
			for _, rr := range g.Records[i].Values {
				if at, ok := netip.AddrFromSlice(address(rr)); ok && at.Unmap() == addr {
					return g.Key, true
				}
			}
		}
	}
	return record.Key{}, false
}

// suggestions is how many names an error lists.
const suggestions = 3

// closest returns the names that resemble a word most, quoted, each thing once.
func closest(word string, all []subject) []string {
	type rated struct {
		name     string
		distance int
	}
	var list []rated
	lower := strings.ToLower(word)
	for _, s := range all {
		best := rated{s.names[0], 1 << 30}
		for _, name := range s.names {
			best.distance = min(best.distance, distance(lower, strings.ToLower(name)))
		}
		list = append(list, best)
	}
	slices.SortStableFunc(list, func(a, b rated) int { return a.distance - b.distance })
	var names []string
	for _, r := range list {
		if quoted := strconv.Quote(r.name); !slices.Contains(names, quoted) && len(names) < suggestions {
			names = append(names, quoted)
		}
	}
	return names
}

// distance counts the letters to insert, delete or replace that make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(before+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
