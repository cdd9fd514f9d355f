package healthcheck

import (
	"context"
	"crypto/x509"
	"fmt"
	"hash/maphash"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestMaxRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		p.maxRunning = 10
		var checks []Check
		for i := range 30 {
			c := tcp(fmt.Sprint("hangs", i))
			ep.takes[c.Name] = 5 * time.Second
			checks = append(checks, c)
		}
		l := p.Acquire("block", checks)
		defer l.Release()
		for range 10 {
			time.Sleep(900 * ms)
			p.mu.Lock()
			running := p.running
			p.mu.Unlock()
			if running > 10 {
				t.Fatalf("%d probes run, want 10 at most", running)
			}
		}
		time.Sleep(2 * time.Minute)
		if !l.Known() {
			t.Error("some checks never had their turn")
		}
	})
}

// However many new checks hang, those in operation are probed in time.
func TestNewChecksLeaveRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		p.maxRunning = 16
		var old, hanging []Check
		for i := range 20 {
			c := tcp(fmt.Sprint("old", i))
			c.Spec.Interval, c.Spec.Recheck = 5*time.Second, 5*time.Second
			ep.takes[c.Name] = 20 * ms
			old = append(old, c)
		}
		for i := range 2000 {
			c := tcp(fmt.Sprint("hangs", i))
			ep.takes[c.Name] = 10 * time.Second
			hanging = append(hanging, c)
		}
		a := p.Acquire("old", old)
		defer a.Release()
		time.Sleep(20 * time.Second)
		for _, c := range old {
			ep.seen(c.Name)
		}
		b := p.Acquire("new", hanging)
		defer b.Release()
		time.Sleep(5 * time.Minute)
		for _, c := range old {
			if got := slices.Max(waits(ep.seen(c.Name))); got > 6*time.Second {
				t.Errorf("%s was not probed for %v, want every 5s", c.Name, got)
			}
		}
		started := 0
		for _, c := range hanging {
			started += len(ep.seen(c.Name))
		}
		if started < 12*29 {
			t.Errorf("%d probes of new checks began in 5m, want 12 every 10s", started)
		}
	})
}

// New checks get their turn although those in operation take all there is.
func TestOldChecksLeaveRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		var old []Check
		for i := range 100 {
			c := tcp(fmt.Sprint("old", i))
			c.Spec.Interval, c.Spec.Recheck = time.Second, time.Second
			old = append(old, c)
		}
		a := p.Acquire("old", old)
		defer a.Release()
		time.Sleep(10 * time.Second)
		p.mu.Lock()
		p.maxRunning = 2
		p.mu.Unlock()
		for _, c := range old {
			ep.mu.Lock()
			ep.takes[c.Name] = 5 * time.Second
			ep.mu.Unlock()
		}
		b := p.Acquire("new", []Check{tcp("new")})
		defer b.Release()
		time.Sleep(time.Minute)
		if !b.Known() {
			t.Errorf("the new check was probed at %v only", ep.seen("new"))
		}
	})
}

// What the scheduler waits for its lock is no load of the processor.
func TestLocksAreNoLoad(t *testing.T) {
	p := NewPool(Options{})
	p.prober = func(ctx context.Context, _ *Spec, _ *x509.CertPool) error {
		<-ctx.Done()
		return ctx.Err()
	}
	c := tcp("a")
	for firstWait(&c.Spec, maphash.Comparable(p.seed, c.Spec)) < 600*ms {
		c.Spec.Port++
	}
	l := p.Acquire("block", []Check{c})
	defer l.Release()
	time.Sleep(100 * ms) // the scheduler sleeps until the probe is due
	p.mu.Lock()
	if l.entries[0].checker.state != waiting {
		p.mu.Unlock()
		t.Skip("the machine is busy")
	}
	time.Sleep(1200 * ms)
	free := p.now()
	p.mu.Unlock()
	for {
		p.mu.Lock()
		r := l.entries[0].checker.run
		p.mu.Unlock()
		if r != nil {
			if r.launched < free {
				t.Errorf("launched %v before the lock was free", free-r.launched)
			}
			return
		}
		time.Sleep(ms)
	}
}
