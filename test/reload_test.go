package test

import (
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// rounds is how often each kind of reload is done.
const rounds = 20

// reloadCorefile returns a configuration with a dead primary and a living secondary.
// What comes after the check of web-1 differs from round to round.
func reloadCorefile(port int, url, extra string, round int) string {
	return block("example.org", port) + fmt.Sprintf(`	errors
	cache
	steer {
		check web-1 %s {
			interval 1s
			threshold 2
		}
		check other tcp://127.0.0.1:%d {
			interval 1s
		}
		failover api A {
			primary   192.0.2.1 check web-1
			secondary 192.0.2.2
		}
		simple round TXT %d
		simple other A 192.0.2.3 check other
	}
	%s
}
`, url, port, round, extra)
}

func TestReload(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	kinds := []struct {
		name  string
		extra string // makes the reload fail
		after string // blocks that follow, likewise
		want  string // in the error
		text  string // the TXT that is answered afterwards: the old or the new round
	}{
		{name: "good", text: "new"},
		{name: "a later directive fails in setup", extra: "fault setup", want: "a fault of the test", text: "old"},
		{name: "a later startup fails", extra: "fault startup", want: "a fault of the test", text: "old"},
		{name: "steer itself is wrong", after: "example.net:1 {\n\tsteer {\n\t\tweighted www A {\n\t\t\tweight ten 192.0.2.1\n\t\t}\n\t}\n}\n",
			want: `weight "ten" is not a whole number from 0 to 65535`, text: "old"},
		{name: "a port is busy", after: busyBlock(busy), want: "address already in use", text: "old"},
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			none := settled()
			web, port := newEndpoint(t), freePort(t)
			web.kill()
			s := start(t, reloadCorefile(port, web.url(), "", 0))
			waitShort(t, 3*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")
			before, from := settled(), logged.mark()
			failed := metric(t, "coredns_steer_probes_total", "check", "web-1", "result", "fail")
			stopWatch := watch(t, port, "api.example.org", "192.0.2.2")

			for round := 1; round <= rounds; round++ {
				err := s.reload(reloadCorefile(port, web.url(), kind.extra, round) + kind.after)
				switch {
				case kind.want == "" && err != nil:
					t.Fatalf("round %d: %v", round, err)
				case kind.want != "" && (err == nil || !strings.Contains(err.Error(), kind.want)):
					t.Fatalf("round %d: the error is %v, want one with %q", round, err, kind.want)
				}
				want := `"0"`
				if kind.text == "new" {
					want = fmt.Sprintf("%q", fmt.Sprint(round))
				}
				if got := short(ask(t, port, "round.example.org", "TXT")); got != want {
					t.Fatalf("round %d: the TXT is %s, want %s", round, got, want)
				}
				now := metric(t, "coredns_steer_probes_total", "check", "web-1", "result", "fail")
				if now < failed {
					t.Fatalf("round %d: %v failed probes after %v: the counter fell", round, now, failed)
				}
				failed = now
			}
			if answers := stopWatch(); answers < rounds {
				t.Errorf("only %d answers during %d reloads", answers, rounds)
			}
			noLeaks(t, before)
			if n := from.count(`check "web-1"`); n != 0 {
				t.Errorf("the check flapped:\n%s", from.text())
			}

			if n := metric(t, "coredns_steer_check_status", "check", "extra"); n >= 0 {
				t.Errorf("a check of a configuration that never started is still there")
			}

			// Checking goes on afterwards.
			web.revive()
			waitShort(t, 3*time.Second+slack, port, "api.example.org", "A", "192.0.2.1")
			if n := from.count(`check "web-1" of `); n != 1 {
				t.Errorf("%d lines on the recovery, want 1:\n%s", n, from.text())
			}
			web.kill()
			s.stop()
			noLeaks(t, none)
		})
	}
}

// busyBlock returns a server block on a port that somebody else holds.
func busyBlock(l net.Listener) string {
	return block("example.net", l.Addr().(*net.TCPAddr).Port) + "\tsteer {\n\t\tcheck extra tcp://192.0.2.1:1\n\t\tsimple www A 192.0.2.1 check extra\n\t}\n}\n"
}

