package handler_test

import (
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// TestDNAME redirects to the root and at the root.
func TestDNAME(t *testing.T) {
	t.Run("to the root", func(t *testing.T) {
		h := serve(parseZone(t, "x.old. 60 DNAME .\nwww. 60 A 192.0.2.1\na.www. 60 A 192.0.2.2\n", "."))
		for name, want := range map[string]string{
			"www.x.old.":   "NOERROR aa an[x.old. 60 DNAME .; www.x.old. 60 CNAME www.; www. 60 A 192.0.2.1]",
			"A.WWW.X.old.": "NOERROR aa an[X.old. 60 DNAME .; A.WWW.X.old. 60 CNAME A.WWW.; A.WWW. 60 A 192.0.2.2]",
		} {
			if m, _ := query(t, h, name, dns.TypeA); render(m) != want {
				t.Errorf("%s: got %s, want %s", name, render(m), want)
			}
		}
	})
	t.Run("at the root", func(t *testing.T) {
		h := serve(parseZone(t, ". 60 DNAME new.\nwww.new. 60 A 192.0.2.1\na.b.new. 60 A 192.0.2.2\nheld. 60 A 192.0.2.3\n", ".", "new."))
		for name, want := range map[string]string{
			"www.":  "NOERROR aa an[. 60 DNAME new.; www. 60 CNAME www.new.; www.new. 60 A 192.0.2.1]",
			"a.B.":  "NOERROR aa an[. 60 DNAME new.; a.B. 60 CNAME a.B.new.; a.B.new. 60 A 192.0.2.2]",
			"held.": "NOERROR aa an[held. 60 A 192.0.2.3]",
			"c.":    "NXDOMAIN aa an[. 60 DNAME new.; c. 60 CNAME c.new.]",
		} {
			if m, _ := query(t, h, name, dns.TypeA); render(m) != want {
				t.Errorf("%s: got %s, want %s", name, render(m), want)
			}
		}
	})
	t.Run("to itself", func(t *testing.T) {
		m, _ := query(t, serve(parseZone(t, ". 60 DNAME a.\n", ".")), "www.", dns.TypeA)
		if m.Rcode != dns.RcodeServerFailure {
			t.Errorf("got %s, want SERVFAIL", render(m))
		}
	})
	t.Run("to a name that is too long", func(t *testing.T) {
		label := strings.Repeat("a", 63) + "."
		h := serve(parseZone(t, "example.org. 60 SOA ns. h. 1 1 1 1 30\nold.example.org. 60 DNAME "+label+label+label+"example.org.\n", "example.org."))
		m, _ := query(t, h, label+"old.example.org.", dns.TypeA)
		if m.Rcode != dns.RcodeYXDomain || len(m.Answer) != 1 {
			t.Errorf("got %s, want YXDOMAIN with the DNAME (RFC 6672, section 2.2)", render(m))
		}
	})
	t.Run("for the CNAME alone", func(t *testing.T) {
		m, _ := query(t, serve(parseZone(t, zoneText, "example.org.")), "www.old.example.org.", dns.TypeCNAME)
		if got, want := render(m), "NOERROR aa an[old.example.org. 60 DNAME example.org.; www.old.example.org. 60 CNAME www.example.org.]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
