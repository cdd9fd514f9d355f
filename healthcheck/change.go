package healthcheck

import (
	"fmt"
	"net"
	"strconv"
	"time"
)

// Transition is a change of the status that a named check reports, or of the reason for
// it: then From and To are the same.
type Transition struct {
	Owner, Check string
	From, To     Status
	Reason       string // why, for a person; without secrets
	Endpoint     string // what is probed: "http://192.0.2.1:80"; "" if nothing is
}

// reasonInterval is how much time passes between two reports that a check fails for
// another reason than before.
const reasonInterval = time.Minute

// otherReason reports whether a check that stays unhealthy fails for another reason than
// the one reported last, and it is time to say so. If it is too early, a later probe that
// fails for that reason will. That an endpoint may not be probed is a reason to be healthy.
func (c *checker) otherReason(err error, now time.Duration) bool {
	if err == nil || classOf(err) == c.failing {
		return false
	}
	if (c.threshold.Status() == Healthy) != (classOf(err) == notAllowedClass) {
		return false
	}
	if c.repeated != 0 && now < time.Duration(c.repeated)*time.Second+reasonInterval {
		return false
	}
	c.failing = classOf(err)
	c.repeated = uint32((now + time.Second - 1) / time.Second)
	return true
}

// change is a check whose reported status changed, and why.
type change struct {
	entry  *entry
	from   Status // From of the transition
	reason string
}

// publish carries a checker's new status to the checks that use it, and to those
// calculated from them. It costs in proportion to what changes. The caller holds p.mu,
// and calls notify after giving it up if mayNotify says so.
func (p *Pool) publish(c *checker, reason string) {
	raw := c.threshold.Status()
	for e := c.uses; e != nil; e = e.next {
		p.set(e, raw, reason)
	}
	// Parents are looked at when all children have changed: a check and its
	// inverted copy change together, and the sum of both does not.
	for _, parent := range p.parents {
		parent.calculated.touched = false
		p.set(parent, parent.calculated.status(), parent.calculated.reason())
	}
	p.parents = p.parents[:0]
	p.post()
}

// postReason reports that the checks which use a checker stay unhealthy for another
// reason. The caller holds p.mu, and calls notify after giving it up if mayNotify says so.
func (p *Pool) postReason(c *checker, reason string) {
	for e := c.uses; e != nil; e = e.next {
		p.changed = append(p.changed, change{e, e.status, reason})
	}
	p.post()
}

// set sets the raw status of a check.
func (p *Pool) set(e *entry, raw Status, reason string) {
	if e.raw == raw {
		return
	}
	e.raw = raw
	e.status = e.report(raw)
	e.transitions++
	e.lease.mark(e)
	p.changed = append(p.changed, change{e, e.status.Not(), reason})
	for _, i := range e.lease.parents[e.index] {
		parent := &e.lease.entries[i]
		parent.calculated.count(e.status)
		if !parent.calculated.touched {
			parent.calculated.touched = true
			p.parents = append(p.parents, parent)
		}
	}
}

// post moves what changed into the outbox: one transition for each named check. While
// two leases of an owner overlap, during a reload, the newer one reports the names that
// both have.
func (p *Pool) post() {
	defer func() {
		clear(p.changed)
		p.changed = p.changed[:0]
	}()
	if p.onTransition == nil {
		return
	}
	type identity struct{ owner, name string }
	var newest map[identity]int
	for _, c := range p.changed {
		if l := c.entry.lease; len(p.owners[l.owner]) > 1 {
			if newest == nil {
				newest = map[identity]int{}
			}
			id := identity{l.owner, c.entry.name}
			newest[id] = max(newest[id], l.number)
		}
	}
	for _, c := range p.changed {
		e := c.entry
		if n, ok := newest[identity{e.lease.owner, e.name}]; ok && n != e.lease.number {
			continue
		}
		reason := c.reason
		if e.invert {
			reason = "inverted: " + reason
		}
		p.outbox = append(p.outbox, Transition{
			Owner: e.lease.owner, Check: e.name,
			From: c.from, To: e.status,
			Reason: reason, Endpoint: e.endpoint(),
		})
	}
}

// mayNotify reports whether the caller, who holds p.mu, is to call notify after giving it
// up: there is something in the outbox, and nobody reports it yet. One goroutine reports at
// a time, so transitions are reported in order.
func (p *Pool) mayNotify() bool {
	if p.notifying != nil || len(p.outbox) == 0 {
		return false
	}
	p.notifying = make(chan struct{})
	return true
}

// notify calls OnTransition for what is in the outbox.
func (p *Pool) notify() {
	p.mu.Lock()
	for len(p.outbox) > 0 {
		batch := p.outbox
		p.outbox = nil
		p.mu.Unlock()
		for _, t := range batch {
			p.onTransition(t)
		}
		p.mu.Lock()
	}
	close(p.notifying)
	p.notifying = nil
	p.mu.Unlock()
}

// reason says why a checker changed its status, given the last result.
func reason(c *checker, err error) string {
	if err != nil {
		return clip(err.Error())
	}
	if c.spec.Rise <= 1 {
		return "probe passed"
	}
	return "passed " + strconv.Itoa(int(c.spec.Rise)) + " times in a row"
}

// calculated is the state of a check that is calculated from others.
type calculated struct {
	children  int
	healthy   int // children that report healthy
	threshold int
	touched   bool // waits in Pool.parents
}

// calculate makes check i of the lease a calculated one. The caller holds Pool.mu.
func (l *Lease) calculate(i int, check *Check, checks []Check) {
	c := &calculated{children: len(check.Children), threshold: check.HealthyThreshold}
	for _, child := range check.Children {
		if child < 0 || child >= len(checks) || l.entries[child].kind == labelCalculated {
			continue
		}
		if l.entries[child].status == Healthy {
			c.healthy++
		}
		if l.parents == nil {
			l.parents = map[int32][]int32{}
		}
		l.parents[int32(child)] = append(l.parents[int32(child)], int32(i))
	}
	e := &l.entries[i]
	e.calculated = c
	e.raw = c.status()
	e.status = e.report(e.raw)
}

// status returns healthy when enough children are: a threshold of 0 always is met,
// one above the number of children never.
//
// Source: Route 53 Developer Guide, "Values that you specify when you create or update
// health checks", calculated health checks.
func (c *calculated) status() Status {
	if c.healthy >= c.threshold {
		return Healthy
	}
	return Unhealthy
}

// count takes the new status of a child that changed.
func (c *calculated) count(s Status) {
	if s == Healthy {
		c.healthy++
	} else {
		c.healthy--
	}
}

func (c *calculated) reason() string {
	return fmt.Sprintf("%d of %d children healthy, want %d", c.healthy, c.children, c.threshold)
}

// endpoint returns what a check probes, or "". Path and query are left out: they may
// hold a token.
func (e *entry) endpoint() string {
	if e.checker == nil {
		return ""
	}
	s := &e.checker.spec
	return s.Kind.String() + "://" + net.JoinHostPort(s.Host, strconv.Itoa(int(s.Port)))
}
