package healthcheck

import (
	"context"
	"crypto/x509"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Options are the settings of a Pool. The zero value is fine.
type Options struct {
	// OnTransition is called for every check whose reported status changed, and at most
	// once a minute for a check that stays unhealthy for another reason; in the order of
	// the changes, one call at a time and without any lock held. It must not call Release.
	OnTransition func(Transition)

	// MaxRunning is how many probes may run at once; 0 is 16,384, or half of what
	// the process may open if that is less. Others wait for their turn then.
	MaxRunning int
}

// defaultMaxRunning holds the probes of 50,000 checks of endpoints that do not answer
// (10 s each, every 30 s), at some 8 KB each.
const defaultMaxRunning = 16384

// Pool runs the probes of a process: one for every distinct Spec in use.
type Pool struct {
	prober       func(context.Context, *Spec, *x509.CertPool) error // replaced in tests
	onTransition func(Transition)
	maxRunning   int
	began        time.Time // what the times here count from
	seed         maphash.Seed

	slowest atomic.Int64 // ns a probe waited for a processor, the longest since the last slot

	mu           sync.Mutex // never held during a probe or a callback
	checkers     map[uint64]*checker
	owners       map[string][]*Lease // by owner, the newest last
	acquired     int                 // leases so far
	namesakes    *namesakes          // nil while nobody asks
	wheel        wheel
	ready        list // due, status known
	fresh        list // due, status not known yet
	scheduler    *scheduler
	starts       int      // that a slot may have
	backlog      bool     // some had to be put off
	running      int      // probes
	freshRunning int      // those of them whose check's first status is not known
	distinct     int      // checkers
	changed      []change // scratch of publish
	parents      []*entry // scratch of publish
	outbox       []Transition
	notifying    chan struct{} // closed when the one who empties outbox is done; nil if nobody does
	roots        map[string]*roots
	faults       uint64 // probes without a result, for want of local resources

	durations [HTTPS + 1]prometheus.Observer
	lateness  prometheus.Histogram
	histogram *prometheus.HistogramVec
}

// NewPool returns a pool without checks; it runs nothing until something is acquired.
func NewPool(o Options) *Pool {
	p := &Pool{
		onTransition: o.OnTransition,
		maxRunning:   o.MaxRunning,
		began:        time.Now(),
		seed:         maphash.MakeSeed(),
		checkers:     map[uint64]*checker{},
		owners:       map[string][]*Lease{},
		roots:        map[string]*roots{},
		starts:       firstStarts,
	}
	if p.maxRunning <= 0 {
		p.maxRunning = min(defaultMaxRunning, openLimit()/2)
	}
	p.prober = newProber().probe
	p.initMetrics()
	return p
}

// now returns the time since the pool's beginning.
func (p *Pool) now() time.Duration { return time.Since(p.began) }

// Acquire returns a lease on checks. Equal Specs share one probe, whoever else uses
// them: those that run already go on with their status, history and counters. So
// acquire the new lease before releasing the one it replaces.
//
// The owner is what the checks belong to, such as a server block, and stays the same
// across reloads: a check of the same owner and name whose Spec changed starts from
// that name's last status. If the owner changed as well, it starts from that of a check
// of the same name that probes the same host and port. Acquire starts probing, and
// waits for nothing.
//
// It trusts the Specs: lines of a request must not be broken by what Path, HostHeader
// and Headers hold, and Statuses must be canonical.
//
// Of a calculated check's Children, those that are not indexes of checks or are
// calculated themselves count as unhealthy.
func (p *Pool) Acquire(owner string, checks []Check) *Lease {
	l := &Lease{
		pool:    p,
		owner:   owner,
		changed: make(chan struct{}, 1),
		entries: make([]entry, len(checks)),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.predecessors(owner)
	now := p.now()
	for i := range checks {
		p.enter(l, i, &checks[i], old, now)
	}
	for i := range checks {
		if checks[i].Calculated && !checks[i].Disabled && !checks[i].Fixed {
			l.calculate(i, &checks[i], checks)
		}
	}
	p.acquired++
	l.number = p.acquired
	p.owners[owner] = append(p.owners[owner], l)
	if p.namesakes != nil {
		p.namesakes.joined = append(p.namesakes.joined, l)
	}
	p.redefine(l, old)
	if p.mayNotify() {
		go p.notify()
	}
	return l
}

// enter fills in one check of a new lease.
func (p *Pool) enter(l *Lease, i int, check *Check, old *predecessors, now time.Duration) {
	e := &l.entries[i]
	*e = entry{
		name:   check.Name,
		lease:  l,
		index:  int32(i),
		invert: check.Invert,
		kind:   kindOf(check),
		raw:    Healthy,
		known:  true,
	}
	if before := old.own[check.Name]; before != nil {
		e.transitions = before.transitions
	}
	switch {
	case check.Disabled:
	case check.Fixed:
		e.raw = check.FixedStatus
	case check.Calculated:
	default:
		c := p.find(&check.Spec)
		if c == nil {
			c = p.start(&check.Spec, old.of(check), now)
		}
		c.join(e)
		e.raw = c.threshold.Status()
		if e.known = c.known; !e.known {
			l.unknown.Add(1)
		}
	}
	e.status = e.report(e.raw)
}

// find returns the checker of a Spec, or nil.
func (p *Pool) find(s *Spec) *checker {
	c := p.checkers[maphash.Comparable(p.seed, *s)]
	for c != nil && c.spec != *s {
		c = c.sameHash
	}
	return c
}

// start makes the checker of a Spec, which begins with the status of the check that
// had the name before, if any.
func (p *Pool) start(s *Spec, before *entry, now time.Duration) *checker {
	hash := maphash.Comparable(p.seed, *s)
	c := &checker{spec: *s, hash: hash, sameHash: p.checkers[hash], roots: p.acquireRoots(s.CAs)}
	c.threshold = Threshold{Rise: s.Rise, Fall: s.Fall}
	if before != nil {
		c.threshold.down = before.raw == Unhealthy
		c.known = before.known
	}
	p.checkers[hash] = c
	p.distinct++
	if p.scheduler == nil {
		p.wheel.taken = int64(now / slot)
		p.startScheduler()
	}
	p.schedule(c, slotAt(now+firstWait(s, hash)))
	return c
}

// forget stops a checker that nobody uses any more. The caller holds p.mu.
func (p *Pool) forget(c *checker, waiter *sync.WaitGroup) {
	if first := p.checkers[c.hash]; first != c {
		for first.sameHash != c {
			first = first.sameHash
		}
		first.sameHash = c.sameHash
	} else if c.sameHash != nil {
		p.checkers[c.hash] = c.sameHash
	} else {
		delete(p.checkers, c.hash)
	}
	p.distinct--
	p.releaseRoots(c.spec.CAs)
	switch c.state {
	case waiting:
		p.wheel.remove(c)
	case ready:
		p.queueOf(c).remove(c)
	case running:
		waiter.Add(1)
		c.run.waiter = waiter
		c.run.cancel()
	}
	c.state = stopped
}