// When another plugin's shutdown fails, the reload counts as failed although the new
// instance is the one that serves. It must go on as any other.
func TestReloadWithAFailingShutdown(t *testing.T) {
	none := settled()
	web, port := newEndpoint(t), freePort(t)
	web.kill()
	s := start(t, reloadCorefile(port, web.url(), "fault shutdown", 0))
	waitShort(t, 3*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")
	before, from := settled(), logged.mark()
	stopWatch := watch(t, port, "api.example.org", "192.0.2.2")
	for round := 1; round <= rounds; round++ {
		old := s.instance
		s.reload(reloadCorefile(port, web.url(), "fault shutdown", round)) // fails, see above
		if s.instance = newest(t); s.instance == old {
			t.Fatalf("round %d: the old instance is still there", round)
		}
		if got, want := short(ask(t, port, "round.example.org", "TXT")), fmt.Sprintf("%q", fmt.Sprint(round)); got != want {
			t.Fatalf("round %d: the TXT is %s, want %s", round, got, want)
		}
	}
	stopWatch()
	noLeaks(t, before)
	if n := from.count(`check "web-1"`); n != 0 {
		t.Errorf("the check flapped:\n%s", from.text())
	}
	web.revive()
	waitShort(t, 3*time.Second+slack, port, "api.example.org", "A", "192.0.2.1")
	web.kill()
	s.stop()
	noLeaks(t, none)
}

// watch asks for an address over and over, and fails the test at any other answer. The
// function that it returns ends that and says how often it asked.
func watch(t *testing.T, port int, name, want string) (stop func() (answers int)) {
	t.Helper()
	var n atomic.Int64
	end, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends with stop
		defer close(ended)
		for {
			select {
			case <-end:
				return
			default:
			}
			m, err := try(port, query(name, "A"))
			switch {
			case err != nil:
				// A server that goes may drop the queries that it has read.
			case short(m) != want:
				t.Errorf("%s: the answer is %q, want %q at all times", name, short(m), want)
				return
			default:
				n.Add(1)
			}
		}
	}()
	return func() int {
		close(end)
		<-ended
		return int(n.Load())
	}
}

// A probe that runs while the configuration is reloaded goes on, and its result counts.
func TestReloadKeepsTheRunningProbe(t *testing.T) {
	port := freePort(t)
	answer, asked := make(chan int), make(chan *http.Request, 100)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		w.WriteHeader(<-answer)
	})}
	go web.Serve(l) // ends with Close
	defer web.Close()

	corefile := func(round int) string {
		return block("example.org", port) + fmt.Sprintf(`	steer {
		check slow http://%s/ {
			interval 60s
			threshold 1
			response_timeout 30s
		}
		failover api A {
			primary   192.0.2.1 check slow
			secondary 192.0.2.2
		}
		simple round TXT %d
	}
}
`, l.Addr(), round)
	}
	s := start(t, corefile(0))
	var probe *http.Request
	select {
	case probe = <-asked:
	case <-time.After(2*time.Second + slack):
		t.Fatal("no probe came")
	}
	for round := range rounds {
		s.mustReload(corefile(round + 1))
	}
	if err := probe.Context().Err(); err != nil {
		t.Fatalf("the running probe was cut off: %v", err)
	}
	if len(asked) > 0 {
		t.Fatal("a second probe came while the first one ran")
	}
	answer <- http.StatusServiceUnavailable
	waitShort(t, slack, port, "api.example.org", "A", "192.0.2.2")
}

