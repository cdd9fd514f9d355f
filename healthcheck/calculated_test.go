package healthcheck

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// parent returns a calculated check.
func parent(threshold int, children ...int) Check {
	return Check{Name: "parent", Calculated: true, Children: children, HealthyThreshold: threshold}
}

func with(c Check, edit func(*Check)) Check {
	edit(&c)
	return c
}

func invert(c *Check)  { c.Invert = true }
func disable(c *Check) { c.Disabled = true }

// What is reported at once, and when all that is known is in. The numbers are those of
// the collected cases of Route 53's behaviour.
func TestReportedStatus(t *testing.T) {
	fixed := func(s Status) func(*Check) { return func(c *Check) { c.Fixed, c.FixedStatus = true, s } }
	tests := []struct {
		name   string
		checks []Check // down is down
		first  string  // status of each check when it is new
		later  string  // after its first results
		probed int     // endpoints probed
	}{
		{"C31: new checks are healthy, inverted ones unhealthy",
			[]Check{tcp("up"), tcp("down"), with(tcp("up"), invert), with(tcp("down"), invert)}, "HHUU", "HUUH", 2},
		{"C28: disabled is healthy, inverted too it is unhealthy; nothing is probed",
			[]Check{with(tcp("down"), disable), with(with(tcp("up"), disable), invert)}, "HU", "HU", 0},
		{"fixed reports what it is set to",
			[]Check{with(tcp("up"), fixed(Unhealthy)), with(tcp("down"), fixed(Healthy)), with(with(tcp("up"), fixed(Unhealthy)), invert)}, "UHH", "UHH", 0},
		{"C26: more than there are children is never",
			[]Check{parent(1)}, "U", "U", 0},
		{"C26: also with children",
			[]Check{tcp("up"), parent(2, 0)}, "HU", "HU", 1},
		{"C27: 0 is always",
			[]Check{tcp("down"), parent(0, 0)}, "HH", "UH", 1},
		{"C29: a disabled child counts as healthy",
			[]Check{tcp("up"), tcp("down"), with(tcp("down"), disable), parent(2, 0, 1, 2)}, "HHHH", "HUHH", 2},
		{"too few are healthy",
			[]Check{tcp("up"), tcp("down"), parent(2, 0, 1)}, "HHH", "HUU", 2},
		{"what counts is what children report",
			[]Check{with(tcp("down"), invert), parent(1, 0)}, "UU", "HH", 1},
		{"a check and its inverted copy make one",
			[]Check{tcp("down"), with(tcp("down"), invert), parent(1, 0, 1)}, "HUH", "UHH", 1},
		{"a parent may be inverted",
			[]Check{tcp("down"), with(parent(1, 0), invert)}, "HU", "UH", 1},
		{"a parent may be disabled",
			[]Check{tcp("down"), with(parent(1, 0), disable)}, "HH", "UH", 1},
		{"a parent may come before its children",
			[]Check{parent(1, 1), tcp("down")}, "HH", "UU", 1},
		{"children that cannot be are unhealthy",
			[]Check{parent(1, 7, -1, 0), parent(1, 0)}, "UU", "UU", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ep := newEndpoints()
				ep.set("down", false)
				for i := range tt.checks {
					tt.checks[i].Name = fmt.Sprint(i)
				}
				l := ep.pool().Acquire("block", tt.checks)
				wantStatuses(t, l, tt.first)
				time.Sleep(time.Minute)
				wantStatuses(t, l, tt.later)
				results := func(i int) Status {
					if tt.checks[i].Spec.Host == "down" {
						return Unhealthy
					}
					return Healthy
				}
				if got := Evaluate(tt.checks, results); !slices.Equal(got, l.Statuses()) {
					t.Errorf("Evaluate says %v, the pool %v", got, l.Statuses())
				}
				if !l.Known() {
					t.Error("not known")
				}
				l.Release()
				ep.mu.Lock()
				defer ep.mu.Unlock()
				if got := len(ep.starts); got != tt.probed {
					t.Errorf("%d endpoints probed, want %d", got, tt.probed)
				}
			})
		})
	}
}

func TestThresholdsOf255Children(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 255
		ep := newEndpoints()
		var checks []Check
		var children []int
		for i := range n {
			checks = append(checks, tcp(fmt.Sprint(i)))
			children = append(children, i)
		}
		for threshold := range n + 2 {
			checks = append(checks, with(parent(threshold, children...), func(c *Check) { c.Name = fmt.Sprint("parent", threshold) }))
		}
		l := ep.pool().Acquire("block", checks)
		defer l.Release()
		for healthy := n; healthy >= 0; healthy -= 51 {
			for i := range n {
				ep.set(fmt.Sprint(i), i < healthy)
			}
			time.Sleep(time.Minute)
			for threshold, got := range l.Statuses()[n:] {
				want := Unhealthy
				if healthy >= threshold {
					want = Healthy
				}
				if got != want {
					t.Errorf("%d of 255 healthy, threshold %d: %v, want %v", healthy, threshold, got, want)
				}
			}
		}
	})
}

func TestTransitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		at := func(c Check) Check { // known times: one result changes the status, and the first slot has it
			c.Spec.Rise, c.Spec.Fall = 1, 1
			return c
		}
		ep.set("a", false)
		l := ep.pool().Acquire("block", []Check{
			at(tcp("a")), at(tcp("b")), with(at(tcp("c")), disable),
			parent(3, 0, 1, 2), with(with(at(tcp("a")), invert), func(c *Check) { c.Name = "inverted" }),
		})
		defer l.Release()
		first := func() time.Duration {
			time.Sleep(time.Minute)
			return ep.seen("a")[0]
		}
		down := first().String()
		wantSet(t, ep.reports(),
			down+" block/a healthy→unhealthy: connect: connection refused",
			down+" block/inverted unhealthy→healthy: inverted: connect: connection refused",
			down+" block/parent healthy→unhealthy: 2 of 3 children healthy, want 3",
		)
		ep.set("a", true)
		up := first().String()
		wantSet(t, ep.reports(),
			up+" block/a unhealthy→healthy: probe passed",
			up+" block/inverted healthy→unhealthy: inverted: probe passed",
			up+" block/parent unhealthy→healthy: 3 of 3 children healthy, want 3",
		)
	})
}
