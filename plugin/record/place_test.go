package record

import (
	"slices"
	"testing"

	"github.com/miekg/dns"
)

func TestPlace(t *testing.T) {
	c := newCatalog(t,
		newGroup(1, Simple, "www.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "a.ent.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "*.apps.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "below.*.wild.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "cut.example.org.", dns.TypeNS, plainRecord("x")),
		newGroup(1, Simple, "deep.cut.example.org.", dns.TypeNS, plainRecord("x")),
		newGroup(1, Simple, "ns.cut.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "old.example.org.", dns.TypeDNAME, plainRecord("x")),
		newGroup(1, Simple, "held.old.example.org.", dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "example.net.", dns.TypeA, plainRecord("x")),
	)
	for _, left := range []string{"left.example.org.", "*.gone.example.org.", "a.*.void.example.org.", "*.apps.example.org."} {
		c.Names[left] = struct{}{}
	}
	const zone = "example.org."
	tests := []struct {
		name string
		want Place
	}{
		{"www.example.org.", Place{zone, "www.example.org.", "", "", "www.example.org."}},
		{"example.org.", Place{zone, zone, "", "", zone}},
		{"ent.example.org.", Place{zone, "ent.example.org.", "", "", "ent.example.org."}},
		{"left.example.org.", Place{zone, "left.example.org.", "", "", "left.example.org."}},
		{"no.example.org.", Place{zone, zone, "", "", ""}},
		{"a.www.example.org.", Place{zone, "www.example.org.", "", "", ""}},
		{"x.apps.example.org.", Place{zone, "apps.example.org.", "", "", "*.apps.example.org."}},
		{"y.x.apps.example.org.", Place{zone, "apps.example.org.", "", "", "*.apps.example.org."}},
		{"x.*.apps.example.org.", Place{zone, "*.apps.example.org.", "", "", ""}},
		{"x.wild.example.org.", Place{zone, "wild.example.org.", "", "", "*.wild.example.org."}}, // an empty non-terminal
		{"x.gone.example.org.", Place{zone, "gone.example.org.", "", "", ""}},
		{"*.gone.example.org.", Place{zone, "*.gone.example.org.", "", "", "*.gone.example.org."}},
		{"x.void.example.org.", Place{zone, "void.example.org.", "", "", ""}},
		{"cut.example.org.", Place{zone, "cut.example.org.", "cut.example.org.", "", "cut.example.org."}},
		{"x.deep.cut.example.org.", Place{zone, "deep.cut.example.org.", "cut.example.org.", "", ""}},
		{"ns.cut.example.org.", Place{zone, "ns.cut.example.org.", "cut.example.org.", "", "ns.cut.example.org."}},
		{"x.old.example.org.", Place{zone, "old.example.org.", "", "old.example.org.", ""}},
		{"held.old.example.org.", Place{zone, "held.old.example.org.", "", "", "held.old.example.org."}},
		{"x.example.net.", Place{"example.net.", "example.net.", "", "", ""}},
		{"org.", Place{}},
		{".", Place{}},
		{"www.example.com.", Place{}},
	}
	for _, tt := range tests {
		if got := c.Place(tt.name); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestTypes: types that have no name are held like any other.
func TestTypes(t *testing.T) {
	const name = "www.example.org."
	c := newCatalog(t,
		newGroup(1, Simple, name, 65280, plainRecord("x")),
		newGroup(1, Simple, name, dns.TypeA, plainRecord("x")),
		newGroup(1, Simple, "only.example.org.", 65281, plainRecord("x")),
	)
	if got, want := c.Types(name), []uint16{dns.TypeA, 65280}; !slices.Equal(got, want) {
		t.Errorf("types %v, want %v", got, want)
	}
	all := NewCatalog([]string{"example.org."})
	g := newGroup(1, Simple, name, 65282, plainRecord("x"))
	all.AddAll([]*Group{g}, map[Key]*Group{g.Key: g}, func(_ *Group, err error) { t.Error(err) })
	if got, want := all.Types(name), []uint16{65282}; !slices.Equal(got, want) {
		t.Errorf("types %v of groups that were added at once, want %v", got, want)
	}
	if got := c.Types("example.org."); got != nil {
		t.Errorf("the zone holds %v, want nothing", got)
	}
	c.FallthroughTypes = func(string) bool { return true }
	if _, held := c.Target("only.example.org.", dns.TypeA); held != Elsewhere {
		t.Errorf("a type not held at a name that holds another is held %d, want elsewhere", held)
	}
}
