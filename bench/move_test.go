package bench

import (
	"fmt"
	"testing"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// pairs holds n failover pairs whose primaries all use check 0, so that a flip of it moves
// each of them to its secondary.
func pairs(tb testing.TB, n int) *handler.Handler {
	tb.Helper()
	c := record.NewCatalog([]string{"example.org."})
	c.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
	c.Checks = []healthcheck.Check{{Name: "web", Spec: healthcheck.Defaults(healthcheck.TCP)}}
	for i := range n {
		g := group(record.Failover, fmt.Sprintf("g%d.example.org.", i), 2)
		g.Records[0].Check, g.Records[1].Check = 0, record.NoCheck
		put(tb, c, g)
	}
	return served(tb, c)
}

// BenchmarkMove is how long it takes to publish one change of health that moves all groups,
// when nobody listens and when the log is told.
func BenchmarkMove(b *testing.B) {
	for _, n := range []int{1, 1000, 100_000} {
		for _, told := range []bool{false, true} {
			b.Run(fmt.Sprintf("groups=%d/told=%t", n, told), func(b *testing.B) {
				h := pairs(b, n)
				lines := 0
				if told {
					h.Snapshot().Listen(nil, func(routing.Transition) { lines++ })
				}
				flip := flipper(h)
				b.ReportAllocs()
				for b.Loop() {
					flip()
				}
				if told {
					b.ReportMetric(float64(lines)/float64(b.N), "lines/op")
				}
			})
		}
	}
}

// BenchmarkGroupStates is what a scrape reads of the groups: how many are in which state,
// and a thousand of those that are not in their best, of none or of all.
func BenchmarkGroupStates(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		h := pairs(b, n)
		for _, degraded := range []bool{false, true} {
			b.Run(fmt.Sprintf("groups=%d/degraded=%t", n, degraded), func(b *testing.B) {
				if degraded {
					h.Snapshot().Update([]healthcheck.Change{{Check: 0, Status: healthcheck.Unhealthy}}, nil)
				}
				read := 0
				for b.Loop() {
					read = 0
					h.Snapshot().States(func(routing.State, int) {})
					h.Snapshot().Degraded()
					for r := range routing.Reasons {
						h.Snapshot().EachDegraded(routing.Reason(r), 1000-read, func(record.Key, routing.State) { read++ })
					}
				}
				b.ReportMetric(float64(read), "groups-read")
			})
		}
	}
}
