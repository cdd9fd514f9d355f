package handler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/plugin/test"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// zoneText is a zone as most tests ask it: master-file lines, each a simple record set
// unless its name and type come again, which adds a value.
const zoneText = `
example.org.            60 SOA   ns.dns.example.org. hostmaster.example.org. 1 7200 900 1209600 30
example.org.            60 A     192.0.2.1
www.example.org.        60 A     192.0.2.80
deep.empty.example.org. 60 A     192.0.2.81
*.wild.example.org.     60 A     192.0.2.82
*.wild.example.org.     60 MX    10 mail.example.org.
held.wild.example.org.  60 TXT   "held"
*.far.below.example.org. 60 A    192.0.2.85
a.b.*.star.example.org. 60 A     192.0.2.83
cname.example.org.      60 CNAME www.example.org.
chain.example.org.      60 CNAME cname.example.org.
tonowhere.example.org.  60 CNAME nowhere.example.org.
tonodata.example.org.   60 CNAME held.wild.example.org.
towild.example.org.     60 CNAME any.wild.example.org.
loop1.example.org.      60 CNAME loop2.example.org.
loop2.example.org.      60 CNAME loop1.example.org.
away.example.org.       60 CNAME target.example.net.
sub.example.org.        60 NS    ns1.sub.example.org.
sub.example.org.        60 NS    ns.example.net.
sub.example.org.        60 DS    1 8 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
ns1.sub.example.org.    60 A     192.0.2.53
ns1.sub.example.org.    60 AAAA  2001:db8::53
old.example.org.        60 DNAME example.org.
e\.scaped.example.org.  60 A     192.0.2.84
`

