// Package steer is a CoreDNS plugin that answers with what is healthy.
package steer

import (
	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/instance"
)

func init() { plugin.Register(handler.Name, setup) }

// setup reads one directive and wires CoreDNS's hooks. It starts nothing itself: when a
// later directive is wrong, the new instance is dropped and none of its hooks is called.
func setup(c *caddy.Controller) error {
	in, err := instance.New(c)
	if err != nil {
		return plugin.Error(handler.Name, err)
	}
	c.OnStartup(in.Start)
	c.OnShutdown(in.Stop)
	if in.First() { // for all server blocks
		c.OnRestart(instance.Sweep)
		c.OnRestartFailed(instance.Sweep)
	}
	dnsserver.GetConfig(c).AddPlugin(func(next plugin.Handler) plugin.Handler {
		in.Handler().Next = next
		return in.Handler()
	})
	return nil
}
