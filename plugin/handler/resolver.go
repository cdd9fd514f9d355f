package handler

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// Times of resolving what is held elsewhere.
const (
	minRefresh = time.Second      // whatever the TTL says
	maxRefresh = time.Hour        // likewise, so that a long TTL does not hide a change for days
	maxDenial  = 30 * time.Second // until a target that does not exist is asked for again
	firstRetry = time.Second      // after a failure; doubles up to maxRetry
	maxRetry   = 30 * time.Second // RFC 8767, section 5: "the time between attempts"
	staleTTL   = 30               // seconds; RFC 8767, section 4, of an answer that is served past its time
	maxStale   = 24 * time.Hour   // RFC 8767, section 5: the maximum stale timer, one to three days

	lookupTimeout = 5 * time.Second        // of one resolution
	firstWait     = 2 * time.Second        // for a target that has never been resolved: that it counts as healthy, and that a query waits
	stopWait      = 100 * time.Millisecond // for look-ups under way, at the end
	lookupsAtOnce = 32
)

// Resolver keeps the targets that are held elsewhere resolved, through the server that
// the plugin runs in, so that no query has to wait for them.
type Resolver struct {
	handler *Handler
	data    *Snapshot

	serving chan struct{} // closed when the handler knows its server
	once    sync.Once

	mu      sync.Mutex
	targets map[*routing.External]*target
	queue   dueQueue
	changed chan struct{} // of capacity 1: the queue has a new first
	stopped bool
	slots   chan struct{} // one is taken by each look-up under way

	order sync.Mutex // held from a change of a target's health to its publication

	cancel context.CancelFunc
	wait   sync.WaitGroup
}

// target is the state of one External. The Resolver's mutex guards it.
type target struct {
	*routing.External
	index   int
	due     time.Time
	retry   time.Duration // 0 after a success
	good    time.Time     // when the last resolution succeeded
	healthy bool
	stale   bool
	failed  uint64
	waiters chan struct{} // closed when there is news; nil without waiters
}

// NewResolver returns a Resolver for the external targets of data that the handler is to
// serve, or nil when there are none.
func NewResolver(h *Handler, d *Snapshot) *Resolver {
	externals := d.Externals()
	if len(externals) == 0 {
		return nil
	}
	v := &Resolver{
		handler: h,
		data:    d,
		serving: make(chan struct{}),
		changed: make(chan struct{}, 1),
		slots:   make(chan struct{}, lookupsAtOnce),
		targets: make(map[*routing.External]*target, len(externals)),
	}
	for i, e := range externals {
		t := &target{External: e, index: i, healthy: true}
		v.targets[e] = t
		heap.Push(&v.queue, t)
	}
	return v
}

// Adopt takes over what an earlier Resolver knows of the same targets. If that is of the
// same handler, the server is still the same, and so is what it will say; otherwise each
// target is resolved anew at once, and what is known is served until then.
func (v *Resolver) Adopt(old *Resolver) {
	same := old.handler == v.handler
	old.mu.Lock()
	known := make(map[record.Key]target, len(old.targets))
	for _, t := range old.targets {
		known[t.Key] = *t
	}
	old.mu.Unlock()

	var changes []routing.ExternalChange
	v.mu.Lock()
	for _, t := range v.targets {
		was, ok := known[t.Key]
		if !ok {
			continue
		}
		if r := was.Resolution(); r != nil {
			t.External.Set(*r)
		}
		t.good, t.healthy, t.stale, t.failed = was.good, was.healthy, was.stale, was.failed
		if same {
			t.due, t.retry = was.due, was.retry
		}
		changes = append(changes, routing.ExternalChange{External: t.index, Healthy: t.healthy})
	}
	heap.Init(&v.queue)
	v.mu.Unlock()
	v.data.Update(nil, changes)
}

// Start begins to resolve, as soon as the handler knows its server.
func (v *Resolver) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	v.cancel = cancel
	v.wait.Go(func() { v.run(ctx) })
}

// Stop ends resolving. What is known keeps being answered. Look-ups under way are
// cancelled; it does not wait for long for one that another plugin holds on to all the
// same, which has nothing left to do when it ends.
func (v *Resolver) Stop() {
	v.cancel()
	v.wait.Wait()
	v.mu.Lock()
	v.stopped = true
	v.mu.Unlock()
	for _, t := range v.targets {
		v.release(t) // nobody will resolve it any more
	}
	timer := time.NewTimer(stopWait)
	defer timer.Stop()
	for range cap(v.slots) {
		select {
		case v.slots <- struct{}{}:
		case <-timer.C:
			return
		}
	}
}

