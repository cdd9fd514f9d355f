package healthcheck

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestStartUpProbesEverySecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.set("a", false)
		l := ep.pool().Acquire("block", []Check{with(tcp("a"), once)})
		defer l.Release()
		if l.Known() {
			t.Error("known before the first probe")
		}
		wantStatuses(t, l, "H")
		time.Sleep(4 * time.Second)
		seen := ep.seen("a")
		if len(seen) == 0 || seen[0] > time.Second+slot {
			t.Fatalf("probed at %v, want the first within a second", seen)
		}
		if got, want := waits(seen), []time.Duration{time.Second, time.Second}; !slices.Equal(got, want) {
			t.Errorf("then after %v, want %v", got, want)
		}
		if !l.Known() {
			t.Error("not known after three results")
		}
		wantStatuses(t, l, "U")
	})
}

func TestStartUpKeepsAShorterInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		c := tcp("a")
		c.Spec.Interval, c.Spec.Recheck = 500*ms, 500*ms
		l := ep.pool().Acquire("block", []Check{c})
		defer l.Release()
		time.Sleep(3 * time.Second)
		for _, wait := range waits(ep.seen("a")) {
			if wait != 500*ms {
				t.Errorf("probed again after %v, want every 500ms", wait)
			}
		}
	})
}

func TestKnownNeedsTheGreaterThreshold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		c := tcp("a")
		c.Spec.Rise, c.Spec.Fall = 5, 1
		l := ep.pool().Acquire("block", []Check{c})
		defer l.Release()
		for range 4 {
			ep.next("a")
			synctest.Wait()
			if l.Known() {
				t.Fatal("known before five results")
			}
		}
		time.Sleep(time.Second + ms)
		if !l.Known() {
			t.Error("not known after five results")
		}
	})
}

func TestIntervalCountsFromTheEndOfAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.takes["a"] = 3 * time.Second
		l := ep.pool().Acquire("block", []Check{tcp("a")})
		defer l.Release()
		time.Sleep(time.Minute)
		got := waits(ep.seen("a"))
		if len(got) < 5 {
			t.Fatalf("only %d probes in a minute", len(got)+1)
		}
		if want := []time.Duration{4 * time.Second, 4 * time.Second}; !slices.Equal(got[:2], want) {
			t.Errorf("at the start: a probe after %v, want %v", got[:2], want)
		}
		for _, wait := range got[3:] {
			if wait != 13*time.Second {
				t.Errorf("a probe of 3s was followed by the next after %v, want 13s", wait)
			}
		}
	})
}

func TestFailoverIsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		l := ep.pool().Acquire("block", []Check{tcp("a")})
		defer l.Release()
		time.Sleep(time.Minute)
		ep.seen("a")
		ep.set("a", false)
		down := time.Now()
		<-l.Changed()
		if got := time.Since(down); got > 30*time.Second+slot {
			t.Errorf("noticed after %v, want three intervals of 10s at most", got)
		}
		if got := len(ep.seen("a")); got != 3 {
			t.Errorf("it took %d probes, want 3", got)
		}
		if got := l.Take(); len(got) != 1 || got[0] != (Change{0, Unhealthy}) {
			t.Errorf("changes %v, want check 0 unhealthy", got)
		}
	})
}

func TestRecheckConfirmsAFailureFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		c := tcp("a")
		c.Spec.Recheck = 2 * time.Second
		l := ep.pool().Acquire("block", []Check{c})
		defer l.Release()
		time.Sleep(time.Minute)
		ep.next("a")
		ep.set("a", false)
		time.Sleep(35 * time.Second) // probes 10 s, 12 s, 14 s, 24 s and 34 s later
		got := waits(ep.seen("a"))
		want := []time.Duration{2 * time.Second, 2 * time.Second, 10 * time.Second, 10 * time.Second}
		if !slices.Equal(got, want) {
			t.Errorf("after the first failure: probes after %v, want %v", got, want)
		}
		wantStatuses(t, l, "U")
	})
}

func TestStartsAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		ep := newEndpoints()
		checks := make([]Check, n)
		for i := range checks {
			checks[i] = tcp(fmt.Sprint("host", i))
		}
		l := ep.pool().Acquire("block", checks)
		defer l.Release()
		most := func(from, to time.Duration) (most int) {
			slots := map[time.Duration]int{}
			for _, c := range checks {
				for _, at := range ep.seen(c.Name) {
					slots[at/slot]++
				}
			}
			for at := from / slot; at < to/slot; at++ {
				most = max(most, slots[at])
			}
			return most
		}
		time.Sleep(950 * ms)
		if got := most(0, time.Second); got > n/10*3/2 {
			t.Errorf("%d first probes began in one slot, want about %d", got, n/10)
		}
		time.Sleep(29050 * ms)
		if got := most(20*time.Second, 30*time.Second); got > n/100*3 {
			t.Errorf("in operation %d probes began in one slot, want about %d", got, n/100)
		}
	})
}

// A start of very many checks is not a flood, and new checks do not hold up old ones.
func TestManyStartsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 12_000
		ep := newEndpoints()
		p := ep.pool()
		old := tcp("old")
		old.Spec.Interval, old.Spec.Recheck = time.Second, time.Second
		a := p.Acquire("old", []Check{old})
		defer a.Release()
		time.Sleep(5 * time.Second)
		ep.seen("old")

		checks := make([]Check, n)
		for i := range checks {
			checks[i] = tcp(fmt.Sprint("host", i))
		}
		began := time.Since(ep.began)
		b := p.Acquire("new", checks)
		defer b.Release()
		time.Sleep(10 * time.Second)
		slots := map[time.Duration]int{}
		for _, c := range checks {
			for _, at := range ep.seen(c.Name) {
				slots[(at-began)/slot]++
			}
		}
		for at, starts := range slots {
			if starts > maxStarts {
				t.Errorf("%d probes began in slot %d, want at most %d", starts, at, maxStarts)
			}
		}
		if !b.Known() {
			t.Error("36,000 first probes were not done in 10s")
		}
		for _, wait := range waits(ep.seen("old")) {
			if wait != time.Second {
				t.Errorf("the old check waited %v, want 1s", wait)
			}
		}
	})
}

// An endpoint that hangs costs its own check, nobody else.
func TestHangingProbesHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		checks := []Check{tcp("a")}
		for i := range 500 {
			c := tcp(fmt.Sprint("hangs", i))
			ep.takes[c.Name] = time.Hour
			checks = append(checks, c)
		}
		l := ep.pool().Acquire("block", checks)
		time.Sleep(time.Minute)
		if got := len(ep.seen("a")); got < 7 {
			t.Errorf("probed %d times in a minute, want 7 at least", got)
		}
		stopping := time.Now()
		l.Release()
		if took := time.Since(stopping); took > 0 {
			t.Errorf("Release took %v: hanging probes must be stopped", took)
		}
	})
}

// A machine out of sockets knows nothing about its endpoints.
func TestLocalFaultsAreNoResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.faults = true
		l := ep.pool().Acquire("block", []Check{tcp("a")})
		defer l.Release()
		time.Sleep(10 * time.Second)
		if l.Known() {
			t.Error("known without a result")
		}
		wantStatuses(t, l, "H")
		if got := len(ep.seen("a")); got < 9 {
			t.Errorf("tried %d times in 10s, want every second", got)
		}
		ep.mu.Lock()
		ep.faults = false
		ep.mu.Unlock()
		time.Sleep(4 * time.Second)
		if !l.Known() {
			t.Error("not known although probes work again")
		}
	})
}

func TestSchedulerSleepsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		for range 3 { // a pool can be left and used again
			l := p.Acquire("block", []Check{tcp("a")})
			time.Sleep(5 * time.Second)
			l.Release()
			l.Release()
			ep.seen("a")
			time.Sleep(time.Hour)
			if got := ep.seen("a"); len(got) > 0 {
				t.Errorf("probed at %v, after Release", got)
			}
		}
		// synctest.Test fails if a goroutine is left.
	})
}
