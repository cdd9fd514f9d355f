package handler_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/dnstest"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// addAlias adds an alias of its own to a validated catalog, as if it were imported.
func addAlias(t *testing.T, c *record.Catalog, name string, typ uint16, target string) {
	t.Helper()
	add(t, c, record.Key{Name: name, Type: typ}, record.Simple, record.RecordSet{Check: record.NoCheck, Imported: true, Alias: &record.AliasTarget{Name: target}})
}

// add adds a group to a validated catalog.
func add(t *testing.T, c *record.Catalog, k record.Key, policy record.Policy, sets ...record.RecordSet) {
	t.Helper()
	if err := c.Add(&record.Group{Key: k, Policy: policy, Records: sets}); err != nil {
		t.Fatal(err)
	}
	validate(t, c)
}

// chaseText is a zone whose CNAMEs lead to what is held, delegated or redirected.
const chaseText = `
example.org.          60 SOA   ns.dns.example.org. hostmaster.example.org. 1 7200 900 1209600 30
www.example.org.      60 A     192.0.2.80
txt.example.org.      60 TXT   "txt"
a.ent.example.org.    60 TXT   "txt"
old.example.org.      60 DNAME example.org.
twice.example.org.    60 DNAME old.example.org.
away.example.org.     60 DNAME example.net.
sub.example.org.      60 NS    ns1.sub.example.org.
ns1.sub.example.org.  60 A     192.0.2.53
low.sub.example.org.  60 NS    ns.low.sub.example.org.
ns.low.sub.example.org. 60 A   192.0.2.54
toaway.example.org.   60 CNAME www.away.example.org.
`

// TestChase follows a CNAME in a server whose other blocks and plugins answer with
// 203.0.113.9.
func TestChase(t *testing.T) {
	always := func(string) bool { return true }
	const (
		found   = "; found.test. 60 A 203.0.113.9]"
		nothing = "] " + soa
	)
	tests := []struct {
		why          string
		names, types func(string) bool // fallthrough
		target       string
		rcode, want  string // want follows the CNAME
		elsewhere    string // the name that the others are asked for
	}{
		{"to a name below a DNAME", nil, nil, "www.old.example.org.", "NOERROR",
			"; old.example.org. 60 DNAME example.org.; www.old.example.org. 60 CNAME www.example.org.; www.example.org. 60 A 192.0.2.80]", ""},
		{"to one that two of them redirect", nil, nil, "WWW.twice.example.org.", "NOERROR",
			"; twice.example.org. 60 DNAME old.example.org.; WWW.twice.example.org. 60 CNAME WWW.old.example.org." +
				"; old.example.org. 60 DNAME example.org.; WWW.old.example.org. 60 CNAME WWW.example.org.; WWW.example.org. 60 A 192.0.2.80]", ""},
		{"to one that is redirected away", nil, nil, "www.away.example.org.", "NOERROR",
			"; away.example.org. 60 DNAME example.net.; www.away.example.org. 60 CNAME www.example.net." + found, "www.example.net."},
		{"to a DNAME's own name", nil, nil, "old.example.org.", "NOERROR", nothing, ""},
		{"to a delegation", nil, nil, "sub.example.org.", "NOERROR", found, "sub.example.org."},
		{"to glue, which is not ours to answer", nil, nil, "ns1.sub.example.org.", "NOERROR", found, "ns1.sub.example.org."},
		{"to a name below a delegation", nil, nil, "x.y.sub.example.org.", "NOERROR", found, "x.y.sub.example.org."},
		{"to a name not held", nil, always, "nowhere.example.org.", "NXDOMAIN", nothing, ""},
		{"the same, with fallthrough", always, nil, "nowhere.example.org.", "NOERROR", found, "nowhere.example.org."},
		{"to a type not held", always, nil, "txt.example.org.", "NOERROR", nothing, ""},
		{"the same, with fallthrough_types", nil, always, "txt.example.org.", "NOERROR", found, "txt.example.org."},
		{"to an empty non-terminal", nil, always, "ent.example.org.", "NOERROR", nothing, ""},
		{"the same, with fallthrough", always, nil, "ent.example.org.", "NOERROR", found, "ent.example.org."},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			const cname = "from.example.org. 60 CNAME "
			c := parseZone(t, chaseText+cname+tt.target+"\n", "example.org.")
			c.Fallthrough, c.FallthroughTypes = tt.names, tt.types
			x := inServer(t, c)
			x.server = newServer(t, "dns://:53", map[string]plugin.Handler{".": x.Handler, "sub.example.org.": x.other})
			x.other.set(dns.RcodeSuccess, "found.test. 60 A 203.0.113.9")
			want := tt.rcode + " aa an[" + cname + tt.target + tt.want
			if got := render(x.ask("from.example.org.")); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if asked := strings.Join(x.other.names, " "); asked != tt.elsewhere {
				t.Errorf("asked elsewhere for %q, want %q", asked, tt.elsewhere)
			}
		})
	}
}