// begin lets resolving begin: the handler knows its server.
func (v *Resolver) begin() { v.once.Do(func() { close(v.serving) }) }

// run starts resolutions as they fall due.
func (v *Resolver) run(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-v.serving:
	}
	v.wait.Go(func() { v.doubtUnresolved(ctx) })
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-v.changed:
		}
		for t := v.next(); t != nil; t = v.next() {
			select {
			case <-ctx.Done():
				return
			case v.slots <- struct{}{}:
			}
			v.wait.Go(func() { v.resolve(ctx, t) })
		}
		timer.Reset(v.idle())
	}
}

// next takes the first target off the queue if it is due.
func (v *Resolver) next() *target {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.queue) == 0 || time.Until(v.queue[0].due) > 0 {
		return nil
	}
	return heap.Pop(&v.queue).(*target)
}

// idle returns how long there is nothing to do.
func (v *Resolver) idle() time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.queue) == 0 {
		return maxRefresh
	}
	return time.Until(v.queue[0].due)
}

// resolve asks the server for a target once, files what it says, and enters the target
// into the queue again. It has a slot, which the look-up gives back.
func (v *Resolver) resolve(ctx context.Context, t *target) {
	limited, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	l := v.lookup(limited, t.Key)
	select {
	case <-l.done:
	case <-limited.Done():
	}
	if ctx.Err() != nil {
		return // stopped: that says nothing of the target
	}
	select {
	case <-l.done:
		v.publish(t, l.outcome)
	default:
		v.publish(t, outcome{err: limited.Err()})
	}
	select {
	case <-l.done: // usually has been: one look-up of a target at a time
		v.enqueue(t)
	case <-ctx.Done():
	}
}

// outcome is what a look-up finds: records, perhaps none, and how long they hold.
type outcome struct {
	rrs []dns.RR
	ttl time.Duration
	err error
}

// lookup is a question to the server, of which done is closed when it has an outcome.
type lookup struct {
	outcome
	done chan struct{}
}

// lookup asks the server. It is in a goroutine that nobody has to wait for, since it ends
// when other plugins please.
func (v *Resolver) lookup(ctx context.Context, k record.Key) *lookup {
	l := &lookup{done: make(chan struct{})}
	server, source := v.handler.server.Load(), v.handler.source()
	go func() {
		defer func() { <-v.slots }()
		defer close(l.done)
		l.rrs, l.ttl, l.err = resolveThrough(ctx, server, source, k)
	}()
	return l
}

// publish files the outcome of a resolution, publishes the change of health if there is
// one, and wakes the queries that wait for the target.
func (v *Resolver) publish(t *target, o outcome) {
	v.order.Lock()
	defer v.order.Unlock()
	if changes := v.file(t, o, time.Now()); len(changes) > 0 {
		v.data.Update(nil, changes)
	}
	v.release(t)
}

// doubtUnresolved makes the targets unhealthy that have not been resolved when firstWait is
// over, whether or not their turn has come. What else there is can be answered meanwhile.
func (v *Resolver) doubtUnresolved(ctx context.Context) {
	timer := time.NewTimer(firstWait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
	}
	v.order.Lock()
	defer v.order.Unlock()
	var changes []routing.ExternalChange
	var late []*target
	v.mu.Lock()
	for _, t := range v.targets {
		if !t.Known() {
			changes = append(changes, t.become(false)...)
			late = append(late, t)
		}
	}
	v.mu.Unlock()
	if len(changes) > 0 {
		v.data.Update(nil, changes)
	}
	for _, t := range late {
		v.release(t)
	}
}

// file enters the outcome of a resolution into the target's state. It returns the change
// of health, if there is one.
func (v *Resolver) file(t *target, o outcome, now time.Time) []routing.ExternalChange {
	v.mu.Lock()
	defer v.mu.Unlock()
	t.logOutcome(o)
	if o.err != nil {
		t.fail(now)
		return t.become(t.healthy && t.Known())
	}
	r := routing.Resolution{RRs: o.rrs}
	if len(o.rrs) > 0 {
		r.Until = now.Add(time.Duration(o.rrs[0].Header().Ttl) * time.Second)
	}
	t.External.Set(r)
	t.good, t.retry, t.stale = now, 0, false
	t.due = now.Add(o.ttl)
	return t.become(len(o.rrs) > 0)
}