// parseZone makes a catalog of zones out of master-file lines.
func parseZone(t testing.TB, text string, zones ...string) *record.Catalog {
	t.Helper()
	c := record.NewCatalog(zones)
	groups := map[record.Key]*record.Group{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		rr, err := dns.NewRR(line)
		if err != nil {
			t.Fatal(err)
		}
		name, err := record.Canonical(rr.Header().Name)
		if err != nil {
			t.Fatal(err)
		}
		k := record.Key{Name: name, Type: rr.Header().Rrtype}
		g := groups[k]
		if g == nil {
			g = &record.Group{Key: k, Records: []record.RecordSet{{Check: record.NoCheck}}}
			groups[k] = g
		}
		g.Records[0].Values = append(g.Records[0].Values, rr)
	}
	for _, g := range groups {
		if err := c.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	validate(t, c)
	return c
}

func validate(t testing.TB, c *record.Catalog) {
	t.Helper()
	for _, p := range c.Validate() {
		if p.Level == record.Refused {
			t.Fatal(p.Err)
		}
	}
}

// serve returns a handler of the catalog whose checks are all healthy.
func serve(c *record.Catalog) *handler.Handler {
	statuses := make([]healthcheck.Status, len(c.Checks))
	for i := range statuses {
		statuses[i] = healthcheck.Healthy
	}
	return handler.New(handler.NewSnapshot(c, statuses))
}

// query asks a handler and returns what it wrote, or nil, and its return code.
func query(t testing.TB, h plugin.Handler, name string, typ uint16) (*dns.Msg, int) {
	t.Helper()
	r := new(dns.Msg)
	r.SetQuestion(name, typ)
	rec := dnstest.NewRecorder(&test.ResponseWriter{})
	code, err := h.ServeDNS(context.Background(), rec, r)
	if err != nil && rec.Msg != nil {
		t.Errorf("%s %s: both a reply and an error %v", name, dns.Type(typ), err)
	}
	if rec.Msg != nil {
		clipped(t, rec.Msg)
	}
	return rec.Msg, code
}

// render writes a reply in one line: rcode, aa, then the sections that hold something.
func render(m *dns.Msg) string {
	if m == nil {
		return "no reply"
	}
	parts := []string{dns.RcodeToString[m.Rcode]}
	if m.Authoritative {
		parts = append(parts, "aa")
	}
	for _, section := range []struct {
		name string
		rrs  []dns.RR
	}{{"an", m.Answer}, {"ns", m.Ns}, {"ad", m.Extra}} {
		var lines []string
		for _, rr := range section.rrs {
			h := rr.Header()
			lines = append(lines, fmt.Sprintf("%s %d %s %s", h.Name, h.Ttl, dns.Type(h.Rrtype), strings.TrimPrefix(rr.String(), h.String())))
		}
		if section.name != "an" {
			slices.Sort(lines)
		}
		if len(lines) > 0 {
			parts = append(parts, section.name+"["+strings.Join(lines, "; ")+"]")
		}
	}
	return strings.Join(parts, " ")
}

const (
	soa      = "ns[example.org. 30 SOA ns.dns.example.org. hostmaster.example.org. 1 7200 900 1209600 30]"
	nodata   = "NOERROR aa " + soa
	nxdomain = "NXDOMAIN aa " + soa
	referral = "NOERROR ns[sub.example.org. 60 NS ns.example.net.; sub.example.org. 60 NS ns1.sub.example.org.] ad[ns1.sub.example.org. 60 A 192.0.2.53; ns1.sub.example.org. 60 AAAA 2001:db8::53]"
)

func TestAnswers(t *testing.T) {
	h := serve(parseZone(t, zoneText, "example.org."))
	tests := []struct {
		why  string
		name string
		typ  uint16
		want string
	}{
		{"the apex", "example.org.", dns.TypeA, "NOERROR aa an[example.org. 60 A 192.0.2.1]"},
		{"the zone's SOA", "example.org.", dns.TypeSOA, "NOERROR aa an[example.org. 60 SOA ns.dns.example.org. hostmaster.example.org. 1 7200 900 1209600 30]"},
		{"a plain name", "www.example.org.", dns.TypeA, "NOERROR aa an[www.example.org. 60 A 192.0.2.80]"},
		{"C42: case is folded, and kept in the answer", "WwW.eXaMpLe.OrG.", dns.TypeA, "NOERROR aa an[WwW.eXaMpLe.OrG. 60 A 192.0.2.80]"},
		{"C16: another type of a name held is NODATA", "www.example.org.", dns.TypeAAAA, nodata},
		{"the same in upper case", "WWW.example.org.", dns.TypeAAAA, nodata},
		{"a name not held is NXDOMAIN", "nowhere.example.org.", dns.TypeA, nxdomain},
		{"below a name that is held, too", "x.www.example.org.", dns.TypeA, nxdomain},
		{"an empty non-terminal exists", "empty.example.org.", dns.TypeA, nodata},
		{"a dot inside a label is not a separator", "e\\.scaped.example.org.", dns.TypeA, "NOERROR aa an[e\\.scaped.example.org. 60 A 192.0.2.84]"},
		{"and the name with the separator is another one", "e.scaped.example.org.", dns.TypeA, nxdomain},

		{"a wildcard answers under the query's name", "x.wild.example.org.", dns.TypeA, "NOERROR aa an[x.wild.example.org. 60 A 192.0.2.82]"},
		{"several labels deep", "x.y.wild.example.org.", dns.TypeA, "NOERROR aa an[x.y.wild.example.org. 60 A 192.0.2.82]"},
		{"in the query's case", "X.Wild.example.org.", dns.TypeA, "NOERROR aa an[X.Wild.example.org. 60 A 192.0.2.82]"},
		{"the asterisk itself is a name", "*.wild.example.org.", dns.TypeA, "NOERROR aa an[*.wild.example.org. 60 A 192.0.2.82]"},
		{"a type the wildcard lacks is NODATA", "x.wild.example.org.", dns.TypeAAAA, nodata},
		{"C40: it does not fill in types of a name that exists", "held.wild.example.org.", dns.TypeA, nodata},
		{"C39: the closest encloser decides", "x.held.wild.example.org.", dns.TypeA, nxdomain},
		{"the wildcard's own name above is no answer", "wild.example.org.", dns.TypeA, nodata},
		{"an asterisk in the middle is a label like any other", "a.b.*.star.example.org.", dns.TypeA, "NOERROR aa an[a.b.*.star.example.org. 60 A 192.0.2.83]"},
		{"but it makes a wildcard without data, which what is beside it meets (RFC 4592, section 2.2.2)", "c.star.example.org.", dns.TypeA, nodata},
		{"and what is below that", "a.b.c.star.example.org.", dns.TypeA, nodata},

		{"the names above a wildcard exist", "below.example.org.", dns.TypeA, nodata},
		{"and end what a wildcard of theirs would be", "x.below.example.org.", dns.TypeA, nxdomain},
		{"below a wildcard without names beside it", "x.far.below.example.org.", dns.TypeA, "NOERROR aa an[x.far.below.example.org. 60 A 192.0.2.85]"},

		{"a CNAME is followed", "cname.example.org.", dns.TypeA, "NOERROR aa an[cname.example.org. 60 CNAME www.example.org.; www.example.org. 60 A 192.0.2.80]"},
		{"in the query's case", "CNAME.example.org.", dns.TypeA, "NOERROR aa an[CNAME.example.org. 60 CNAME www.example.org.; www.example.org. 60 A 192.0.2.80]"},
		{"over several steps", "chain.example.org.", dns.TypeA, "NOERROR aa an[chain.example.org. 60 CNAME cname.example.org.; cname.example.org. 60 CNAME www.example.org.; www.example.org. 60 A 192.0.2.80]"},
		{"not when it is asked for", "cname.example.org.", dns.TypeCNAME, "NOERROR aa an[cname.example.org. 60 CNAME www.example.org.]"},
		{"nor for DNSSEC's types", "cname.example.org.", dns.TypeDS, nodata},
		{"to a name without the type", "tonodata.example.org.", dns.TypeA, "NOERROR aa an[tonodata.example.org. 60 CNAME held.wild.example.org.] " + soa},
		{"to a name that does not exist", "tonowhere.example.org.", dns.TypeA, "NXDOMAIN aa an[tonowhere.example.org. 60 CNAME nowhere.example.org.] " + soa},
		{"to a wildcard", "towild.example.org.", dns.TypeA, "NOERROR aa an[towild.example.org. 60 CNAME any.wild.example.org.; any.wild.example.org. 60 A 192.0.2.82]"},
		{"beyond the zones and without a server", "away.example.org.", dns.TypeA, "SERVFAIL aa an[away.example.org. 60 CNAME target.example.net.]"},

		{"a name below a DNAME", "www.old.example.org.", dns.TypeA, "NOERROR aa an[old.example.org. 60 DNAME example.org.; www.old.example.org. 60 CNAME www.example.org.; www.example.org. 60 A 192.0.2.80]"},
		{"the DNAME's own name has no CNAME", "old.example.org.", dns.TypeA, nodata},

		{"a delegated name", "sub.example.org.", dns.TypeA, referral},
		{"a name below it", "x.y.sub.example.org.", dns.TypeA, referral},
		{"in upper case", "X.SUB.example.org.", dns.TypeA, referral},
		{"glue is not ours to answer", "ns1.sub.example.org.", dns.TypeA, referral},
		{"the delegation's own NS", "sub.example.org.", dns.TypeNS, referral},
		{"DS is on this side of the cut", "sub.example.org.", dns.TypeDS, "NOERROR aa an[sub.example.org. 60 DS 1 8 2 0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF]"},
		{"but not below it", "x.sub.example.org.", dns.TypeDS, referral},

		{"C43: ANY is answered minimally", "www.example.org.", dns.TypeANY, `NOERROR aa an[www.example.org. 3600 HINFO "RFC8482" ""]`},
		{"ANY at a CNAME gives that", "cname.example.org.", dns.TypeANY, "NOERROR aa an[cname.example.org. 60 CNAME www.example.org.]"},
		{"ANY of an empty non-terminal", "empty.example.org.", dns.TypeANY, nodata},
		{"ANY by a wildcard", "x.wild.example.org.", dns.TypeANY, `NOERROR aa an[x.wild.example.org. 3600 HINFO "RFC8482" ""]`},
		{"ANY below a delegation", "x.sub.example.org.", dns.TypeANY, referral},
		{"ANY of a name that does not exist", "nowhere.example.org.", dns.TypeANY, nxdomain},
		{"zone transfers are refused", "example.org.", dns.TypeAXFR, "no reply"},
		{"outside the zones nobody here answers", "example.net.", dns.TypeA, "no reply"},
		{"nor above them", "org.", dns.TypeA, "no reply"},
		{"nor at the root", ".", dns.TypeNS, "no reply"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			m, code := query(t, h, tt.name, tt.typ)
			if got := render(m); got != tt.want {
				t.Errorf("%s %s:\n got %s\nwant %s", tt.name, dns.Type(tt.typ), got, tt.want)
			}
			if wrote := plugin.ClientWrite(code); wrote != (m != nil) {
				t.Errorf("%s %s: returned %s, which says wrote=%t", tt.name, dns.Type(tt.typ), dns.RcodeToString[code], wrote)
			}
		})
	}
}

