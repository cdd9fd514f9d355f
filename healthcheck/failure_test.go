package healthcheck

import (
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestAnotherReason: a check that stays unhealthy says so when it fails for a reason of
// another class, at most once a minute. Another text of the same class is no news.
func TestAnotherReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.set("a", false)
		p := ep.pool()
		l := p.Acquire("block", []Check{tcp("a"), with(with(tcp("a"), invert), func(c *Check) { c.Name = "not a" }), parent(1, 0)})
		defer l.Release()
		reported := func(want ...string) { // whenever it was: the phase of a check is random
			t.Helper()
			var got []string
			for _, line := range ep.reports() {
				_, line, _ = strings.Cut(line, " ")
				got = append(got, line)
			}
			if !slices.Equal(got, want) {
				t.Errorf("transitions reported:\n%q, want\n%q", got, want)
			}
		}
		after := func(d time.Duration, text string, c class) {
			ep.set("a", true)
			ep.fail("a", fail(c, text))
			time.Sleep(d)
			synctest.Wait()
		}
		time.Sleep(9 * time.Second) // probes at 0, 1 and 2 s, then every 10 s
		reported(
			"block/not a unhealthy→healthy: inverted: connect: connection refused",
			"block/a healthy→unhealthy: connect: connection refused",
			"block/parent healthy→unhealthy: 0 of 1 children healthy, want 1")

		after(10*time.Second, "status 500, want 200-399", statusClass)
		reported(
			"block/not a healthy→healthy: inverted: status 500, want 200-399",
			"block/a unhealthy→unhealthy: status 500, want 200-399")
		after(20*time.Second, "status 503, want 200-399", statusClass)
		reported() // the same class
		after(25*time.Second, "no response within 2s", timeoutClass)
		reported() // less than a minute
		after(30*time.Second, "no response within 2s", timeoutClass)
		reported(
			"block/not a healthy→healthy: inverted: no response within 2s",
			"block/a unhealthy→unhealthy: no response within 2s")
		for _, r := range readings(p) {
			if r.transitions != 1 {
				t.Errorf("%s: %d transitions counted, want 1", r.check, r.transitions)
			}
		}

		ep.fail("a", nil)
		time.Sleep(40 * time.Second)
		synctest.Wait()
		reported(
			"block/not a healthy→unhealthy: inverted: passed 3 times in a row",
			"block/a unhealthy→healthy: passed 3 times in a row",
			"block/parent unhealthy→healthy: 1 of 1 children healthy, want 1")
	})
}

// TestFailureClass: causes of one kind have one class.
func TestFailureClass(t *testing.T) {
	tests := []struct {
		err  error
		want class
	}{
		{connectError(syscall.ECONNREFUSED, time.Second), refusedClass},
		{connectError(os.ErrDeadlineExceeded, time.Second), timeoutClass},
		{connectError(syscall.EHOSTUNREACH, time.Second), otherClass},
		{headError(io.EOF, false, &Spec{}), resetClass},
		{headError(syscall.ECONNRESET, true, &Spec{}), resetClass},
		{headError(os.ErrDeadlineExceeded, true, &Spec{}), timeoutClass},
		{headError(errStatusLine, true, &Spec{}), formatClass},
		{bodyError(errNotFound, &Spec{}), bodyClass},
		{tlsError(io.EOF, time.Second), tlsClass},
		{io.EOF, otherClass},
	}
	for _, tt := range tests {
		if got := classOf(tt.err); got != tt.want {
			t.Errorf("%v: class %d, want %d", tt.err, got, tt.want)
		}
	}
}
