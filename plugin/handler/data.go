package handler

import (
	"sync"
	"sync/atomic"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// Snapshot is what a catalog answers under the health of the moment. Queries read it
// without a lock; [Snapshot.Update] is how health changes.
type Snapshot struct {
	Catalog *record.Catalog

	names index
	zones []*zone
	slots []*slot // by the groups' Ordinals
	sets  atomic.Int64

	mu    sync.Mutex // serialises updates, and guards the catalog against them; no query takes it
	table *routing.Table
}

// NewSnapshot compiles a validated catalog under the statuses of its checks.
func NewSnapshot(c *record.Catalog, statuses []healthcheck.Status) *Snapshot {
	d := &Snapshot{Catalog: c, table: routing.NewTable(c, statuses)}
	d.names.base, d.zones, d.slots = buildIndex(c, d.table)
	for g := range c.All() {
		d.sets.Add(int64(len(g.Records)))
	}
	return d
}

// Update takes changes of health and publishes what is answered under them.
func (d *Snapshot) Update(checks []healthcheck.Change, externals []routing.ExternalChange) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.table.Update(checks, externals, func(group int, s *routing.Selection) {
		d.slots[group].Store(s)
	})
}

// Listen calls f with what moves from now on, and first with what is different from old, the
// snapshot that this one replaces; it may be nil. Calls of f are serialised with updates, and
// f must not call back. See [routing.Table.Listen].
func (d *Snapshot) Listen(old *Snapshot, f func(routing.Transition)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old == nil {
		d.table.Listen(nil, f)
		return
	}
	old.mu.Lock()
	defer old.mu.Unlock()
	d.table.Listen(old.table, f)
}

// States calls f with each state that groups can be in, and how many are.
func (d *Snapshot) States(f func(s routing.State, groups int)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.table.States(f)
}

// Degraded returns how many groups are not in their best state, by the rule that they
// answer by.
func (d *Snapshot) Degraded() [routing.Reasons]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.table.Degraded()
}

// EachDegraded calls f with groups that are not in their best state and answer by a rule,
// so many at most.
func (d *Snapshot) EachDegraded(rule routing.Reason, most int, f func(k record.Key, s routing.State)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.table.EachDegraded(rule, most, func(g *record.Group, s routing.State) { f(g.Key, s) })
}

// Balances calls f with each load balancer and its state.
func (d *Snapshot) Balances(f func(*record.LoadBalancer, routing.Balance)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.table.Balances(f)
}

// Externals returns the targets that are held elsewhere.
func (d *Snapshot) Externals() []*routing.External { return d.table.Externals() }

// RecordSets returns how many record sets are held.
func (d *Snapshot) RecordSets() int { return int(d.sets.Load()) }
