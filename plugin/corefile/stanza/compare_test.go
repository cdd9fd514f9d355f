package stanza_test

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/plugin/test"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/corefile/stanza"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// expected returns the catalog that stanzas can say: that of a list of problems is taken out.
// It is a catalog of the same groups without aliases to nothing, second records of a value,
// and names that hold nothing; each of these has to be among the problems.
func expected(t *testing.T, c *record.Catalog, problems []string) *record.Catalog {
	t.Helper()
	groups := make(map[*record.Group][]record.RecordSet)
	for g := range c.All() {
		groups[g] = slices.Clone(g.Records)
		if g.Balancer != nil && !isLeft(g, problems) {
			groups[g] = make([]record.RecordSet, 1) // stands for it
		}
	}
	for again := true; again; {
		again = false
		for g := range c.All() {
			kept := slices.DeleteFunc(groups[g], func(r record.RecordSet) bool {
				return r.Alias != nil && leadsNowhere(c, groups, g, &r)
			})
			again = again || len(kept) < len(groups[g])
			groups[g] = kept
		}
	}
	next := record.NewCatalog(c.Zones)
	next.Checks, next.SOA, next.Fallthrough, next.FallthroughTypes = c.Checks, c.SOA, c.Fallthrough, c.FallthroughTypes
	for g := range c.All() {
		if g.Type == dns.TypeSOA && g.Pos == (record.Pos{}) {
			continue
		}
		if g.Policy == record.Multivalue {
			groups[g] = withoutTwins(groups[g])
		}
		if len(groups[g]) < len(g.Records) {
			mention(t, problems, g.Key.String()+": record ", "left out")
		}
		if len(groups[g]) == 0 {
			c.Names[g.Name] = struct{}{}
			continue
		}
		clone := *g
		if g.Balancer == nil {
			clone.Records = groups[g]
		}
		for i := range clone.Records {
			clone.Records[i].Imported = true // as lenient as the import was
			clone.Records[i].Values = distinct(clone.Records[i].Values)
		}
		if err := next.Add(&clone); err != nil {
			t.Fatal(err)
		}
	}
	for name := range c.Names {
		if !next.Exists(name) {
			mention(t, problems, name+" holds only what was left out")
		}
	}
	for _, p := range next.Validate() {
		if p.Level != record.Warning {
			t.Fatal(p.Err)
		}
	}
	return next
}

// isLeft reports whether a load balancer is left out, since its targets' checks are no one
// check.
func isLeft(g *record.Group, problems []string) bool {
	return slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, g.Name+" A is left out: target group ") })
}

func leadsNowhere(c *record.Catalog, groups map[*record.Group][]record.RecordSet, g *record.Group, r *record.RecordSet) bool {
	to, held := c.Target(r.Alias.Name, g.Type)
	return held == record.Nowhere || held == record.Here && len(groups[to]) == 0
}

// withoutTwins leaves one of the records of a value: one without a check, or else the first.
func withoutTwins(records []record.RecordSet) []record.RecordSet {
	same := func(r record.RecordSet) func(record.RecordSet) bool {
		return func(other record.RecordSet) bool { return data(other.Values[0]) == data(r.Values[0]) }
	}
	var kept []record.RecordSet
	for i, r := range records {
		best := slices.IndexFunc(records, func(other record.RecordSet) bool { return same(r)(other) && other.Check == record.NoCheck })
		if best < 0 {
			best = slices.IndexFunc(records, same(r))
		}
		if best == i {
			kept = append(kept, r)
		}
	}
	return kept
}

func distinct(rrs []dns.RR) []dns.RR {
	var out []dns.RR
	for _, rr := range rrs {
		if !slices.ContainsFunc(out, func(other dns.RR) bool { return dns.IsDuplicate(rr, other) }) {
			out = append(out, rr)
		}
	}
	return out
}

func data(rr dns.RR) string { return strings.TrimPrefix(rr.String(), rr.Header().String()) }

// mention fails unless a problem has all the parts.
func mention(t *testing.T, problems []string, parts ...string) {
	t.Helper()
	if !slices.ContainsFunc(problems, func(p string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(p, part) })
	}) {
		t.Errorf("no problem mentions %q; they are\n%s", parts, strings.Join(problems, "\n"))
	}
}

// comparison compares what a catalog and the one that was read from its stanzas decide.
type comparison struct {
	*testing.T
	*rand.Rand
	want, got *record.Catalog
	fixed     map[string]bool // checks of want that count as healthy, since they cannot be written
}

