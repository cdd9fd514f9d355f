package healthcheck

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.set("down", false)
		ep.takes["up"] = 20 * ms
		p := ep.pool()
		checks := []Check{with(tcp("up"), once), with(tcp("down"), once), with(tcp("off"), disable), parent(2, 0, 1), {Name: "fixed", Fixed: true}}
		l := p.Acquire("example.org./53", checks)
		time.Sleep(4 * time.Second)
		again := p.Acquire("example.org./53", checks) // during a reload every name is there twice
		reg := prometheus.NewPedanticRegistry()
		reg.MustRegister(p.Collector())

		problems, err := testutil.GatherAndLint(reg)
		if err != nil || len(problems) > 0 {
			t.Errorf("lint: %v %v", problems, err)
		}
		want := `
# HELP coredns_steer_check_status Whether a check reports healthy (1) or unhealthy (0).
# TYPE coredns_steer_check_status gauge
coredns_steer_check_status{block="example.org./53",check="down",kind="tcp"} 0
coredns_steer_check_status{block="example.org./53",check="fixed",kind="fixed"} 0
coredns_steer_check_status{block="example.org./53",check="off",kind="tcp"} 1
coredns_steer_check_status{block="example.org./53",check="parent",kind="calculated"} 0
coredns_steer_check_status{block="example.org./53",check="up",kind="tcp"} 1
# HELP coredns_steer_checks Checks held, calculated ones and those that are not probed included.
# TYPE coredns_steer_checks gauge
coredns_steer_checks 5
# HELP coredns_steer_distinct_probes Different probes that the checks held share.
# TYPE coredns_steer_distinct_probes gauge
coredns_steer_distinct_probes 2
# HELP coredns_steer_probe_faults_total Probes without a result for want of local resources, such as file descriptors.
# TYPE coredns_steer_probe_faults_total counter
coredns_steer_probe_faults_total 0
# HELP coredns_steer_probes_total Results of the probe that a check uses; checks with equal definitions share one.
# TYPE coredns_steer_probes_total counter
coredns_steer_probes_total{block="example.org./53",check="down",result="fail"} 3
coredns_steer_probes_total{block="example.org./53",check="down",result="pass"} 0
coredns_steer_probes_total{block="example.org./53",check="up",result="fail"} 0
coredns_steer_probes_total{block="example.org./53",check="up",result="pass"} 3
# HELP coredns_steer_running_probes Probes under way.
# TYPE coredns_steer_running_probes gauge
coredns_steer_running_probes 0
# HELP coredns_steer_transitions_total Changes of the status that a check reports.
# TYPE coredns_steer_transitions_total counter
coredns_steer_transitions_total{block="example.org./53",check="down"} 1
coredns_steer_transitions_total{block="example.org./53",check="fixed"} 0
coredns_steer_transitions_total{block="example.org./53",check="off"} 0
coredns_steer_transitions_total{block="example.org./53",check="parent"} 1
coredns_steer_transitions_total{block="example.org./53",check="up"} 0
`
		names := []string{}
		for line := range strings.Lines(want) {
			if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
				name, _, _ := strings.Cut(rest, " ")
				names = append(names, name)
			}
		}
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), names...); err != nil {
			t.Error(err)
		}
		if n, err := testutil.GatherAndCount(reg, "coredns_steer_last_result_age_seconds"); n != 2 || err != nil {
			t.Errorf("%d ages, %v, want those of the two that are probed", n, err)
		}

		// The series of what is gone are gone, and counters go on for what stays.
		l.Release()
		l = p.Acquire("example.org./53", checks[1:2])
		again.Release()
		want = `
# HELP coredns_steer_transitions_total Changes of the status that a check reports.
# TYPE coredns_steer_transitions_total counter
coredns_steer_transitions_total{block="example.org./53",check="down"} 1
`
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "coredns_steer_transitions_total"); err != nil {
			t.Error(err)
		}
		l.Release()
		if n, err := testutil.GatherAndCount(reg, "coredns_steer_check_status"); n != 0 || err != nil {
			t.Errorf("%d statuses, %v, want none after the last lease", n, err)
		}
	})
}

// A label that is not UTF-8 would fail the scrape of the whole server.
func TestLabelsAreUTF8(t *testing.T) {
	p := NewPool(Options{})
	l := p.Acquire("block\xff", []Check{{Name: "a\xffb", Fixed: true}})
	defer l.Release()
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(p.Collector())
	want := `
# HELP coredns_steer_check_status Whether a check reports healthy (1) or unhealthy (0).
# TYPE coredns_steer_check_status gauge
coredns_steer_check_status{block="block�",check="a�b",kind="fixed"} 0
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "coredns_steer_check_status"); err != nil {
		t.Error(err)
	}
}

func TestProbeDurations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ep := newEndpoints()
		ep.takes["a"] = 20 * ms
		p := ep.pool()
		l := p.Acquire("block", []Check{tcp("a")})
		time.Sleep(10 * time.Second)
		l.Release()
		want := `
# HELP coredns_steer_probe_duration_seconds How long probes took, by kind.
# TYPE coredns_steer_probe_duration_seconds histogram
`
		for _, le := range []string{"0.001", "0.0025", "0.005", "0.01"} {
			want += fmt.Sprintf("coredns_steer_probe_duration_seconds_bucket{kind=\"tcp\",le=%q} 0\n", le)
		}
		n := readProbes(ep)
		for _, le := range []string{"0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf"} {
			want += fmt.Sprintf("coredns_steer_probe_duration_seconds_bucket{kind=\"tcp\",le=%q} %d\n", le, n)
		}
		for _, kind := range []string{"http", "https"} {
			for _, le := range []string{"0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf"} {
				want += fmt.Sprintf("coredns_steer_probe_duration_seconds_bucket{kind=%q,le=%q} 0\n", kind, le)
			}
			want += fmt.Sprintf("coredns_steer_probe_duration_seconds_sum{kind=%q} 0\ncoredns_steer_probe_duration_seconds_count{kind=%q} 0\n", kind, kind)
		}
		want += fmt.Sprintf("coredns_steer_probe_duration_seconds_sum{kind=\"tcp\"} %v\ncoredns_steer_probe_duration_seconds_count{kind=\"tcp\"} %d\n", float64(n)*20/1000, n)
		reg := prometheus.NewPedanticRegistry()
		reg.MustRegister(p.Collector())
		if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "coredns_steer_probe_duration_seconds"); err != nil {
			t.Error(err)
		}
	})
}

func readProbes(ep *endpoints) int { return len(ep.seen("a")) }

// An idle check may cost 500 bytes here; twice that is the limit for the whole server.
func TestBytesPerIdleCheck(t *testing.T) {
	const n = 10_000
	if got := idleBytes(n); got > 500 {
		t.Errorf("%.0f bytes for a check, want 500 at most", got)
	}
}

// idleBytes returns the heap bytes of a check among n that wait for their first probe.
func idleBytes(n int) float64 {
	p := NewPool(Options{})
	checks := make([]Check, n)
	for i := range checks {
		s := Defaults(HTTP)
		s.Host, s.Port = fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), 80
		checks[i] = Check{Name: s.Host, Spec: s}
	}
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	p.maxRunning = 0 // nothing starts
	before := heap()
	l := p.Acquire("block", checks)
	after := heap()
	l.Release()
	runtime.KeepAlive(checks)
	return (float64(after) - float64(before)) / float64(n)
}

func BenchmarkIdleCheck(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(idleBytes(100_000), "bytes/check")
	}
}
