package steer

import (
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// loading has room for one load beside running data in the whole process.
var loading = make(chan struct{}, 1)

// growth is to how many times its size the heap may grow while new data is loaded beside
// what is running: with it the heap doubles, and to make it takes a third of that.
const growth = 2.5

// quietly runs a load of data that replaces what is running, in such a way that queries
// notice little of it (docs/adr/0012): one at a time, on a thread of its own, and with
// garbage collection put off until it is done, since that takes every processor it finds
// for as long as it has to look through old and new data. It returns false, and does
// nothing, if the context ends first.
func quietly(ctx context.Context, load func()) bool {
	select {
	case loading <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	defer func() { <-loading }()
	defer apart()()
	if percent := debug.SetGCPercent(-1); percent >= 0 { // which tells what it was
		debug.SetGCPercent(max(percent, percentage(growth)))
		defer collectAt(percent)
	}
	load()
	return true
}

// collectAt sets back the percentage under which collections start. One that is due then
// comes before: the heap would be over its goal, and whoever allocates, such as a query,
// would have to help until it is under it.
func collectAt(percent int) {
	if percentage(1) >= percent {
		withMarker(runtime.GC)
	}
	debug.SetGCPercent(percent)
}

// withMarker runs a collection with one of the runtime's processors for it alone, where a
// machine of two or three has none to spare. It stays as it is where the operator has set
// GOMAXPROCS, and where it is less than the cores, as CoreDNS sets it under a quota: more
// threads would only use that up sooner.
func withMarker(collect func()) {
	procs := runtime.GOMAXPROCS(0)
	more := markerProcs(procs, runtime.NumCPU())
	if more == procs || os.Getenv("GOMAXPROCS") != "" {
		collect()
		return
	}
	// The runtime adapts the number to what the machine has, unless a program sets it. If
	// this one has, it is to be that again, else the runtime is to go on.
	back := runtime.SetDefaultGOMAXPROCS
	back()
	if runtime.GOMAXPROCS(0) != procs {
		back = func() { runtime.GOMAXPROCS(procs) }
	}
	runtime.GOMAXPROCS(more)
	defer back()
	collect()
}

// markerProcs returns how many of the runtime's processors a collection is to have. The
// runtime gives a quarter of them to marking. Where that is less than one it has a worker
// that takes turns with queries and goes before those that have come, for milliseconds; of
// four it is one, and the kernel shares the cores among their threads.
func markerProcs(procs, cores int) int {
	if procs == cores && (procs == 2 || procs == 3) {
		return 4
	}
	return procs
}

// percentage returns the percentage under which a collection starts when the heap has
// grown to so many times its size.
func percentage(times float64) int {
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	live, now := float64(heap[0].Value.Uint64()), float64(heap[1].Value.Uint64())
	return int(min(100*(times*now/max(live, 1)-1), math.MaxInt32))
}

// apart puts a goroutine on a thread of its own until it calls what apart returns: the
// kernel shares processors among threads more evenly than the Go runtime shares threads
// among goroutines. Where there is one processor, the two would hand it to each other.
func apart() (end func()) {
	if runtime.GOMAXPROCS(0) == 1 {
		return func() {}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
