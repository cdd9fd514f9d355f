//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/steerdns/steer/bench/internal/gauge"
)

// change measures the latency of queries while all is quiet, while the checks of 500
// names flip every second, and while the server reloads every second.
func change(ctx context.Context, dir, bin string) error {
	const names = 500
	serverCore, loadCore := gauge.Cores()
	endpoints, err := gauge.StartEndpoints(ctx, loadCore, "http")
	if err != nil {
		return err
	}
	defer endpoints.Stop()
	checked, err := endpoints.Listen("0.0.0.0:0")
	if err != nil {
		return err
	}
	port, err := gauge.FreePort()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "example.org:%d {\nbind 127.0.0.1\nsteer {\n", port)
	fmt.Fprint(&b, "weighted www A {\nweight 10 192.0.2.1\nweight 20 192.0.2.2\nweight 30 192.0.2.3\n}\n")
	for i := range names {
		addr := fmt.Sprintf("127.1.%d.%d", i/250, 1+i%250)
		fmt.Fprintf(&b, "check c%[1]d http://%[2]s:%[3]d/ {\ninterval 1s\nthreshold 1\n}\nweighted g%[1]d A {\nweight 1 %[2]s check c%[1]d\nweight 1 192.0.2.9\n}\n", i, addr, checked)
	}
	b.WriteString("}\n}\n")
	path := filepath.Join(dir, "change.Corefile")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		return err
	}
	p, err := gauge.Start(ctx, serverCore, bin, "-conf", path)
	if err != nil {
		return err
	}
	defer p.Stop()
	if err := gauge.Await(ctx, p, port, asked, 10*time.Second); err != nil {
		return err
	}
	time.Sleep(3 * time.Second)

	during := time.Duration(*seconds) * time.Second
	p50, p99 := map[string]gauge.Sample{}, map[string]gauge.Sample{}
	take := func(name string) error {
		took, err := gauge.Pace(ctx, port, asked, *rate, during)
		if err != nil {
			return err
		}
		p50[name] = append(p50[name], took.Median())
		p99[name] = append(p99[name], took.Quantile(0.99))
		return nil
	}
	const quiet, flips, reloads = "quiet", "500 checks flip every second", "a reload every second"
	for range *rounds {
		if err := take(quiet); err != nil {
			return err
		}
		if err := endpoints.Flap(time.Second); err != nil {
			return err
		}
		if err := take(flips); err != nil {
			return err
		}
		if err := endpoints.Flap(0); err != nil {
			return err
		}
		time.Sleep(1500 * time.Millisecond) // all are healthy again
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				_ = p.Signal(unix.SIGUSR1)
				select {
				case <-stop:
					return
				case <-time.After(time.Second):
				}
			}
		}()
		err := take(reloads)
		close(stop)
		<-stopped
		if err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	fmt.Printf("Latency of a query at %d queries a second, whole server with %d HTTP checks every second; medians and ranges of %d rounds in turns.\n\n", *rate, names, *rounds)
	t := gauge.NewTable("while", "p50 µs", "p99 µs", "p99 × quiet")
	for _, name := range []string{quiet, flips, reloads} {
		t.Row(name, p50[name].Format("%.0f"), p99[name].Format("%.0f"), p99[name].Over(p99[quiet]).Format("%.2f"))
	}
	t.Print(os.Stdout)
	return nil
}
