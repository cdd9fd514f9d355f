//go:build linux

// Command growth measures a whole server as it grows and while it changes: the time to
// start and to reload with many record sets in the Corefile, memory for each, the
// processor time of a query, and how long queries take while health flips, while the
// server reloads, and while it reads a large file of Route 53's JSON that has changed.
//
//	go run ./bench/growth [-parts sets,change,import] [-sets 1000,100000,1000000] [-import 200000] [-seconds 2] [-rounds 5]
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/steerdns/steer/bench/internal/gauge"
)

var (
	parts    = flag.String("parts", "sets,change,import", "what to measure: growth of the record sets in a Corefile, while health flips and the Corefile is reloaded, while a file of Route 53's JSON is")
	sets     = flag.String("sets", "1000,100000,1000000", "numbers of record sets")
	imported = flag.Int("import", 200_000, "record sets of Route 53's JSON that are reloaded")
	seconds  = flag.Int("seconds", 2, "seconds that each figure is taken over in each round")
	rounds   = flag.Int("rounds", 5, "rounds")
	rate     = flag.Int("rate", 1000, "queries per second that latencies are taken from")
)

func main() {
	gauge.ServeEndpoints()
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	for _, tool := range []string{"dnsperf", "taskset"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is missing; Debian has it in the package %s", tool, map[string]string{"dnsperf": "dnsperf", "taskset": "util-linux"}[tool])
		}
	}
	return gauge.Measure(ctx, *parts, map[string]gauge.Part{"sets": grow, "change": change, "import": reloads})
}

// grown is a server with many record sets.
type grown struct {
	sets          int
	path          string
	port          int
	process       *gauge.Process
	start, reload time.Duration
	rss           int64 // bytes, after the start
	cpu           gauge.Sample
}

const asked = "www.example.org."

// grow measures servers by their number of record sets, beside one of ten.
func grow(ctx context.Context, dir, bin string) error {
	numbers := []int{10}
	for word := range strings.SplitSeq(*sets, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return err
		}
		numbers = append(numbers, n)
	}
	var servers []*grown
	for _, n := range numbers {
		g := &grown{sets: n, path: filepath.Join(dir, fmt.Sprint(n, ".Corefile"))}
		if err := g.begin(ctx, bin); err != nil {
			return fmt.Errorf("%d record sets: %w", n, err)
		}
		defer g.process.Stop()
		servers = append(servers, g)
		fmt.Fprintf(os.Stderr, "%d record sets: started in %v\n", n, g.start)
	}
	_, loadCore := gauge.Cores()
	for round := range *rounds {
		for i := range servers {
			g := servers[(i+round)%len(servers)]
			before := g.process.CPU()
			s, err := gauge.Saturate(ctx, loadCore, g.port, asked, *seconds, 64)
			if err != nil {
				return err
			}
			g.cpu = append(g.cpu, float64((g.process.CPU()-before).Nanoseconds())/1e3/float64(s.Completed))
		}
	}
	for _, g := range servers {
		if err := g.again(ctx); err != nil {
			return fmt.Errorf("%d record sets: %w", g.sets, err)
		}
	}
	fmt.Printf("\nWhole servers by record sets in the Corefile; medians and ranges of %d rounds in turns.\n\n", *rounds)
	t := gauge.NewTable("record sets", "start s", "reload s", "resident MB", "bytes/set", "CPU µs/query", "× ten sets")
	for _, g := range servers {
		perSet := "–"
		if g.sets >= 1000 {
			perSet = fmt.Sprint((g.rss - servers[0].rss) / int64(g.sets))
		}
		t.Row(fmt.Sprint(g.sets), fmt.Sprintf("%.2f", g.start.Seconds()), fmt.Sprintf("%.2f", g.reload.Seconds()), fmt.Sprint(g.rss>>20),
			perSet, g.cpu.Format("%.2f"), g.cpu.Over(servers[0].cpu).Format("%.3f"))
	}
	t.Print(os.Stdout)
	return nil
}

// begin starts the server and waits for its first answer.
func (g *grown) begin(ctx context.Context, bin string) (err error) {
	if g.port, err = gauge.FreePort(); err != nil {
		return err
	}
	if err := g.write("192.0.2.1"); err != nil {
		return err
	}
	serverCore, _ := gauge.Cores()
	start := time.Now()
	if g.process, err = gauge.Start(ctx, serverCore, bin, "-conf", g.path); err != nil {
		return err
	}
	if err := gauge.Await(ctx, g.process, g.port, asked, 2*time.Minute); err != nil {
		g.process.Stop()
		return err
	}
	g.start = time.Since(start)
	time.Sleep(time.Second)
	g.rss = g.process.RSS()
	return nil
}

// again changes one record, reloads, and waits for the answer that says so.
func (g *grown) again(ctx context.Context) error {
	if err := g.write("192.0.2.2"); err != nil {
		return err
	}
	start := time.Now()
	if err := g.process.Signal(unix.SIGUSR1); err != nil {
		return err
	}
	for time.Since(start) < 2*time.Minute && ctx.Err() == nil {
		if addrs, err := gauge.Ask(g.port, "marker.example.org."); err == nil && len(addrs) == 1 && addrs[0] == "192.0.2.2" {
			g.reload = time.Since(start)
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fmt.Errorf("no reload\n%s", g.process.Output())
}

// write writes a Corefile with a weighted group of three and many simple record sets.
func (g *grown) write(marker string) error {
	f, err := os.Create(g.path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, "example.org:%d {\nbind 127.0.0.1\nsteer {\nweighted www A {\nweight 10 192.0.2.1\nweight 20 192.0.2.2\nweight 30 192.0.2.3\n}\nsimple marker A %s\n", g.port, marker)
	for i := range g.sets {
		fmt.Fprintf(w, "simple n%d A 10.%d.%d.%d\n", i, i>>16&255, i>>8&255, i&255)
	}
	fmt.Fprint(w, "}\n}\n")
	return w.Flush()
}
