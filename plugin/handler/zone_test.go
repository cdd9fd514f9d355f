package handler_test

import (
	"slices"
	"testing"

	"github.com/miekg/dns"
)

// TestNestedZones checks that a name belongs to the closest zone above it.
func TestNestedZones(t *testing.T) {
	c := parseZone(t, `
example.org.            60 SOA ns.example.org. h.example.org. 1 1 1 1 30
deep.sub.example.org.   60 SOA ns.example.org. h.example.org. 2 1 1 1 40
www.example.org.        60 A 192.0.2.1
www.deep.sub.example.org. 60 A 192.0.2.2
`, "example.org.", "deep.sub.example.org.")
	h := serve(c)
	tests := []struct{ name, want string }{
		{"www.deep.sub.example.org.", "NOERROR aa an[www.deep.sub.example.org. 60 A 192.0.2.2]"},
		{"x.deep.sub.example.org.", "NXDOMAIN aa ns[deep.sub.example.org. 40 SOA ns.example.org. h.example.org. 2 1 1 1 40]"},
		{"sub.example.org.", "NOERROR aa ns[example.org. 30 SOA ns.example.org. h.example.org. 1 1 1 1 30]"},
		{"x.example.org.", "NXDOMAIN aa ns[example.org. 30 SOA ns.example.org. h.example.org. 1 1 1 1 30]"},
	}
	for _, tt := range tests {
		m, _ := query(t, h, tt.name, dns.TypeA)
		if got := render(m); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := h.CacheBypassZones(); !slices.Equal(got, []string{"example.org."}) {
		t.Errorf("cache bypasses %v, want the outer zone only", got)
	}
}

// TestNestedDS: DS is the parent's side of a cut, so at the apex of a zone inside another
// one it is held for the parent, and denied by it.
func TestNestedDS(t *testing.T) {
	const (
		zones = `
example.org.            60 SOA ns.example.org. h.example.org. 1 1 1 1 30
sub.example.org.        60 SOA ns.example.org. h.example.org. 2 1 1 1 40
www.sub.example.org.    60 A 192.0.2.2
`
		ds     = "sub.example.org. 60 DS 1 8 2 0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF"
		parent = "NOERROR aa ns[example.org. 30 SOA ns.example.org. h.example.org. 1 1 1 1 30]"
		child  = "NOERROR aa ns[sub.example.org. 40 SOA ns.example.org. h.example.org. 2 1 1 1 40]"
	)
	tests := []struct {
		why, text, name string
		typ             uint16
		want            string
	}{
		{"declared", zones + ds, "sub.example.org.", dns.TypeDS, "NOERROR aa an[" + ds + "]"},
		{"not declared", zones, "sub.example.org.", dns.TypeDS, parent},
		{"not declared, in upper case", zones, "SUB.example.org.", dns.TypeDS, parent},
		{"other types are the child's", zones, "sub.example.org.", dns.TypeCDS, child},
		{"so is DS below its apex", zones, "www.sub.example.org.", dns.TypeDS, child},
		{"the outer zone has no parent here", zones, "example.org.", dns.TypeDS, parent},
	}
	for _, tt := range tests {
		h := serve(parseZone(t, tt.text, "example.org.", "sub.example.org."))
		if m, _ := query(t, h, tt.name, tt.typ); render(m) != tt.want {
			t.Errorf("%s: got %s, want %s", tt.why, render(m), tt.want)
		}
	}
}

// TestRootZone checks that a block may serve the root.
func TestRootZone(t *testing.T) {
	h := serve(parseZone(t, ". 60 SOA ns. h. 1 1 1 1 30\n*. 60 A 192.0.2.1\nwww.example.org. 60 A 192.0.2.2\n", "."))
	for name, want := range map[string]string{
		"anything.":        "NOERROR aa an[anything. 60 A 192.0.2.1]",
		"www.example.org.": "NOERROR aa an[www.example.org. 60 A 192.0.2.2]",
		"org.":             "NOERROR aa ns[. 30 SOA ns. h. 1 1 1 1 30]",
		".":                "NOERROR aa ns[. 30 SOA ns. h. 1 1 1 1 30]",
	} {
		m, _ := query(t, h, name, dns.TypeA)
		if got := render(m); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestSOATTL is C44: negative answers carry the lesser of the SOA's TTL and minimum.
func TestSOATTL(t *testing.T) {
	for text, want := range map[string]uint32{
		"example.org. 900 SOA ns. h. 1 1 1 1 86400": 900,
		"example.org. 60 SOA ns. h. 1 1 1 1 60":     60,
		"example.org. 900 SOA ns. h. 1 1 1 1 5":     5,
	} {
		m, _ := query(t, serve(parseZone(t, text, "example.org.")), "nope.example.org.", dns.TypeA)
		if len(m.Ns) != 1 || m.Ns[0].Header().Ttl != want {
			t.Errorf("%s: authority %v, want one SOA with TTL %d", text, m.Ns, want)
		}
	}
}

// TestTopmostCut: of several delegations above a name the topmost counts; what lies below
// it is another server's.
func TestTopmostCut(t *testing.T) {
	h := serve(parseZone(t, chaseText, "example.org."))
	const want = "NOERROR ns[sub.example.org. 60 NS ns1.sub.example.org.] ad[ns1.sub.example.org. 60 A 192.0.2.53]"
	for name, typ := range map[string]uint16{
		"sub.example.org.":        dns.TypeA,
		"low.sub.example.org.":    dns.TypeNS,
		"LOW.sub.example.org.":    dns.TypeDS,
		"ns.low.sub.example.org.": dns.TypeA,
		"x.low.sub.example.org.":  dns.TypeA,
		"x.sub.example.org.":      dns.TypeTXT,
	} {
		if m, _ := query(t, h, name, typ); render(m) != want {
			t.Errorf("%s %s: got %s, want %s", name, dns.Type(typ), render(m), want)
		}
	}
}
