package instance

import (
	"bytes"
	"context"
	"fmt"
	golog "log"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin/test"
	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/routing"
)

// lines keeps what is logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// captured has the log go to what it returns until the test ends.
func captured(t *testing.T) *lines {
	t.Helper()
	l, before := &lines{}, golog.Writer()
	golog.SetOutput(l)
	t.Cleanup(func() { golog.SetOutput(before) })
	return l
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// take returns the lines that hold a word, without what stands before "plugin/steer: ", and
// forgets all.
func (l *lines) take(word string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []string
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, word) {
			_, line, _ = strings.Cut(strings.TrimSpace(line), "plugin/steer: ")
			list = append(list, line)
		}
	}
	l.text.Reset()
	return list
}

// endpoint returns the address of a listener that stays until the test ends.
func endpoint(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// pair returns an instance of a failover pair and of so many multivalue groups, all with one
// check of an endpoint.
func pair(t *testing.T, endpoint string, groups int) *Instance {
	t.Helper()
	text := "steer example.org {\ncheck web tcp://" + endpoint + "\n" +
		"failover www A {\nprimary 192.0.2.1 check web\nsecondary 192.0.2.2\n}\n"
	for i := range groups {
		text += fmt.Sprintf("multivalue g%d A {\nvalue 192.0.2.1 check web\n}\n", i)
	}
	c := caddy.NewTestController("dns", text+"}")
	c.ServerBlockKeys = []string{"dns://example.org.:1053"}
	in, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// turn sets the status of the check, in what an instance serves if it has not let go of that.
func turn(in *Instance, s healthcheck.Status) {
	if data := in.handler.Snapshot(); len(data.Catalog.Checks) > 0 {
		data.Update([]healthcheck.Change{{Check: 0, Status: s}}, nil)
	}
}

// start starts an instance beside those that run.
func start(t *testing.T, in *Instance) {
	t.Helper()
	if err := in.start(); err != nil {
		t.Fatal(err)
	}
}

// TestOverlapTellsOnce: while a reload has two instances of one block running, one of them
// tells what moves. When the new one fails, the old one goes on where that has ended.
func TestOverlapTellsOnce(t *testing.T) {
	log, at := captured(t), endpoint(t)
	told := func(want ...string) {
		t.Helper()
		for i := range want {
			want[i] = "www.example.org. A of example.org.:1053: " + want[i]
		}
		if got := log.take(" A of "); !slices.Equal(got, want) {
			t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	const (
		down = `primary -> secondary: check "web" is unhealthy`
		back = `secondary -> primary: check "web" is healthy`
	)
	old, failing, next := pair(t, at, 0), pair(t, at, 0), pair(t, at, 0)
	start(t, old)
	turn(old, healthcheck.Unhealthy)
	told(down)

	start(t, failing) // the check itself is healthy
	told(back)
	turn(old, healthcheck.Healthy)
	turn(old, healthcheck.Unhealthy)
	told()
	turn(failing, healthcheck.Unhealthy)
	told(down)
	stop(t, failing)
	told()
	turn(old, healthcheck.Healthy)
	told(back)

	start(t, next)
	turn(old, healthcheck.Unhealthy)
	old.logMove(routing.Transition{Subject: "new data A", Text: "as an old instance tells that loads its files in the midst of a reload"})
	told()
	stop(t, old)
	turn(next, healthcheck.Unhealthy)
	told(down)
	stop(t, next)
}

// TestFailedReloadTellsWhatItMovedBack: what moved while a new instance ran that has failed
// then is told by the old one, which answers again.
func TestFailedReloadTellsWhatItMovedBack(t *testing.T) {
	log, at := captured(t), endpoint(t)
	old, failing := pair(t, at, 0), pair(t, at, 0)
	start(t, old)
	defer stop(t, old)
	start(t, failing)
	turn(old, healthcheck.Unhealthy)
	if got := log.take(" A of "); len(got) > 0 {
		t.Errorf("told by the old one: %q", got)
	}
	stop(t, failing)
	want := []string{`www.example.org. A of example.org.:1053: primary -> secondary: check "web" is unhealthy`}
	if got := log.take(" A of "); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// gather returns the series of groups, as Prometheus writes them.
func gather(t *testing.T) (series []string) {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !strings.Contains(f.GetName(), "group") {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			series = append(series, fmt.Sprintf("%s{%s} %v", strings.TrimPrefix(f.GetName(), "coredns_steer_"), strings.Join(labels, ","), m.GetGauge().GetValue()))
		}
	}
	return series
}

// TestGroupMetrics: the groups by state, and each that is not in its best, as far as there
// is room.
func TestGroupMetrics(t *testing.T) {
	captured(t)
	const groups = 1200
	in := pair(t, endpoint(t), groups)
	start(t, in)
	defer stop(t, in)
	const block = "block=example.org.:1053"
	expect := func(degraded int, want ...string) {
		t.Helper()
		single := 0
		var got []string
		for _, s := range gather(t) {
			if strings.HasPrefix(s, "group_degraded{") {
				single++
			} else {
				got = append(got, s)
			}
		}
		if single != degraded || !slices.Equal(got, want) {
			t.Errorf("%d series of single groups, want %d, and\n%s\nwant\n%s", single, degraded, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	counts := func(degraded, last, multi, primary, secondary int) []string {
		return []string{
			fmt.Sprintf("degraded_groups{%s} %d", block, degraded),
			fmt.Sprintf("groups{%s,state=last-resort} %d", block, last),
			fmt.Sprintf("groups{%s,state=multivalue} %d", block, multi),
			fmt.Sprintf("groups{%s,state=primary} %d", block, primary),
			fmt.Sprintf("groups{%s,state=secondary} %d", block, secondary),
			fmt.Sprintf("groups{%s,state=simple} 1", block), // the SOA
		}
	}
	expect(0, counts(0, 0, groups, 1, 0)...)
	turn(in, healthcheck.Unhealthy)
	expect(maxDegraded, counts(groups+1, groups, 0, 0, 1)...)
	if series := gather(t); slices.ContainsFunc(series, func(s string) bool { return strings.Contains(s, "name=www.example.org.") }) {
		t.Error("the secondary comes before last resorts")
	}
	turn(in, healthcheck.Healthy)
	expect(0, counts(0, 0, groups, 1, 0)...)

	few := pair(t, endpoint(t), 0)
	few.owner = "other"
	start(t, few)
	defer stop(t, few)
	turn(few, healthcheck.Unhealthy)
	want := "group_degraded{block=other,name=www.example.org.,state=secondary,type=A} 1"
	if series := gather(t); !slices.Contains(series, want) {
		t.Errorf("no %s in\n%s", want, strings.Join(series, "\n"))
	}
}

// TestScrapeDuringReloads: queries, changes of health and scrapes go on while instances take
// each other's place and let go of their data. It is for the race detector, and for panics.
func TestScrapeDuringReloads(t *testing.T) {
	captured(t)
	at, reloads := endpoint(t), 30
	if testing.Short() {
		reloads = 5
	}
	var current atomic.Pointer[Instance]
	in := pair(t, at, 3)
	start(t, in)
	current.Store(in)
	done := make(chan struct{})
	var wait sync.WaitGroup
	always := func(f func()) {
		wait.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					f()
				}
			}
		})
	}
	always(func() { gather(t) })
	always(func() {
		for _, name := range []string{"www.example.org.", "none.example.org.", "G1.example.org."} {
			r := new(dns.Msg).SetQuestion(name, dns.TypeA)
			server := &dnsserver.Server{Addr: "dns://127.0.0.1:1053"} // a new one each time
			ctx := context.WithValue(context.Background(), dnsserver.Key{}, server)
			current.Load().handler.ServeDNS(ctx, &test.ResponseWriter{}, r)
		}
	})
	always(func() {
		turn(current.Load(), healthcheck.Unhealthy)
		turn(current.Load(), healthcheck.Healthy)
	})
	for range reloads {
		next := pair(t, at, 3)
		start(t, next)
		stop(t, in) // and forgets, while it is asked
		current.Store(next)
		in = next
	}
	close(done)
	wait.Wait()
	stop(t, in)
}
