package stanza_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/caddy/caddyfile"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/corefile/stanza"
	"github.com/steerdns/steer/plugin/record"
)

// FuzzRoundTrip writes a record of any data, under any name, with any set identifier and text
// to search for, and expects it back. What cannot be written has to be reported.
func FuzzRoundTrip(f *testing.F) {
	for _, text := range []string{`say "x" \`, "v=spf1 -all", "{$HOME}", "check", "ünï", "\x00\xff", "two\nlines", ""} {
		f.Add(dns.TypeTXT, append([]byte{byte(len(text))}, text...), []byte(text), text, text)
	}
	f.Add(dns.TypeA, []byte{192, 0, 2, 1}, []byte("www"), "blue", "ok")
	f.Add(dns.TypeMX, []byte("\x00\x0a\x04ma#l\x00"), []byte("{"), "{", "{")
	f.Add(dns.TypeHTTPS, []byte("\x00\x01\x00\x00\x01\x00\x03\x02h2"), []byte("#"), `\"`, `\"`)
	f.Add(dns.TypeCAA, []byte("\x00\x05issue;{%A%}"), []byte(`\`), `"`, `a"b`)
	f.Add(uint16(65280), []byte{}, []byte("10.0.0.1"), " ", " ")
	f.Fuzz(func(t *testing.T, typ uint16, data, label []byte, id, search string) {
		c, ok := oneRecord(typ, data, label, id, search)
		if !ok {
			t.Skip()
		}
		text, problems := write(t, c, stanza.Options{})
		cfg, err := read(t, c.Zones, text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		reported := func(s string) bool {
			return slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, s) })
		}
		for g := range c.All() {
			other := cfg.Catalog.Groups[g.Key]
			if other == nil {
				if !reported("cannot be written") && !reported("left out") {
					t.Fatalf("%s is missing in\n%s", g.Key, text)
				}
				continue
			}
			want, got := g.Records[0], other.Records[0]
			if x, y := wire(want.Values[0]), wire(got.Values[0]); x != y {
				t.Errorf("data %x is read as %x from\n%s", x, y, text)
			}
			if got.SetID != want.SetID && !reported("without its set identifier") {
				t.Errorf("id %q is read as %q from\n%s", want.SetID, got.SetID, text)
			}
			if got := cfg.Catalog.Checks[got.Check].Spec.Search; got != search && !reported("cannot be written") {
				t.Errorf("search %q is read as %q from\n%s", search, got, text)
			}
		}
	})
}

// oneRecord returns a catalog of one record, and false where there is no such record.
func oneRecord(typ uint16, data, label []byte, id, search string) (*record.Catalog, bool) {
	if len(data) > 65535 {
		return nil, false
	}
	msg := append([]byte{0}, binary.BigEndian.AppendUint16(nil, typ)...)
	msg = append(msg, 0, 1, 0, 0, 0, 60)
	msg = binary.BigEndian.AppendUint16(msg, uint16(len(data)))
	rr, end, err := dns.UnpackRR(append(msg, data...), 0)
	if err != nil || end != len(msg)+len(data) || wire(rr) == "" {
		return nil, false
	}
	name := ""
	for _, b := range label {
		name += fmt.Sprintf(`\%03d`, b)
	}
	name, err = record.Canonical(strings.TrimPrefix(name+".example.org.", "."))
	if err != nil {
		return nil, false
	}
	*rr.Header() = dns.RR_Header{Name: name, Rrtype: typ, Class: dns.ClassINET, Ttl: 60}
	spec := healthcheck.Defaults(healthcheck.HTTP)
	spec.Host, spec.Port, spec.Search = "192.0.2.1", 80, search
	c := record.NewCatalog([]string{"example.org."})
	c.Checks = []healthcheck.Check{{Name: "web", Spec: spec}}
	err = c.Add(&record.Group{Key: record.Key{Name: name, Type: typ}, Pos: record.Pos{File: "zone.json", Line: 1},
		Records: []record.RecordSet{{Values: []dns.RR{rr}, SetID: id, Imported: true}}})
	c.Validate()
	return c, err == nil
}

// wire returns the data of an RR as it is sent, "" where it cannot be.
func wire(rr dns.RR) string {
	rr = dns.Copy(rr)
	rr.Header().Name = "."
	msg := make([]byte, dns.MaxMsgSize)
	n, err := dns.PackRR(rr, msg, 0, nil, false)
	if err != nil || n < 11 {
		return ""
	}
	return "data " + string(msg[11:n])
}

// FuzzWord holds a word against the lexer that reads it, among others in a line.
func FuzzWord(f *testing.F) {
	for _, s := range []string{"a", "a b", `"`, `\`, `\"`, `a\\"`, "#", "{", "}", "{$HOME}", "{%HOME%}", "{$}", "\r", "\ufeff", "import", "ünï", "\xff", ""} {
		f.Add(s)
	}
	f.Setenv("HOME", "elsewhere")
	f.Fuzz(func(t *testing.T, s string) {
		written, ok := stanza.Word(s)
		if !ok {
			return
		}
		blocks, err := caddyfile.Parse("Corefile", strings.NewReader("block {\nline first "+written+" last\nnext\n}\n"), nil)
		if err != nil {
			t.Fatalf("%q is written %s: %v", s, written, err)
		}
		var words []string
		for _, token := range blocks[0].Tokens["line"] {
			words = append(words, token.Text)
		}
		if want := []string{"line", "first", s, "last"}; !slices.Equal(words, want) {
			t.Errorf("%q is written %s and read as %q", s, written, words)
		}
	})
}
