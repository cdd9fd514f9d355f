package bench

import (
	"strings"
	"testing"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/file"

	// Found by their directives, since they export no way to make them.
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/template"
	"github.com/coredns/coredns/plugin/whoami"
)

// neighbour is a plugin of CoreDNS that answers for the name of the weighted group.
type neighbour struct {
	name    string
	handler func(tb testing.TB) plugin.Handler
}

// neighbours are what steer is measured against. Those that hold data hold three
// addresses and answer with all of them.
var neighbours = []neighbour{
	{"whoami", func(testing.TB) plugin.Handler { return whoami.Whoami{} }},
	{"file", fileZone},
	{"hosts", func(tb testing.TB) plugin.Handler {
		return directive(tb, nil, `hosts /dev/null example.org {
			192.0.2.1 weighted3.example.org
			192.0.2.2 weighted3.example.org
			192.0.2.3 weighted3.example.org
			no_reverse
			reload 0
		}`)
	}},
	{"template", func(tb testing.TB) plugin.Handler {
		return directive(tb, nil, `template IN A example.org {
			answer "{{ .Name }} 60 IN A 192.0.2.1"
		}`)
	}},
	{"loadbalance+file", func(tb testing.TB) plugin.Handler { return directive(tb, fileZone(tb), "loadbalance") }},
}

// fileZone is CoreDNS's file plugin with three A records at one name.
func fileZone(tb testing.TB) plugin.Handler {
	tb.Helper()
	const text = `$ORIGIN example.org.
@ 60 IN SOA ns.dns hostmaster 1 7200 900 1209600 60
@ 60 IN NS ns.dns
weighted3 60 IN A 192.0.2.1
weighted3 60 IN A 192.0.2.2
weighted3 60 IN A 192.0.2.3
`
	z, err := file.Parse(strings.NewReader(text), "example.org.", "stdin", 0)
	if err != nil {
		tb.Fatal(err)
	}
	return file.File{Zones: file.Zones{Z: map[string]*file.Zone{"example.org.": z}, Names: []string{"example.org."}}}
}

// directive is the handler that a stanza of a Corefile makes.
func directive(tb testing.TB, next plugin.Handler, stanza string) plugin.Handler {
	tb.Helper()
	name, _, _ := strings.Cut(stanza, " ")
	setup, err := caddy.DirectiveAction("dns", name)
	if err != nil {
		tb.Fatal(err)
	}
	c := caddy.NewTestController("dns", stanza)
	if err := setup(c); err != nil {
		tb.Fatal(err)
	}
	plugins := dnsserver.GetConfig(c).Plugin
	return plugins[len(plugins)-1](next)
}
