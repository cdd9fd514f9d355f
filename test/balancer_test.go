package test

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// targets are listeners on loopback addresses with one port.
type targets struct {
	t         *testing.T
	port      int
	listeners map[string]net.Listener
}

// newTargets listens on so many addresses from 127.0.ZONE.1 on in each of the zones.
func newTargets(t *testing.T, count int, zones ...int) *targets {
	t.Helper()
	ts := &targets{t, freePort(t), map[string]net.Listener{}}
	t.Cleanup(func() { ts.stop(ts.all()...) })
	for _, zone := range zones {
		for _, addr := range addrs(zone, 1, count) {
			ts.listen(addr)
		}
	}
	return ts
}

func (ts *targets) listen(addr string) {
	ts.t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(addr, strconv.Itoa(ts.port)))
	if err != nil {
		ts.t.Skipf("only some systems have all of 127.0.0.0/8: %v", err)
	}
	ts.listeners[addr] = l
	go func() { // ends with Close
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
}

func (ts *targets) stop(list ...string) {
	for _, addr := range list {
		ts.listeners[addr].Close()
		delete(ts.listeners, addr)
	}
}

func (ts *targets) all() []string {
	var list []string
	for addr := range ts.listeners {
		list = append(list, addr)
	}
	return list
}

// addrs returns a zone's targets, from the first number to the last.
func addrs(zone, first, last int) []string {
	var list []string
	for i := first; i <= last; i++ {
		list = append(list, fmt.Sprintf("127.0.%d.%d", zone, i))
	}
	return list
}

// balancerCorefile is a load balancer of ten targets in each of two zones, both minimums
// 50 %, and a failover group that evaluates its health.
func balancerCorefile(head string, port int, nodes bool, cross string) string {
	a, b := "", ""
	if nodes {
		a, b = "192.0.2.1", "192.0.2.2 2001:db8::2"
	}
	return head + `	steer {
		load_balancer lb {
			cross_zone ` + cross + `
			zone a ` + a + `
			zone b ` + b + `
			target_group web {
				check tcp://:` + strconv.Itoa(port) + ` {
					interval 1s
					threshold 1
				}
				minimum_healthy 50%
				target a ` + strings.Join(addrs(1, 1, 10), " ") + `
				target b ` + strings.Join(addrs(2, 1, 10), " ") + `
			}
		}
		failover www A {
			primary   alias lb evaluate_target_health
			secondary 192.0.2.99
		}
	}
}
`
}

// TestBalancerOfNodes is an example of two zones of ten targets, as a user sees it.
func TestBalancerOfNodes(t *testing.T) {
	web, port, page := newTargets(t, 10, 1, 2), freePort(t), freePort(t)
	head := block("example.org", port) + "\tprometheus " + loopback(page) + "\n"
	from := logged.mark()
	s := start(t, balancerCorefile(head, web.port, true, "off"))
	const lb = "lb.example.org"
	metric := func(name, labels string, value int) string {
		sep := ""
		if labels != "" {
			sep = ","
		}
		return fmt.Sprintf(`coredns_steer_balancer_%s{block="example.org.:%d",load_balancer="lb.example.org."%s%s} %d`, name, port, sep, labels, value)
	}
	expect := func(lines ...string) {
		t.Helper()
		_, text := get(t, "http://"+loopback(page)+"/metrics")
		for _, line := range lines {
			if !slices.Contains(strings.Split(text, "\n"), line) {
				t.Errorf("no line %s in\n%s", line, strings.Join(series(text, "coredns_steer_balancer_"), "\n"))
			}
		}
	}

	waitShort(t, slack, port, lb, "A", "192.0.2.1 192.0.2.2")
	if got := short(ask(t, port, lb, "AAAA")); got != "2001:db8::2" {
		t.Errorf("AAAA: %q, want B's node", got)
	}
	if m := ask(t, port, lb, "A"); len(m.Answer) != 2 || m.Answer[0].Header().Ttl != 60 {
		t.Errorf("the answer is %v, want a TTL of 60", m.Answer)
	}
	expect(metric("registered_targets", `target_group="web",zone="b"`, 10),
		metric("healthy_targets", `target_group="web",zone="b"`, 10),
		metric("zone_in_dns", `zone="b"`, 1), metric("routing_failover", `target_group="web",zone="b"`, 0))

	web.stop(addrs(2, 1, 6)...)
	waitShort(t, 3*time.Second+slack, port, lb, "A", "192.0.2.1")
	if m := ask(t, port, lb, "AAAA"); len(m.Answer) != 0 || len(m.Ns) != 1 || m.Rcode != 0 {
		t.Errorf("AAAA while A alone is answered: want NODATA, got\n%v", m)
	}
	// The zone leaves with the sixth target, so that one is the last to be noticed.
	expect(metric("healthy", "", 1), metric("zone_healthy", `zone="a"`, 1), metric("zone_healthy", `zone="b"`, 0),
		metric("zone_in_dns", `zone="a"`, 1), metric("zone_in_dns", `zone="b"`, 0),
		metric("registered_targets", `target_group="web",zone="b"`, 10),
		metric("healthy_targets", `target_group="web",zone="a"`, 10),
		metric("healthy_targets", `target_group="web",zone="b"`, 4),
		metric("routing_failover", `target_group="web",zone="a"`, 0),
		metric("routing_failover", `target_group="web",zone="b"`, 1))
	told := fmt.Sprintf("load balancer lb.example.org. of example.org.:%d: ", port)
	from.wait(t, slack, "[WARNING] plugin/steer: "+told+`zone "b" leaves DNS: target group "web": 4 of 10 targets healthy, dns_failover wants 50%`)

	// The same state after a reload is no news.
	again := logged.mark()
	s.mustReload(balancerCorefile("# the same\n"+head, web.port, true, "off"))
	if got := short(ask(t, port, lb, "A")); got != "192.0.2.1" {
		t.Errorf("after a reload, the answer is %q", got)
	}
	if n := again.count("load balancer"); n != 0 {
		t.Errorf("%d lines are logged by a reload:\n%s", n, again.text())
	}

	s.mustReload(balancerCorefile(head, web.port, true, "on"))
	if got := short(ask(t, port, lb, "A")); got != "192.0.2.1 192.0.2.2" {
		t.Errorf("across zones, 14 of 20 healthy: the answer is %q", got)
	}
	expect(metric("zone_in_dns", `zone="b"`, 1), metric("routing_failover", `target_group="web",zone="b"`, 0),
		metric("healthy_targets", `target_group="web",zone="b"`, 4))

	web.stop(web.all()...)
	waitShort(t, 3*time.Second+slack, port, "www.example.org", "A", "192.0.2.99")
	if got := short(ask(t, port, lb, "A")); got != "192.0.2.1 192.0.2.2" {
		t.Errorf("with all targets dead, the answer is %q, want both nodes", got)
	}
	expect(metric("healthy", "", 0), metric("zone_healthy", `zone="a"`, 0), metric("zone_in_dns", `zone="a"`, 1),
		metric("routing_failover", `target_group="web",zone="a"`, 1))
	from.wait(t, slack, "[WARNING] plugin/steer: "+told+`all zones are unhealthy, so all are answered`)

	for _, addr := range append(addrs(1, 1, 10), addrs(2, 1, 10)...) {
		web.listen(addr)
	}
	waitShort(t, 3*time.Second+slack, port, "www.example.org", "A", "192.0.2.1 192.0.2.2")
	from.wait(t, slack, "[INFO] plugin/steer: "+told+`zone "a" `)

	_, text := get(t, "http://"+loopback(page)+"/metrics")
	problems, err := promlint.New(strings.NewReader(strings.Join(steerOnly(text), "\n") + "\n")).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", problems, err)
	}
	s.mustReload(head + "\tsteer {\n\t\tsimple www A 192.0.2.1\n\t}\n}\n")
	_, text = get(t, "http://"+loopback(page)+"/metrics")
	if left := series(text, "coredns_steer_balancer_"); len(left) > 0 {
		t.Errorf("after the load balancer is gone there still are\n%s", strings.Join(left, "\n"))
	}
}

