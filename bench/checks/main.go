//go:build linux

// Command checks measures what health checks cost: processor time and memory for each,
// how late probes start, how soon answers move after an endpoint died, and, where it is
// installed, the processor time of gdnsd for the same checks.
//
//	go run ./bench/checks [-parts alone,servers,failover] [-scales 100000/30s] [-rounds 3] [-seconds 10] [-against PROGRAM]
//
// PROGRAM is for any other server that checks: a script of yours that configures and execs
// it. Its arguments are a directory of its own, the port that the server is to answer at on
// 127.0.0.1, tcp or http, the port of the endpoints, and the seconds between two probes of
// one address. The file groups in the directory has a line for each name of the zone
// example.org: its first label, and the addresses that are its A records while they are
// healthy, each to be checked on its own: by a connection, or by a GET of / that 200 answers.
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
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/steerdns/steer/bench/internal/gauge"
)

var (
	parts   = flag.String("parts", "alone,servers,failover", "what to measure: checks alone, whole servers and gdnsd, failover")
	scales  = flag.String("scales", "100/200ms,10000/20s,100000/200s,100000/30s", "numbers of checks and their intervals: three with the same rate of probes, so that what differs is what the waiting ones cost, and the default interval")
	rounds  = flag.Int("rounds", 3, "rounds of the comparison of whole servers")
	against = flag.String("against", "", "program that starts another server with the same checks, as a row of the comparison")
	seconds = flag.Int("seconds", 10, "seconds that each figure is taken over; all of many checks are seen in one interval of theirs")
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
	return gauge.Measure(ctx, *parts, map[string]gauge.Part{"alone": alone, "servers": servers, "failover": failover})
}

// alone measures the checks alone, without a server around them.
func alone(ctx context.Context, _, _ string) error {
	fmt.Print("\nChecks alone: medians and ranges over windows of two seconds; bytes are of the heap, all in all, while idle.\n\n")
	t := gauge.NewTable("checks", "interval", "kind", "probes/s", "CPU µs/probe", "cores", "bytes/check", "start p99 ms")
	for _, kind := range []string{"tcp", "http"} {
		for scale := range strings.SplitSeq(*scales, ",") {
			number, every, _ := strings.Cut(scale, "/")
			checks, err := strconv.Atoi(number)
			if err != nil {
				return err
			}
			interval, err := time.ParseDuration(every)
			if err != nil {
				return err
			}
			m, err := measurePool(ctx, kind, checks, interval)
			if err != nil {
				return fmt.Errorf("%d %s checks: %w", checks, kind, err)
			}
			t.Row(number, interval.String(), kind, m.rate.Format("%.0f"), m.cpu.Format("%.1f"), m.cores.Format("%.3f"), fmt.Sprintf("%.0f", m.bytes), fmt.Sprintf("%.0f", m.late))
			fmt.Fprintf(os.Stderr, "%d %s checks every %v: done\n", checks, kind, interval)
		}
	}
	t.Print(os.Stdout)
	return nil
}
