package steer

import (
	"context"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	"github.com/steerdns/steer/plugin/handler"
)

func init() { plugin.Register(handler.Name, setup) }

// setup reads one directive and wires CoreDNS's hooks. It starts nothing itself: when a
// later directive is wrong, the new instance is dropped and none of its hooks is called.
func setup(c *caddy.Controller) error {
	var in *instance
	var err error
	load := func() {
		var config *config
		if config, err = parse(c); err == nil {
			in = newInstance(c, config)
		}
	}
	if len(running.all()) > 0 {
		quietly(context.Background(), load)
	} else {
		load()
	}
	if err != nil {
		return plugin.Error(handler.Name, err)
	}
	c.OnStartup(in.start)
	c.OnShutdown(in.stop)
	c.OnRestart(sweep)
	c.OnRestartFailed(sweep)
	dnsserver.GetConfig(c).AddPlugin(func(next plugin.Handler) plugin.Handler {
		in.handler.Next = next
		return in.handler
	})
	return nil
}
