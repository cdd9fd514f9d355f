// Command coredns is CoreDNS with every plugin of its tree and steer, which stands
// right before hosts: a name held here is answered with what is healthy, before any
// other source of data is asked.
//
// With -validate it sets up every directive of the Corefile, starts nothing, and exits
// with 0, or with 1 and the error.
package main

import (
	"flag"
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
		fail(err)
	}
	validateOnly := flag.Bool("validate", false, "Set up the Corefile's directives without starting a server, and exit")
	flag.Parse()
	if *validateOnly {
		if err := validate(); err != nil {
			fail(err)
		}
		return
	}
	coremain.Run()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// insertDirective puts a directive into the order of plugins.
func insertDirective(name string) error {
	i := slices.Index(dnsserver.Directives, before)
	if i < 0 {
		return fmt.Errorf("this CoreDNS has no directive %q to stand before", before)
	}
	return dnsserver.SetDirectives(slices.Insert(slices.Clone(dnsserver.Directives), i, name))
}