// compare compares the groups, their odds under random health, and the replies to queries.
func compare(t *testing.T, rnd *rand.Rand, c, got *record.Catalog, problems []string) {
	t.Helper()
	want := expected(t, c, problems)
	m := &comparison{t, rnd, want, got, make(map[string]bool)}
	for i := range want.Checks {
		name := want.Checks[i].Name
		for _, p := range problems {
			if called, ok := strings.CutPrefix(p, fmt.Sprintf("check %q is called ", name)); ok {
				called, _, _ = strings.Cut(strings.TrimPrefix(called, `"`), `"`)
				name = called
			}
		}
		m.fixed[want.Checks[i].Name] = slices.ContainsFunc(problems, func(p string) bool {
			return strings.HasPrefix(p, fmt.Sprintf("check %q cannot be written, so its status is fixed at healthy", name))
		})
	}
	m.groups()
	for range 4 {
		m.decisions()
	}
	if t.Failed() {
		t.FailNow()
	}
}

// groups compares keys, policies, values, TTLs, set identifiers and checks.
func (m *comparison) groups() {
	m.Helper()
	for g := range m.got.All() {
		if m.want.Groups[g.Key] == nil {
			m.Errorf("%s is held in addition", g.Key)
		}
	}
	for g := range m.want.All() {
		other := m.got.Groups[g.Key]
		switch {
		case other == nil:
			m.Errorf("%s is missing", g.Key)
			continue
		case g.Policy != other.Policy || len(g.Records) != len(other.Records):
			m.Errorf("%s is %s of %d records, want %s of %d", g.Key, other.Policy, len(other.Records), g.Policy, len(g.Records))
			continue
		case g.Balancer != nil:
			continue // its decisions are compared
		case g.Type == dns.TypeSOA:
			if got, want := other.Records[0].Values[0].String(), g.Records[0].Values[0].String(); got != want {
				m.Errorf("SOA %s, want %s", got, want)
			}
			continue
		}
		records := g.Records
		if g.Policy == record.Failover {
			records = slices.SortedStableFunc(slices.Values(records), func(a, b record.RecordSet) int { return cmp.Compare(a.Tier, b.Tier) })
		}
		for i := range records {
			if got, want := m.line(m.got, g.Policy, &other.Records[i], i), m.line(m.want, g.Policy, &records[i], i); got != want {
				m.Errorf("%s record %d:\n got %s\nwant %s", g.Key, i, got, want)
			}
		}
	}
}

// line describes a record set without what no stanza of it can say.
func (m *comparison) line(c *record.Catalog, policy record.Policy, r *record.RecordSet, i int) string {
	words := []string{}
	if policy == record.Weighted {
		words = append(words, fmt.Sprint("weight ", r.Weight))
	}
	if r.Alias != nil {
		words = append(words, fmt.Sprint(*r.Alias))
	}
	for _, rr := range r.Values {
		words = append(words, rr.String())
	}
	if _, ok := writableID(r.SetID); ok {
		words = append(words, "id "+r.SetID)
	}
	if r.Check != record.NoCheck {
		words = append(words, m.check(c, int(r.Check)))
	}
	return strings.Join(words, ", ")
}

// check describes what a check says and by what.
func (m *comparison) check(c *record.Catalog, i int) string {
	check := &c.Checks[i]
	constant := func(raw healthcheck.Status) string {
		if check.Invert {
			raw = raw.Not()
		}
		return "always " + raw.String()
	}
	switch {
	case c == m.want && m.fixed[check.Name]:
		return "always healthy"
	case check.Disabled:
		return constant(healthcheck.Healthy)
	case check.Fixed:
		return constant(check.FixedStatus)
	case check.Calculated:
		children := countable(c, check)
		if len(children) == 0 {
			if check.HealthyThreshold == 0 {
				return constant(healthcheck.Healthy)
			}
			return constant(healthcheck.Unhealthy)
		}
		text := fmt.Sprintf("%d of (", min(check.HealthyThreshold, 256))
		for _, child := range children {
			text += m.check(c, child) + "; "
		}
		return fmt.Sprint(text, ") inverted ", check.Invert)
	}
	return fmt.Sprintf("%+v inverted %t", plainSpec(check.Spec), check.Invert)
}

func countable(c *record.Catalog, check *healthcheck.Check) []int {
	return slices.DeleteFunc(slices.Clone(check.Children), func(i int) bool { return c.Checks[i].Calculated })
}

