package bench

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// flipCatalog holds n weighted pairs that all use check 0, and the weighted group of
// three that queries ask for, which does not.
func flipCatalog(tb testing.TB, n int) *record.Catalog {
	tb.Helper()
	c := record.NewCatalog([]string{"example.org."})
	c.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
	c.Checks = make([]healthcheck.Check, checks)
	for i := range c.Checks {
		c.Checks[i] = healthcheck.Check{Name: fmt.Sprint("c", i), Spec: healthcheck.Defaults(healthcheck.TCP)}
	}
	asked := group(record.Weighted, "weighted3.example.org.", 3)
	for i := range asked.Records {
		asked.Records[i].Check = int32(i + 1)
	}
	put(tb, c, asked)
	for i := range n {
		g := group(record.Weighted, fmt.Sprintf("g%d.example.org.", i), 2)
		g.Records[0].Check, g.Records[1].Check = 0, record.NoCheck
		put(tb, c, g)
	}
	return c
}

// flipper turns check 0 over each time it is called.
func flipper(h *handler.Handler) func() {
	s := healthcheck.Healthy
	return func() {
		s = s.Not()
		h.Snapshot().Update([]healthcheck.Change{{Check: 0, Status: s}}, nil)
	}
}

// BenchmarkFlip is how long it takes to publish one change of health, by how many
// groups use the check.
func BenchmarkFlip(b *testing.B) {
	for _, n := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprintf("groups=%d", n), func(b *testing.B) {
			flip := flipper(served(b, flipCatalog(b, n)))
			b.ReportAllocs()
			for b.Loop() {
				flip()
			}
		})
	}
}

// BenchmarkServeWhile is the latency of queries while something else goes on: nothing,
// another core that is busy with arithmetic, changes of health one after the other or some
// hundred a second, or a catalog of 100,000 names that is compiled
// as for a reload. Processors are shared with that, so there should be two at least.
func BenchmarkServeWhile(b *testing.B) {
	nothing := func(testing.TB, *handler.Handler) func() { return func() { time.Sleep(time.Millisecond) } }
	flips := func(_ testing.TB, h *handler.Handler) func() { return flipper(h) }
	busy := func(testing.TB, *handler.Handler) func() {
		n := uint64(1)
		return func() {
			for range 10_000 {
				n = n*6364136223846793005 + 1
			}
			runtime.KeepAlive(n)
		}
	}
	paced := func(_ testing.TB, h *handler.Handler) func() {
		flip := flipper(h)
		return func() { flip(); time.Sleep(time.Millisecond) }
	}
	reload := func(tb testing.TB, _ *handler.Handler) func() {
		c := flipCatalog(tb, 100_000)
		statuses := make([]healthcheck.Status, len(c.Checks))
		served(tb, c)
		return func() { runtime.KeepAlive(handler.NewSnapshot(c, statuses)) }
	}
	for _, w := range []struct {
		name   string
		groups int
		make   func(testing.TB, *handler.Handler) func()
	}{
		{"quiet=1", 1, nothing},
		{"busy", 1, busy},
		{"flips=1,paced", 1, paced},
		{"flips=1", 1, flips},
		{"quiet=1000", 1000, nothing},
		{"flips=1000", 1000, flips},
		{"quiet=100000", 100_000, nothing},
		{"flips=100000", 100_000, flips},
		{"reload", 1000, reload},
	} {
		b.Run(w.name, func(b *testing.B) {
			h := served(b, flipCatalog(b, w.groups))
			while(b, w.make(b, h), h)
		})
	}
}

// while measures single queries as something else is done over and over.
func while(b *testing.B, other func(), h *handler.Handler) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	times := 0
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				other()
				times++
			}
		}
	}()
	r := new(dns.Msg)
	r.SetQuestion("weighted3.example.org.", dns.TypeA)
	w, ctx := newWriter(), fromServer()
	took := make([]time.Duration, 0, 1<<22)
	begin := time.Now()
	for b.Loop() {
		start := time.Now()
		if _, err := h.ServeDNS(ctx, w, r); err != nil {
			b.Fatal(err)
		}
		if len(took) < cap(took) {
			took = append(took, time.Since(start))
		}
	}
	elapsed := time.Since(begin)
	close(stop)
	<-stopped
	slices.Sort(took)
	at := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))]) }
	b.ReportMetric(at(0.5), "p50-ns")
	b.ReportMetric(at(0.99), "p99-ns")
	b.ReportMetric(at(0.999), "p999-ns")
	b.ReportMetric(float64(times)/elapsed.Seconds(), "others/s")
}

// BenchmarkHeld is the memory that record sets take and the time to compile them, from
// a catalog to what answers queries.
func BenchmarkHeld(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("sets=%d", n), func(b *testing.B) {
			inUse := func() float64 {
				runtime.GC()
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return float64(m.HeapAlloc)
			}
			before := inUse()
			start := time.Now()
			h := zone(b, n)
			took := time.Since(start)
			held := inUse() - before
			for b.Loop() {
			}
			runtime.KeepAlive(h)
			b.ReportMetric(float64(took.Milliseconds()), "start-ms")
			b.ReportMetric(held/float64(n), "bytes/set")
			b.ReportMetric(0, "ns/op")
		})
	}
}
