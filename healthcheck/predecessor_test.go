package healthcheck

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/steerdns/steer/internal/scaling"
)

// A server block whose keys change is another owner.
func TestAChangedOwnerAndSpecStartsFromTheLastStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.set("a", false)
		p := ep.pool()
		old := p.Acquire("old", []Check{tcp("a")})
		time.Sleep(10 * time.Second)
		wantStatuses(t, old, "U")

		changed, renamed, moved := tcp("a"), tcp("a"), tcp("a")
		changed.Spec.Interval *= 2
		renamed.Name, renamed.Spec.Interval = "b", time.Minute
		moved.Name, moved.Spec.Port = "a", 81
		l := p.Acquire("new", []Check{changed, renamed})
		defer l.Release()
		other := p.Acquire("other", []Check{moved})
		defer other.Release()
		old.Release()
		wantStatuses(t, l, "UH")    // another name is another check
		wantStatuses(t, other, "H") // another endpoint too
	})
}

// A reload that flips a status by definition counts and tells that.
func TestAChangedDefinitionIsATransition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.set("down", false)
		p := ep.pool()
		fixed := func(to Status) Check { return Check{Name: "fixed", Fixed: true, FixedStatus: to} }
		old := p.Acquire("block", []Check{tcp("up"), with(tcp("down"), once), fixed(Healthy), parent(1, 0, 1), tcp("same")})
		time.Sleep(5 * time.Second)
		wantStatuses(t, old, "HUHHH")
		ep.reports()
		l := p.Acquire("block", []Check{with(tcp("up"), invert), with(tcp("down"), disable), fixed(Unhealthy), parent(3, 0, 1), tcp("same")})
		defer l.Release()
		old.Release()
		synctest.Wait()
		wantStatuses(t, l, "UHUUH")
		wantReported(t, ep,
			"5.05s block/up healthy→unhealthy: definition changed",
			"5.05s block/down unhealthy→healthy: definition changed",
			"5.05s block/fixed healthy→unhealthy: definition changed",
			"5.05s block/parent healthy→unhealthy: definition changed: 1 of 2 children healthy, want 3")
		for _, r := range readings(p) {
			want := map[string]uint32{"up": 1, "down": 2, "fixed": 1, "parent": 1, "same": 0}[r.check]
			if r.transitions != want {
				t.Errorf("%s: %d transitions counted, want %d", r.check, r.transitions, want)
			}
		}
	})
}

// Among the checks of all owners a predecessor is found by one look at them, however many
// owners ask for one, and nothing is kept of that look for long.
func TestManyOwners(t *testing.T) {
	scaling.Linear(t, 500, func(n int) func() {
		ep := newEndpoints()
		p := ep.pool()
		leases := make([]*Lease, n)
		t.Cleanup(func() {
			for _, l := range leases {
				l.Release()
			}
		})
		return func() {
			for i := range leases {
				check := ownEndpoint(i)
				leases[i] = p.Acquire(check.Name, []Check{check})
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		p := ep.pool()
		defer p.Acquire("one", []Check{tcp("a")}).Release()
		defer p.Acquire("two", []Check{tcp("b")}).Release()
		if !kept(p) {
			t.Error("nothing is kept for the next owner")
		}
		time.Sleep(time.Minute)
		if kept(p) {
			t.Error("checks are kept for owners that do not come")
		}
	})
}

// ownEndpoint is a check of its own endpoint.
func ownEndpoint(i int) Check {
	check := tcp(fmt.Sprintf("web-%d", i))
	check.Spec.Port = uint16(1 + i)
	return check
}

func kept(p *Pool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.namesakes != nil
}
