//go:build linux

// Command aims runs the benchmarks of this repository in turns and prints what they come
// to beside the figures to reach, as ratios within a round.
//
//	go run ./bench/aims [-rounds 32] [-benchtime 25ms] [-many=false] [-raw FILE] [-benchstat]
//
// One round runs every row once, so that rows which are compared share the moods of the
// machine: many short rounds tell more than few long ones. Rows that take seconds to set up
// run in one round of four, for four times as long. -raw keeps what the benchmarks printed,
// for benchstat.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/steerdns/steer/bench/internal/gauge"
)

// benchstatTool is pinned; go run fetches and builds it like any other module.
const benchstatTool = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"

var (
	rounds    = flag.Int("rounds", 32, "rounds")
	benchtime = flag.Duration("benchtime", 25*time.Millisecond, "how long each row runs in a round")
	many      = flag.Bool("many", true, "also the rows of up to a million record sets, in every fourth round")
	raw       = flag.String("raw", "", "file to keep the benchmarks' own output in")
	benchstat = flag.Bool("benchstat", false, "print benchstat's table as well")
)

// manyEvery is how many rounds there are to one in which the rows run that are slow to set
// up.
const manyEvery = 4

func main() {
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "aims:", err)
		os.Exit(1)
	}
}

// sample is what a benchmark came to, by round. Ratios are taken of cpu.
type sample struct{ ns, cpu, bytes, allocs gauge.Sample }

func run(ctx context.Context) error {
	root, err := gauge.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "steer-aims-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "bench.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", bin, "./bench")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c: %w\n%s", err, out)
	}
	samples := map[string]*sample{}
	var order []string
	var printed bytes.Buffer
	turn := func(bench string, during time.Duration) error {
		out, err := benchmarks(ctx, bin, bench, during)
		if err != nil {
			return err
		}
		printed.Write(out)
		for _, name := range read(out, samples) {
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
		return nil
	}
	for round := range *rounds {
		if err := turn("^BenchmarkServe$", *benchtime); err != nil {
			return err
		}
		if *many && round%manyEvery == 0 {
			if err := turn("^Benchmark(ServeMany|Flip)$", manyEvery**benchtime); err != nil {
				return err
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *rounds)
	}
	file := *raw
	if file == "" {
		file = filepath.Join(dir, "raw.txt")
	}
	if err := os.WriteFile(file, printed.Bytes(), 0o644); err != nil {
		return err
	}
	printAll(order, samples)
	printAims(samples)
	if *benchstat {
		cmd := exec.CommandContext(ctx, "go", "run", benchstatTool, file)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
	return nil
}

// benchmarks runs those of a name, each for so long, on the core of the server.
func benchmarks(ctx context.Context, bin, bench string, during time.Duration) ([]byte, error) {
	cmd := exec.CommandContext(ctx, bin, "-test.run", "^$", "-test.bench", bench, "-test.benchtime", during.String(), "-test.cpu", "1")
	if taskset, err := exec.LookPath("taskset"); err == nil {
		core, _ := gauge.Cores()
		cmd.Args = append([]string{"taskset", "-c", strconv.Itoa(core), bin}, cmd.Args[1:]...)
		cmd.Path = taskset
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("benchmarks: %w\n%s", err, out)
	}
	return out, nil
}

var (
	resultLine = regexp.MustCompile(`^Benchmark(\S+)\s+\d+\s+(.*)`)
	figure     = regexp.MustCompile(`([0-9.e+]+) (\S+)`)
)

// read enters what a run printed, and returns the names of the benchmarks in order.
func read(out []byte, samples map[string]*sample) (names []string) {
	for line := range strings.Lines(string(out)) {
		m := resultLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		s := samples[m[1]]
		if s == nil {
			s = &sample{}
			samples[m[1]] = s
		}
		names = append(names, m[1])
		for _, f := range figure.FindAllStringSubmatch(m[2], -1) {
			v, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				continue
			}
			switch f[2] {
			case "ns/op":
				s.ns = append(s.ns, v)
			case "cpu-ns/op":
				s.cpu = append(s.cpu, v)
			case "B/op":
				s.bytes = append(s.bytes, v)
			case "allocs/op":
				s.allocs = append(s.allocs, v)
			}
		}
	}
	return names
}

func printAll(order []string, samples map[string]*sample) {
	fmt.Printf("\nIn process; medians and ranges of %d rounds in turns", *rounds)
	if *many {
		fmt.Printf(", of many record sets and flips of one in %d", manyEvery)
	}
	fmt.Print(".\n\n")
	t := gauge.NewTable("benchmark", "CPU ns", "ns", "B", "allocations")
	for _, name := range order {
		s := samples[name]
		t.Row(name, s.cpu.Format("%.0f"), s.ns.Format("%.0f"), fmt.Sprintf("%.0f", s.bytes.Median()), fmt.Sprintf("%.0f", s.allocs.Median()))
	}
	t.Print(os.Stdout)
}

// aims are the ratios to reach.
var aims = []struct {
	row, base string
	most      float64
}{
	{"Serve/steer/weighted3", "Serve/whoami", 0.35},
	{"Serve/steer/weighted3", "Serve/file", 0.25},
	{"Serve/steer/weighted100", "Serve/steer/weighted3", 1.15},
	{"Serve/steer/multivalue8of100", "Serve/steer/weighted3", 1.6},
	{"Serve/steer/tree3deep", "Serve/steer/weighted3", 1.3},
	{"ServeMany/one/1000000", "ServeMany/one/10", 1.10},
	{"ServeMany/random/1000000", "ServeMany/random/10", 1.10},
}

func printAims(samples map[string]*sample) {
	fmt.Print("Beside the aims; ratios are of processor time, paired by round.\n\n")
	t := gauge.NewTable("what", "ratio", "aim", "reached")
	for _, a := range aims {
		s, base := samples[a.row], samples[a.base]
		if s == nil || base == nil {
			continue
		}
		r := s.cpu.Over(base.cpu)
		t.Row(a.row+" ÷ "+a.base, r.Format("%.2f"), fmt.Sprintf("≤ %.2f", a.most), yes(r.Median() <= a.most))
	}
	if s := samples["Serve/steer/weighted3"]; s != nil {
		most := 0.0
		for name, s := range samples {
			if strings.HasPrefix(name, "Serve/steer/") {
				most = max(most, s.allocs.Median())
			}
		}
		t.Row("allocations of an answer, the most of all rows", fmt.Sprintf("%.0f", most), "≤ 3", yes(most <= 3))
	}
	if s := samples["Flip/groups=100000"]; s != nil {
		t.Row("one flip that 100,000 groups use, ms", gauge.Sample{s.ns.Median() / 1e6}.Format("%.0f"), "≤ 250", yes(s.ns.Median() <= 250e6))
	}
	t.Print(os.Stdout)
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}
