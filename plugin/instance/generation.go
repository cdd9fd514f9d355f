package instance

import (
	"context"
	"sync"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// generation is what an instance serves from one load of its configuration to the next:
// a catalog, the checks that it needs, and what keeps the answers current. A Corefile
// without imports has one; with them, each change of a file makes the next.
type generation struct {
	config   *corefile.Config
	data     *handler.Snapshot
	lease    *healthcheck.Lease
	resolver *handler.Resolver // nil without external targets
	cancel   context.CancelFunc
	wait     sync.WaitGroup
}

// compile makes the data of a configuration, as if all its checks were healthy.
func compile(c *corefile.Config) *handler.Snapshot {
	return handler.NewSnapshot(c.Catalog, initial(c.Catalog))
}

// initial returns the statuses to compile under before the checks are joined.
func initial(c *record.Catalog) []healthcheck.Status {
	statuses := make([]healthcheck.Status, len(c.Checks))
	for i := range statuses {
		statuses[i] = healthcheck.Healthy
	}
	return statuses
}

// begin joins the checks, which run already if an earlier generation has them, and
// follows their statuses from then on. It waits for no result. old is the generation that
// this one replaces, or nil: what it knows of external targets is taken over.
func (in *Instance) begin(c *corefile.Config, data *handler.Snapshot, old *generation) *generation {
	g := &generation{config: c, data: data, lease: checks.Acquire(in.owner, c.Catalog.Checks)}
	changes := make([]healthcheck.Change, 0, len(c.Catalog.Checks))
	for i, s := range g.lease.Statuses() {
		changes = append(changes, healthcheck.Change{Check: i, Status: s})
	}
	data.Update(changes, nil)
	var before *handler.Snapshot
	g.resolver = handler.NewResolver(in.handler, data)
	if old != nil {
		before = old.data
		if g.resolver != nil && old.resolver != nil {
			g.resolver.Adopt(old.resolver)
		}
	}
	data.Listen(before, in.logMove) // only now: what was known before a reload is no news

	var ctx context.Context
	ctx, g.cancel = context.WithCancel(context.Background())
	g.wait.Go(func() { g.follow(ctx) })
	if g.resolver != nil {
		g.resolver.Start()
	}
	return g
}

// follow publishes changes of health until the context ends.
func (g *generation) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.lease.Changed():
			g.data.Update(g.lease.Take(), nil)
		}
	}
}

// end leaves the checks and waits for what the generation started. Its data can be
// answered from for as long as anyone likes.
func (g *generation) end() {
	g.cancel()
	g.wait.Wait()
	g.lease.Release()
	if g.resolver != nil {
		g.resolver.Stop()
	}
}
