//go:build unix

package healthcheck

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endpointEnv makes the test binary an endpoint: benchmarks run theirs in a process of
// its own, so that the CPU time they report is that of the probes alone.
const endpointEnv = "STEER_TEST_ENDPOINT"

func TestMain(m *testing.M) {
	if kind := os.Getenv(endpointEnv); kind != "" {
		serveEndpoint(kind)
		return
	}
	os.Exit(m.Run())
}

// serveEndpoint prints its port and serves until its standard input ends.
func serveEndpoint(kind string) {
	l, err := net.Listen("tcp4", ":0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if kind == "tcp" {
				c.Close()
				continue
			}
			go func() {
				defer c.Close()
				br := bufio.NewReaderSize(c, 512)
				for {
					line, err := br.ReadSlice('\n')
					if err != nil || len(line) <= 2 {
						break
					}
				}
				_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"))
			}()
		}
	}()
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// endpoint starts one in a process of its own and returns its port.
func endpoint(b *testing.B, kind string) uint16 {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), endpointEnv+"="+kind)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	port, err := strconv.ParseUint(strings.TrimSpace(line), 10, 16)
	if err != nil {
		b.Fatal(err)
	}
	return uint16(port)
}

// cpu returns the CPU time of this process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkProbe(b *testing.B) {
	for _, kind := range []Kind{TCP, HTTP} {
		b.Run(kind.String(), func(b *testing.B) {
			s := Defaults(kind)
			s.Host, s.Port = "127.0.0.1", endpoint(b, kind.String())
			p := newProber()
			b.ReportAllocs()
			before := cpu()
			for b.Loop() {
				if err := p.probe(context.Background(), &s, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cpu()-before).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

// BenchmarkResult measures what taking a result costs, with 10,000 checks held.
func BenchmarkResult(b *testing.B) {
	p := NewPool(Options{})
	p.maxRunning = 0 // probes only as told here
	checks := make([]Check, 10_000)
	for i := range checks {
		checks[i] = tcp(fmt.Sprint("host", i))
	}
	l := p.Acquire("bench", checks)
	defer l.Release()
	cs := make([]*checker, len(checks))
	for i := range l.entries {
		cs[i] = l.entries[i].checker
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c := cs[i%len(cs)]
		p.mu.Lock()
		switch c.state {
		case waiting:
			p.wheel.remove(c)
		case ready:
			p.queueOf(c).remove(c)
		}
		p.running++
		c.state, c.run = running, &run{cancel: func() {}}
		r := c.run
		p.mu.Unlock()
		now := p.now()
		p.result(c, r, nil, now, now)
	}
}

// BenchmarkScheduled measures what a check costs in operation: 500 probes a second
// from the scheduler.
func BenchmarkScheduled(b *testing.B) {
	const rate, interval = 500, 4
	for _, kind := range []Kind{TCP, HTTP} {
		b.Run(kind.String(), func(b *testing.B) {
			port := endpoint(b, kind.String())
			checks := make([]Check, rate*interval)
			for i := range checks {
				s := Defaults(kind)
				s.Interval, s.Recheck = interval*time.Second, interval*time.Second
				s.Rise, s.Fall = 1, 1
				s.Host, s.Port = fmt.Sprintf("127.0.%d.%d", i/250, i%250+1), port
				checks[i] = Check{Name: s.Host, Spec: s}
			}
			p := NewPool(Options{})
			l := p.Acquire("bench", checks)
			defer l.Release()
			for !l.Known() {
				time.Sleep(50 * time.Millisecond)
			}
			time.Sleep(interval * time.Second)
			count := func() (n int) {
				for _, r := range readings(p) {
					n += int(r.passes)
				}
				return n
			}
			for b.Loop() {
				probes, used := count(), cpu()
				time.Sleep(2 * interval * time.Second)
				used, probes = cpu()-used, count()-probes
				b.ReportMetric(float64(used.Microseconds())/float64(probes), "cpu-µs/check")
				b.ReportMetric(float64(probes)/(2*interval), "checks/s")
			}
		})
	}
}
