// Package instance is the life of a steer directive: start and stop, what it serves from one
// load of its files to the next, and what is read when metrics are scraped.
package instance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	clog "github.com/coredns/coredns/plugin/pkg/log"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

var log = clog.NewWithPlugin(handler.Name)

// readyWithin is how long /ready waits for first results at most.
const readyWithin = 10 * time.Second

// checks are the health checks of the process. They outlive instances, so that a
// reload finds them running.
var checks = healthcheck.NewPool(healthcheck.Options{OnTransition: logTransition})

// logTransition writes the one line that a change of health gets, or of the reason for it.
func logTransition(t healthcheck.Transition) {
	change := fmt.Sprintf("%s -> %s", t.From, t.To)
	if t.From == t.To {
		change = "still " + t.To.String()
	}
	line := fmt.Sprintf("check %q of %s: %s: %s", t.Check, t.Owner, change, t.Reason)
	if !strings.HasPrefix(t.Check, t.Endpoint) { // the name of an unnamed check begins with it
		line += " (" + t.Endpoint + ")"
	}
	if t.To == healthcheck.Unhealthy || t.To == t.From {
		log.Warning(line)
		return
	}
	log.Info(line)
}

// logMove writes the one line that a group gets when it answers by another rule or from
// another tier, and a zone of a load balancer when it leaves DNS or returns.
func (in *Instance) logMove(t routing.Transition) {
	switch {
	case in.heir.Load() != nil: // which tells the same
	case t.Worse:
		log.Warning(t.Line(in.owner))
	default:
		log.Info(t.Line(in.owner))
	}
}

// Instance is the directive of one server block, from setup to shutdown.
type Instance struct {
	owner   string   // the server block's keys: names the block in logs and metrics
	keys    []string // of the server block: "dns://example.org.:53"
	zones   []string // canonical
	handler *handler.Handler
	server  *dnsserver.Config

	set  *instanceSet
	heir atomic.Pointer[Instance] // that has started to replace it; or nil

	life    sync.Mutex // held by start and stop: SIGTERM may come in the midst of a start
	stopped bool
	started time.Time
	cancel  context.CancelFunc // ends watching files
	wait    sync.WaitGroup

	mu      sync.Mutex
	config  *corefile.Config // what is served
	current *generation      // nil before start
	imports importTimes
}

// loading is held by whoever loads a configuration: two loads at a time would take memory
// and processors for both, beside what is running.
var loading = make(chan struct{}, 1)

// instanceSet is all instances of one caddy.Instance, which holds it under storageKey. It is
// complete when the first of them starts.
type instanceSet struct {
	members []*Instance
	names   corefile.BlockNames
	swept   sync.Once     // when the first of them starts
	blocks  []serverBlock // up to the last one with a member that wants to know its servers
}

type storageKey struct{}

// New reads the steer directive of a server block and compiles it. It starts nothing. It
// waits for a load that is under way.
func New(c *caddy.Controller) (*Instance, error) {
	loading <- struct{}{}
	defer func() { <-loading }()
	config, err := corefile.Load(context.Background(), &c.Dispenser, corefile.Env{
		Keys: c.ServerBlockKeys,
		Root: dnsserver.GetConfig(c).Root,
		Now:  time.Now(),
	})
	if err != nil {
		return nil, err
	}
	in := newInstance(c, config)
	in.watchServers(c)
	return in, nil
}

// First reports whether the instance is the first of those that one Corefile makes.
func (in *Instance) First() bool { return in.set.members[0] == in }

// Handler returns the plugin's handler.
func (in *Instance) Handler() *handler.Handler { return in.handler }

func newInstance(c *caddy.Controller, config *corefile.Config) *Instance {
	f, _ := c.Get(storageKey{}).(*instanceSet)
	if f == nil {
		f = &instanceSet{}
		c.Set(storageKey{}, f)
	}
	in := &Instance{
		owner:   f.names.Name(c.ServerBlockKeys),
		config:  config,
		keys:    slices.Clone(c.ServerBlockKeys),
		zones:   config.Catalog.Zones,
		server:  dnsserver.GetConfig(c),
		handler: handler.New(compile(config)),
		set:     f,
	}
	in.handler.IsReady, in.handler.ResolveAs = f.ready, config.ResolveAs()
	f.members = append(f.members, in)
	return in
}

// Start begins the first generation. It waits for no result. An instance that was
// stopped before it could start, by a signal in the midst of a reload, stays stopped.
func (in *Instance) Start() error {
	// A set before this one may have failed to start with no other there to sweep up
	// after it.
	in.set.swept.Do(func() { _ = Sweep() })
	return in.start()
}

func (in *Instance) start() error {
	in.life.Lock()
	defer in.life.Unlock()
	if in.stopped {
		return nil
	}
	in.started = time.Now()
	in.handler.Home = in.home()
	in.handler.Metadata = in.server.Handler("metadata") != nil
	logConfig(in.owner, in.config, nil)

	var old *generation
	if before := running.add(in); before != nil {
		old = before.generation()
	}
	in.serve(in.begin(in.config, in.handler.Snapshot(), old))

	var ctx context.Context
	ctx, in.cancel = context.WithCancel(context.Background())
	if every := in.config.ReloadInterval(); every > 0 && in.config.Imports() {
		in.wait.Go(func() { in.watch(ctx, every) })
	}
	return nil
}

// serve makes a generation the current one.
func (in *Instance) serve(g *generation) {
	in.handler.Set(g.data, g.resolver)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.current, in.config = g, g.config
	in.imports.succeed(g.config.Import, time.Now())
}

// generation returns the current generation, or nil before start.
func (in *Instance) generation() *generation {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.current
}

// Stop leaves the checks. What was answered last is answered on, since CoreDNS serves
// through a lameduck after this; not so when a reload has put another one in its place and
// has stopped the servers. It may be called more than once, and for an instance that was never started.
func (in *Instance) Stop() error {
	in.life.Lock()
	defer in.life.Unlock()
	was := in.stopped
	in.stopped = true
	if was || in.generation() == nil {
		return nil
	}
	in.cancel()
	in.wait.Wait()
	in.generation().end() // the watcher may have made another one
	replaced, before := running.remove(in)
	switch {
	case replaced:
		in.forget()
	case before != nil: // it goes on in place of this one, which has failed to start
		before.handler.Snapshot().Listen(in.handler.Snapshot(), before.logMove)
	}
	return nil
}

// forget lets go of the data. Stopped servers stay in memory with all their plugins until
// the collector has come twice, since there is a [sync.Pool] in each; large data would be
// held as often as the Corefile was reloaded meanwhile.
func (in *Instance) forget() {
	nothing := record.NewCatalog(nil)
	in.handler.Set(handler.NewSnapshot(nothing, nil), nil)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.current, in.config = nil, corefile.Empty()
}

// ready is whether every check of every block knows its first status, or has had its
// time to. CoreDNS asks only one instance of a plugin, so each answers for all.
func (f *instanceSet) ready() bool {
	for _, in := range f.members {
		g := in.generation()
		if g == nil || !g.lease.Known() && time.Since(in.started) <= readyWithin {
			return false
		}
	}
	return true
}
