package steer

import (
	"context"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	"github.com/steerdns/steer/plugin/handler"
)

// large is how many record sets have to be running for a load of others to go about quietly.
const large = 10_000

func init() { plugin.Register(handler.Name, setup) }

// setup reads one directive and wires CoreDNS's hooks. It starts nothing itself: when a
// later directive is wrong, the new instance is dropped and none of its hooks is called.
func setup(c *caddy.Controller) error {
	in, err := load(c)
	if err != nil {
		return plugin.Error(handler.Name, err)
	}
	in.watchServers(c)
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

// load reads a directive and compiles it: quietly, if much is running.
func load(c *caddy.Controller) (in *instance, err error) {
	read := func() {
		var config *config
		if config, err = parse(c); err == nil {
			in = newInstance(c, config)
		}
	}
	if running.recordSets() < large {
		read()
	} else {
		quietly(context.Background(), read)
	}
	return in, err
}
