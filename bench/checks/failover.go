//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/steerdns/steer/bench/internal/gauge"
)

// failover measures how long after the death of an endpoint the answer is another one:
// fifty names, each with its own check, whose endpoints all die at one moment. Probes are
// spread, so it comes at another point of each one's interval.
func failover(ctx context.Context, dir, bin string) error {
	const names, threshold, interval = 50, 3, time.Second
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
	for i := range names {
		fmt.Fprintf(&b, "check c%[1]d http://%[2]s:%[3]d/ {\ninterval %[4]v\nthreshold %[5]d\n}\nfailover f%[1]d A {\nprimary %[2]s check c%[1]d\nsecondary %[6]s\n}\n", i, loopback(i), checked, interval, threshold, secondary)
	}
	b.WriteString("}\n}\n")
	path := filepath.Join(dir, "failover.Corefile")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		return err
	}
	p, err := gauge.Start(ctx, serverCore, bin, "-conf", path)
	if err != nil {
		return err
	}
	defer p.Stop()
	if err := gauge.Await(ctx, p, port, "f0.example.org.", 10*time.Second); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(6 * time.Second): // the checks know their first status and are spread
	}
	died, err := endpoints.CloseAll()
	if err != nil {
		return err
	}
	took := make(gauge.Sample, 0, names)
	moved := make([]bool, names)
	for len(took) < names {
		if time.Since(died) > 30*time.Second || ctx.Err() != nil {
			return fmt.Errorf("failover: %d of %d answers moved\n%s", len(took), names, p.Output())
		}
		for i := range names {
			if moved[i] {
				continue
			}
			addrs, err := gauge.Ask(port, fmt.Sprintf("f%d.example.org.", i))
			if err != nil {
				return err
			}
			if len(addrs) == 1 && addrs[0] == secondary {
				moved[i] = true
				took = append(took, time.Since(died).Seconds())
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	fmt.Printf("Failover: from the death of an endpoint to the first other answer, %d names, threshold %d × interval %v:\n", names, threshold, interval)
	fmt.Printf("median %.2f s, least %.2f s, most %.2f s\n\n", took.Median(), took.Quantile(0), took.Quantile(1))
	return nil
}
