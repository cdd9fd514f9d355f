package handler

import (
	"container/heap"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coredns/coredns/core/dnsserver"

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

	lookupTimeout = 5 * time.Second // of one resolution
	firstWait     = 2 * time.Second // that a query waits for a target that has never been resolved
	lookupsAtOnce = 32
)

// Resolver keeps the targets that are held elsewhere resolved, through the server that
// the plugin runs in, so that no query has to wait for them.
type Resolver struct {
	handler *Handler
	data    *Snapshot
	home    Home

	server  atomic.Pointer[dnsserver.Server]
	started chan struct{} // closed when the server is known
	once    sync.Once

	mu      sync.Mutex
	targets map[*routing.External]*target
	queue   dueQueue
	changed chan struct{} // of capacity 1: the queue has a new first
	stopped bool
	slots   chan struct{}

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
	waiters chan struct{} // closed at the end of the next resolution; nil without waiters
}

// Home is the server that a Resolver asks.
type Home struct {
	// Address is the server's, as CoreDNS writes it: "dns://127.0.0.1:53". A server at
	// another address of the same block may not have the blocks that hold the targets.
	// "" is whichever is seen first.
	Address string

	// Wake is called once started and until a query has shown the server; it is expected
	// to send one. It may be nil: then the server is known with the first query.
	Wake func(context.Context)
}

// NewResolver returns a Resolver for the external targets of data that the handler is to
// serve, or nil when there are none.
func NewResolver(h *Handler, d *Snapshot, home Home) *Resolver {
	externals := d.Externals()
	if len(externals) == 0 {
		return nil
	}
	v := &Resolver{
		handler: h,
		data:    d,
		home:    home,
		started: make(chan struct{}),
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
	if server := old.server.Load(); server != nil && same {
		v.capture(server)
	}
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
		if was.Known() {
			t.External.Set(was.RRs())
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

// Start begins to resolve.
func (v *Resolver) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	v.cancel = cancel
	v.wait.Go(func() { v.run(ctx) })
}

// Stop ends resolving and waits for it. What is known keeps being answered.
func (v *Resolver) Stop() {
	v.cancel()
	v.wait.Wait()
	v.mu.Lock()
	v.stopped = true
	v.mu.Unlock()
	for _, t := range v.targets {
		v.release(t) // nobody will resolve it any more
	}
}

// captureServer shows the Resolver the server that a query came in on.
//
//go:noinline
func (h *Handler) captureServer(ctx context.Context) {
	v := h.resolver.Load()
	if v == nil || v.server.Load() != nil {
		return
	}
	server, ok := ctx.Value(dnsserver.Key{}).(*dnsserver.Server)
	if ok && (v.home.Address == "" || v.home.Address == server.Addr) {
		v.capture(server)
	}
}

// capture takes the first server that is shown.
func (v *Resolver) capture(server *dnsserver.Server) {
	v.once.Do(func() {
		v.server.Store(server)
		close(v.started)
	})
}

// run starts resolutions as they fall due.
func (v *Resolver) run(ctx context.Context) {
	if v.home.Wake != nil {
		v.wait.Go(func() { v.wakeServer(ctx) })
	}
	select {
	case <-ctx.Done():
		return
	case <-v.started:
	}
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
			v.wait.Go(func() {
				defer func() { <-v.slots }()
				v.resolve(ctx, t)
			})
		}
		timer.Reset(v.idle())
	}
}

// wakeServer sends queries until one has shown the server.
func (v *Resolver) wakeServer(ctx context.Context) {
	wait := firstRetry
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.started:
			return
		case <-timer.C:
		}
		v.home.Wake(ctx)
		timer.Reset(wait)
		wait = min(2*wait, maxRetry)
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

// resolve asks the server for a target once, and files what it says.
func (v *Resolver) resolve(ctx context.Context, t *target) {
	lookup, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	rrs, ttl, err := resolveThrough(lookup, v.server.Load(), t.Key)
	if ctx.Err() != nil {
		return // stopped: that says nothing of the target
	}
	if change, ok := v.file(t, rrs, ttl, err, time.Now()); ok {
		v.data.Update(nil, []routing.ExternalChange{change})
	}
	v.release(t)
}

