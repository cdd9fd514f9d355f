package handler_test

import (
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
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
		h := serve(parseZone(t, ". 60 DNAME new.\nwww.new. 60 A 192.0.2.1\na.b.new. 60 A 192.0.2.2\n", ".", "new."))
		for name, want := range map[string]string{
			"www.": "NOERROR aa an[. 60 DNAME new.; www. 60 CNAME www.new.; www.new. 60 A 192.0.2.1]",
			"a.B.": "NOERROR aa an[. 60 DNAME new.; a.B. 60 CNAME a.B.new.; a.B.new. 60 A 192.0.2.2]",
			"c.":   "NXDOMAIN aa an[. 60 DNAME new.; c. 60 CNAME c.new.]",
		} {
			if m, _ := query(t, h, name, dns.TypeA); render(m) != want {
				t.Errorf("%s: got %s, want %s", name, render(m), want)
			}
		}
	})
	t.Run("to itself", func(t *testing.T) {
		m, _ := query(t, serve(parseZone(t, ". 60 DNAME a.\n", ".")), "www.", dns.TypeA)
		dnames := 0
		for _, rr := range m.Answer {
			if rr.Header().Rrtype == dns.TypeDNAME {
				dnames++
			}
		}
		if m.Rcode != dns.RcodeSuccess || dnames != 1 || len(m.Answer) != 18 {
			t.Errorf("got %s, want NOERROR with the DNAME once and 17 CNAMEs", render(m))
		}
	})
	t.Run("in a circle", func(t *testing.T) {
		m, _ := query(t, serve(parseZone(t, "a. 60 DNAME b.\nb. 60 DNAME a.\n", ".")), "x.a.", dns.TypeA)
		if got, want := render(m), "NOERROR aa an[a. 60 DNAME b.; x.a. 60 CNAME x.b.; b. 60 DNAME a.; x.b. 60 CNAME x.a.]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("by one of several", func(t *testing.T) {
		c := record.NewCatalog([]string{"."})
		weight := func(text string) record.RecordSet {
			return record.RecordSet{Weight: 1, Check: record.NoCheck, Values: rr(t, text)}
		}
		add(t, c, record.Key{Name: "old.", Type: dns.TypeDNAME}, record.Weighted, weight("old. 60 DNAME x.old."), weight("old. 60 DNAME new."))
		h := serve(c)
		first := true
		h.SetRand(func(uint64) uint64 { // the first DNAME, and then the other
			defer func() { first = false }()
			return map[bool]uint64{false: 1}[first]
		})
		m, _ := query(t, h, "a.old.", dns.TypeA)
		seen := map[string]bool{}
		for _, rr := range m.Answer {
			if dname, ok := rr.(*dns.DNAME); ok {
				seen[dname.Target] = true
			}
		}
		if len(seen) != 1 {
			t.Errorf("%s: the name has %d DNAMEs in one answer", render(m), len(seen))
		}
	})
	t.Run("for everything", func(t *testing.T) {
		const old = "NOERROR aa an[old.example.org. 60 DNAME example.org.; "
		for name, want := range map[string]string{
			"www.old.example.org.":   old + `www.old.example.org. 60 CNAME www.example.org.; www.example.org. 3600 HINFO "RFC8482" ""]`,
			"cname.old.example.org.": old + "cname.old.example.org. 60 CNAME cname.example.org.; cname.example.org. 60 CNAME www.example.org.]",
			"empty.old.example.org.": old + "empty.old.example.org. 60 CNAME empty.example.org.] " + soa,
			"x.sub.old.example.org.": old + "x.sub.old.example.org. 60 CNAME x.sub.example.org.]",
			"a.old.example.org.":     "NXDOMAIN" + strings.TrimPrefix(old, "NOERROR") + "a.old.example.org. 60 CNAME a.example.org.] " + soa,
		} {
			if m, _ := query(t, serve(parseZone(t, zoneText, "example.org.")), name, dns.TypeANY); render(m) != want {
				t.Errorf("%s: got %s, want %s", name, render(m), want)
			}
		}
	})
	t.Run("for the DS", func(t *testing.T) {
		const old = "NOERROR aa an[old.example.org. 60 DNAME example.org.; "
		const ds = "; sub.example.org. 60 DS 1 8 2 0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF]"
		for name, want := range map[string]string{
			"sub.old.example.org.":   old + "sub.old.example.org. 60 CNAME sub.example.org." + ds,
			"cname.old.example.org.": old + "cname.old.example.org. 60 CNAME cname.example.org.] " + soa, // which is no CNAME for a DS
			"www.old.example.org.":   old + "www.old.example.org. 60 CNAME www.example.org.] " + soa,
		} {
			if m, _ := query(t, serve(parseZone(t, zoneText, "example.org.")), name, dns.TypeDS); render(m) != want {
				t.Errorf("%s: got %s, want %s", name, render(m), want)
			}
		}
	})
	t.Run("for the DS of a zone of the block", func(t *testing.T) {
		h := serve(parseZone(t, "example.org. 60 SOA ns. h. 1 1 1 1 30\nz.example.org. 60 SOA ns. h. 2 1 1 1 30\nold.example.org. 60 DNAME example.org.\n", "example.org.", "z.example.org."))
		m, _ := query(t, h, "z.old.example.org.", dns.TypeDS)
		if got, want := render(m), "NOERROR aa an[old.example.org. 60 DNAME example.org.; z.old.example.org. 60 CNAME z.example.org.] ns[example.org. 30 SOA ns. h. 1 1 1 1 30]"; got != want {
			t.Errorf("got %s, want %s: the parent's side of the cut", got, want)
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
