package healthcheck

import (
	"context"
	"crypto/x509"
	"sync"
	"time"
)

// checker is the one probe of all checks with the same Spec: its schedule, its
// history and who uses it. All but spec, hash and roots is guarded by Pool.mu.
//
// There can be 100,000 of them, so the fields are few and narrow; a test holds
// checker, entry and map together under 500 bytes.
type checker struct {
	spec  Spec
	hash  uint64         // of spec: key in Pool.checkers and phase of the probe
	roots *x509.CertPool // parsed spec.CAs, or nil

	sameHash   *checker // the next one whose Spec has the same hash
	prev, next *checker // neighbours in the list of state
	due        int64    // slot of the next start, when waiting or ready
	run        *run     // the probe, when running
	uses       *entry   // the checks that use it, a list through entry.next

	ended     time.Duration // when the last result came in, from the pool's beginning
	passes    uint32
	failures  uint32
	threshold Threshold
	results   uint8  // so far, at most enough()+1
	known     bool   // there are enough results, or a predecessor had them
	failing   class  // why it is unhealthy, as last reported
	repeated  uint32 // when a further reason was reported last: seconds from the pool's beginning, rounded up; 0 is never
	state     state
}

// state says where a checker is.
type state uint8

const (
	waiting state = iota // in the wheel, until it is due
	ready                // due, in a queue for its start
	running              // a goroutine probes
	stopped              // nobody uses it; what its probe returns is ignored
)

// run is one probe under way.
type run struct {
	ctx      context.Context
	cancel   context.CancelFunc
	launched time.Duration   // when its goroutine was made, from the pool's beginning
	fresh    bool            // the check's first status was not known then
	waiter   *sync.WaitGroup // of the Release that stopped it, or nil
}

// observe takes the result of a probe and reports whether the status changed.
func (c *checker) observe(passed bool, ended time.Duration) (changed bool) {
	c.ended = ended
	if passed {
		c.passes++
	} else {
		c.failures++
	}
	if c.results <= c.spec.enough() {
		c.results++
	}
	return c.threshold.Observe(passed)
}

// join adds a check to the users of c.
func (c *checker) join(e *entry) {
	e.checker = c
	e.next = c.uses
	if c.uses != nil {
		c.uses.prev = e
	}
	c.uses = e
}

// leave removes a check from the users of its checker and reports whether it was the
// last.
func (e *entry) leave() (last bool) {
	c := e.checker
	if e.prev == nil {
		c.uses = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	}
	e.checker, e.prev, e.next = nil, nil, nil
	return c.uses == nil
}
