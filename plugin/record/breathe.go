package record

import "runtime"

// Breathe lets other goroutines run now and then. Loops over everything that a catalog
// holds call it with a count: a load of a million records beside the running data takes
// a processor for seconds, and queries that wait for it would wait for up to 10 ms, until
// the runtime takes it away.
func Breathe(count int) {
	if count%32 == 0 {
		runtime.Gosched()
	}
}
