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

// world is where endpoints live in the tests of time: probes of it take as long as
// they should and fail when they should, in a synctest bubble.
type world struct {
	began time.Time

	mu     sync.Mutex
	down   map[string]bool          // hosts that refuse
	fails  map[string]error         // hosts that fail otherwise
	takes  map[string]time.Duration // how long their probes take
	starts map[string][]time.Duration
	active map[string]int // probes under way
	told   []string       // transitions, as "5s block/check healthy→unhealthy: reason"
	faults bool           // probes fail for want of local resources
}

func newWorld() *world {
	return &world{
		began:  time.Now(),
		down:   map[string]bool{},
		fails:  map[string]error{},
		takes:  map[string]time.Duration{},
		starts: map[string][]time.Duration{},
		active: map[string]int{},
	}
}

// pool returns a pool that probes the world, and records the transitions it reports.
// It began half a slot ago, so that tests that sleep whole slots act between them.
func (w *world) pool() *Pool {
	p := NewPool(Options{OnTransition: func(t Transition) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told = append(w.told, fmt.Sprintf("%v %s/%s %v→%v: %s",
			time.Since(w.began), t.Owner, t.Check, t.From, t.To, t.Reason))
	}})
	p.prober = w.probe
	time.Sleep(slot / 2)
	return p
}

func (w *world) probe(ctx context.Context, s *Spec, _ *x509.CertPool) error {
	w.mu.Lock()
	w.starts[s.Host] = append(w.starts[s.Host], time.Since(w.began))
	w.active[s.Host]++
	takes := w.takes[s.Host]
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.active[s.Host]--
	}()
	if takes > 0 {
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.mu.Lock()
	faults, down, err := w.faults, w.down[s.Host], w.fails[s.Host]
	w.mu.Unlock()
	if faults {
		return errLocal
	}
	if down {
		return fail(refusedClass, "connect: connection refused")
	}
	return err
}

// fail makes the probes of a host fail with an error.
func (w *world) fail(host string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fails[host] = err
}

func (w *world) set(host string, up bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down[host] = !up
}

// seen returns when the probes of a host began, and forgets them.
func (w *world) seen(host string) []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.starts[host]
	delete(w.starts, host)
	return seen
}

// next waits for the next probe of a host to begin and returns when it did.
func (w *world) next(host string) time.Duration {
	w.seen(host)
	for {
		time.Sleep(slot)
		if seen := w.seen(host); len(seen) > 0 {
			return seen[0]
		}
	}
}

// heard returns the transitions told so far, and forgets them.
func (w *world) heard() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	told := w.told
	w.told = nil
	return told
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

func wantHeard(t *testing.T, w *world, want ...string) {
	t.Helper()
	if got := w.heard(); !slices.Equal(got, want) {
		t.Errorf("transitions told:\n%q, want\n%q", got, want)
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
