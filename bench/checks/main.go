//go:build linux

// Command checks measures what health checks cost: processor time and memory for each,
// how late probes start, how soon answers move after an endpoint died, and, where it is
// installed, the processor time of gdnsd for the same checks.
//
//	go run ./bench/checks [-rounds 3] [-seconds 10] [-max 100000]
//
// Endpoints are real listeners on all of 127.0.0.0/8, in a process of their own on core
// 1; what checks them has core 0 for itself. Each check has an address of its own, so
// that closed connections do not pile up between two.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"github.com/steerdns/steer/bench/internal/gauge"
)

var (
	rounds  = flag.Int("rounds", 3, "rounds of the comparison of whole servers")
	seconds = flag.Int("seconds", 10, "seconds that each figure is taken over")
	most    = flag.Int("max", 100_000, "the greatest number of checks")
)

func main() {
	gauge.ServeEndpoints()
	runPool()
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "checks:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if _, err := exec.LookPath("taskset"); err != nil {
		return fmt.Errorf("taskset is missing; Debian has it in the package util-linux")
	}
	dir, err := os.MkdirTemp("", "steer-checks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, err := gauge.BuildServer(dir)
	if err != nil {
		return err
	}
	_, loadCore := gauge.Cores()
	if err := gauge.PinSelf(loadCore); err != nil {
		return err
	}
	if err := scale(ctx); err != nil {
		return err
	}
	if err := servers(ctx, dir, bin); err != nil {
		return err
	}
	return failover(ctx, dir, bin)
}

// scales are numbers of checks: three with the same rate of probes, so that what
// differs is what the waiting ones cost, and the default interval.
var scales = []struct {
	checks   int
	interval time.Duration
}{
	{100, 200 * time.Millisecond},
	{10_000, 20 * time.Second},
	{100_000, 200 * time.Second},
	{100_000, 30 * time.Second},
}

// scale measures the checks alone, without a server around them.
func scale(ctx context.Context) error {
	fmt.Print("\nChecks alone: medians and ranges over windows of two seconds; bytes are of the heap, all in all, while idle.\n\n")
	t := gauge.NewTable("checks", "interval", "kind", "probes/s", "CPU µs/probe", "cores", "bytes/check", "start p99 ms")
	for _, kind := range []string{"tcp", "http"} {
		for _, s := range scales {
			if s.checks > *most {
				continue
			}
			m, err := measurePool(ctx, kind, s.checks, s.interval)
			if err != nil {
				return fmt.Errorf("%d %s checks: %w", s.checks, kind, err)
			}
			t.Row(fmt.Sprint(s.checks), s.interval.String(), kind, m.rate.Format("%.0f"), m.cpu.Format("%.1f"), m.cores.Format("%.3f"), fmt.Sprintf("%.0f", m.bytes), fmt.Sprintf("%.0f", m.late))
			fmt.Fprintf(os.Stderr, "%d %s checks every %v: done\n", s.checks, kind, s.interval)
		}
	}
	t.Print(os.Stdout)
	return nil
}