// file enters the outcome of a resolution into the target's state and its queue place.
// It returns the change of health, if there is one.
func (v *Resolver) file(t *target, rrs []dns.RR, ttl time.Duration, err error, now time.Time) (routing.ExternalChange, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	healthy := t.healthy
	t.logOutcome(err)
	if err != nil {
		t.fail(now)
	} else {
		t.External.Set(rrs)
		t.good, t.retry, t.stale, healthy = now, 0, false, len(rrs) > 0
		t.due = now.Add(ttl)
	}
	heap.Push(&v.queue, t)
	select {
	case v.changed <- struct{}{}:
	default:
	}
	if healthy == t.healthy {
		return routing.ExternalChange{}, false
	}
	t.healthy = healthy
	return routing.ExternalChange{External: t.index, Healthy: healthy}, true
}

// logOutcome writes one line when a target cannot be resolved any more, and one when it can.
func (t *target) logOutcome(err error) {
	name := t.Name + " " + dns.Type(t.Type).String()
	switch {
	case err != nil && t.retry == 0 && t.Known():
		log.Warningf("alias target %s cannot be resolved: %v; the last good answer is served", name, err)
	case err != nil && t.retry == 0:
		log.Warningf("alias target %s cannot be resolved: %v; there is no answer to serve in its place", name, err)
	case err == nil && t.retry > 0:
		log.Infof("alias target %s is resolved again", name)
	}
}

// fail files a failure: health stays, the last good answer is served with a short TTL,
// and given up when it is too old.
func (t *target) fail(now time.Time) {
	t.failed++
	t.retry = min(max(2*t.retry, firstRetry), maxRetry)
	t.due = now.Add(t.retry)
	switch {
	case !t.Known():
	case now.Sub(t.good) > maxStale:
		t.External.Forget()
		t.stale = false
	case !t.stale:
		t.stale = true
		t.External.Set(withTTL(t.RRs(), staleTTL))
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

// await waits until a target that has never been resolved is, or for as long as a
// query is willing to.
func (v *Resolver) await(ctx context.Context, e *routing.External) {
	v.mu.Lock()
	t := v.targets[e]
	if t == nil || v.stopped { // t is nil of data that has been replaced since the query began
		v.mu.Unlock()
		return
	}
	if t.retry > 0 { // the last try failed: the next one is not worth a client's time
		v.mu.Unlock()
		return
	}
	if t.waiters == nil {
		t.waiters = make(chan struct{})
	}
	waiters := t.waiters
	v.mu.Unlock()
	if e.Known() {
		return
	}
	timer := time.NewTimer(firstWait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-waiters:
	}
}

// empty answers when what was chosen has no records: an alias to nothing, or to a name
// held elsewhere that has none or has never been resolved. Only in the last case, and
// once it is resolved, is there a second choice: weights would not be exact otherwise.
//
//go:noinline
func (h *Handler) empty(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, z *zone, s *slot, e *routing.External) (int, error) {
	if e == nil || e.Known() {
		h.observe(ctx, d, z, nil, routing.NoData)
		return h.negative(w, r, z, dns.RcodeSuccess)
	}
	// A query that comes from a resolution must not wait for one: it may be its own.
	depth, _ := ctx.Value(dnsserver.LoopKey{}).(int)
	if v := h.resolver.Load(); v != nil && depth == 0 {
		v.await(ctx, e)
	}
	if !e.Known() {
		return dns.RcodeServerFailure, nil
	}
	m, e := h.answer(ctx, r, d, z, s)
	switch {
	case m != nil:
		w.WriteMsg(m)
		return dns.RcodeSuccess, nil
	case e != nil && !e.Known(): // the next one
		return dns.RcodeServerFailure, nil
	}
	h.observe(ctx, d, z, nil, routing.NoData)
	return h.negative(w, r, z, dns.RcodeSuccess)
}

// ExternalState is what is known of a target that is held elsewhere.
type ExternalState struct {
	Key     record.Key
	Healthy bool   // the last resolution that succeeded gave records
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
