package record

import "runtime"

// Breathe lets other goroutines run now and then where there is one processor. Loops over
// everything that a catalog holds call it with a count: a load of a million records beside
// the running data takes seconds, and queries that wait for it would wait for up to 10 ms,
// until the runtime takes the processor away. Where there are more, the loader leaves
// queries what it does not use, and to yield costs more than it gives.
func Breathe(count int) {
	if count%32 == 0 && runtime.GOMAXPROCS(0) == 1 {
		runtime.Gosched()
	}
}
