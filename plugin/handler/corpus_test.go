package handler_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/plugin/test"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// importZone returns a handler of Route 53 files, all checks healthy.
func importZone(t *testing.T, zone, file string) *handler.Handler {
	t.Helper()
	zones := []string{zone}
	path := filepath.Join("..", "route53json", "testdata", file+".json")
	im, err := route53json.Load(context.Background(), []string{path}, route53json.Options{Zones: zones, DefaultTTL: 60})
	if err != nil {
		t.Fatal(err)
	}
	c := record.NewCatalog(zones)
	c.SOA[zone] = record.DefaultSOA(zone, 1)
	if err := im.AddTo(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	im.Note(c.Validate())
	statuses := make([]healthcheck.Status, len(c.Checks))
	for i := range statuses {
		statuses[i] = healthcheck.Healthy
	}
	return handler.New(handler.NewSnapshot(c, statuses))
}

// ask returns the reply to one question.
func ask(t *testing.T, h *handler.Handler, name, typ string) *dns.Msg {
	t.Helper()
	r := new(dns.Msg)
	r.SetQuestion(name, dns.StringToType[typ])
	w := dnstest.NewRecorder(&test.ResponseWriter{})
	if _, err := h.ServeDNS(context.Background(), w, r); err != nil {
		t.Fatal(err)
	}
	if w.Msg == nil {
		t.Fatalf("no reply to %s %s", name, typ)
	}
	return w.Msg
}

// section writes RRs on one line each, in order, without class and tabs.
func section(rrs []dns.RR) []string {
	texts := make([]string, len(rrs))
	for i, rr := range rrs {
		texts[i] = strings.Join(strings.Fields(strings.Replace(rr.String(), "\tIN\t", " ", 1)), " ")
	}
	slices.Sort(texts)
	return texts
}

const (
	noData = "NODATA"
	noName = "NXDOMAIN"
)

func TestCorpus(t *testing.T) {
	type query struct {
		name, typ string
		want      []string // answers in order of the alphabet, or noData or noName alone
	}
	tests := []struct {
		file, zone string
		queries    []query
	}{
		{"simple-01-cli-v2-whole-zone", "example.com.", []query{
			// C38: the octal \052 is a wildcard.
			{"anything.example.com.", "A", []string{"anything.example.com. 300 CNAME example.com.", "example.com. 300 A 203.0.113.42"}},
			{"www.example.com.", "A", []string{"example.com. 300 A 203.0.113.42", "www.example.com. 300 CNAME example.com."}},
			{"x.dev.example.com.", "A", []string{"x.dev.example.com. 300 A 203.0.113.11"}},
			{"y.x.dev.example.com.", "A", []string{"y.x.dev.example.com. 300 A 203.0.113.11"}},
			{"mail.example.com.", "AAAA", []string{noData}},
			{"mail.example.com.", "A", []string{"mail.example.com. 604800 A 203.0.113.10"}},
			{"_tcp.example.com.", "A", []string{noData}},
			{"example.com.", "CAA", []string{`example.com. 300 CAA 0 iodef "mailto:security@example.com"`, `example.com. 300 CAA 0 issue "amazon.com"`, `example.com. 300 CAA 0 issuewild "amazon.com"`}},
			{"_sip._tcp.example.com.", "SRV", []string{"_sip._tcp.example.com. 86400 SRV 0 5 5060 sipserver.example.com."}},
		}},
		{"simple-02-txt-quoting", "example.com.", []query{
			{"quoted.example.com.", "TXT", []string{`quoted.example.com. 86400 TXT "multivalued" " txt \"quoted\" record"`}},
			{"dquote.example.com.", "TXT", []string{`dquote.example.com. 1800 TXT "a\"\"b"`}},
			{"octal.example.com.", "TXT", []string{
				`octal.example.com. 300 TXT "The last character in this string is an accented e specified in octal format: \233"`,
				`octal.example.com. 300 TXT "a b"`,
				`octal.example.com. 300 TXT "ex\228mple.com"`,
			}},
			{"email.example.com.", "TXT", []string{`email.example.com. 300 TXT "admin@example.com"`}},
			{"semi.example.com.", "TXT", []string{`semi.example.com. 60 TXT "abcd; ef;g"`, `semi.example.com. 60 TXT "hij; klm;n"`}},
			{"chunks.example.com.", "TXT", []string{`chunks.example.com. 300 TXT "v=DKIM1; k=rsa; p=MIIBIjAN...chunk1" "chunk2" "chunk3"`}},
			{"case.example.com.", "TXT", []string{`case.example.com. 300 TXT "Ab"`, `case.example.com. 300 TXT "aB"`}},
			{"unquoted.example.com.", "TXT", []string{`unquoted.example.com. 10 TXT "SomeInitialValue&NewValue"`}},
			{"empty.example.com.", "TXT", []string{`empty.example.com. 300 TXT ""`}},
			{"example.com.", "SPF", []string{`example.com. 86400 SPF "v=spf1 a mx a:host.example.com mx:mail.example.com ip4:192.0.2.0/24 ~all"`}},
			{"example.com.", "TXT", []string{`example.com. 86400 TXT "v=spf1 a mx a:host.example.com mx:mail.example.com ip4:192.0.2.0/24 ~all"`}},
		}},
		{"simple-03-octal-names", "example.com.", []query{
			{"foo.wildcard-test.example.com.", "A", []string{"foo.wildcard-test.example.com. 300 A 192.0.2.8"}},
			{`\@.example.com.`, "A", []string{`\@.example.com. 300 A 192.0.2.64`}},
			{"d.example.com.", "A", []string{noData}}, // by *.example.com, which exists above prod
			{"prefix-*.wildcard.example.com.", "TXT", []string{`prefix-*.wildcard.example.com. 300 TXT "random"`}},
			{"prefix-z.wildcard.example.com.", "TXT", []string{noName}},
			{"prod.*.example.com.", "A", []string{"prod.*.example.com. 300 A 192.0.2.9"}},
			{"prod.x.example.com.", "A", []string{noData}},
			{"weird-example.example.com.", "A", []string{"weird-example.example.com. 300 A 192.0.2.55"}},
			{`first\.last.example.com.`, "A", []string{`first\.last.example.com. 300 A 192.0.2.56`}},
			{"first.last.example.com.", "A", []string{noData}},
			{`space\ label.example.com.`, "A", []string{`space\ label.example.com. 300 A 192.0.2.57`}},
			{`escape-%!s\(<nil>\)-codes.example.com.`, "CNAME", []string{`escape-%!s\(<nil>\)-codes.example.com. 300 CNAME example.`}},
			{"_underscore.example.com.", "A", []string{"_underscore.example.com. 30 A 192.0.2.1"}},
		}},
		{"simple-04-changebatch-mail-per-change-comments", "example.com.", []query{
			{"example.com.", "MX", []string{"example.com. 300 MX 10 smtp-1.example.com.", "example.com. 300 MX 20 smtp-2.example.com."}},
			{"example.com.", "AAAA", []string{"example.com. 300 AAAA ::"}},
			{"example.com.", "CAA", []string{`example.com. 300 CAA 0 issue ";"`, `example.com. 300 CAA 0 issue "ca.example.net; cansignhttpexchanges=yes"`, `example.com. 300 CAA 0 issue "letsencrypt.org"`}},
			{"example.com.", "SOA", []string{"example.com. 60 SOA ns.dns.example.com. hostmaster.example.com. 1 7200 900 1209600 60"}},
		}},
		{"weighted-03-cname-alias-to-same-zone-cname", "example.test.", []query{
			{"blue-origin.example.test.", "CNAME", []string{"blue-origin.example.test. 5 CNAME v1.example.net."}},
			{"blue-origin.example.test.", "NS", []string{"blue-origin.example.test. 5 CNAME v1.example.net."}},
		}},
		{"multivalue-01-cloud-map-private-tld", "staging.", []query{
			{"staging.", "SOA", []string{"staging. 900 SOA ns-1536.awsdns-00.co.uk. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"}},
			{"myapplication.staging.", "A", []string{"myapplication.staging. 300 A 172.31.87.2", "myapplication.staging. 300 A 172.31.87.3"}},
		}},
		{"multivalue-02-ten-proxies-some-without-checks-wildcard-cname", "example.com.", []query{
			{"x.s3.us-west-2.example.com.", "CNAME", []string{"x.s3.us-west-2.example.com. 60 CNAME s3.us-west-2.example.com."}},
		}},
		{"failover-03-primary-without-health-check-and-lonely-halves", "shop.example.com.", []query{
			{"shop.example.com.", "A", []string{"shop.example.com. 60 A 203.0.113.20"}},
			{"only-secondary.shop.example.com.", "A", []string{"only-secondary.shop.example.com. 300 A 203.0.113.23"}},
		}},
		// The policies that are not served yet leave names without records.
		{"alias-01-octodns-geo-failover-weighted-tree", "example.com.", []query{
			{"example.com.", "A", []string{noData}},
			{"_octodns-eu-central-1-pool.example.com.", "AAAA", []string{noData}},
		}},
		{"alias-02-aws-docs-latency-weighted-tree", "example.com.", []query{
			{"example.com.", "A", []string{noData}}, {"no-eth.example.com.", "A", []string{noData}}, {"alias-hc.example.com.", "A", []string{noData}},
		}},
		{"geo-01-aws-example-continents-default", "example.com.", []query{{"example.com.", "A", []string{noData}}}},
		{"latency-01-ttl-with-alias-region-mismatch", "example.com.", []query{
			{"lat.example.com.", "A", []string{noData}}, {"test.example.com.", "A", []string{noData}}, {"checkout.example.com.", "A", []string{noData}}, {"no.example.com.", "A", []string{noName}},
		}},
		{"cidr-01-octodns-subnet-tree", "example.com.", []query{
			{"example.com.", "A", []string{noData}}, {"api.example.com.", "A", []string{noData}},
			{"_octodns-external-pool.example.com.", "A", []string{"_octodns-external-pool.example.com. 60 A 198.51.100.2"}},
		}},
		{"alias-03-aws-resource-targets-and-wrong-zone-ids", "example.com.", []query{
			{"api.example.com.", "A", []string{noData}},
			{"lambda.example.com.", "CNAME", []string{"lambda.example.com. 60 CNAME d333333abcdef8.cloudfront.net."}},
		}},
		{"edge-01-sdk-serialised-nulls-and-empty-arrays", "example.com.", []query{
			{"dev.example.com.", "A", []string{"dev.example.com. 0 A 192.0.2.80"}},
			{"nothing.example.com.", "A", []string{noData}},
		}},
		{"edge-02-generate-cli-skeleton", "example.com.", []query{{"example.com.", "A", []string{noData}}, {"x.example.com.", "A", []string{noName}}}},
		{"edge-04-truncated-page", "example.com.", []query{
			{"ignored.example.com.", "A", []string{noData}},
			{"simple.example.com.", "A", []string{"simple.example.com. 60 A 192.0.2.4", "simple.example.com. 60 A 198.51.100.4"}},
		}},
	}
	for _, tc := range tests {
		h := importZone(t, tc.zone, tc.file)
		for _, q := range tc.queries {
			t.Run(tc.file[:8]+"/"+q.name+q.typ, func(t *testing.T) {
				m := ask(t, h, q.name, q.typ)
				got := section(m.Answer)
				switch {
				case m.Rcode == dns.RcodeNameError:
					got = []string{noName}
				case m.Rcode == dns.RcodeSuccess && len(got) == 0:
					got = []string{noData}
				}
				if !slices.Equal(got, q.want) {
					t.Errorf("%s %s: %q, want %q", q.name, q.typ, got, q.want)
				}
				if negative := len(m.Answer) == 0; negative && (len(m.Ns) != 1 || m.Ns[0].Header().Rrtype != dns.TypeSOA) {
					t.Errorf("%s %s: authority %v, want one SOA", q.name, q.typ, m.Ns)
				}
			})
		}
	}
}

func TestCorpusDelegation(t *testing.T) {
	m := ask(t, importZone(t, "example.com.", "simple-01-cli-v2-whole-zone"), "foo.shop.example.com.", "A")
	want := []string{"shop.example.com. 7200 NS ns-111.awsdns-11.com.", "shop.example.com. 7200 NS ns-222.awsdns-22.net."}
	if got := section(m.Ns); m.Authoritative || len(m.Answer) > 0 || !slices.Equal(got, want) {
		t.Errorf("AA %v, answer %v, authority %q, want a referral to %q", m.Authoritative, m.Answer, got, want)
	}
}

// TestImportedWildcardDelegation: a wildcard cannot delegate. In imported data it is left
// out and reported. Its name exists, and so do those above it, but it does not answer for
// others. A wildcard that is an empty non-terminal above what is served does (RFC 4592,
// section 4.9), and so does one of which only a part is left out.
func TestImportedWildcardDelegation(t *testing.T) {
	const zone = "example.com."
	path := filepath.Join(t.TempDir(), "zone.json")
	set := func(name, typ, value string) string {
		return `{"Name": "` + name + `", "Type": "` + typ + `", "TTL": 60, "ResourceRecords": [{"Value": "` + value + `"}]}`
	}
	text := `{"ResourceRecordSets": [` + set(`\\052.example.com`, "NS", "ns.example.net") + ",\n" + set(`\\052.old.example.com`, "DNAME", "example.com") + ",\n" + set("www.example.com", "A", "192.0.2.1") + ",\n" +
		set(`a.\\052.above.example.com`, "A", "192.0.2.2") + ",\n" + set(`a.\\052.below.example.com`, "A", "192.0.2") + ",\n" +
		set(`\\052.part.example.com`, "TXT", `\"x\"`) + ",\n" + set(`\\052.part.example.com`, "NS", "ns.example.net") + `]}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	im, err := route53json.Load(context.Background(), []string{path}, route53json.Options{Zones: []string{zone}, DefaultTTL: 60})
	if err != nil {
		t.Fatal(err)
	}
	c := record.NewCatalog([]string{zone})
	c.SOA[zone] = record.DefaultSOA(zone, 1)
	if err := im.AddTo(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	var problems []string
	for _, p := range im.Problems {
		problems = append(problems, strings.TrimPrefix(p.String(), path+":"))
	}
	want := []string{
		"1: *.example.com. NS (number 1): left out: NS at the wildcard *.example.com.: a wildcard cannot delegate; write the names that are delegated (RFC 4592, section 4.2)",
		"2: *.old.example.com. DNAME (number 2): left out: DNAME at the wildcard *.old.example.com.: a wildcard cannot delegate; write the names that are delegated (RFC 4592, section 4.2)",
		`5: a.*.below.example.com. A (number 5): left out: A value "192.0.2" is not an IPv4 address`,
		"7: *.part.example.com. NS (number 7): left out: NS at the wildcard *.part.example.com.: a wildcard cannot delegate; write the names that are delegated (RFC 4592, section 4.2)",
	}
	if !slices.Equal(problems, want) {
		t.Errorf("reports %q, want %q", problems, want)
	}
	im.Note(c.Validate())
	h := handler.New(handler.NewSnapshot(c, nil))
	for name, rcode := range map[string]int{
		"www.example.com.": dns.RcodeSuccess, "x.www.example.com.": dns.RcodeNameError,
		"x.example.com.": dns.RcodeNameError, "x.y.example.com.": dns.RcodeNameError, "*.example.com.": dns.RcodeSuccess,
		"x.old.example.com.": dns.RcodeNameError, "old.example.com.": dns.RcodeSuccess, "*.old.example.com.": dns.RcodeSuccess,
		"x.above.example.com.": dns.RcodeSuccess, "x.below.example.com.": dns.RcodeNameError, "a.*.below.example.com.": dns.RcodeSuccess,
		"x.part.example.com.": dns.RcodeSuccess,
	} {
		if m := ask(t, h, name, "A"); m.Rcode != rcode || (len(m.Answer) == 1) != (name == "www.example.com.") || !m.Authoritative {
			t.Errorf("%s: got %s, want %s", name, render(m), dns.RcodeToString[rcode])
		}
	}
}

// The SOA's TTL of 900 s is less than its minimum of a day.
func TestCorpusNegativeTTL(t *testing.T) {
	m := ask(t, importZone(t, "example.com.", "simple-01-cli-v2-whole-zone"), "mail.example.com.", "AAAA")
	if len(m.Ns) != 1 || m.Ns[0].Header().Ttl != 900 {
		t.Errorf("authority %v, want the SOA with a TTL of 900", m.Ns)
	}
}

// A TXT value keeps its two strings, and the bytes that octal escapes stand for.
func TestCorpusTXTBytes(t *testing.T) {
	h := importZone(t, "example.com.", "simple-02-txt-quoting")
	dkim, ok := ask(t, h, "dkim._domainkey.example.com.", "TXT").Answer[0].(*dns.TXT)
	if !ok || len(dkim.Txt) != 2 || len(dkim.Txt[0]) > 255 || len(dkim.Txt[1]) > 255 || !strings.HasSuffix(dkim.Txt[1], "BIDAQAB") {
		t.Errorf("dkim: %v, want two strings of at most 255 bytes", dkim)
	}
	var ends []string
	for _, rr := range ask(t, h, "octal.example.com.", "TXT").Answer {
		wire := make([]byte, 512)
		n, err := dns.PackRR(rr, wire, 0, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, string(wire[n-4:n]))
	}
	slices.Sort(ends)
	if want := []string{"\x03a b", ".com", "t: \xe9"}; !slices.Equal(ends, want) {
		t.Errorf("the texts end in %q, want %q", ends, want)
	}
}
