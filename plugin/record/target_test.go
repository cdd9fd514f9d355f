package record

import (
	"fmt"
	"slices"
	"testing"

	"github.com/miekg/dns"
)

func TestResolveTarget(t *testing.T) {
	c := newCatalog(t,
		newGroup(1, Simple, "www.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "a.b.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "*.apps.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "six.pool.example.org.", dns.TypeAAAA, plainRecord("x")),
		newGroup(1, Simple, "name.stands.above.example.org.", dns.TypeA, plainRecord("x")),
	)
	tests := []struct{ name, written, want string }{
		{"the zone", "@", "example.org."},
		{"a name of the zone", "WWW", "www.example.org."},
		{"a name of two labels that is held", "a.b", "a.b.example.org."},
		{"a name that a wildcard answers", "one.apps", "one.apps.example.org."},
		{"one that ends in a zone", "api.example.net", "api.example.net."},
		{"with its final dot", "www.", "www."},
		{"a name of two labels that holds another type", "six.pool", "six.pool.example.org."},
		{"one that only stands above others", "stands.above", "stands.above.example.org."},
		{"one that nothing holds, below one that does", "x.six.pool", "x.six.pool."},
		{"a name elsewhere", "www.example.com", "www.example.com."},
		{"one label that nothing holds", "api", "api.example.org."},
	}
	for _, tt := range tests {
		if got, err := c.ResolveTarget("example.org.", tt.written, dns.TypeA); got != tt.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	for _, written := range []string{"", "a..b", "a." + string(make([]byte, 70))} {
		if got, err := c.ResolveTarget("example.org.", written, dns.TypeA); err == nil {
			t.Errorf("%q is %q, want an error", written, got)
		}
	}
}

// TestTarget asks where targets are held, without and with fallthrough.
func TestTarget(t *testing.T) {
	c := newCatalog(t,
		newGroup(1, Simple, "www.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "*.apps.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "a.ent.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "example.net.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "example.net.", dns.TypeNS, plainRecord("x")),
		newGroup(1, Simple, "cut.example.org.", dns.TypeNS, plainRecord("x")),
		newGroup(1, Simple, "ns.cut.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "*.cut.example.org.", dns.TypeA, plainRecord("x")),
	)
	c.Names["left.example.org."] = struct{}{}
	tests := []struct {
		name               string
		typ                uint16
		holder             string // "" when it is not here
		names, types, none Held   // with fallthrough, with fallthrough_types, with neither
	}{
		{"www.example.org.", dns.TypeA, "www.example.org.", Here, Here, Here},
		{"www.example.org.", dns.TypeAAAA, "", Nowhere, Elsewhere, Nowhere},
		{"api.example.org.", dns.TypeA, "", Elsewhere, Nowhere, Nowhere},
		{"one.apps.example.org.", dns.TypeA, "*.apps.example.org.", Here, Here, Here},
		{"one.two.apps.example.org.", dns.TypeA, "*.apps.example.org.", Here, Here, Here},
		{"one.apps.example.org.", dns.TypeAAAA, "", Nowhere, Elsewhere, Nowhere},
		{"apps.example.org.", dns.TypeA, "", Elsewhere, Nowhere, Nowhere},
		{"ent.example.org.", dns.TypeA, "", Elsewhere, Nowhere, Nowhere},
		{"left.example.org.", dns.TypeA, "", Elsewhere, Nowhere, Nowhere},
		{"www.example.com.", dns.TypeA, "", Elsewhere, Elsewhere, Elsewhere},
		{"example.net.", dns.TypeA, "example.net.", Here, Here, Here},
		{"cut.example.org.", dns.TypeA, "", Elsewhere, Elsewhere, Elsewhere},
		{"ns.cut.example.org.", dns.TypeA, "", Elsewhere, Elsewhere, Elsewhere},
		{"x.cut.example.org.", dns.TypeA, "", Elsewhere, Elsewhere, Elsewhere},
		{"x.y.cut.example.org.", dns.TypeAAAA, "", Elsewhere, Elsewhere, Elsewhere},
		{"uncut.example.org.", dns.TypeA, "", Elsewhere, Nowhere, Nowhere},
	}
	always := func(string) bool { return true }
	for _, tt := range tests {
		for _, way := range []struct {
			name         string
			names, types func(string) bool
			want         Held
		}{{"fallthrough", always, nil, tt.names}, {"fallthrough_types", nil, always, tt.types}, {"neither", nil, nil, tt.none}} {
			c.Fallthrough, c.FallthroughTypes = way.names, way.types
			g, held := c.Target(tt.name, tt.typ)
			if held != way.want || (g != nil) != (held == Here) || g != nil && g.Name != tt.holder {
				t.Errorf("%s %s with %s: %v, %v; want %v", tt.name, dns.Type(tt.typ), way.name, g, held, way.want)
			}
		}
	}
}

// TestLookupRootWildcard: the wildcard of the root zone has no second dot.
func TestLookupRootWildcard(t *testing.T) {
	c := NewCatalog([]string{"."})
	wild := newGroup(1, Simple, "*.", dns.TypeA, plainRecord("x"))
	if err := c.Add(wild); err != nil {
		t.Fatal(err)
	}
	if g := c.Lookup(Key{"www.example.org.", dns.TypeA}); g != wild {
		t.Errorf("got %v", g)
	}
}

func TestExists(t *testing.T) {
	c := NewCatalog([]string{"example.org.", "a.b.example.org."})
	if err := c.Add(newGroup(1, Simple, "x.y.example.org.", dns.TypeA, plainRecord("x"))); err != nil {
		t.Fatal(err)
	}
	c.Names["left.out.example.org."] = struct{}{}
	names := []string{
		"example.org.", "y.example.org.", "x.y.example.org.", "a.b.example.org.", "b.example.org.", "out.example.org.", "left.out.example.org.",
		"org.", ".", "a.example.org.", "z.x.y.example.org.",
	}
	exist := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !c.Exists(n) })
	if want := names[:7]; !slices.Equal(exist, want) {
		t.Errorf("%v exist, want %v", exist, want)
	}
}

// TestCut asks for the delegation that a name is at or below: the topmost one, and never
// an apex, whose NS is the zone's own.
func TestCut(t *testing.T) {
	c := NewCatalog([]string{"example.org.", "zone.cut.example.org."})
	for _, name := range []string{"example.org.", "cut.example.org.", "low.cut.example.org.", "zone.cut.example.org.", "cut.zone.cut.example.org."} {
		if got := c.Cut("x." + name); name == "example.org." && got != "" {
			t.Errorf("without NS there is a cut at %s", got)
		}
		if err := c.Add(newGroup(1, Simple, name, dns.TypeNS, plainRecord("x"))); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"example.org.":                  "",
		"www.example.org.":              "",
		"cut.example.org.":              "cut.example.org.",
		"x.cut.example.org.":            "cut.example.org.",
		"low.cut.example.org.":          "cut.example.org.",
		"x.low.cut.example.org.":        "cut.example.org.",
		"zone.cut.example.org.":         "",
		"x.zone.cut.example.org.":       "",
		"cut.zone.cut.example.org.":     "cut.zone.cut.example.org.",
		"a.b.cut.zone.cut.example.org.": "cut.zone.cut.example.org.",
		"www.example.com.":              "",
	} {
		if got := c.Cut(name); got != want {
			t.Errorf("%s: cut at %q, want %q", name, got, want)
		}
	}
}

func TestEnumerate(t *testing.T) {
	names := make([]string, 20_000)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	for n, want := range map[int]string{
		0: "", 1: "0", 8: "0, 1, 2, 3, 4, 5, 6, 7",
		9:      "0, 1, 2, 3, 4, 5, 6, 7 and 1 more",
		20_000: "0, 1, 2, 3, 4, 5, 6, 7 and 19992 more",
	} {
		if got := Enumerate(names[:n]); got != want {
			t.Errorf("%d names: %q, want %q", n, got, want)
		}
	}
}
