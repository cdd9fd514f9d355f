package record

import (
	"net"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// values has a value of every type that a record can have, without relative names.
var values = map[string]string{
	"A": "192.0.2.1", "AAAA": "2001:db8::1", "AFSDB": "1 afs.example.net.", "AMTRELAY": "10 0 3 relay.example.net.",
	"APL": "1:192.0.2.0/24", "ATMA": `\# 2 0A00`, "AVC": `"app-name:steer"`, "CAA": `0 issue "ca.example.net"`,
	"CDNSKEY": "257 3 13 AQNR", "CDS": "60485 8 2 ABCDEF01", "CERT": "1 2 8 AQNR", "CNAME": "www.example.net.",
	"CSYNC": "66 3 A NS", "DHCID": "AQNR", "DLV": "60485 8 2 ABCDEF01", "DNAME": "example.net.", "DS": "60485 8 2 ABCDEF01",
	"EID": "0A0B", "EUI48": "00-00-5e-00-53-2a", "EUI64": "00-00-5e-ef-10-00-00-2a", "GID": "7", "GPOS": "-32.6882 116.8652 10.0",
	"HINFO": `"CPU" "OS"`, "HIP": "2 200100107B1A74DF365639CC39F1D578 AQNR rvs.example.net.", "HTTPS": "1 . alpn=h2",
	"IPSECKEY": "10 3 2 gw.example.net. AQNR", "ISDN": `"150862028003217" "004"`, "KX": "10 kx.example.net.", "L32": "10 10.1.2.0", "L64": "10 2001:0db8:1140:1000",
	"LOC": "52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m", "LP": "10 l64.example.net.", "MB": "mb.example.net.",
	"MD": "md.example.net.", "MF": "mf.example.net.", "MG": "mg.example.net.", "MINFO": "a.example.net. b.example.net.",
	"MR": "mr.example.net.", "MX": "10 mail.example.net.", "NAPTR": `100 10 "U" "E2U+sip" "!^.*$!sip:a@b!" .`,
	"NID": "10 0014:4fff:ff20:ee64", "NIMLOC": "0A0B", "NINFO": `"status"`, "NS": "ns.example.net.", "NSAP-PTR": "nsap.example.net.",
	"OPENPGPKEY": "AQNR", "PTR": "host.example.net.", "PX": "10 a.example.net. b.example.net.", "RESINFO": "qnamemin", "RKEY": "0 3 1 AQNR",
	"RP": "a.example.net. b.example.net.", "RT": "10 rt.example.net.", "SMIMEA": "3 1 1 ABCDEF01", "SOA": "a. b. 1 2 3 4 5", "SPF": "v=spf1 -all",
	"SRV": "1 2 3 sip.example.net.", "SSHFP": "4 2 ABCDEF01", "SVCB": "1 svc.example.net. port=8443", "TA": "60485 8 2 ABCDEF01",
	"TALINK": "a.example.net. b.example.net.", "TLSA": "3 1 1 ABCDEF01", "TXT": "text", "UID": "7", "UINFO": `"info"`,
	"UNSPEC": `\# 1 00`, "URI": `10 1 "https://example.net/"`, "X25": "311061700956", "ZONEMD": "2018031500 1 1 " + strings.Repeat("AB", 48),
	"TYPE65280": `\# 4 0A000001`,
}

// TestParseValueKnowsAll parses a value of every type that [ParseType] accepts, sends it
// and reads it back.
func TestParseValueKnowsAll(t *testing.T) {
	for typ, name := range dns.TypeToString {
		if _, err := ParseType(name); err != nil {
			continue
		}
		if _, ok := values[name]; !ok {
			t.Errorf("no value to try for type %s (%d)", name, typ)
		}
	}
	for name, value := range values {
		typ, err := ParseType(name)
		if err != nil {
			t.Fatal(err)
		}
		rr, warning, err := ParseValue(Key{"www.example.org.", typ}, 30, "example.org.", value)
		if err != nil || warning != "" {
			t.Errorf("%s %q: %v, warning %q", name, value, err, warning)
			continue
		}
		if h := rr.Header(); h.Name != "www.example.org." || h.Rrtype != typ || h.Ttl != 30 || h.Class != dns.ClassINET {
			t.Errorf("%s: header %v", name, h)
		}
		msg := make([]byte, 512)
		n, err := dns.PackRR(dns.Copy(rr), msg, 0, nil, false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if back, _, err := dns.UnpackRR(msg[:n], 0); err != nil || back.String() != rr.String() {
			t.Errorf("%s: sent %v, came back as %v, %v", name, rr, back, err)
		}
	}
}

func TestParseValueNames(t *testing.T) {
	const dotless = `name "mail.example.net" has no final dot, so it means "mail.example.net.example.org."`
	tests := []struct {
		name          string
		origin        string
		typ           uint16
		value         string
		want, warning string
	}{
		{"one label is relative", "example.org.", dns.TypeMX, "10 mail", "10 mail.example.org.", ""},
		{"the origin", "example.org.", dns.TypeMX, "10 @", "10 example.org.", ""},
		{"in the zone", "example.org.", dns.TypeMX, "10 mail.example.org", "10 mail.example.org.", ""},
		{"in the zone, without case", "example.org.", dns.TypeMX, "10 mail.Example.ORG", "10 mail.Example.ORG.", ""},
		{"the zone itself", "example.org.", dns.TypeMX, "10 example.org", "10 example.org.", ""},
		{"a zone of one label", "org.", dns.TypeMX, "10 org", "10 org.org.", ""},
		{"another zone's name, as in a zone file", "example.org.", dns.TypeMX, "10 mail.example.net", "10 mail.example.net.example.org.", dotless},
		{"with its final dot", "example.org.", dns.TypeMX, "10 mail.example.net.", "10 mail.example.net.", ""},
		{"the root", "example.org.", dns.TypeMX, "0 .", "0 .", ""},
		{"an escaped dot divides no labels", "example.org.", dns.TypeCNAME, `a\.b`, `a\.b.example.org.`, ""},
		{"an escaped dot is no final dot", "example.org.", dns.TypeCNAME, `a\.`, `a\..example.org.`, ""},
		{"escapes become the usual ones", "example.org.", dns.TypeCNAME, `\119\119w.example.net.`, `www.example.net.`, ""},
		{"one warning for two names", "example.org.", dns.TypeSOA, "mail.example.net host.example.net 1 2 3 4 5", "mail.example.net.example.org. host.example.net.example.org. 1 2 3 4 5", dotless},
		{"in a service binding", "example.org.", dns.TypeHTTPS, "1 svc port=1", `1 svc.example.org. port="1"`, ""},
		{"in a list", "example.org.", dns.TypeHIP, "2 200100107B1A74DF365639CC39F1D578 AQNR rvs", "2 200100107b1a74df365639cc39f1d578 AQNR rvs.example.org.", ""},
		{"a gateway", "example.org.", dns.TypeIPSECKEY, "10 3 2 gw AQNR", "10 3 2 gw.example.org. AQNR", ""},
		{"below the root all are absolute", ".", dns.TypeMX, "10 mail.example.net", "10 mail.example.net.", ""},
		{"below the root, one label", ".", dns.TypeMX, "10 mail", "10 mail.", ""},
		{"below the root, the origin", ".", dns.TypeCNAME, "@", ".", ""},
		{"below the root, an address is a name", ".", dns.TypeCNAME, "192.0.2.1", "192.0.2.1.", ""},
	}
	for _, tt := range tests {
		rr, warning, err := ParseValue(Key{"www.example.org.", tt.typ}, 30, tt.origin, tt.value)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := data(rr); got != tt.want || warning != tt.warning {
			t.Errorf("%s: %s, warning %q; want %s, warning %q", tt.name, got, warning, tt.want, tt.warning)
		}
	}
}

func TestParseValueText(t *testing.T) {
	long := strings.Repeat("x", 254)
	tests := []struct {
		name, value string
		want        []string // as miekg/dns holds strings: escaped
	}{
		{"one text, blanks and all", "v=spf1  -all ", []string{"v=spf1  -all "}},
		{"nothing in it is special", `a;b (c) \d @ $ORIGIN`, []string{`a;b (c) \\d @ $ORIGIN`}},
		{"255 bytes are one string", long + "x", []string{long + "x"}},
		{"256 are two", long + "xx", []string{long + "x", "x"}},
		{"a backslash counts as one byte", long + `\\`, []string{long + `\\`, `\\`}},
		{"empty", "", []string{""}},
		{"not ASCII", "ä", []string{`\195\164`}},
		{"strings of a zone file", `"a b" "c;d" e`, []string{"a b", "c;d", "e"}},
		{"escapes of a zone file", `"a\"b\\c\100"`, []string{`a\"b\\cd`}},
		{"a long string of a zone file", `"` + long + `xx"`, []string{long + "x", "x"}},
		{"an empty string", `""`, []string{""}},
		{"the generic form", `\# 3 026869`, []string{"hi"}},
		{"nearly the generic form", `\#3 026869`, []string{`\\#3 026869`}},
	}
	for _, tt := range tests {
		for _, typ := range []uint16{dns.TypeTXT, dns.TypeSPF} {
			rr, _, err := ParseValue(Key{"www.example.org.", typ}, 30, "example.org.", tt.value)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			var got []string
			switch rr := rr.(type) {
			case *dns.TXT:
				got = rr.Txt
			case *dns.SPF:
				got = rr.Txt
			}
			if strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("%s, %s: %q, want %q", tt.name, dns.Type(typ), got, tt.want)
			}
		}
	}
}

// TestParseValueRefuses tries to make the zone parser see another record, less than the
// whole value, or more than one.
func TestParseValueRefuses(t *testing.T) {
	tests := []struct {
		typ   uint16
		value string
		want  string
	}{
		{dns.TypeA, "", `A value "" is not an IPv4 address`},
		{dns.TypeA, "192.0.2.1 ", `A value "192.0.2.1 " is not an IPv4 address`},
		{dns.TypeA, "192.0.2.01", `A value "192.0.2.01" is not an IPv4 address`},
		{dns.TypeA, "192.0.2.1\n$INCLUDE /etc/passwd", `A value "192.0.2.1\n$INCLUDE /etc/passwd" is not an IPv4 address`},
		{dns.TypeA, `\# 3 C00002`, `A value "\\# 3 C00002" is wrong: A: dns: overflow unpacking a`},
		{dns.TypeA, `\# 5 C000020100`, `A value "\\# 5 C000020100" holds more bytes than a record of type A has`},
		{dns.TypeA, "2001:db8::1", `A value "2001:db8::1" is an IPv6 address; its type is AAAA`},
		{dns.TypeA, "web.example.net", `A value "web.example.net" is not an IPv4 address; to answer with the addresses of a name use an alias`},
		{dns.TypeAAAA, "web", `AAAA value "web" is not an IPv6 address`},
		{dns.TypeAAAA, "192.0.2.1", `AAAA value "192.0.2.1" is an IPv4 address; its type is A`},
		{dns.TypeAAAA, "::ffff:192.0.2.1", `AAAA value "::ffff:192.0.2.1" is an IPv4 address in IPv6 form; write 192.0.2.1 under type A`},
		{dns.TypeAAAA, "fe80::1%eth0", `AAAA value "fe80::1%eth0" has an IPv6 zone, which is valid on one machine only`},
		{dns.TypeDS, "1 8 2 ABC", `DS value "1 8 2 ABC" cannot be sent: encoding/hex: odd length hex string; it is written like: 60485 8 2 HEX-DIGEST`},
		{dns.TypeMX, "10 mail.\nwww A 192.0.2.1", `MX value "10 mail.\nwww A 192.0.2.1" holds a line break`},
		{dns.TypeMX, "10\rmail.", `MX value "10\rmail." holds a line break`},
		{dns.TypeMX, "10 mail.\x00", `MX value "10 mail.\x00" holds a line break`},
		{dns.TypeMX, "10 mail. ; note", `MX value "10 mail. ; note" holds a ";", which begins a comment in zone files; escape it as "\;" or quote the string`},
		{dns.TypeMX, "( 10 mail. )", `MX value "( 10 mail. )" holds a '('; write the value on one line without parentheses`},
		{dns.TypeMX, "10 mail. )", `MX value "10 mail. )" holds a ')'; write the value on one line without parentheses`},
		{dns.TypeMX, "10 mail. extra", `MX value "10 mail. extra" is wrong: garbage after rdata: "extra"; it is written like: 10 mail.example.org.`},
		{dns.TypeMX, "IN MX 10 mail.", `MX value "IN MX 10 mail." is wrong: bad MX Pref: "IN"; it is written like: 10 mail.example.org.`},
		{dns.TypeMX, "65536 mail.", `MX value "65536 mail." is wrong: bad MX Pref: "65536"; it is written like: 10 mail.example.org.`},
		{dns.TypeMX, "10 192.0.2.1", `MX value "10 192.0.2.1" holds the address "192.0.2.1" where a name belongs`},
		{dns.TypeMX, " ", `MX value " " is empty`},
		{dns.TypeMX, `10 mail\`, `MX value "10 mail\\" ends in a lone backslash; write "\\" for one`},
		{dns.TypeMX, `10 "mail`, `MX value "10 \"mail" opens a quote that is not closed`},
		{dns.TypeCNAME, "$ORIGIN example.net.", `CNAME value "$ORIGIN example.net." is wrong: garbage after rdata: "example.net."; it is written like: www.example.org.`},
		{dns.TypeTXT, `"a" "b`, `TXT value "\"a\" \"b" opens a quote that is not closed`},
		{dns.TypeTXT, "a\nb", `TXT value "a\nb" holds a line break; write it as an escape in a quoted string`},
		{dns.TypeTXT, "\"a\nb\"", `TXT value "\"a\nb\"" holds a line break`},
		{dns.TypeSOA, "a. b. 1 2 3 4", `SOA value "a. b. 1 2 3 4" has 6 fields, not 7; it is written like: ns1.example.org. hostmaster.example.org. 1 7200 900 1209600 60`},
		{65280, "0A00", `TYPE65280 value "0A00" is wrong: bad RFC3597 Rdata: "0A00"; it is written like: \# 4 0A000001`},
		{65280, `\# 2 0A`, `TYPE65280 value "\\# 2 0A" is wrong: bad RFC3597 Rdata: "2"; it is written like: \# 4 0A000001`},
	}
	for _, tt := range tests {
		rr, _, err := ParseValue(Key{"www.example.org.", tt.typ}, 30, "example.org.", tt.value)
		if message(err) != tt.want {
			t.Errorf("%q: %v, %v\nwant %s", tt.value, rr, err, tt.want)
		}
	}
}

func TestParseName(t *testing.T) {
	tests := []struct{ written, want, warning, err string }{
		{"@", "example.org.", "", ""},
		{"NS1", "ns1.example.org.", "", ""},
		{"ns1.example.net.", "ns1.example.net.", "", ""},
		{"ns1.example.org", "ns1.example.org.", "", ""},
		{"ns1.x", "ns1.x.example.org.", `name "ns1.x" has no final dot, so it means "ns1.x.example.org."`, ""},
		{"", "", "", "holds a wrong name: name is empty"},
		{"a..b", "", "", `holds a wrong name: "a..b" is not a domain name: labels have 1 to 63 bytes, names at most 255`},
		{"192.0.2.1", "", "", `holds the address "192.0.2.1" where a name belongs`},
	}
	for _, tt := range tests {
		got, warning, err := ParseName("example.org.", tt.written)
		if got != tt.want || warning != tt.warning || message(err) != tt.err {
			t.Errorf("ParseName(%q) = %q, %q, %v; want %q, %q, %s", tt.written, got, warning, err, tt.want, tt.warning, tt.err)
		}
	}
}

// TestParseValueCompact pins what an address costs: one allocation, and an IP of its own
// length, so that nothing can be appended to it in place.
func TestParseValueCompact(t *testing.T) {
	for _, tt := range []struct {
		typ   uint16
		value string
		size  int
	}{{dns.TypeA, "192.0.2.1", net.IPv4len}, {dns.TypeAAAA, "2001:db8::1", net.IPv6len}} {
		k := Key{"www.example.org.", tt.typ}
		var rr dns.RR
		if n := testing.AllocsPerRun(100, func() { rr, _, _ = ParseValue(k, 30, "example.org.", tt.value) }); n > 1 {
			t.Errorf("%s: %v allocations", k, n)
		}
		ip := net.IP{}
		switch rr := rr.(type) {
		case *dns.A:
			ip = rr.A
		case *dns.AAAA:
			ip = rr.AAAA
		}
		if len(ip) != tt.size || cap(ip) != tt.size {
			t.Errorf("%s: IP of length %d, capacity %d", k, len(ip), cap(ip))
		}
	}
}

func BenchmarkParseValueA(b *testing.B) {
	k := Key{"www.example.org.", dns.TypeA}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ParseValue(k, 30, "example.org.", "192.0.2.1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseValueMX(b *testing.B) {
	k := Key{"www.example.org.", dns.TypeMX}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ParseValue(k, 30, "example.org.", "10 mail.example.org."); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzParseValue checks that what is accepted is one record of the key that means the
// same when it is written out and parsed again.
func FuzzParseValue(f *testing.F) {
	for name, value := range values {
		typ, _ := ParseType(name)
		f.Add(typ, value)
	}
	f.Fuzz(func(t *testing.T, typ uint16, value string) {
		if isMeta(typ) || isSigned(typ) || typ == dns.TypeNULL {
			return
		}
		k := Key{"www.example.org.", typ}
		rr, _, err := ParseValue(k, 30, "example.org.", value)
		if err != nil {
			return
		}
		if h := rr.Header(); h.Name != k.Name || h.Rrtype != typ || h.Ttl != 30 {
			t.Fatalf("%q became %v", value, rr)
		}
		msg := make([]byte, dns.MaxMsgSize)
		if _, err := dns.PackRR(dns.Copy(rr), msg, 0, nil, false); err != nil {
			t.Fatalf("%q became %v, which cannot be sent: %v", value, rr, err)
		}
	})
}

// data returns the RDATA of an RR as text.
func data(rr dns.RR) string { return strings.TrimPrefix(rr.String(), rr.Header().String()) }
