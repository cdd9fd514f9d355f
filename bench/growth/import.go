//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/steerdns/steer/bench/internal/gauge"
)

// reloads measures the latency of queries while nothing happens and while a large file of
// Route 53's JSON has changed and is read: by one value, by a name that goes and one that
// comes, and by a health check, for which all is loaded anew. The server may use all
// cores; the sender of the queries has one of them to share.
func reloads(ctx context.Context, dir, bin string) error {
	sets := *imported
	port, err := gauge.FreePort()
	if err != nil {
		return err
	}
	f := &importFile{path: filepath.Join(dir, fmt.Sprint(sets, ".json"))}
	if err := f.write(sets); err != nil {
		return err
	}
	corefile := filepath.Join(dir, "import.Corefile")
	text := fmt.Sprintf("example.org:%d {\nbind 127.0.0.1\nsteer {\nroute53 %s\nroute53_reload 2s\n}\n}\n", port, f.path)
	if err := os.WriteFile(corefile, []byte(text), 0o644); err != nil {
		return err
	}
	start := time.Now()
	p, err := gauge.Start(ctx, gauge.AllCores, bin, "-conf", corefile)
	if err != nil {
		return err
	}
	defer p.Stop()
	if err := gauge.Await(ctx, p, port, asked, 2*time.Minute); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d record sets of JSON: started in %v\n", sets, time.Since(start))
	time.Sleep(3 * time.Second)

	// What is left to do after all was loaded would disturb the others.
	edits := []phase{{name: "quiet"}, {name: "one value has changed", spots: []*spot{&f.value}}, {name: "one name has gone, one has come", spots: []*spot{&f.name, &f.value}}}
	loads := []phase{{name: "quiet"}, {name: "another program is busy", beside: true}, {name: "a health check has changed: all is loaded", spots: []*spot{&f.check, &f.value}}}
	fmt.Printf("Latency of a query at %d queries a second, with a file of %d record sets that is looked at every 2 s; medians and ranges of %d rounds in turns.\n\n", *rate, sets, *rounds)
	t := gauge.NewTable("while", "served after s", "p50 µs", "p99 µs", "p99 × quiet")
	for _, phases := range [][]phase{edits, loads} {
		if err := f.measure(ctx, port, phases, t); err != nil {
			return fmt.Errorf("%w\n%s", err, p.Output())
		}
	}
	t.Print(os.Stdout)
	return nil
}

// phase is something to measure: what changes in the file, if anything does, and whether
// another program keeps a core busy.
type phase struct {
	name   string
	spots  []*spot
	beside bool
}

// measure goes through phases over and over, the first of which is quiet, and adds a row
// for each to a table.
func (f *importFile) measure(ctx context.Context, port int, phases []phase, t *gauge.Table) error {
	p50, p99, took := make([]gauge.Sample, len(phases)), make([]gauge.Sample, len(phases)), make([]gauge.Sample, len(phases))
	for range *rounds {
		for i, phase := range phases {
			latencies, reload, err := f.during(ctx, port, phase)
			if err != nil {
				return err
			}
			p50[i], p99[i] = append(p50[i], latencies.Median()), append(p99[i], latencies.Quantile(0.99))
			took[i] = append(took[i], reload.Seconds())
			time.Sleep(time.Second)
		}
	}
	for i, phase := range phases {
		after := "–"
		if phase.spots != nil {
			after = took[i].Format("%.1f")
		}
		t.Row(phase.name, after, p50[i].Format("%.0f"), p99[i].Format("%.0f"), p99[i].Over(p99[0]).Format("%.2f"))
	}
	return nil
}

// during takes latencies during a phase.
func (f *importFile) during(ctx context.Context, port int, p phase) (latencies gauge.Sample, reload time.Duration, err error) {
	if p.beside {
		busy := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			return nil, 0, err
		}
		defer func() { _ = busy.Process.Kill(); _ = busy.Wait() }()
	}
	return f.change(ctx, port, p.spots)
}

// importFile is a file of record sets with spots that change.
type importFile struct {
	path               string
	value, name, check spot
}

// spot is a place in a file where one of two texts of the same length stands.
type spot struct {
	at    int64
	texts [2]string
	now   int
}