// TestTransfers: AXFR and IXFR are refused at every name of the zones, held or not.
func TestTransfers(t *testing.T) {
	h := serve(parseZone(t, zoneText, "example.org."))
	for _, typ := range []uint16{dns.TypeAXFR, dns.TypeIXFR} {
		for _, name := range []string{"example.org.", "EXAMPLE.org.", "www.example.org.", "cname.example.org.", "nowhere.example.org.", "x.wild.example.org.", "sub.example.org.", "x.sub.example.org.", "x.old.example.org."} {
			if m, code := query(t, h, name, typ); m != nil || code != dns.RcodeRefused {
				t.Errorf("%s %s: got %s and %s, want REFUSED", name, dns.Type(typ), render(m), dns.RcodeToString[code])
			}
		}
	}
}

// TestLoop checks that a CNAME loop ends, with each CNAME once.
func TestLoop(t *testing.T) {
	m, _ := query(t, serve(parseZone(t, zoneText, "example.org.")), "LOOP1.example.org.", dns.TypeA)
	if got, want := render(m), "NOERROR aa an[LOOP1.example.org. 60 CNAME loop2.example.org.; loop2.example.org. 60 CNAME loop1.example.org.]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestLongChain: a chain of CNAMEs is followed to its end, or so far that a resolver has
// enough to go on with.
func TestLongChain(t *testing.T) {
	const longest = 16 // that is followed to its end
	var text strings.Builder
	text.WriteString("example.org. 60 SOA ns. h. 1 1 1 1 30\n0.example.org. 60 A 192.0.2.1\n")
	for i := range 40 {
		fmt.Fprintf(&text, "%d.example.org. 60 CNAME %d.example.org.\n", i+1, i)
	}
	h := serve(parseZone(t, text.String(), "example.org."))
	for _, n := range []int{1, 8, 9, longest, longest + 1, 40} {
		m, _ := query(t, h, fmt.Sprintf("%d.example.org.", n), dns.TypeA)
		last := m.Answer[len(m.Answer)-1].Header()
		want, end := n+1, "0.example.org."
		if n > longest {
			want, end = longest+1, fmt.Sprintf("%d.example.org.", n-longest)
		}
		if m.Rcode != dns.RcodeSuccess || len(m.Answer) != want || last.Name != end || len(m.Ns) != 0 {
			t.Errorf("%d CNAMEs: %s with %d records, the last of %s, want NOERROR with %d, the last of %s", n, dns.RcodeToString[m.Rcode], len(m.Answer), last.Name, want, end)
		}
	}
}

// TestMalformed checks that no odd query panics.
func TestMalformed(t *testing.T) {
	h := serve(parseZone(t, zoneText, "example.org."))
	long := strings.Repeat(`\001`, 63) + "."
	queries := []*dns.Msg{
		{},
		{Question: []dns.Question{{}}},
		{Question: []dns.Question{{Name: "www.example.org.", Qtype: dns.TypeA}, {Name: "x."}}},
		{MsgHdr: dns.MsgHdr{Opcode: dns.OpcodeNotify}, Question: []dns.Question{{Name: "example.org.", Qtype: dns.TypeSOA, Qclass: dns.ClassINET}}},
		{Question: []dns.Question{{Name: "A" + long + long + long + "example.org.", Qtype: dns.TypeA, Qclass: dns.ClassINET}}},
		{Question: []dns.Question{{Name: "no-final-dot", Qtype: dns.TypeA, Qclass: dns.ClassINET}}},
		{Question: []dns.Question{{Name: "..", Qtype: dns.TypeA, Qclass: dns.ClassINET}}},
	}
	for _, r := range queries {
		rec := dnstest.NewRecorder(&test.ResponseWriter{})
		_, _ = h.ServeDNS(context.Background(), rec, r)
	}
}
