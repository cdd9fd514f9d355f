package healthcheck

import (
	"context"
	"errors"
	"time"
)

// scheduler is the goroutine that starts due probes. It runs while the pool has any
// checker, and sleeps while nothing is due.
type scheduler struct {
	wake  chan struct{} // capacity 1: something is due before until
	stop  chan struct{}
	done  chan struct{}
	until int64      // the slot it sleeps to; guarded by Pool.mu
	batch []*checker // scratch of launch
}

// never is later than any slot.
const never = 1<<63 - 1

// schedule puts c into the wheel. The caller holds p.mu.
func (p *Pool) schedule(c *checker, due int64) {
	p.wheel.add(c, due)
	if p.scheduler != nil && c.due < p.scheduler.until {
		p.scheduler.until = c.due
		select {
		case p.scheduler.wake <- struct{}{}:
		default:
		}
	}
}

// startScheduler starts the scheduler. The caller holds p.mu.
func (p *Pool) startScheduler() {
	s := &scheduler{
		wake:  make(chan struct{}, 1),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
		until: never,
	}
	p.scheduler = s
	go p.loop(s)
}

// stopScheduler ends the scheduler and returns what to wait for. The caller holds p.mu.
func (p *Pool) stopScheduler() (done <-chan struct{}) {
	s := p.scheduler
	p.scheduler = nil
	close(s.stop)
	return s.done
}

func (p *Pool) loop(s *scheduler) {
	defer close(s.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-s.wake:
		case <-timer.C:
		}
		next := p.startDue(s)
		if next == never {
			timer.Stop()
			continue
		}
		timer.Reset(slotBegin(next) - p.now())
	}
}

// startDue starts the probes that are due, as many as the pace allows, and returns
// the slot to come back in.
func (p *Pool) startDue(s *scheduler) (next int64) {
	p.mu.Lock()
	if p.scheduler != s {
		p.mu.Unlock()
		return never // stopped
	}
	now := p.now() // after the wait for the lock, which says nothing about the load
	if p.namesakes != nil && now-p.namesakes.used > namesakesKept {
		p.namesakes = nil
	}
	p.wheel.take(int64(now/slot), p.queue)
	p.starts = pace(p.starts, time.Duration(p.slowest.Swap(0)), p.backlog)
	p.launch(s, now)
	p.backlog = p.ready.head != nil || p.fresh.head != nil
	next = never
	if n, ok := p.wheel.next(); ok {
		next = n
	}
	if p.backlog {
		next = p.wheel.taken + 1
	}
	s.until = next
	p.mu.Unlock()

	for _, c := range s.batch {
		go p.probe(c, c.run)
	}
	clear(s.batch)
	return next
}

// queue appends a due checker to the queue of those that have a status already or to
// that of those that do not. The caller holds p.mu.
func (p *Pool) queue(c *checker) {
	c.state = ready
	p.queueOf(c).push(c)
}

func (p *Pool) queueOf(c *checker) *list {
	if c.fresh() {
		return &p.fresh
	}
	return &p.ready
}

// fresh reports whether there are too few results to know the first status.
func (c *checker) fresh() bool { return c.results < c.spec.enough() }

// launch takes the probes that may start now out of the queues into s.batch and marks
// them as running. Those that are in operation go first, and the new ones never are
// more than three quarters of those that run, so that many new checks, whose endpoints
// may all be silent, do not hold up the old ones. A quarter of the starts is kept for
// the new ones all the same, and one where none of them runs. The caller holds p.mu, and
// starts the goroutines without it.
func (p *Pool) launch(s *scheduler, now time.Duration) {
	n := min(p.starts, p.maxRunning-p.running)
	kept := 0
	switch {
	case p.fresh.head == nil:
	case p.freshRunning == 0:
		kept = max(n/4, 1)
	default:
		kept = n / 4
	}
	mostFresh := max(p.maxRunning*3/4, 1)
	s.batch = s.batch[:0]
	for len(s.batch) < n {
		var c *checker
		if len(s.batch) < n-kept {
			c = p.ready.pop()
		}
		if c == nil && p.freshRunning < mostFresh {
			c = p.fresh.pop()
		}
		if c == nil {
			c = p.ready.pop()
		}
		if c == nil {
			break
		}
		ctx, cancel := context.WithCancel(context.Background())
		c.run = &run{ctx: ctx, cancel: cancel, launched: now, fresh: c.fresh()}
		c.state = running
		p.running++
		if c.run.fresh {
			p.freshRunning++
		}
		s.batch = append(s.batch, c)
	}
}

// probe runs one probe and takes its result. It is a goroutine of its own; Release
// cancels it and waits for it.
func (p *Pool) probe(c *checker, r *run) {
	began := p.now()
	p.recordWait(began - r.launched)
	p.lateness.Observe((began - slotBegin(c.due)).Seconds())
	err := p.prober(r.ctx, &c.spec, c.roots)
	p.result(c, r, err, began, p.now())
}

// recordWait records how long a probe waited for a processor, if it is the longest.
func (p *Pool) recordWait(wait time.Duration) {
	for {
		longest := p.slowest.Load()
		if int64(wait) <= longest || p.slowest.CompareAndSwap(longest, int64(wait)) {
			return
		}
	}
}

// result takes the result of a probe: it is counted, may change the status, and the
// next start is set.
func (p *Pool) result(c *checker, r *run, err error, began, ended time.Duration) {
	r.cancel()
	p.mu.Lock()
	p.running--
	if r.fresh {
		p.freshRunning--
	}
	c.run = nil
	if c.state == stopped {
		p.mu.Unlock()
		r.waiter.Done() // says nothing about the endpoint
		return
	}
	if errors.Is(err, errLocal) {
		p.faults++
		p.schedule(c, slotAt(ended+min(startUp, c.spec.Interval)))
		p.mu.Unlock()
		return
	}
	passed := err == nil || classOf(err) == notAllowedClass
	switch {
	case c.observe(passed, ended):
		c.failing, c.repeated = classOf(err), 0
		p.publish(c, reason(c, err))
	case c.otherReason(err, ended):
		p.postReason(c, clip(err.Error()))
	}
	if !c.known && c.results >= c.spec.enough() {
		c.known = true
		for e := c.uses; e != nil; e = e.next {
			e.lease.know(e)
		}
	}
	p.schedule(c, slotAt(ended+nextWait(&c.spec, c.hash, c.results, c.threshold.run > 0)))
	p.durations[c.spec.Kind].Observe((ended - began).Seconds())
	notifies := p.mayNotify()
	p.mu.Unlock()
	if notifies {
		p.notify()
	}
}
