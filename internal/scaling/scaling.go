// Package scaling lets tests tell a cost that grows with its size from one that grows with
// the square of it.
package scaling

import (
	"testing"
	"time"
)

const (
	// times is how much larger the larger size is. What is linear then takes 8 times as
	// long, and what is quadratic 64 times.
	times = 8

	// most is between the two, with a factor of three to either side for a busy machine.
	most = 24

	// tries is how often a machine may be too busy; a job that takes longer than patience
	// is not tried again.
	tries    = 8
	patience = 5 * time.Second
)

// Linear fails the test when a job of size 8n takes much more than 8 times as long as one
// of size n. prepare returns a job, which runs once. The job of size n should take a
// millisecond at least.
func Linear(t testing.TB, n int, prepare func(n int) (job func())) {
	t.Helper()
	if distorted {
		t.Skip("the race detector distorts what is measured")
	}
	var small, large time.Duration
	for range tries {
		// The least of all tries, since anything else that the machine does only adds.
		small, large = least(small, prepare(n)), least(large, prepare(times*n))
		if large < most*small {
			t.Logf("%d: %v, %d: %v", n, small, times*n, large)
			return
		}
		if large > patience {
			break
		}
	}
	t.Errorf("size %d takes %v, and size %d takes %v: more than %d times as long", n, small, times*n, large, most)
}

// least runs a job and returns how much processor time it took, or before if that is less
// and not 0.
func least(before time.Duration, job func()) time.Duration {
	began := now()
	job()
	if took := max(now()-began, time.Microsecond); before == 0 || took < before {
		return took
	}
	return before
}
