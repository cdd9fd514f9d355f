package record

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Breathe lets queries be answered now and then where there is one processor. Loops over
// everything that a catalog holds call it with a count: a load of a million records beside
// the running data takes seconds, and queries would wait for up to 10 ms each, until the
// runtime takes the processor away. To yield would not do, since the runtime looks for
// packets when it has nothing else to run. With more processors the loader leaves queries
// those that it does not use.
func Breathe(count int) {
	if count%32 != 0 || runtime.GOMAXPROCS(0) > 1 || time.Since(start)-time.Duration(breathed.Load()) < breath {
		return
	}
	time.Sleep(time.Microsecond)
	breathed.Store(int64(time.Since(start)))
}

// breath is how long a loop runs on one processor. To sleep takes a millisecond.
const breath = time.Millisecond

var (
	start    = time.Now()
	breathed atomic.Int64 // when a loop slept last, in nanoseconds since start
)
