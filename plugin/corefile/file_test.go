package corefile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// TestBlockNames: the name of a server block tells it from others and stays short.
func TestBlockNames(t *testing.T) {
	var keys []string
	for i := range 20 {
		keys = append(keys, fmt.Sprintf("dns://z%d.example%d.org.:53", i, i))
	}
	var names BlockNames
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{keys[:1], "z0.example0.org.:53"},
		{keys[:2], "z0.example0.org.:53 z1.example1.org.:53"},
		{keys[:1], "z0.example0.org.:53 #2"},
		{[]string{"tls://example.org.:853"}, "tls://example.org.:853"},
		{keys[:1], "z0.example0.org.:53 #3"},
		{keys[:9], "z0.example0.org.:53 z1.example1.org.:53 z2.example2.org.:53 z3.example3.org.:53 z4.example4.org.:53 z5.example5.org.:53 z6.example6.org.:53 z7.example7.org.:53 and 1 more"},
	} {
		if got := names.Name(tt.keys); got != tt.want {
			t.Errorf("the block of %v is %q, want %q", tt.keys, got, tt.want)
		}
	}
}

// TestReadFile: a file is read as CoreDNS reads it, and only what belongs to steer is kept.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("STEER_TEST_ADDRESS", "192.0.2.7")
	write(t, "more.corefile", "192.0.2.0/23:5353 tls://Example.NET {\n\tsteer {\n\t\tsimple @ A 192.0.2.8\n\t}\n}\n")
	write(t, "Corefile", `(quick) {
	interval 2s
}
example.org {
	errors
	root zones
	steer {
		check web http://192.0.2.1/ {
			import quick
		}
		simple www A {$STEER_TEST_ADDRESS} check web
	}
	forward . 192.0.2.53
}
example.org {
	steer {
		simple two A 192.0.2.2
	}
}
example.com:1053 {
	whoami
}
import more.corefile
`)
	file, err := ReadFile("Corefile")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"example.org.", "example.org.", "example.com.", "2.0.192.in-addr.arpa.", "3.0.192.in-addr.arpa.", "example.net."}; !slices.Equal(file.Zones, want) {
		t.Errorf("zones %q, want %q", file.Zones, want)
	}
	if len(file.Problems) > 0 {
		t.Errorf("problems %v", file.Problems)
	}
	for i, want := range []struct{ name, pos, root, group string }{
		{"example.org.:53", "Corefile:7", "zones", "www.example.org."},
		{"example.org.:53 #2", "Corefile:16", "", "two.example.org."},
		{"2.0.192.in-addr.arpa.:5353 3.0.192.in-addr.arpa.:5353 tls://example.net.:853", "more.corefile:2", "", "example.net."},
	} {
		if i >= len(file.Blocks) {
			t.Fatalf("%d blocks, want three", len(file.Blocks))
		}
		b := &file.Blocks[i]
		if b.Name != want.name || !strings.HasSuffix(b.Pos.String(), want.pos) || b.root != want.root {
			t.Errorf("block %q at %s below %q, want %+v", b.Name, b.Pos, b.root, want)
		}
		c, err := b.Load(t.Context(), parsedAt)
		if err != nil {
			t.Error(err)
			continue
		}
		if c.Catalog.Groups[record.Key{Name: want.group, Type: dns.TypeA}] == nil {
			t.Errorf("block %q holds no %s", b.Name, want.group)
		}
	}
}

// TestReadFileErrors: what is wrong with the structure of the file.
func TestReadFileErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ name, text, want string }{
		{"a key that is none", "example..org {\n\tsteer {\n\t}\n}\n", "Corefile: zone is not a valid domain name: example..org"},
		{"an import of nothing", "example.org {\n\timport nowhere.conf\n}\n", "nowhere.conf"},
		{"a brace too many", "example.org {\n\tsteer {\n\t\tcheck web tcp://192.0.2.1:80\n\t}\n\tsimple www A 192.0.2.1\n\tweighted a A {\n\t}\n}\n", `Corefile:5 - Error during parsing: "simple" stands outside a steer block; is a '}' above it too many?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, "Corefile", tt.text)
			file, err := ReadFile("Corefile")
			if err == nil && len(file.Problems) > 0 {
				err = file.Problems[0]
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestOthers: whoever listens at the same address, with the same transport, has zones that
// queries may go to instead.
func TestOthers(t *testing.T) {
	const file = `example.org example.net:1053 {
	steer {
	}
}
sub.example.org {
	whoami
}
example.net {
	whoami
}
tls://a.example.org {
	whoami
}
b.example.org {
	bind 127.0.0.1 lo
	steer {
	}
}
c.example.org {
	bind 127.0.0.1
	whoami
}
`
	f, err := Read("Corefile", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ zones, others []string }{
		{[]string{"example.org.", "example.net."}, []string{"sub.example.org.", "example.net."}},
		{[]string{"b.example.org."}, []string{"c.example.org."}},
	} {
		b := &f.Blocks[i]
		if got := b.Zones(); !slices.Equal(got, want.zones) {
			t.Errorf("block %q has zones %q, want %q", b.Name, got, want.zones)
		}
		if got := f.Others(b); !slices.Equal(got, want.others) {
			t.Errorf("block %q: others have %q, want %q", b.Name, got, want.others)
		}
	}
}

// TestLoadLints: a block is looked at for traps as its options say.
func TestLoadLints(t *testing.T) {
	f, err := Read("Corefile", strings.NewReader(`example.org {
	steer {
		simple a.sub A 192.0.2.1
		weighted www A {
			weight 0 192.0.2.1 check tcp://192.0.2.1:80
			weight 1 192.0.2.2 check tcp://192.0.2.2:80
		}
	}
}
`))
	if err != nil {
		t.Fatal(err)
	}
	b := &f.Blocks[0]
	b.Lint = lint.Options{Strict: true, Block: b.Zones(), Others: []string{"sub.example.org."}}
	c, err := b.Load(t.Context(), parsedAt)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range c.Findings {
		ids = append(ids, f.Trap.ID)
	}
	if want := []string{lint.NameInOtherBlock.ID, lint.ZeroWeight.ID}; !slices.Equal(ids, want) {
		t.Errorf("found %q, want %q", ids, want)
	}
}
