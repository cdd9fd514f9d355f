package test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// TestAnswers is section by section what a client gets: from one server with a zone
// that has something of everything, and a second block that the first one leads to.
func TestAnswers(t *testing.T) {
	port, other := freePort(t), freePort(t)
	start(t, block("example.org", port)+`	errors
	steer {
		ttl 60
		soa ns1.example.org. hostmaster.example.org.
		simple @ NS ns1.example.org. ns2.example.org.
		simple ns1 A 192.0.2.53
		simple www A 192.0.2.1
		simple www AAAA 2001:db8::1
		simple MiXeD A 192.0.2.7
		simple a.b.deep A 192.0.2.2
		simple *.wild A 192.0.2.3
		simple real.wild TXT here
		simple short CNAME www
		simple chain CNAME short
		simple dangling CNAME nothing
		simple out CNAME www.example.net.
		simple nowhere CNAME nothing.example.net.
		simple abroad CNAME www.example.com.
		simple loop CNAME back.example.net.
		simple sub NS ns.sub ns.example.net.
		simple ns.sub A 192.0.2.54
		simple sub DS "12345 13 2 0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF"
		alias apex A www
		alias @ A www
		simple mail MX "10 mx1.example.org." "20 mx2.example.org."
		simple txt TXT "two words; and more"
		simple _sip._udp SRV "10 5 5060 sip.example.org."
		simple caa CAA "0 issue \"ca.example.net\""
	}
}
example.net:`+fmt.Sprint(port)+` {
	bind 127.0.0.1
	steer {
		simple www A 192.0.2.80
		simple back CNAME loop.example.org.
	}
}
`+block("example.com", other)+`	whoami
}
`)
	soa := "example.org. SOA ns1.example.org. hostmaster.example.org. "
	tests := []struct {
		name, typ string
		rcode     int
		answer    []string // in order
		ns        []string // beginnings of the lines
		extra     []string
		notAA     bool
	}{
		{name: "www.example.org", typ: "A", answer: []string{"www.example.org. A 192.0.2.1"}},
		{name: "www.example.org", typ: "AAAA", answer: []string{"www.example.org. AAAA 2001:db8::1"}},
		{name: "wWw.ExAmPlE.oRg", typ: "A", answer: []string{"wWw.ExAmPlE.oRg. A 192.0.2.1"}},
		{name: "mixed.example.org", typ: "A", answer: []string{"mixed.example.org. A 192.0.2.7"}},
		{name: "example.org", typ: "SOA", answer: []string{soa + "*"}},
		{name: "example.org", typ: "A", answer: []string{"example.org. A 192.0.2.1"}},
		{name: "apex.example.org", typ: "A", answer: []string{"apex.example.org. A 192.0.2.1"}},
		{name: "apex.example.org", typ: "CNAME", ns: []string{soa}},
		{name: "apex.example.org", typ: "AAAA", ns: []string{soa}},
		{name: "www.example.org", typ: "MX", ns: []string{soa}},
		{name: "www.example.org", typ: "DS", ns: []string{soa}},
		{name: "none.example.org", typ: "A", rcode: dns.RcodeNameError, ns: []string{soa}},
		{name: "x.www.example.org", typ: "A", rcode: dns.RcodeNameError, ns: []string{soa}},
		{name: "deep.example.org", typ: "A", ns: []string{soa}},
		{name: "b.deep.example.org", typ: "A", ns: []string{soa}},
		{name: "x.deep.example.org", typ: "A", rcode: dns.RcodeNameError, ns: []string{soa}},
		{name: "x.wild.example.org", typ: "A", answer: []string{"x.wild.example.org. A 192.0.2.3"}},
		{name: "x.y.wild.example.org", typ: "A", answer: []string{"x.y.wild.example.org. A 192.0.2.3"}},
		{name: "x.wild.example.org", typ: "TXT", ns: []string{soa}},
		{name: "real.wild.example.org", typ: "A", ns: []string{soa}},
		{name: "x.real.wild.example.org", typ: "A", rcode: dns.RcodeNameError, ns: []string{soa}},
		{name: "short.example.org", typ: "A", answer: []string{"short.example.org. CNAME www.example.org.", "www.example.org. A 192.0.2.1"}},
		{name: "short.example.org", typ: "CNAME", answer: []string{"short.example.org. CNAME www.example.org."}},
		{name: "short.example.org", typ: "MX", answer: []string{"short.example.org. CNAME www.example.org."}, ns: []string{soa}},
		{name: "chain.example.org", typ: "AAAA", answer: []string{"chain.example.org. CNAME short.example.org.", "short.example.org. CNAME www.example.org.", "www.example.org. AAAA 2001:db8::1"}},
		{name: "dangling.example.org", typ: "A", rcode: dns.RcodeNameError, answer: []string{"dangling.example.org. CNAME nothing.example.org."}, ns: []string{soa}},
		{name: "out.example.org", typ: "A", answer: []string{"out.example.org. CNAME www.example.net.", "www.example.net. A 192.0.2.80"}},
		{name: "nowhere.example.org", typ: "A", rcode: dns.RcodeNameError, answer: []string{"nowhere.example.org. CNAME nothing.example.net."}, ns: []string{"example.net. SOA"}},
		// Nothing on this port holds example.com: the server refuses, and the CNAME is all there is.
		{name: "abroad.example.org", typ: "A", answer: []string{"abroad.example.org. CNAME www.example.com."}},
		{name: "www.sub.example.org", typ: "A", notAA: true, ns: []string{"sub.example.org. NS ns.example.net.", "sub.example.org. NS ns.sub.example.org."}, extra: []string{"ns.sub.example.org. A 192.0.2.54"}},
		{name: "sub.example.org", typ: "NS", notAA: true, ns: []string{"sub.example.org. NS ns.example.net.", "sub.example.org. NS ns.sub.example.org."}, extra: []string{"ns.sub.example.org. A 192.0.2.54"}},
		{name: "sub.example.org", typ: "DS", answer: []string{"sub.example.org. DS 12345 13 2 0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF"}},
		{name: "www.example.org", typ: "ANY", answer: []string{`www.example.org. HINFO "RFC8482" ""`}},
		{name: "txt.example.org", typ: "TXT", answer: []string{`txt.example.org. TXT "two words; and more"`}},
		{name: "_sip._udp.example.org", typ: "SRV", answer: []string{"_sip._udp.example.org. SRV 10 5 5060 sip.example.org."}},
		{name: "caa.example.org", typ: "CAA", answer: []string{`caa.example.org. CAA 0 issue "ca.example.net"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.typ, func(t *testing.T) {
			m := ask(t, port, tt.name, tt.typ)
			if m.Rcode != tt.rcode {
				t.Errorf("rcode %s, want %s", dns.RcodeToString[m.Rcode], dns.RcodeToString[tt.rcode])
			}
			if m.Authoritative == tt.notAA {
				t.Errorf("AA is %v, want %v", m.Authoritative, !tt.notAA)
			}
			if m.Question[0].Name != dns.Fqdn(tt.name) {
				t.Errorf("the question came back as %q", m.Question[0].Name)
			}
			same(t, "answer", lines(m.Answer), tt.answer)
			ns := lines(m.Ns)
			slices.Sort(ns)
			same(t, "authority", ns, tt.ns)
			same(t, "additional", lines(m.Extra), tt.extra)
			if t.Failed() {
				t.Log(m)
			}
		})
	}

	t.Run("several values in random order", func(t *testing.T) {
		first := map[string]bool{}
		for range samples {
			m := ask(t, port, "mail.example.org", "MX")
			if len(m.Answer) != 2 {
				t.Fatalf("%d records, want 2\n%v", len(m.Answer), m)
			}
			first[lines(m.Answer)[0]] = true
		}
		if len(first) != 2 {
			t.Errorf("the first record always is %v", first)
		}
	})
	t.Run("a CNAME loop over two blocks", func(t *testing.T) {
		m := ask(t, port, "loop.example.org", "A")
		if m.Rcode != dns.RcodeServerFailure && m.Rcode != dns.RcodeSuccess {
			t.Errorf("rcode %s", dns.RcodeToString[m.Rcode])
		}
		if got := short(ask(t, port, "www.example.org", "A")); got != "192.0.2.1" {
			t.Errorf("after the loop, www is %q", got)
		}
	})
	t.Run("zone transfers are refused", func(t *testing.T) {
		c := dns.Client{Net: "tcp"}
		m := new(dns.Msg)
		m.SetAxfr("example.org.")
		got, _, err := c.Exchange(m, loopback(port))
		if err != nil || got.Rcode != dns.RcodeRefused {
			t.Errorf("%v, %v; want REFUSED", got, err)
		}
	})
}

// same compares the lines of a section with what is wanted, where "*" at the end
// stands for anything, as the whole of an authority section's line does by its
// beginning.
func same(t *testing.T, section string, got, want []string) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(g, w string) bool {
		return g == w || strings.HasSuffix(w, "*") && strings.HasPrefix(g, strings.TrimSuffix(w, "*")) ||
			section == "authority" && strings.HasPrefix(g, w)
	}) {
		t.Errorf("%s section\n%q, want\n%q", section, got, want)
	}
}

// Negative answers carry the lesser of the SOA's TTL and its minimum.
func TestNegativeTTL(t *testing.T) {
	port := freePort(t)
	start(t, block("example.org", port)+"\tsteer {\n\t\tsimple www A 192.0.2.1\n\t\tsimple @ SOA \"ns.example.org. root.example.org. 7 7200 900 1209600 86400\" ttl 900\n\t}\n}\n")
	for _, name := range []string{"none.example.org", "example.org"} {
		m := ask(t, port, name, "TXT")
		if len(m.Ns) != 1 || m.Ns[0].Header().Ttl != 900 {
			t.Errorf("%s: the authority section is %v, want a SOA with TTL 900", name, m.Ns)
		}
	}
}

func TestEDNS(t *testing.T) {
	port := freePort(t)
	values := ""
	for i := range 8 {
		values += fmt.Sprintf("\t\t\tvalue 2001:db8:0:0:1111:2222:3333:%d\n", i+1)
	}
	texts := ""
	for i := range 30 {
		texts += fmt.Sprintf(" \"%s %d\"", strings.Repeat("x", 40), i)
	}
	start(t, block("example.org", port)+"\tsteer {\n\t\tmultivalue www AAAA {\n"+values+"\t\t}\n\t\tsimple big TXT"+texts+"\n\t}\n}\n")

	t.Run("no OPT without one in the query", func(t *testing.T) {
		if m := ask(t, port, "www.example.org", "AAAA"); m.IsEdns0() != nil || len(m.Answer) != 8 {
			t.Errorf("got\n%v", m)
		}
	})
	t.Run("DO comes back", func(t *testing.T) {
		q := query("www.example.org", "AAAA")
		q.SetEdns0(1232, true)
		if opt := exchange(t, port, q).IsEdns0(); opt == nil || !opt.Do() {
			t.Errorf("the OPT is %v", opt)
		}
	})
	t.Run("an unknown option is ignored", func(t *testing.T) {
		q := query("www.example.org", "AAAA")
		q.SetEdns0(1232, false)
		q.IsEdns0().Option = append(q.IsEdns0().Option, &dns.EDNS0_LOCAL{Code: 65001, Data: []byte{1}})
		m := exchange(t, port, q)
		if m.Rcode != dns.RcodeSuccess || len(m.Answer) != 8 {
			t.Errorf("got\n%v", m)
		}
	})
	t.Run("version 1 is refused", func(t *testing.T) {
		q := query("www.example.org", "AAAA")
		q.SetEdns0(1232, false)
		q.IsEdns0().SetVersion(1)
		if m := exchange(t, port, q); m.Rcode != dns.RcodeBadVers {
			t.Errorf("rcode %s, want BADVERS", dns.RcodeToString[m.Rcode])
		}
	})
	t.Run("what does not fit is truncated", func(t *testing.T) {
		c := dns.Client{}
		m, _, err := c.Exchange(query("big.example.org", "TXT"), loopback(port))
		if err != nil || !m.Truncated {
			t.Fatalf("%v, %v; want TC", m, err)
		}
		if m := ask(t, port, "big.example.org", "TXT"); len(m.Answer) != 30 {
			t.Errorf("%d records over TCP, want 30", len(m.Answer))
		}
	})
}

// zoneFile is served by the file plugin below steer.
const zoneFile = `$ORIGIN example.org.
@        300 IN SOA ns.example.org. root.example.org. 1 7200 900 1209600 300
@        300 IN NS  ns.example.org.
www      300 IN A   203.0.113.1
www      300 IN MX  10 mx.example.org.
mail     300 IN A   203.0.113.2
x.deep   300 IN A   203.0.113.3
deep     300 IN TXT "from the file"
`

func TestFallthrough(t *testing.T) {
	path := filepath.Join(t.TempDir(), "example.org.zone")
	write(t, path, zoneFile)
	plain, names, types := freePort(t), freePort(t), freePort(t)
	stanza := `		simple www A 192.0.2.1
		simple a.deep A 192.0.2.2
	}
	file ` + path + ` example.org
}
`
	start(t, block("example.org", plain)+"\tsteer {\n"+stanza+
		block("example.org", names)+"\tsteer {\n\t\tfallthrough\n"+stanza+
		block("example.org", types)+"\tsteer {\n\t\tfallthrough\n\t\tfallthrough_types\n"+stanza)

	tests := []struct {
		name, typ           string
		plain, names, types string // the answer, or what stands in its place
	}{
		{"www.example.org", "A", "192.0.2.1", "192.0.2.1", "192.0.2.1"},
		{"www.example.org", "MX", "nodata", "nodata", "10 mx.example.org."},
		{"www.example.org", "TXT", "nodata", "nodata", "nodata"},
		{"mail.example.org", "A", "nxdomain", "203.0.113.2", "203.0.113.2"},
		{"none.example.org", "A", "nxdomain", "nxdomain", "nxdomain"},
		{"a.deep.example.org", "A", "192.0.2.2", "192.0.2.2", "192.0.2.2"},
		{"a.deep.example.org", "TXT", "nodata", "nodata", "nodata"}, // the file says NXDOMAIN
		{"x.deep.example.org", "A", "nxdomain", "203.0.113.3", "203.0.113.3"},
		{"deep.example.org", "TXT", "nodata", `"from the file"`, `"from the file"`},
		{"deep.example.org", "A", "nodata", "nodata", "nodata"},
	}
	for _, tt := range tests {
		for _, at := range []struct {
			how  string
			port int
			want string
		}{{"without", plain, tt.plain}, {"names", names, tt.names}, {"types", types, tt.types}} {
			m := ask(t, at.port, tt.name, tt.typ)
			got := short(m)
			switch {
			case m.Rcode == dns.RcodeNameError:
				got = "nxdomain"
			case m.Rcode != dns.RcodeSuccess:
				got = dns.RcodeToString[m.Rcode]
			case len(m.Answer) == 0:
				got = "nodata"
			}
			if got != at.want {
				t.Errorf("%s %s, fallthrough %s: %s, want %s", tt.name, tt.typ, at.how, got, at.want)
			}
			if len(m.Answer) == 0 && len(m.Ns) != 1 {
				t.Errorf("%s %s, fallthrough %s: %d records in the authority section, want the SOA", tt.name, tt.typ, at.how, len(m.Ns))
			}
		}
	}
}

// steer stands right before hosts: it answers first, and a template before it.
func TestPlaceInTheChain(t *testing.T) {
	port := freePort(t)
	start(t, block("example.org", port)+`	steer {
		fallthrough
		simple www A 192.0.2.1
		simple tpl A 192.0.2.1
	}
	hosts {
		203.0.113.1 www.example.org
		203.0.113.2 host.example.org
	}
	template IN A tpl.example.org {
		answer "{{ .Name }} 60 IN A 203.0.113.3"
	}
}
`)
	for name, want := range map[string]string{"www": "192.0.2.1", "host": "203.0.113.2", "tpl": "203.0.113.3"} {
		if got := short(ask(t, port, name+".example.org", "A")); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestSeveralZonesAndBlocks(t *testing.T) {
	port := freePort(t)
	start(t, fmt.Sprintf(`example.org:%[1]d example.net:%[1]d {
	bind 127.0.0.1
	steer {
		simple www A 192.0.2.1
		simple only.example.net A 192.0.2.2
	}
}
example.com:%[1]d {
	bind 127.0.0.1
	steer sub.example.com {
		simple www A 192.0.2.3
	}
	whoami
}
`, port))
	for name, want := range map[string]string{
		"www.example.org": "192.0.2.1", "www.example.net": "192.0.2.1",
		"only.example.net": "192.0.2.2", "only.example.org": "",
		"www.sub.example.com": "192.0.2.3", "www.example.com": "",
	} {
		if got := short(ask(t, port, name, "A")); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
