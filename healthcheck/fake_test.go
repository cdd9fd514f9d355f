package healthcheck

import (
	"context"
	"crypto/x509"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// endpoints are fake endpoints for the tests of time: their probes take as long as they
// should and fail when they should, in a synctest bubble.
type endpoints struct {
	began time.Time

	mu       sync.Mutex
	down     map[string]bool          // hosts that refuse
	fails    map[string]error         // hosts that fail otherwise
	takes    map[string]time.Duration // how long their probes take
	starts   map[string][]time.Duration
	active   map[string]int // probes under way
	reported []string       // transitions, as "5s block/check healthy→unhealthy: reason"
	faults   bool           // probes fail for want of local resources
}

func newEndpoints() *endpoints {
	return &endpoints{
		began:  time.Now(),
		down:   map[string]bool{},
		fails:  map[string]error{},
		takes:  map[string]time.Duration{},
		starts: map[string][]time.Duration{},
		active: map[string]int{},
	}
}

// pool returns a pool that probes the endpoints, and records the transitions it reports.
// It began half a slot ago, so that tests that sleep whole slots act between them.
func (ep *endpoints) pool() *Pool {
	p := NewPool(Options{OnTransition: func(t Transition) {
		ep.mu.Lock()
		defer ep.mu.Unlock()
		ep.reported = append(ep.reported, fmt.Sprintf("%v %s/%s %v→%v: %s",
			time.Since(ep.began), t.Owner, t.Check, t.From, t.To, t.Reason))
	}})
	p.prober = ep.probe
	time.Sleep(slot / 2)
	return p
}

func (ep *endpoints) probe(ctx context.Context, s *Spec, _ *x509.CertPool) error {
	ep.mu.Lock()
	ep.starts[s.Host] = append(ep.starts[s.Host], time.Since(ep.began))
	ep.active[s.Host]++
	takes := ep.takes[s.Host]
	ep.mu.Unlock()
	defer func() {
		ep.mu.Lock()
		defer ep.mu.Unlock()
		ep.active[s.Host]--
	}()
	if takes > 0 {
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	ep.mu.Lock()
	faults, down, err := ep.faults, ep.down[s.Host], ep.fails[s.Host]
	ep.mu.Unlock()
	if faults {
		return errLocal
	}
	if down {
		return fail(refusedClass, "connect: connection refused")
	}
	return err
}

// fail makes the probes of a host fail with an error.
func (ep *endpoints) fail(host string, err error) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.fails[host] = err
}

func (ep *endpoints) set(host string, up bool) {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	ep.down[host] = !up
}

// seen returns when the probes of a host began, and forgets them.
func (ep *endpoints) seen(host string) []time.Duration {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	seen := ep.starts[host]
	delete(ep.starts, host)
	return seen
}

// next waits for the next probe of a host to begin and returns when it did.
func (ep *endpoints) next(host string) time.Duration {
	ep.seen(host)
	for {
		time.Sleep(slot)
		if seen := ep.seen(host); len(seen) > 0 {
			return seen[0]
		}
	}
}

// reports returns the transitions reported so far, and forgets them.
func (ep *endpoints) reports() []string {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	reported := ep.reported
	ep.reported = nil
	return reported
}

// waits returns the times between the starts of probes.
func waits(starts []time.Duration) []time.Duration {
	var waits []time.Duration
	for i := 1; i < len(starts); i++ {
		waits = append(waits, starts[i]-starts[i-1])
	}
	return waits
}

// readings returns what a scrape would read.
func readings(p *Pool) []reading {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read()
}

// tcp returns a check of a host, named like it, every 10 s with thresholds of 3.
func tcp(host string) Check {
	s := Defaults(TCP)
	s.Host, s.Port = host, 80
	s.Interval, s.Recheck = 10*time.Second, 10*time.Second
	return Check{Name: host, Spec: s}
}

// once makes a check that is probed at its start only.
func once(c *Check) { c.Spec.Interval, c.Spec.Recheck = 1000*time.Hour, 1000*time.Hour }

// letters writes statuses as one letter each: H healthy, U unhealthy.
func letters(statuses []Status) string {
	s := ""
	for _, status := range statuses {
		s += map[Status]string{Healthy: "H", Unhealthy: "U"}[status]
	}
	return s
}

func wantStatuses(t *testing.T, l *Lease, want string) {
	t.Helper()
	if got := letters(l.Statuses()); got != want {
		t.Errorf("statuses %s, want %s", got, want)
	}
}

func wantReported(t *testing.T, ep *endpoints, want ...string) {
	t.Helper()
	if got := ep.reports(); !slices.Equal(got, want) {
		t.Errorf("transitions reported:\n%q, want\n%q", got, want)
	}
}

// wantSet compares two lists regardless of their order.
func wantSet(t *testing.T, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}
