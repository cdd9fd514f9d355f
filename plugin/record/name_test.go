package record

import (
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func TestCanonical(t *testing.T) {
	label := strings.Repeat("a", 63)
	longest := label + "." + label + "." + label + "." + strings.Repeat("a", 61)
	tests := []struct{ name, in, want string }{
		{"lower case, final dot", "WWW.Example.org", "www.example.org."},
		{"already canonical", "www.example.org.", "www.example.org."},
		{"the root", ".", "."},
		{"a wildcard", "*.Example.org", "*.example.org."},
		{"underscores", "_sip._TCP.example.org", "_sip._tcp.example.org."},
		{"an escape that needs none", `\119ww.example.org`, "www.example.org."},
		{"an escape of a capital", `\087ww.example.org`, "www.example.org."},
		{"an escaped dot", `a\.b.example.org`, `a\.b.example.org.`},
		{"an escaped dot by number", `a\046b.example.org`, `a\.b.example.org.`},
		{"an escaped final dot", `a\.`, `a\..`},
		{"a blank", "a b.example.org", `a\ b.example.org.`},
		{"not ASCII", "ä.example.org", ""},
		{"not ASCII, escaped", `\195\164.example.org`, `\195\164.example.org.`},
		{"the longest name", longest, longest + "."},
		{"a name too long", longest + "a", ""},
		{"a label too long", label + "a.example.org", ""},
		{"an empty label", "a..example.org", ""},
		{"an empty first label", ".example.org", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		got, err := Canonical(tt.in)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: Canonical(%q) = %q, %v; want %q", tt.name, tt.in, got, err, tt.want)
		}
	}
}

// FuzzCanonical checks that the canonical spelling is the one that names read from the
// wire have, in lower case, and that it does not change again.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"www.example.org", `a\.b`, `\000\255`, "ä", "*", "..", `\`, `a\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, err := Canonical(s)
		if err != nil {
			return
		}
		if again, err := Canonical(name); err != nil || again != name {
			t.Fatalf("%q is canonical %q, then %q, %v", s, name, again, err)
		}
		wire := make([]byte, 256)
		n, err := dns.PackDomainName(name, wire, 0, nil, false)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		back, _, err := dns.UnpackDomainName(wire[:n], 0)
		if err != nil || back != name {
			t.Fatalf("%q comes back as %q, %v", name, back, err)
		}
	})
}

func TestParent(t *testing.T) {
	var got []string
	for name, ok := `a\.b.example.org.`, true; ok; name, ok = Parent(name) {
		got = append(got, name)
	}
	if s := strings.Join(got, " "); s != `a\.b.example.org. example.org. org. .` {
		t.Error(s)
	}
}
