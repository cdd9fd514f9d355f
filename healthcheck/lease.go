package healthcheck

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Lease is a hold on checks: while it lasts they are kept up to date. All methods may
// be called from any goroutine.
type Lease struct {
	pool    *Pool
	owner   string
	changed chan struct{}
	unknown atomic.Int64 // checks that do not know their first status
	release sync.Once

	// The rest is guarded by Pool.mu.
	number  int // of the pool's leases; newer ones are greater
	entries []entry
	pending []int32           // checks that changed since the last Take
	parents map[int32][]int32 // calculated checks by child
}

// entry is a named check of a lease.
type entry struct {
	name       string
	lease      *Lease
	checker    *checker // nil if nothing is probed, and after Release
	prev, next *entry   // other users of the checker
	calculated *calculated

	index       int32
	transitions uint32 // changes of the reported status, over all leases of the owner
	raw         Status // of the checker, or as calculated or fixed
	status      Status // as reported: raw, inverted if the check says so
	kind        label
	invert      bool
	known       bool
	pending     bool
}

// report returns the status that a check reports for a raw one.
func (e *entry) report(raw Status) Status {
	if e.invert {
		return raw.Not()
	}
	return raw
}

// Change is the latest status of a check, by its index in the list that was acquired.
type Change struct {
	Check  int
	Status Status
}

// Statuses returns the status that each check reports now, in the order they were
// acquired in. After Release it returns the last ones.
func (l *Lease) Statuses() []Status {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	statuses := make([]Status, len(l.entries))
	for i := range l.entries {
		statuses[i] = l.entries[i].status
	}
	return statuses
}

// Changed returns a channel that gets a value after statuses changed. Its capacity is
// 1: several changes may make one value, and [Lease.Take] then returns them all.
func (l *Lease) Changed() <-chan struct{} { return l.changed }

// Take returns the checks whose status changed since the last Take, or since Acquire,
// each once and with its latest status. It costs in proportion to what changed.
func (l *Lease) Take() []Change {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	changes := make([]Change, len(l.pending))
	for i, index := range l.pending {
		e := &l.entries[index]
		e.pending = false
		changes[i] = Change{Check: int(index), Status: e.status}
	}
	l.pending = l.pending[:0]
	return changes
}

// Known reports whether every check knows its first status: as many results are in as
// it takes to change one. Checks that are not probed count as known, and so do those
// that go on from a known status under the same name.
func (l *Lease) Known() bool { return l.unknown.Load() == 0 }

// know marks a check as known. The caller holds Pool.mu.
func (l *Lease) know(e *entry) {
	if !e.known {
		e.known = true
		l.unknown.Add(-1)
	}
}

// mark records that a check's reported status changed. The caller holds Pool.mu.
func (l *Lease) mark(e *entry) {
	if !e.pending {
		e.pending = true
		l.pending = append(l.pending, e.index)
	}
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// Release ends the lease. Checks that no other lease uses stop; Release cancels their
// running probes and waits for them to end. With the last lease of a pool all its
// goroutines end, except that OnTransition has one second to return. To call it again
// does nothing.
func (l *Lease) Release() { l.release.Do(l.leave) }

func (l *Lease) leave() {
	p := l.pool
	var probes sync.WaitGroup
	var scheduler <-chan struct{}
	p.mu.Lock()
	for i := range l.entries {
		e := &l.entries[i]
		c := e.checker
		if c != nil && e.leave() {
			p.forget(c, &probes)
		}
	}
	p.namesakes = nil // which may hold what leaves
	others := slices.DeleteFunc(p.owners[l.owner], func(o *Lease) bool { return o == l })
	if p.owners[l.owner] = others; len(others) == 0 {
		delete(p.owners, l.owner)
	}
	if p.scheduler != nil && len(p.checkers) == 0 {
		scheduler = p.stopScheduler()
	}
	p.mu.Unlock()
	probes.Wait()
	if scheduler == nil {
		return
	}
	<-scheduler
	p.mu.Lock()
	notifying := p.notifying
	p.mu.Unlock()
	if notifying == nil {
		return
	}
	select {
	case <-notifying:
	case <-time.After(notifyTimeout):
	}
}

// notifyTimeout is how long Release waits for OnTransition: a log that is stuck must not
// keep a server from stopping.
const notifyTimeout = time.Second