// change turns spots over and takes latencies until the server answers from the file; the
// last spot has to be that of the value. Without spots it takes them for a while.
func (f *importFile) change(ctx context.Context, port int, spots []*spot) (latencies gauge.Sample, reload time.Duration, err error) {
	if len(spots) == 0 {
		latencies, err = gauge.Pace(ctx, port, asked, *rate, 2*time.Duration(*seconds)*time.Second)
		return latencies, 0, err
	}
	file, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	for _, s := range spots {
		s.now = 1 - s.now
		if _, err := file.WriteAt([]byte(s.texts[s.now]), s.at); err != nil {
			return nil, 0, err
		}
	}
	for start := time.Now(); time.Since(start) < 2*time.Minute; {
		some, err := gauge.Pace(ctx, port, asked, *rate, 500*time.Millisecond)
		if err != nil {
			return nil, 0, err
		}
		latencies = append(latencies, some...)
		if addrs, err := gauge.Ask(port, "marker.example.org."); err == nil && len(addrs) == 1 && addrs[0] == f.value.texts[f.value.now] {
			return latencies, time.Since(start), nil
		}
	}
	return nil, 0, fmt.Errorf("no reload of %s", f.path)
}

// write writes a list of record sets as the AWS CLI does: a weighted group of three, the
// marker, and a quarter each of weighted pairs, failover pairs, aliases of those, and
// simple record sets.
func (f *importFile) write(sets int) error {
	out, err := os.Create(f.path)
	if err != nil {
		return err
	}
	defer out.Close()
	w := &setWriter{w: bufio.NewWriter(out)}
	w.text("{\n    \"ResourceRecordSets\": [")
	w.values("marker", "", "192.0.2.1", spotOf{&f.value, "192.0.2.1", "192.0.2.2"})
	w.values("coming", "", "192.0.2.1", spotOf{&f.name, "coming", "gone-2"})
	for i, weight := range []int{10, 20, 30} {
		w.values("www", fmt.Sprintf(`"SetIdentifier": "%d", "Weight": %d, `, i, weight), fmt.Sprintf("192.0.2.%d", i))
	}
	const checked = `"HealthCheckId": "c", `
	for i := 0; w.sets < sets; i++ {
		address := fmt.Sprintf("198.18.%d.%d", i>>8&255, i&255)
		w.values(fmt.Sprint("w", i), checked+`"SetIdentifier": "blue", "Weight": 10, `, address)
		w.values(fmt.Sprint("w", i), checked+`"SetIdentifier": "green", "Weight": 20, `, address)
		w.values(fmt.Sprint("f", i), checked+`"SetIdentifier": "one", "Failover": "PRIMARY", `, address)
		w.values(fmt.Sprint("f", i), checked+`"SetIdentifier": "two", "Failover": "SECONDARY", `, address)
		w.alias(fmt.Sprint("aw", i), fmt.Sprint("w", i))
		w.alias(fmt.Sprint("af", i), fmt.Sprint("f", i))
		w.values(fmt.Sprint("s", i), "", address)
		w.values(fmt.Sprint("t", i), "", address)
	}
	w.text("\n    ]\n}\n")
	w.text(`{"HealthChecks": [{"Id": "c", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "127.0.0.1", "Port": 9, "Disabled": true}}]}`,
		spotOf{&f.check, `"Port": 9`, `"Port": 7`})
	if w.err != nil {
		return w.err
	}
	return w.w.Flush()
}

// spotOf says which spot is where the first text stands in what is written.
type spotOf struct {
	spot       *spot
	now, other string
}

// setWriter writes record sets and counts them and their bytes.
type setWriter struct {
	w       *bufio.Writer
	sets    int
	written int64
	err     error
}

func (w *setWriter) text(text string, spots ...spotOf) {
	for _, s := range spots {
		*s.spot = spot{at: w.written + int64(strings.Index(text, s.now)), texts: [2]string{s.now, s.other}}
	}
	n, err := w.w.WriteString(text)
	w.written += int64(n)
	if err != nil {
		w.err = err
	}
}

func (w *setWriter) values(name, members, value string, spots ...spotOf) {
	w.set(name, fmt.Sprintf(`%s"TTL": 60, "ResourceRecords": [{"Value": "%s"}]}`, members, value), spots...)
}

func (w *setWriter) alias(name, target string) {
	w.set(name, fmt.Sprintf(`"AliasTarget": {"HostedZoneId": "Z3M3LMPEXAMPLE", "DNSName": "%s.example.org.", "EvaluateTargetHealth": true}}`, target))
}

func (w *setWriter) set(name, members string, spots ...spotOf) {
	if w.sets > 0 {
		w.text(",")
	}
	w.sets++
	w.text(fmt.Sprintf("\n        {\"Name\": \"%s.example.org.\", \"Type\": \"A\", %s", name, members), spots...)
}
