package test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Through a lameduck the server answers with the last state, though it probes no more.
func TestLameduckAnswersWithTheLastState(t *testing.T) {
	web, port, page := newEndpoint(t), freePort(t), freePort(t)
	web.kill()
	p, _ := run(t, block("example.org", port)+`	errors
	health `+loopback(page)+` {
		lameduck 2s
	}
	steer {
		check web-1 `+web.url()+` {
			interval 1s
			threshold 1
		}
		failover api A {
			primary   192.0.2.1 check web-1
			secondary 192.0.2.2
		}
	}
}
`)
	p.waitServes(port, "example.org")
	waitShort(t, 3*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")

	from := p.log.mark()
	began := time.Now()
	p.signal(syscall.SIGTERM)
	from.wait(t, slack, "lameduck")
	web.revive() // nobody is to notice
	n := 0
	for time.Since(began) < 1500*time.Millisecond {
		m, err := try(port, query("api.example.org", "A"))
		if err != nil {
			t.Fatalf("%v into the lameduck: %v", time.Since(began), err)
		}
		if got := short(m); got != "192.0.2.2" {
			t.Fatalf("%v into the lameduck the answer is %q, want the last one", time.Since(began), got)
		}
		n++
	}
	if err := p.wait(5 * time.Second); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if web.probes.Load() > 0 {
		t.Errorf("%d probes after the shutdown began", web.probes.Load())
	}
	t.Logf("%d answers in the lameduck, ended after %v", n, time.Since(began))
}

// The reload plugin and SIGUSR1 do what the tests of reloading do: a good Corefile is
// taken, a bad one is reported and changes nothing.
func TestReloadOfTheBinary(t *testing.T) {
	for _, how := range []struct {
		name, plugin string
		trigger      func(*process)
	}{
		{"the reload plugin", "reload 2s 0s", func(*process) {}},
		{"SIGUSR1", "", func(p *process) { p.signal(syscall.SIGUSR1) }},
	} {
		t.Run(how.name, func(t *testing.T) {
			web, port := newEndpoint(t), freePort(t)
			web.kill()
			corefile := func(secondary string) string {
				return block("example.org", port) + "\t" + how.plugin + `
	errors
	steer {
		check web-1 ` + web.url() + ` {
			interval 1s
			threshold 2
		}
		failover api A {
			primary   192.0.2.1 check web-1
			secondary ` + secondary + `
		}
	}
}
`
			}
			p, path := run(t, corefile("192.0.2.2"))
			p.waitServes(port, "example.org")
			waitShort(t, 3*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")

			for _, line := range []string{" healthy -> unhealthy: ", " primary -> secondary: "} { // in either order
				mark{p.log, 0}.wait(t, slack, line)
			}
			from := p.log.mark()
			write(t, path, corefile("192.0.2.257"))
			how.trigger(p)
			from.wait(t, 5*time.Second+slack, `plugin/steer: Corefile:12 - Error during parsing: `)
			if got := short(ask(t, port, "api.example.org", "A")); got != "192.0.2.2" {
				t.Errorf("after a bad reload the answer is %q, want the old one", got)
			}
			write(t, path, corefile("192.0.2.3"))
			how.trigger(p)
			waitShort(t, 5*time.Second+slack, port, "api.example.org", "A", "192.0.2.3")
			if log := from.text(); strings.Contains(log, " -> ") {
				t.Errorf("the check flapped:\n%s", log)
			}
			web.revive()
			waitShort(t, 3*time.Second+slack, port, "api.example.org", "A", "192.0.2.1")
			from.wait(t, slack, fmt.Sprintf(`check "web-1" of example.org.:%d: unhealthy -> healthy`, port))
		})
	}
}

// Readiness is that of all blocks, though CoreDNS asks only one.
func TestReadyWaitsForEveryBlock(t *testing.T) {
	web, port, page := newEndpoint(t), freePort(t), freePort(t)
	start(t, block("example.org", port)+`	ready `+loopback(page)+`
	steer {
		simple www A 192.0.2.1 check `+web.url()+`
	}
}
`+block("example.net", port)+`	ready `+loopback(page)+`
	steer {
		simple www A 192.0.2.1
	}
}
`)
	url := "http://" + loopback(page) + "/ready"
	if code, _ := get(t, url); code != 503 {
		t.Errorf("at the start /ready is %d, want 503: the first block's check is not known", code)
	}
	if !poll(3*time.Second+slack, func() bool { code, _ := get(t, url); return code == 200 }) {
		t.Error("never ready")
	}
}

// What a first start with steer leaves behind when it fails, the next start clears away:
// there was no instance of steer before it whose hooks could.
func TestFailedFirstStartIsSweptUp(t *testing.T) {
	web, port := newEndpoint(t), freePort(t)
	s := start(t, block("example.org", port)+"\twhoami\n}\n")
	steer := block("example.org", port) + "\tsteer {\n\t\tsimple www A 192.0.2.1%s\n\t}\n%s}\n"
	if err := s.reload(fmt.Sprintf(steer, " check "+web.url(), "\tfault startup\n")); err == nil {
		t.Fatal("the faulty start succeeded")
	}
	if !poll(slack, func() bool { return web.probes.Load() > 0 }) {
		t.Fatal("the failed instance never probed, so there is nothing to sweep up")
	}
	s.mustReload(fmt.Sprintf(steer, "", ""))
	if n := metric(t, "coredns_steer_checks"); n != 0 {
		t.Errorf("%v checks are held, want none", n)
	}
}
