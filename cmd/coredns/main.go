// Command coredns is CoreDNS with every plugin of its tree and steer, which stands
// right before hosts: a name held here is answered with what is healthy, before any
// other source of data is asked.
package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/core/plugin" // CoreDNS's own plugins
	"github.com/coredns/coredns/coremain"

	_ "github.com/steerdns/steer"
)

// before is the directive that steer precedes in the order of plugins.
const before = "hosts"

func main() {
	if err := insertDirective("steer"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	coremain.Run()
}

// insertDirective puts a directive into the order of plugins.
func insertDirective(name string) error {
	i := slices.Index(dnsserver.Directives, before)
	if i < 0 {
		return fmt.Errorf("this CoreDNS has no directive %q to stand before", before)
	}
	return dnsserver.SetDirectives(slices.Insert(slices.Clone(dnsserver.Directives), i, name))
}
