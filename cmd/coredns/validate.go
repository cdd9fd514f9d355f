package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/coredns/caddy"
)

// serverType is the name under which CoreDNS registers with caddy.
const serverType = "dns"

// validate reads the Corefile that the flags name and sets up all its directives, as a
// start does, but runs none of their start-up functions.
func validate() error {
	if words := flag.Args(); len(words) > 0 {
		return fmt.Errorf("extra command line arguments: %q", words)
	}
	// Without any file CoreDNS starts with a Corefile of its own, which is not what was to
	// be validated.
	if flag.Lookup("conf").Value.String() == "" {
		if _, err := os.Stat(caddy.DefaultConfigFile); err != nil {
			return fmt.Errorf("no Corefile to validate: %w; name one with -conf", err)
		}
	}
	corefile, err := caddy.LoadCaddyfile(serverType)
	if err != nil {
		return err
	}
	return caddy.ValidateAndExecuteDirectives(corefile, nil, true)
}