// plainSpec returns a Spec without what a stanza cannot say and probes do not depend on: the
// case of names, networks, and percent-encoding.
func plainSpec(s healthcheck.Spec) healthcheck.Spec {
	s.Host, s.ServerName, s.Networks = strings.ToLower(s.Host), strings.ToLower(s.ServerName), ""
	if s.Kind == healthcheck.TCP {
		s.ResponseTimeout = 0
	}
	if s.Kind != healthcheck.HTTPS {
		s.ServerName, s.Verify = "", false
	}
	var b strings.Builder
	for i := 0; i < len(s.Path); i++ {
		c := s.Path[i]
		if c == '%' && i+2 < len(s.Path) {
			var n int
			if _, err := fmt.Sscanf(s.Path[i+1:i+3], "%02X", &n); err == nil {
				c = byte(n)
				i += 2
			}
		}
		b.WriteByte(c)
	}
	s.Path = b.String()
	return s
}

// statuses returns the status of every check of a catalog under the health of Specs.
func (m *comparison) statuses(c *record.Catalog, health map[healthcheck.Spec]healthcheck.Status) []healthcheck.Status {
	out := make([]healthcheck.Status, len(c.Checks))
	done := make([]bool, len(c.Checks))
	var find func(i int) healthcheck.Status
	find = func(i int) healthcheck.Status {
		check := &c.Checks[i]
		if done[i] {
			return out[i]
		}
		done[i] = true
		raw := healthcheck.Healthy
		switch {
		case c == m.want && m.fixed[check.Name]:
			out[i] = healthcheck.Healthy
			return out[i]
		case check.Disabled:
		case check.Fixed:
			raw = check.FixedStatus
		case check.Calculated:
			healthy := 0
			for _, child := range countable(c, check) {
				healthy += int(find(child))
			}
			raw = healthcheck.Unhealthy
			if healthy >= check.HealthyThreshold {
				raw = healthcheck.Healthy
			}
		default:
			key := plainSpec(check.Spec)
			if _, ok := health[key]; !ok {
				health[key] = healthcheck.Status(m.IntN(2))
			}
			raw = health[key]
		}
		if out[i] = raw; check.Invert {
			out[i] = raw.Not()
		}
		return out[i]
	}
	for i := range c.Checks {
		find(i)
	}
	return out
}

// decisions compares what both answer under one random health.
func (m *comparison) decisions() {
	m.Helper()
	health := make(map[healthcheck.Spec]healthcheck.Status)
	a, b := m.statuses(m.want, health), m.statuses(m.got, health)
	want, got := routing.NewTable(m.want, a), routing.NewTable(m.got, b)
	m.externals(want, got)
	for g := range m.want.All() {
		other := m.got.Groups[g.Key]
		if other == nil {
			continue
		}
		_, x, xHealthy := want.Group(int(g.Ordinal))
		_, y, yHealthy := got.Group(int(other.Ordinal))
		if xHealthy != yHealthy {
			m.Errorf("%s is healthy %t, want %t", g.Key, yHealthy, xHealthy)
		}
		if x, y := m.odds(x), m.odds(y); x != y {
			m.Errorf("%s answers\n%s, want\n%s", g.Key, y, x)
		}
	}
	m.replies(handler.New(m.snapshot(m.want, a)), handler.New(m.snapshot(m.got, b)))
}

// externals gives both tables the same targets outside, some of them unhealthy.
func (m *comparison) externals(want, got *routing.Table) {
	m.Helper()
	resolutions := make(map[record.Key]routing.Resolution)
	for n, table := range []*routing.Table{want, got} {
		var changes []routing.ExternalChange
		for i, e := range table.Externals() {
			if n == 0 {
				resolutions[e.Key] = resolution(m.Rand, e.Key)
			}
			r, ok := resolutions[e.Key]
			if !ok {
				m.Errorf("%s is resolved in addition", e.Key)
			}
			e.Set(r)
			changes = append(changes, routing.ExternalChange{External: i, Healthy: len(r.RRs) > 0})
		}
		table.Update(nil, changes, func(int, *routing.Selection) {})
	}
	if len(want.Externals()) != len(got.Externals()) {
		m.Errorf("%d targets are resolved, want %d", len(got.Externals()), len(want.Externals()))
	}
}

