package steer

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
)

// TestQuietly: no collection starts while a load makes as much as there is, and afterwards
// the percentage is what it was.
func TestQuietly(t *testing.T) {
	for _, percent := range []int{100, 20, 4000, -1} {
		before := debug.SetGCPercent(percent)
		defer debug.SetGCPercent(before)
		running := make([][]byte, 0, 1<<16)
		fill := func(n int) {
			for range n {
				running = append(running, make([]byte, 1<<10))
			}
		}
		fill(cap(running) / 2)
		runtime.GC()
		collections := func() uint32 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.NumGC
		}
		var seen, during uint32
		if !quietly(context.Background(), func() {
			first := collections()
			fill(cap(running) / 2)
			seen = collections() - first
			during = collections()
		}) {
			t.Fatal("the load did not run")
		}
		if seen != 0 {
			t.Errorf("with GOGC=%d: %d collections during the load", percent, seen)
		}
		if due := percent == 20; due && collections() == during {
			t.Errorf("with GOGC=%d: the collection that was due has not come", percent)
		}
		if after := debug.SetGCPercent(percent); after != percent {
			t.Errorf("GOGC is %d after the load, was %d", after, percent)
		}
		runtime.KeepAlive(running)
	}
}

// TestQuietlyOneAtATime: a second load waits for the first, or gives up with its context.
func TestQuietlyOneAtATime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	quietly(ctx, func() {
		cancel()
		if quietly(ctx, func() { t.Error("two loads at a time") }) {
			t.Error("the second load is said to have run")
		}
	})
	if !quietly(context.Background(), func() {}) {
		t.Error("there is no room after the loads")
	}
}

func TestMarkerProcs(t *testing.T) {
	for _, tt := range []struct{ procs, cores, want int }{
		{1, 1, 1},
		{2, 2, 4},
		{3, 3, 4},
		{4, 4, 4},
		{6, 6, 6},
		{1, 2, 1}, // a quota
		{2, 3, 2},
		{3, 64, 3},
		{4, 2, 4}, // more than there are: somebody wants it so
		{3, 2, 3},
	} {
		if got := markerProcs(tt.procs, tt.cores); got != tt.want {
			t.Errorf("%d of %d cores: %d, want %d", tt.procs, tt.cores, got, tt.want)
		}
	}
}

// TestWithMarker: GOMAXPROCS is raised during a collection unless the environment sets it, and
// is what it was afterwards, whoever had set it.
func TestWithMarker(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	for _, env := range []string{"", "2"} {
		t.Setenv("GOMAXPROCS", env)
		for procs := 1; procs <= 5; procs++ {
			runtime.GOMAXPROCS(procs)
			want := procs
			if env == "" {
				want = markerProcs(procs, runtime.NumCPU())
			}
			withMarker(func() {
				if got := runtime.GOMAXPROCS(0); got != want {
					t.Errorf("with %q in the environment, GOMAXPROCS is %d during a collection with %d before, want %d", env, got, procs, want)
				}
			})
			if got := runtime.GOMAXPROCS(0); got != procs {
				t.Errorf("with %q in the environment, GOMAXPROCS is %d after a collection, was %d", env, got, procs)
			}
		}
	}
}
