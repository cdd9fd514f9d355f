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

// TestWithMarker: a collection has four of the runtime's processors where two or three are all
// that the machine has, and they are as many as before when it is over.
func TestWithMarker(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	for procs := 1; procs <= 5; procs++ {
		runtime.GOMAXPROCS(procs)
		want := procs
		if procs == runtime.NumCPU() && (procs == 2 || procs == 3) {
			want = 4
		}
		withMarker(func() {
			if got := runtime.GOMAXPROCS(0); got != want {
				t.Errorf("GOMAXPROCS is %d during a collection with %d before, want %d", got, procs, want)
			}
		})
		if got := runtime.GOMAXPROCS(0); got != procs {
			t.Errorf("GOMAXPROCS is %d after a collection, was %d", got, procs)
		}
	}
}