// Zones without nodes answer with their targets, at most eight at a time.
func TestBalancerOfTargets(t *testing.T) {
	web, port := newTargets(t, 10, 1, 2), freePort(t)
	head := block("example.org", port)
	s := start(t, balancerCorefile(head, web.port, false, "off"))
	const lb = "lb.example.org"
	// answered returns whatever is in some of many answers. Of twenty targets, each of
	// 100 answers misses one with odds of 3:5: all of them do once in 10^22 times.
	answered := func() []string {
		t.Helper()
		var all []string
		for range 100 {
			m := ask(t, port, lb, "A")
			if len(m.Answer) != 8 {
				t.Fatalf("an answer has %d records, want 8:\n%v", len(m.Answer), m)
			}
			list := rdata(m.Answer)
			if len(slices.Compact(slices.Clone(list))) != 8 {
				t.Fatalf("an answer has a record twice: %v", list)
			}
			all = append(all, list...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	wait := func(want ...string) {
		t.Helper()
		slices.Sort(want)
		var got []string
		if !poll(3*time.Second+slack, func() bool { got = answered(); return slices.Equal(got, want) }) {
			t.Fatalf("answered are %v, want %v", got, want)
		}
	}
	wait(append(addrs(1, 1, 10), addrs(2, 1, 10)...)...)
	if m := ask(t, port, lb, "AAAA"); len(m.Answer) != 0 || len(m.Ns) != 1 || m.Rcode != 0 {
		t.Errorf("AAAA: want NODATA, got\n%v", m)
	}

	web.stop(addrs(2, 1, 6)...)
	wait(addrs(1, 1, 10)...) // the other zone's healthy targets leave with it

	s.mustReload(balancerCorefile(head, web.port, false, "on"))
	wait(append(addrs(1, 1, 10), addrs(2, 7, 10)...)...) // 14 of 20 are healthy: these alone

	web.stop(web.all()...)
	wait(append(addrs(1, 1, 10), addrs(2, 1, 10)...)...) // all of them, dead or not
}

// One probe serves all uses of an address with the same check.
func TestBalancersShareProbes(t *testing.T) {
	web, port, page := newTargets(t, 2, 1), freePort(t), freePort(t)
	group := func(id string, threshold int) string {
		return fmt.Sprintf(`
			target_group %s {
				check tcp://:%d {
					interval 1s
					threshold %d
				}
				target a %s
			}
`, id, web.port, threshold, strings.Join(addrs(1, 1, 2), " "))
	}
	start(t, block("example.org", port)+"\tprometheus "+loopback(page)+`
	steer {
		load_balancer one {
			zone a 192.0.2.1`+group("x", 2)+group("y", 2)+`
		}
		load_balancer two {
			zone a 192.0.2.1`+group("x", 2)+group("z", 3)+`
		}
	}
}
`)
	_, text := get(t, "http://"+loopback(page)+"/metrics")
	if !slices.Contains(strings.Split(text, "\n"), "coredns_steer_distinct_probes 4") {
		t.Errorf("want 4 probes: of 2 addresses, with 2 different checks:\n%s", strings.Join(series(text, "coredns_steer_distinct"), "\n"))
	}
}