// become sets a target's health, and returns the change if it is one.
func (t *target) become(healthy bool) []routing.ExternalChange {
	if healthy == t.healthy {
		return nil
	}
	t.healthy = healthy
	return []routing.ExternalChange{{External: t.index, Healthy: healthy}}
}

// enqueue enters a target into the queue again.
func (v *Resolver) enqueue(t *target) {
	v.mu.Lock()
	heap.Push(&v.queue, t)
	v.mu.Unlock()
	select {
	case v.changed <- struct{}{}:
	default:
	}
}

// logOutcome writes one line when a target cannot be resolved any more or loses its records,
// and one when that is over.
func (t *target) logOutcome(o outcome) {
	name, err := t.Key.String(), o.err
	switch {
	case err != nil && t.retry == 0 && t.Known():
		log.Warningf("alias target %s cannot be resolved: %v; the last good answer is served", name, err)
	case err != nil && t.retry == 0:
		log.Warningf("alias target %s cannot be resolved: %v; it has never been, so it counts as unhealthy", name, err)
	case err != nil:
	case len(o.rrs) == 0 && t.healthy:
		log.Warningf("alias target %s: healthy -> unhealthy: the name does not exist, or has no %s records", name, dns.Type(t.Type))
	case len(o.rrs) > 0 && !t.healthy:
		log.Infof("alias target %s: unhealthy -> healthy: it has %s records", name, dns.Type(t.Type))
	case t.retry > 0:
		log.Infof("alias target %s is resolved again", name)
	}
}

// fail files a failure: the last good answer is served with a short TTL, and given up when
// it is too old.
func (t *target) fail(now time.Time) {
	t.failed++
	t.retry = min(max(2*t.retry, firstRetry), maxRetry)
	t.due = now.Add(t.retry)
	switch {
	case !t.Known():
	case now.Sub(t.good) > maxStale:
		log.Warningf("alias target %s %s has not been resolved for a day: its last good answer is given up, and it counts as unhealthy", t.Name, dns.Type(t.Type))
		t.External.Forget()
		t.stale = false
	case !t.stale:
		t.stale = true
		t.External.Set(routing.Resolution{RRs: withTTL(t.RRs(), staleTTL)})
	}
}

// release wakes the queries that wait for a target.
func (v *Resolver) release(t *target) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if t.waiters != nil {
		close(t.waiters)
		t.waiters = nil
	}
}

// await waits until there is news of a target, or the context ends. It reports whether
// it has waited: not when nobody resolves the target, nor between two tries, which are not
// worth a client's time.
func (v *Resolver) await(ctx context.Context, e *routing.External) bool {
	v.mu.Lock()
	t := v.targets[e] // nil for data that has been replaced since the query began
	if t == nil || v.stopped || t.retry > 0 || ctx.Err() != nil {
		v.mu.Unlock()
		return false
	}
	if t.waiters == nil {
		t.waiters = make(chan struct{})
	}
	waiters := t.waiters
	v.mu.Unlock()
	if e.Known() {
		return true
	}
	select {
	case <-ctx.Done():
	case <-waiters:
	}
	return true
}

// ExternalState is what is known of a target that is held elsewhere.
type ExternalState struct {
	Key     record.Key
	Healthy bool   // the last resolution that succeeded gave records; false if none did
	Stale   bool   // the last resolution failed: an older answer is served, if there is one
	Failed  uint64 // resolutions that failed
}

// States calls f for each target.
func (v *Resolver) States(f func(ExternalState)) {
	v.mu.Lock()
	states := make([]ExternalState, 0, len(v.targets))
	for _, t := range v.targets {
		states = append(states, ExternalState{t.Key, t.healthy, t.retry > 0, t.failed})
	}
	v.mu.Unlock()
	for _, s := range states {
		f(s)
	}
}

// dueQueue orders targets by when they are due.
type dueQueue []*target

func (q dueQueue) Len() int           { return len(q) }
func (q dueQueue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q dueQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *dueQueue) Push(x any) { *q = append(*q, x.(*target)) }

// Pop implements heap.Interface.
func (q *dueQueue) Pop() any {
	old := *q
	t := old[len(old)-1]
	*q = old[:len(old)-1]
	return t
}
