package steer

import (
	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	"github.com/steerdns/steer/plugin/handler"
)

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

// load reads a directive and compiles it.
func load(c *caddy.Controller) (*instance, error) {
	loading <- struct{}{}
	defer func() { <-loading }()
	config, err := parse(c)
	if err != nil {
		return nil, err
	}
	return newInstance(c, config), nil
}
