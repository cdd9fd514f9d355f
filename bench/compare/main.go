//go:build linux

// Command compare measures what a query costs a whole server over loopback: steer, the
// plugins of CoreDNS that are the floor, gdnsd and PowerDNS, which serve the same
// weighted name with the same health checks.
//
//	go run ./bench/compare [-rounds 5] [-seconds 2] [-only REGEXP] [-with COREDNS]
//
// Servers take turns in an order that is shuffled for each round, and ratios are taken
// within a round, so that a machine that is slower for a while is so for all. A server has
// core 0 for itself, the load and the endpoints have core 1. The robust figure is the
// processor time of the server's threads for each query while dnsperf keeps it busy;
// latencies are of a light load of 1,000 queries a second.
//
// It installs nothing: servers that are missing are named and left out.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"time"

	"golang.org/x/sys/unix"

	"github.com/steerdns/steer/bench/internal/gauge"
)

var (
	rounds      = flag.Int("rounds", 5, "rounds")
	seconds     = flag.Int("seconds", 2, "seconds that a server is kept busy in each round")
	outstanding = flag.Int("outstanding", 64, "queries that wait for their answers while it is")
	rate        = flag.Int("rate", 1000, "queries per second of the light load that latencies are taken from")
	with        = flag.String("with", "", "another build of cmd/coredns to compare with this one")
	only        = flag.String("only", "", "regular expression of the servers to measure; whoami is always one")
)

func main() {
	gauge.ServeEndpoints()
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// result is what was measured of a server, by round.
type result struct {
	*server
	cpu, rate, p50, p99 gauge.Sample // µs for each query; queries per second; µs
	lost                int
}

func run(ctx context.Context) error {
	for _, tool := range []string{"dnsperf", "taskset"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is missing; Debian has it in the package %s", tool, map[string]string{"dnsperf": "dnsperf", "taskset": "util-linux"}[tool])
		}
	}
	wanted, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "steer-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	// Built before this process pins itself, so that all cores build.
	bin, err := gauge.BuildServer(dir)
	if err != nil {
		return err
	}
	serverCore, loadCore := gauge.Cores()
	if err := gauge.PinSelf(loadCore); err != nil {
		return err
	}
	endpoints, err := gauge.StartEndpoints(ctx, loadCore, "http")
	if err != nil {
		return err
	}
	defer endpoints.Stop()
	checked, err := endpoints.Listen("0.0.0.0:0")
	if err != nil {
		return err
	}

	var results []*result
	for _, s := range servers(dir, bin, *with, checked) {
		if s.name != floor && !wanted.MatchString(s.name) {
			continue
		}
		if s.missing != "" {
			fmt.Printf("left out: %s: %s\n", s.name, s.missing)
			continue
		}
		if err := s.start(ctx, serverCore); err != nil {
			return err
		}
		defer s.stop()
		results = append(results, &result{server: s})
	}
	time.Sleep(3 * time.Second) // first results of the checks

	order := append([]*result(nil), results...)
	for round := range *rounds {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, r := range order {
			if err := r.measure(ctx, loadCore); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *rounds)
	}
	print(results)
	return nil
}

// measure is a server's turn in a round.
func (r *result) measure(ctx context.Context, core int) error {
	before := r.process.CPU()
	s, err := gauge.Saturate(ctx, core, r.port, r.query, *seconds, *outstanding)
	if err != nil {
		return err
	}
	used := r.process.CPU() - before
	r.cpu = append(r.cpu, float64(used.Nanoseconds())/1e3/float64(s.Completed))
	r.rate = append(r.rate, s.PerSecond)
	r.lost += s.Lost
	took, err := gauge.Pace(ctx, r.port, r.query, *rate, time.Second)
	if err != nil {
		return err
	}
	r.p50 = append(r.p50, took.Median())
	r.p99 = append(r.p99, took.Quantile(0.99))
	return nil
}

func print(results []*result) {
	byName := make(map[string]*result)
	for _, r := range results {
		byName[r.name] = r
	}
	fmt.Printf("\nMedians and ranges of %d rounds; ratios are of CPU per query, paired by round.\n\n", *rounds)
	t := gauge.NewTable("server", "CPU µs/query", "queries/s", "p50 µs", "p99 µs", "× whoami", "× like", "like")
	for _, r := range results {
		like := "–"
		ratio := "–"
		if base := byName[r.like]; base != nil && base != r {
			like, ratio = r.like, r.cpu.Over(base.cpu).Format("%.3f")
		}
		t.Row(r.name, r.cpu.Format("%.2f"), r.rate.Format("%.0f"), r.p50.Format("%.0f"), r.p99.Format("%.0f"),
			r.cpu.Over(byName[floor].cpu).Format("%.3f"), ratio, like)
	}
	t.Print(os.Stdout)

	t = gauge.NewTable("steer against", "CPU per query, ratio")
	for _, r := range results {
		if s := byName["steer"]; s != nil && r != s && r.bare {
			t.Row(r.name, s.cpu.Over(r.cpu).Format("%.3f"))
		}
	}
	t.Print(os.Stdout)
	for _, r := range results {
		if r.lost > 0 {
			fmt.Printf("%s: %d queries were lost\n", r.name, r.lost)
		}
	}
}