// TestChaseRcode: what the last step says of the name is what the reply says.
func TestChaseRcode(t *testing.T) {
	const moved = "www.away.example.org. 60 CNAME www.example.net."
	for _, tt := range []struct{ theirs, ours int }{
		{dns.RcodeSuccess, dns.RcodeSuccess},
		{dns.RcodeNameError, dns.RcodeNameError},
		{dns.RcodeServerFailure, dns.RcodeServerFailure},
		{dns.RcodeYXDomain, dns.RcodeYXDomain},
		{dns.RcodeRefused, dns.RcodeSuccess}, // the CNAME is the answer then
	} {
		x := inServer(t, parseZone(t, chaseText, "example.org."))
		const theirSOA = "example.net. 7 SOA ns.example.net. h.example.net. 1 1 1 1 7"
		x.other.setAll(tt.theirs, nil, []string{theirSOA, "example.net. 7 NS ns.example.net."})
		m := x.ask("www.away.example.org.")
		if m.Rcode != tt.ours || !m.Authoritative || !slices.Contains(lines(m.Answer), moved) {
			t.Errorf("%s elsewhere: got %s, want %s", dns.RcodeToString[tt.theirs], render(m), dns.RcodeToString[tt.ours])
		}
		if got := lines(m.Ns); !slices.Equal(got, []string{theirSOA}) {
			t.Errorf("authority %q, want their SOA alone", got)
		}
	}
}

// lines writes RRs as master files do, without classes.
func lines(rrs []dns.RR) []string {
	var out []string
	for _, rr := range rrs {
		out = append(out, strings.Join(strings.Fields(strings.Replace(rr.String(), "\tIN\t", " ", 1)), " "))
	}
	return out
}

// TestChaseKeepsTC: when the look-up of the target was cut to the client's buffer, the
// client is told, even if what is left fits.
func TestChaseKeepsTC(t *testing.T) {
	x := inServer(t, parseZone(t, chaseText, "example.org."))
	x.other.udp = 40
	x.other.set(dns.RcodeSuccess, "www.example.net. 60 A 203.0.113.9")
	if m := x.ask("toaway.example.org."); !m.Truncated || len(m.Answer) != 3 {
		t.Errorf("TC %t and %s, want TC and three records", m.Truncated, render(m))
	}
	x.other.udp = 0
	if m := x.ask("toaway.example.org."); m.Truncated || len(m.Answer) != 4 {
		t.Errorf("TC %t and %s, want all and no TC", m.Truncated, render(m))
	}
}

// TestLoopOverServer: a loop of two blocks ends, with what was found on the way.
func TestLoopOverServer(t *testing.T) {
	one := serve(parseZone(t, "a.one.test. 60 CNAME a.two.test.", "one.test."))
	two := serve(parseZone(t, "a.two.test. 60 CNAME a.one.test.", "two.test."))
	s := newServer(t, "dns://:53", map[string]plugin.Handler{"one.test.": one, "two.test.": two})
	if m := through(s, "a.one.test.", dns.TypeA, 0); m.Rcode != dns.RcodeServerFailure || len(m.Answer) != 9 {
		t.Errorf("%s with %d records, want SERVFAIL with nine", dns.RcodeToString[m.Rcode], len(m.Answer))
	}
	if m := through(s, "a.one.test.", dns.TypeA, 8); m.Rcode != dns.RcodeServerFailure || len(m.Answer) != 1 {
		t.Errorf("at the end of a chain: %s with %d records, want SERVFAIL with one", dns.RcodeToString[m.Rcode], len(m.Answer))
	}
}

// TestFollows: a CNAME answers for every type but itself and those of DNSSEC.
func TestFollows(t *testing.T) {
	h := serve(parseZone(t, zoneText, "example.org."))
	const cname = "cname.example.org. 60 CNAME www.example.org."
	for _, typ := range []uint16{dns.TypeDS, dns.TypeDNSKEY, dns.TypeRRSIG, dns.TypeNSEC, dns.TypeNSEC3, dns.TypeNSEC3PARAM, dns.TypeCDS, dns.TypeCDNSKEY} {
		if m, _ := query(t, h, "cname.example.org.", typ); render(m) != nodata {
			t.Errorf("%s: got %s, want NODATA", dns.Type(typ), render(m))
		}
	}
	for _, typ := range []uint16{dns.TypeTXT, dns.TypeNS, dns.TypeSOA, dns.TypeDNAME, dns.TypeHTTPS, 65280} {
		if m, _ := query(t, h, "cname.example.org.", typ); render(m) != "NOERROR aa an["+cname+"] "+soa {
			t.Errorf("%s: got %s, want the CNAME, then NODATA", dns.Type(typ), render(m))
		}
	}
	for _, typ := range []uint16{dns.TypeCNAME, dns.TypeANY} {
		if m, _ := query(t, h, "cname.example.org.", typ); render(m) != "NOERROR aa an["+cname+"]" {
			t.Errorf("%s: got %s, want the CNAME alone", dns.Type(typ), render(m))
		}
	}
}