// A check whose definition changes under its name goes on from the name's last status.
func TestReloadWithAChangedCheck(t *testing.T) {
	web, port := newEndpoint(t), freePort(t)
	web.kill()
	corefile := func(interval string) string {
		return block("example.org", port) + `	steer {
		check web-1 ` + web.url() + ` {
			interval ` + interval + `
			threshold 1
		}
		failover api A {
			primary   192.0.2.1 check web-1
			secondary 192.0.2.2
		}
	}
}
`
	}
	from := logged.mark()
	s := start(t, corefile("1s"))
	waitShort(t, 2*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")
	for _, line := range []string{" healthy -> unhealthy: ", " primary -> secondary: "} { // in either order
		from.wait(t, slack, line)
	}
	from = logged.mark()
	stopWatch := watch(t, port, "api.example.org", "192.0.2.2")
	s.mustReload(corefile("2s"))
	s.mustReload(corefile("3s"))
	stopWatch()
	if n := from.count(`check "web-1"`); n != 0 {
		t.Errorf("the check flapped:\n%s", from.text())
	}
}

// What is no longer configured is no longer probed, and leaves nothing behind.
func TestReloadWithoutSteer(t *testing.T) {
	web, port := newEndpoint(t), freePort(t)
	before := settled()
	s := start(t, block("example.org", port)+"\twhoami\n}\n")
	plain := settled()
	for range 3 {
		s.mustReload(block("example.org", port) + `	steer {
		simple www A 192.0.2.1 check ` + web.url() + `
	}
}
`)
		if !poll(2*time.Second+slack, func() bool { return web.probes.Load() > 0 }) {
			t.Fatal("no probe came")
		}
		s.mustReload(block("example.org", port) + "\twhoami\n}\n")
		noLeaks(t, plain+1) // the endpoint may still hold a connection of the last probe
		web.probes.Store(0)
	}
	s.stop()
	web.kill()
	noLeaks(t, before)
}

// Metrics and readiness are asked for at any time, while an instance starts or stops
// as well; under the race detector this shows what is not guarded. Targets held
// elsewhere have goroutines of their own, which must go with their instance.
func TestReloadWhileEverybodyAsks(t *testing.T) {
	up, port := newUpstream(t, "service.example.net. 1 IN A 198.51.100.1"), freePort(t)
	pages := []string{"http://" + loopback(freePort(t)) + "/metrics", "http://" + loopback(freePort(t)) + "/ready"}
	corefile := func(round int) string {
		c := externalCorefile(port, up.port)
		listeners := fmt.Sprintf("\n\tprometheus %s\n\tready %s {\n\t\tmonitor continuously\n\t}\n", host(pages[0]), host(pages[1]))
		c = strings.Replace(c, "\n\terrors\n", listeners, 1)
		return strings.Replace(c, "\tsteer {\n", fmt.Sprintf("\tsteer {\n\t\tsimple round TXT %d\n\t\tsimple web A 192.0.2.9 check tcp://127.0.0.1:%d\n", round, port), 1)
	}
	s := start(t, corefile(0))
	waitShort(t, slack, port, "api.example.org", "A", "198.51.100.1")

	end := make(chan struct{})
	var askers sync.WaitGroup
	for _, page := range pages {
		askers.Go(func() {
			c := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
			for {
				select {
				case <-end:
					return
				default:
				}
				if resp, err := c.Get(page); err == nil {
					resp.Body.Close()
				}
			}
		})
	}
	stopWatch := watch(t, port, "api.example.org", "198.51.100.1")
	for round := 1; round <= rounds; round++ {
		bad := ""
		if round%2 == 0 {
			bad = block("example.com", port) + "\tfault startup\n}\n"
		}
		if err := s.reload(corefile(round) + bad); (err != nil) != (bad != "") {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	stopWatch()
	close(end)
	askers.Wait()
	// The forward plugin leaves goroutines behind when a later startup fails; ours count.
	const each = 3 // the scheduler of checks; for the instance, one to follow them and one to resolve
	if !poll(5*time.Second, func() bool { return len(ours()) <= each }) {
		t.Errorf("%d goroutines of steer, want %d:\n%s", len(ours()), each, strings.Join(ours(), "\n\n"))
	}
	s.stop()
	if left := ours(); len(left) > 0 {
		t.Errorf("after the end there still run:\n%s", strings.Join(left, "\n\n"))
	}
}

// ours returns the stacks of the goroutines that steer started, probes aside.
func ours() []string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var list []string
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		if strings.Contains(stack, module) && !strings.Contains(stack, module+"/test.") && !strings.Contains(stack, "healthcheck.(*Pool).probe") {
			list = append(list, stack)
		}
	}
	return list
}

// host returns the host and port of a URL.
func host(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}
