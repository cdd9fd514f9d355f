package instance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/coredns/caddy/caddyfile"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/handler"
)

// manyBalancers is a Corefile of n load balancers of 100 targets each, in two zones.
func manyBalancers(n int) string {
	var b strings.Builder
	b.WriteString("steer {\n")
	for i := range n {
		fmt.Fprintf(&b, "    load_balancer lb-%d {\n        zone a 192.0.2.1\n        zone b 192.0.2.2\n", i)
		b.WriteString("        target_group web {\n            check http://:8080/healthz {\n                interval 10s\n            }\n            minimum_healthy 50%\n")
		for z, zone := range []string{"a", "b"} {
			fmt.Fprintf(&b, "            target %s", zone)
			for t := range 50 {
				k := i*100 + z*50 + t
				fmt.Fprintf(&b, " 127.%d.%d.%d", 1+k/65536, k/256%256, k%256)
			}
			b.WriteString("\n")
		}
		b.WriteString("        }\n    }\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// BenchmarkBalancers is what 1,000 load balancers of 100 targets each cost: at the start
// (parse, compile, acquire), at a change of one target's health (flip), and at a reload
// (reacquire: take over all running checks and let go of the old lease).
func BenchmarkBalancers(b *testing.B) {
	text := manyBalancers(1000)
	cfg, err := parse(text)
	if err != nil {
		b.Fatal(err)
	}
	statuses := initial(cfg.Catalog)
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := parse(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			handler.NewSnapshot(cfg.Catalog, statuses)
		}
	})
	b.Run("flip", func(b *testing.B) {
		data := handler.NewSnapshot(cfg.Catalog, statuses)
		change := []healthcheck.Change{{Check: 12345}}
		b.ReportAllocs()
		for b.Loop() {
			data.Update(change, nil)
			change[0].Status = change[0].Status.Not()
		}
	})
	b.Run("flip all", func(b *testing.B) {
		data := handler.NewSnapshot(cfg.Catalog, statuses)
		changes := make([]healthcheck.Change, len(statuses))
		b.ReportAllocs()
		for b.Loop() {
			for i := range changes {
				changes[i] = healthcheck.Change{Check: i, Status: changes[i].Status.Not()}
			}
			data.Update(changes, nil)
		}
	})
	// One probe at a time, on loopback, where nothing listens: the pool has work, but
	// not so much as to be what is measured.
	b.Run("acquire", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			pool := healthcheck.NewPool(healthcheck.Options{MaxRunning: 1})
			lease := pool.Acquire("bench", cfg.Catalog.Checks)
			b.StopTimer()
			lease.Release()
			b.StartTimer()
		}
	})
	b.Run("reacquire", func(b *testing.B) {
		pool := healthcheck.NewPool(healthcheck.Options{MaxRunning: 1})
		lease := pool.Acquire("bench", cfg.Catalog.Checks)
		b.ReportAllocs()
		for b.Loop() {
			next := pool.Acquire("bench", cfg.Catalog.Checks)
			lease.Release()
			lease = next
		}
		b.StopTimer()
		lease.Release()
	})
}

// parse reads a directive in a server block of example.org.
func parse(text string) (*corefile.Config, error) {
	tokens := caddyfile.NewDispenser("Testfile", strings.NewReader(text))
	return corefile.Load(context.Background(), &tokens, corefile.Env{Keys: []string{"dns://example.org.:53"}})
}
