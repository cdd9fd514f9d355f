package steer

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	clog "github.com/coredns/coredns/plugin/pkg/log"
	"github.com/coredns/coredns/plugin/pkg/transport"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

var log = clog.NewWithPlugin(handler.Name)

// readyWithin is how long /ready waits for first results at most.
const readyWithin = 10 * time.Second

// checks are the health checks of the process. They outlive instances, so that a
// reload finds them running.
var checks = healthcheck.NewPool(healthcheck.Options{OnTransition: logTransition})

// logTransition writes the one line that a change of health gets.
func logTransition(t healthcheck.Transition) {
	line := fmt.Sprintf("check %q of %s: %s -> %s: %s", t.Check, t.Owner, t.From, t.To, t.Reason)
	if t.To == healthcheck.Unhealthy {
		log.Warning(line)
		return
	}
	log.Info(line)
}

// instance is the directive of one server block, from setup to shutdown.
type instance struct {
	owner    string // the server block's keys: names the block in logs and metrics
	config   *config
	handler  *handler.Handler
	server   *dnsserver.Config
	resolver *handler.Resolver

	lease   *healthcheck.Lease
	started time.Time
	cancel  context.CancelFunc
	wait    sync.WaitGroup
	stopped sync.Once
}

// storageKey is where a caddy.Instance holds its []*instance.
type storageKey struct{}

func newInstance(c *caddy.Controller, config *config) *instance {
	siblings, _ := c.Get(storageKey{}).([]*instance)
	in := &instance{
		owner:   owner(c.ServerBlockKeys, siblings),
		config:  config,
		server:  dnsserver.GetConfig(c),
		handler: handler.New(handler.NewData(config.catalog, initial(config.catalog))),
	}
	in.handler.IsReady = in.ready
	c.Set(storageKey{}, append(siblings, in))
	return in
}

// owner names a server block by its keys: "example.org.:53". Blocks that share them,
// as those with views do, are numbered.
func owner(keys []string, siblings []*instance) string {
	short := make([]string, len(keys))
	for i, k := range keys {
		short[i] = strings.TrimPrefix(k, transport.DNS+"://")
	}
	base := strings.Join(short, " ")
	name := base
	for n := 2; ; n++ {
		taken := false
		for _, s := range siblings {
			taken = taken || s.owner == name
		}
		if !taken {
			return name
		}
		name = fmt.Sprintf("%s #%d", base, n)
	}
}

// initial returns the statuses to compile under before the checks are joined.
func initial(c *record.Catalog) []healthcheck.Status {
	statuses := make([]healthcheck.Status, len(c.Checks))
	for i := range statuses {
		statuses[i] = healthcheck.Healthy
	}
	return statuses
}

// start joins the checks, which run already if an earlier instance has them, and begins
// to follow their statuses. It waits for no result.
func (in *instance) start() error {
	for _, w := range in.config.warnings {
		log.Warningf("%s: %v", w.Pos, w.Err)
	}
	in.started = time.Now()
	in.handler.Metadata = in.server.Handler("metadata") != nil
	in.lease = checks.Acquire(in.owner, in.config.catalog.Checks)
	data := in.handler.Data()
	changes := make([]healthcheck.Change, 0, len(in.config.catalog.Checks))
	for i, s := range in.lease.Statuses() {
		changes = append(changes, healthcheck.Change{Check: i, Status: s})
	}
	data.Update(changes, nil)

	var ctx context.Context
	ctx, in.cancel = context.WithCancel(context.Background())
	in.wait.Go(func() { in.follow(ctx) })

	old := running.add(in)
	if in.resolver = handler.NewResolver(in.handler, in.wake()); in.resolver != nil {
		if old != nil && old.resolver != nil {
			in.resolver.Adopt(old.resolver)
		}
		in.resolver.Start()
	}
	return nil
}

// follow publishes changes of health until the context ends.
func (in *instance) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-in.lease.Changed():
			in.handler.Data().Update(in.lease.Take(), nil)
		}
	}
}

// stop leaves the checks. What was answered last is answered on, since CoreDNS serves
// through a lameduck after this. It may be called more than once, and for an instance
// that was never started.
func (in *instance) stop() error {
	if in.lease == nil {
		return nil
	}
	in.stopped.Do(func() {
		in.cancel()
		in.wait.Wait()
		if in.resolver != nil {
			in.resolver.Stop()
		}
		in.lease.Release()
		running.remove(in)
	})
	return nil
}

// ready is whether every check knows its first status, or has had its time to.
func (in *instance) ready() bool {
	return in.lease != nil && (in.lease.Known() || time.Since(in.started) > readyWithin)
}

// wake returns how the Resolver gets to know the server that it runs in: by a query to
// the block's own listener. A block that plain DNS does not reach has to wait for its
// first query.
func (in *instance) wake() func(context.Context) {
	s := in.server
	if s.Transport != transport.DNS || s.Port == "0" || len(in.config.catalog.Zones) == 0 {
		return nil
	}
	host := "127.0.0.1"
	if len(s.ListenHosts) > 0 && s.ListenHosts[0] != "" {
		host = s.ListenHosts[0]
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.To4() == nil {
			host = "::1"
		}
	}
	return handler.Wake(net.JoinHostPort(host, s.Port), in.config.catalog.Zones[0])
}