// resolution is what a target outside answers: nothing, or an RR that any type can have.
func resolution(rnd *rand.Rand, k record.Key) routing.Resolution {
	if rnd.IntN(2) == 0 {
		return routing.Resolution{}
	}
	return routing.Resolution{RRs: []dns.RR{&dns.RFC3597{
		Hdr: dns.RR_Header{Name: k.Name, Rrtype: k.Type, Class: dns.ClassINET, Ttl: 60}, Rdata: fmt.Sprintf("%08X", rnd.Uint32()),
	}}}
}

// maxPaths is how many ways through random numbers are tried for one Selection.
const maxPaths = 200

// odds counts what a Selection answers over the whole range of its random numbers, as far as
// these are few, and over the first of them. Both Selections draw alike, so what is left
// untried is the same.
func (m *comparison) odds(s *routing.Selection) string {
	counts := make(map[string]*big.Rat)
	var path, bounds []uint64
	for range maxPaths {
		at := 0
		a := s.Answer("x.example.", func(n uint64) uint64 {
			if at == len(path) {
				path, bounds = append(path, 0), append(bounds, n)
			}
			at++
			return path[at-1]
		})
		p := big.NewRat(1, 1)
		for _, n := range bounds {
			p.Mul(p, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).SetUint64(n)))
		}
		texts := make([]string, len(a.RRs))
		for i, rr := range a.RRs {
			texts[i] = rr.String()
		}
		slices.Sort(texts)
		answer := strings.Join(texts, " + ")
		if counts[answer] == nil {
			counts[answer] = new(big.Rat)
		}
		counts[answer].Add(counts[answer], p)
		n := len(path) - 1
		for n >= 0 && path[n]+1 == bounds[n] {
			n--
		}
		if n < 0 {
			break
		}
		path, bounds = path[:n+1], bounds[:n+1]
		path[n]++
	}
	lines := make([]string, 0, len(counts))
	for answer, p := range counts {
		lines = append(lines, p.RatString()+" "+answer)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func (m *comparison) snapshot(c *record.Catalog, statuses []healthcheck.Status) *handler.Snapshot {
	s := handler.NewSnapshot(c, statuses)
	for _, e := range s.Externals() {
		e.Set(routing.Resolution{})
	}
	return s
}

// replies compares the replies to names that are held, those around them and those that hold
// nothing any more, as far as chance has no part in them.
func (m *comparison) replies(want, got *handler.Handler) {
	m.Helper()
	names := make(map[string]bool)
	for g := range m.want.All() {
		for name, ok := g.Name, true; ok && len(names) < 40; name, ok = record.Parent(name) {
			names[name] = true
			names["x."+strings.TrimPrefix(name, ".")] = true
			names["y.x."+strings.TrimPrefix(name, ".")] = true
		}
	}
	for name := range names {
		if _, ok := dns.IsDomainName(name); !ok || len(name) > 250 {
			continue
		}
		for _, typ := range []uint16{dns.TypeA, dns.TypeTXT, dns.TypeNS, dns.TypeDS} {
			if x, y := m.reply(m.want, want, name, typ), m.reply(m.got, got, name, typ); x != y {
				m.Errorf("%s %s is answered\n%s, want\n%s", name, dns.Type(typ), y, x)
			}
		}
	}
}

// reply describes a negative reply or a referral by its code, its SOA or NS. What is answered
// where something is held may be up to chance, and is compared as decisions are.
func (m *comparison) reply(c *record.Catalog, h *handler.Handler, name string, typ uint16) string {
	m.Helper()
	if c.Cut(name) == "" && (c.Lookup(record.Key{Name: name, Type: typ}) != nil || c.Lookup(record.Key{Name: name, Type: dns.TypeCNAME}) != nil) {
		return "held"
	}
	for above, ok := record.Parent(name); ok; above, ok = record.Parent(above) {
		if c.Groups[record.Key{Name: above, Type: dns.TypeDNAME}] != nil {
			return "redirected"
		}
	}
	r := new(dns.Msg)
	r.SetQuestion(name, typ)
	w := dnstest.NewRecorder(&test.ResponseWriter{})
	code, err := h.ServeDNS(context.Background(), w, r)
	if w.Msg == nil {
		return fmt.Sprint(dns.RcodeToString[code], err)
	}
	words := []string{dns.RcodeToString[w.Msg.Rcode], fmt.Sprint(w.Msg.Authoritative)}
	for _, rr := range w.Msg.Ns {
		words = append(words, rr.Header().Name+" "+dns.Type(rr.Header().Rrtype).String())
	}
	slices.Sort(words[2:])
	return strings.Join(slices.Compact(words), " ")
}

func writableID(id string) (string, bool) { return stanza.WritableID(id) }
