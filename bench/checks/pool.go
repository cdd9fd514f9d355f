//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/steerdns/steer/bench/internal/gauge"
	"github.com/steerdns/steer/healthcheck"
)

// poolEnv makes this command a process that has checks and nothing else.
const poolEnv = "STEER_BENCH_POOL"

// order is what such a process is to do; report is what it says when the checks know
// their first status, and again at the end.
type (
	order struct {
		Kind     string
		Checks   int
		Interval time.Duration
		Port     int
	}
	report struct {
		Bytes float64 // of the heap and of stacks, for each check
		Late  float64 // ms, 99th percentile since the report before
	}
)

// runPool turns this process into one of checks if it was started as such, and does not
// return then.
func runPool() {
	text := os.Getenv(poolEnv)
	if text == "" {
		return
	}
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	before := inUse()
	pool := healthcheck.NewPool(healthcheck.Options{})
	lease := pool.Acquire("bench", o.checks())
	for !lease.Known() {
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(time.Second) // the last probes of the start end
	out := json.NewEncoder(os.Stdout)
	bytes := float64(inUse()-before) / float64(o.Checks)
	lateness(pool) // makes garbage
	runtime.GC()
	time.Sleep(time.Second) // what that held up is made up for
	late := lateness(pool)
	_ = out.Encode(report{Bytes: bytes})
	_, _ = os.Stdin.Read(make([]byte, 1))
	_ = out.Encode(report{Bytes: bytes, Late: quantile(late, lateness(pool), 0.99) * 1e3})
	os.Exit(0)
}

// checks are checks of as many addresses. One result makes their first status known, so
// that the start is short; that changes nothing of what a probe does.
func (o order) checks() []healthcheck.Check {
	kind := healthcheck.TCP
	if o.Kind == "http" {
		kind = healthcheck.HTTP
	}
	checks := make([]healthcheck.Check, o.Checks)
	for i := range checks {
		s := healthcheck.Defaults(kind)
		s.Host = loopback(i)
		s.Port = uint16(o.Port)
		s.Interval, s.Recheck = o.Interval, o.Interval
		s.Rise, s.Fall = 1, 1
		checks[i] = healthcheck.Check{Name: o.Kind + "://" + s.Host + ":" + strconv.Itoa(o.Port), Spec: s}
	}
	return checks
}

// loopback is one of many addresses of this machine.
func loopback(i int) string { return fmt.Sprintf("127.%d.%d.%d", 1+i/62500, i/250%250, 1+i%250) }

// inUse is the memory that the process holds on to.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// lateness reads the histogram of how late probes started. It does without a registry,
// which would be busy with the series of all checks for seconds after the reading.
func lateness(pool *healthcheck.Pool) *dto.Histogram {
	series := make(chan prometheus.Metric)
	go func() {
		pool.Collector().Collect(series)
		close(series)
	}()
	var found *dto.Histogram
	for s := range series {
		if strings.Contains(s.Desc().String(), `"coredns_steer_probe_start_lateness_seconds"`) {
			m := &dto.Metric{}
			if err := s.Write(m); err != nil {
				panic(err)
			}
			found = m.GetHistogram()
		}
	}
	return found
}

// quantile returns a quantile of what entered a histogram between two readings, as the
// upper end of its bucket.
func quantile(before, after *dto.Histogram, q float64) float64 {
	if before == nil || after == nil {
		return math.NaN()
	}
	total := float64(after.GetSampleCount() - before.GetSampleCount())
	for i, b := range after.Bucket {
		if n := float64(b.GetCumulativeCount() - before.Bucket[i].GetCumulativeCount()); n >= q*total {
			return b.GetUpperBound()
		}
	}
	return math.Inf(1)
}

// measured is what was measured of a pool.
type measured struct {
	rate, cpu, cores gauge.Sample // probes per second, µs for each, of a core
	bytes, late      float64      // for each check; ms
}

// measurePool starts a process with checks on the server's core and watches it.
func measurePool(ctx context.Context, kind string, checks int, interval time.Duration) (*measured, error) {
	serverCore, loadCore := gauge.Cores()
	endpoints, err := gauge.StartEndpoints(ctx, loadCore, kind)
	if err != nil {
		return nil, err
	}
	defer endpoints.Stop()
	port, err := endpoints.Listen("0.0.0.0:0")
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(order{kind, checks, interval, port})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "taskset", "-c", strconv.Itoa(serverCore), self)
	cmd.Env = append(os.Environ(), poolEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		in.Close()
		_ = cmd.Wait()
	}()
	lines := bufio.NewReader(out)
	if _, err := read(lines); err != nil {
		return nil, err
	}
	m := &measured{}
	const window = 2 * time.Second
	for range max(1, *seconds/2) {
		s, err := watch(ctx, cmd.Process.Pid, endpoints, window)
		if err != nil {
			return nil, err
		}
		m.rate = append(m.rate, s.probes/window.Seconds())
		m.cpu = append(m.cpu, s.used/s.probes)
		m.cores = append(m.cores, s.used/1e6/window.Seconds())
	}
	if _, err := io.WriteString(in, "\n"); err != nil {
		return nil, err
	}
	last, err := read(lines)
	if err != nil {
		return nil, err
	}
	m.bytes, m.late = last.Bytes, last.Late
	return m, nil
}

func read(lines *bufio.Reader) (r report, err error) {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(line, &r)
}

// seen is what a process that checks did in a while.
type seen struct{ probes, used float64 } // used: µs on the processor

// watch counts the probes that the endpoints see and the time that the process uses.
func watch(ctx context.Context, pid int, endpoints *gauge.Endpoints, during time.Duration) (seen, error) {
	first, err := endpoints.Count()
	if err != nil {
		return seen{}, err
	}
	before := gauge.CPU(pid)
	select {
	case <-ctx.Done():
		return seen{}, ctx.Err()
	case <-time.After(during):
	}
	used := gauge.CPU(pid) - before
	last, err := endpoints.Count()
	if err != nil {
		return seen{}, err
	}
	if last == first {
		return seen{}, fmt.Errorf("no probes in %v", during)
	}
	return seen{float64(last - first), float64(used.Nanoseconds()) / 1e3}, nil
}
