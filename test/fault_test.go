package test

import (
	"errors"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/plugin"
)

// faultName is a directive of the tests that stands after all others and fails where
// its argument says: in setup, at startup, or at the shutdown of its instance.
const faultName = "fault"

func init() {
	plugin.Register(faultName, func(c *caddy.Controller) error {
		fail := func() error { return errors.New("a fault of the test") }
		c.Next()
		c.NextArg()
		switch where := c.Val(); where {
		case "setup":
			return plugin.Error(faultName, fail())
		case "startup":
			c.OnStartup(fail)
		case "shutdown":
			c.OnShutdown(fail)
		default:
			return plugin.Error(faultName, c.Errf("no fault %q", where))
		}
		return nil
	})
}