// TestChaseToAlias: a CNAME may lead to an alias that has no records, or none yet, and an
// alias may take the place of a CNAME.
func TestChaseToAlias(t *testing.T) {
	c := parseZone(t, chaseText+`
tonothing.example.org. 60 CNAME nothing.example.org.
toext.example.org.     60 CNAME ext.example.org.
`, "example.org.")
	addAlias(t, c, "nothing.example.org.", dns.TypeA, "missing.example.org.")
	addAlias(t, c, "ext.example.org.", dns.TypeA, "lb.example.net.")
	addAlias(t, c, "cname.example.org.", dns.TypeCNAME, "cname.example.net.")
	addAlias(t, c, "nocname.example.org.", dns.TypeCNAME, "missing.example.org.")
	addAlias(t, c, "dname.example.org.", dns.TypeDNAME, "dname.example.net.")
	addAlias(t, c, "nodname.example.org.", dns.TypeDNAME, "missing.example.org.")
	h := serve(c)
	set := func(name string, texts ...string) {
		rrs, err := parse(texts)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range h.Snapshot().Externals() {
			if e.Name == name {
				e.Set(routing.Resolution{RRs: rrs})
			}
		}
	}
	const toExt = "an[toext.example.org. 60 CNAME ext.example.org."
	steps := []struct {
		why    string
		target string // held elsewhere
		text   string // what it now has
		name   string
		want   string
	}{
		{"to an alias to nothing", "", "", "tonothing.example.org.", "NOERROR aa an[tonothing.example.org. 60 CNAME nothing.example.org.] " + soa},
		{"to an alias that is not known yet", "", "", "toext.example.org.", "SERVFAIL aa " + toExt + "]"},
		{"to an alias that has no records", "lb.example.net.", "", "toext.example.org.", "NOERROR aa " + toExt + "] " + soa},
		{"to an alias that has one", "lb.example.net.", "lb.example.net. 20 A 203.0.113.9", "toext.example.org.", "NOERROR aa " + toExt + "; ext.example.org. 20 A 203.0.113.9]"},
		{"an alias for a CNAME that is not known yet", "", "", "cname.example.org.", "SERVFAIL aa"},
		{"one that there is none for", "cname.example.net.", "", "cname.example.org.", nodata},
		{"one that leads on", "cname.example.net.", "cname.example.net. 20 CNAME www.example.org.", "cname.example.org.", "NOERROR aa an[cname.example.org. 20 CNAME www.example.org.; www.example.org. 60 A 192.0.2.80]"},
		{"one to nothing", "", "", "nocname.example.org.", nodata},
		{"an alias for a DNAME that is not known yet", "", "", "www.dname.example.org.", "SERVFAIL aa"},
		{"one that leads on", "dname.example.net.", "dname.example.net. 20 DNAME example.org.", "www.dname.example.org.", "NOERROR aa an[dname.example.org. 20 DNAME example.org.; www.dname.example.org. 20 CNAME www.example.org.; www.example.org. 60 A 192.0.2.80]"},
		{"one to nothing", "", "", "www.nodname.example.org.", nodata},
	}
	for _, step := range steps {
		if step.text != "" {
			set(step.target, step.text)
		} else {
			set(step.target)
		}
		if m, _ := query(t, h, step.name, dns.TypeA); render(m) != step.want {
			t.Errorf("%s: got %s, want %s", step.why, render(m), step.want)
		}
	}
}

// queryIn asks a handler as if the query had come in on a server.
func queryIn(t *testing.T, h plugin.Handler, s *dnsserver.Server, name string, typ uint16) *dns.Msg {
	t.Helper()
	r := new(dns.Msg)
	r.SetQuestion(name, typ)
	rec := dnstest.NewRecorder(&udpWriter{})
	if _, err := h.ServeDNS(context.WithValue(context.Background(), dnsserver.Key{}, s), rec, r); err != nil {
		t.Errorf("%s %s: %v", name, dns.Type(typ), err)
	}
	return rec.Msg
}
