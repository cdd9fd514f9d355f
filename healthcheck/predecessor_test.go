package healthcheck

import (
	"testing"
	"testing/synctest"
	"time"
)

// A server block whose keys change is another owner.
func TestAChangedOwnerAndSpecStartsFromTheLastStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.set("a", false)
		p := w.pool()
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
		w := newWorld()
		w.set("down", false)
		p := w.pool()
		fixed := func(to Status) Check { return Check{Name: "fixed", Fixed: true, FixedStatus: to} }
		old := p.Acquire("block", []Check{tcp("up"), with(tcp("down"), once), fixed(Healthy), parent(1, 0, 1), tcp("same")})
		time.Sleep(5 * time.Second)
		wantStatuses(t, old, "HUHHH")
		w.heard()
		l := p.Acquire("block", []Check{with(tcp("up"), invert), with(tcp("down"), disable), fixed(Unhealthy), parent(3, 0, 1), tcp("same")})
		defer l.Release()
		old.Release()
		synctest.Wait()
		wantStatuses(t, l, "UHUUH")
		wantHeard(t, w,
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
