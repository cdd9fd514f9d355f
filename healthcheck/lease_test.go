package healthcheck

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A reload: the new lease begins before the old one ends.
func TestEqualSpecsShareAProbeThroughAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		ep.set("a", false)
		first := p.Acquire("block", []Check{tcp("a")})
		time.Sleep(time.Minute)
		wantStatuses(t, first, "U")
		ep.next("a")
		for i := range 5 {
			second := p.Acquire("block", []Check{tcp("b"), tcp("a")})
			wantStatuses(t, second, "HU")
			if !first.Known() && i == 0 || second.Known() && i == 0 {
				t.Error("a is known, b is not yet")
			}
			first.Release()
			time.Sleep(time.Second)
			first = second
		}
		defer first.Release()
		time.Sleep(24 * time.Second)
		if got, want := waits(ep.seen("a")), []time.Duration{10 * time.Second}; !slices.Equal(got, want) {
			t.Errorf("reloads disturbed the probe: it came again after %v, want %v", got, want)
		}
	})
}

func TestAReloadKeepsTheRunningProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.takes["a"] = 5 * time.Second
		p := ep.pool()
		old := p.Acquire("block", []Check{tcp("a")})
		time.Sleep(2 * time.Second) // it runs
		l := p.Acquire("block", []Check{tcp("a")})
		defer l.Release()
		old.Release()
		time.Sleep(5 * time.Second)
		if got := readings(p); len(got) != 1 || got[0].passes != 1 {
			t.Errorf("after the reload: %+v, want the result of the probe that ran", got)
		}
	})
}

func TestNamesShareAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		named := func(name string, invert bool) Check {
			c := tcp("a")
			c.Name, c.Invert = name, invert
			return c
		}
		one := p.Acquire("one", []Check{named("x", false), named("y", true)})
		two := p.Acquire("two", []Check{named("z", false)})
		wantStatuses(t, one, "HU")
		time.Sleep(10 * time.Second)
		ep.reports()
		if got := len(ep.seen("a")); got > 4 {
			t.Errorf("%d probes, want those of one check", got)
		}
		ep.set("a", false)
		time.Sleep(40 * time.Second)
		wantStatuses(t, one, "UH")
		wantStatuses(t, two, "U")
		if got := len(ep.reports()); got != 3 {
			t.Errorf("%d transitions reported, want one for each name", got)
		}
		one.Release()
		ep.set("a", true)
		time.Sleep(40 * time.Second)
		wantStatuses(t, one, "UH") // a released lease keeps its last statuses
		wantStatuses(t, two, "H")
		two.Release()
	})
}

func TestAChangedSpecStartsFromTheLastStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.set("a", false)
		p := ep.pool()
		old := p.Acquire("block", []Check{tcp("a")})
		time.Sleep(10 * time.Second)
		wantStatuses(t, old, "U")

		changed := tcp("a")
		changed.Spec.Port = 81
		changed.Invert = true
		l := p.Acquire("block", []Check{changed})
		defer l.Release()
		other := p.Acquire("other", []Check{{Name: "a", Spec: tcp("a2").Spec}})
		defer other.Release()
		old.Release()
		wantStatuses(t, l, "H")     // unhealthy, inverted
		wantStatuses(t, other, "H") // another owner's check of that name is another check
		if !l.Known() {
			t.Error("it knew its status before the change and does not any more")
		}
		synctest.Wait()
		ep.reports()
		ep.set("a", true)
		time.Sleep(4 * time.Second)
		wantStatuses(t, l, "U")
		if reported := ep.reports(); len(reported) != 1 {
			t.Errorf("reported %q, want one transition", reported)
		}
	})
}

// A log that is stuck does not keep the server from its end.
func TestReleaseDoesNotWaitForAStuckLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.set("a", false)
		p := ep.pool()
		stuck := make(chan struct{})
		defer close(stuck)
		p.onTransition = func(Transition) { <-stuck }
		l := p.Acquire("block", []Check{tcp("a")})
		time.Sleep(10 * time.Second)
		stopping := time.Now()
		l.Release()
		if took := time.Since(stopping); took != time.Second {
			t.Errorf("Release took %v, want 1s", took)
		}
	})
}

func TestAnInheritedUnknownStaysUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newEndpoints().pool()
		old := p.Acquire("block", []Check{tcp("a")})
		changed := tcp("a")
		changed.Spec.Port = 81
		l := p.Acquire("block", []Check{changed})
		old.Release()
		if l.Known() {
			t.Error("known, but nobody has probed anything yet")
		}
		time.Sleep(4 * time.Second)
		if !l.Known() {
			t.Error("not known after the first results")
		}
		l.Release()
	})
}

// While two leases overlap, each gets the change, and a person hears of it once.
func TestOverlapTellsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		old := p.Acquire("block", []Check{tcp("a"), tcp("b")})
		l := p.Acquire("block", []Check{tcp("a")})
		ep.set("a", false)
		ep.set("b", false)
		time.Sleep(10 * time.Second)
		wantStatuses(t, old, "UU")
		wantStatuses(t, l, "U")
		if got := len(ep.reports()); got != 2 {
			t.Errorf("%d transitions reported, want one for a and one for b", got)
		}
		old.Release()
		l.Release()
	})
}

func TestTakeReturnsWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		l := ep.pool().Acquire("block", []Check{tcp("a"), tcp("b"), tcp("c")})
		defer l.Release()
		time.Sleep(10 * time.Second)
		if got := l.Take(); len(got) != 0 {
			t.Errorf("nothing changed, Take returned %v", got)
		}
		ep.set("b", false)
		ep.set("c", false)
		time.Sleep(40 * time.Second)
		ep.set("c", true)
		time.Sleep(40 * time.Second)
		<-l.Changed()
		select {
		case <-l.Changed():
			t.Error("signalled twice before Take")
		default:
		}
		got := l.Take()
		slices.SortFunc(got, func(a, b Change) int { return a.Check - b.Check })
		if want := []Change{{1, Unhealthy}, {2, Healthy}}; !slices.Equal(got, want) {
			t.Errorf("Take() = %v, want %v", got, want)
		}
		if got := l.Take(); len(got) != 0 {
			t.Errorf("the second Take returned %v", got)
		}
	})
}

func TestReleaseWaitsForItsProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.takes["a"] = 5 * time.Second
		p := ep.pool()
		l := p.Acquire("block", []Check{tcp("a"), tcp("b")})
		keep := p.Acquire("other", []Check{tcp("b")})
		time.Sleep(2 * time.Second)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				l.Release()
				ep.mu.Lock()
				defer ep.mu.Unlock()
				if ep.active["a"] != 0 {
					t.Error("Release returned while the probe ran")
				}
			})
		}
		all.Wait()
		ep.reports()
		keep.Release()
		wantReported(t, ep) // a stopped probe is not a failed one
	})
}

// Many goroutines acquire, release and read while endpoints flap; -race watches.
func TestConcurrentUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for i := range 50 {
					l := p.Acquire("block", []Check{tcp("a"), tcp("b"), {Name: "c", Calculated: true, Children: []int{0, 1}, HealthyThreshold: 1}})
					ep.set("a", i%2 == 0)
					time.Sleep(time.Duration(i) * 37 * ms)
					l.Statuses()
					l.Take()
					l.Known()
					l.Release()
				}
			})
		}
		all.Wait()
		if len(p.checkers)+len(p.owners)+p.running+p.distinct != 0 {
			t.Errorf("left behind: %d checkers, %d owners, %d running", len(p.checkers), len(p.owners), p.running)
		}
	})
}
