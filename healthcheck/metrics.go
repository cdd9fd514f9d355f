package healthcheck

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

const (
	namespace = "coredns"
	subsystem = "steer"
)

// The labels: block is the owner of a check, such as a server block; check is its
// name. Both are bounded by the configuration.
var (
	statusDesc = desc("check_status", "Whether a check reports healthy (1) or unhealthy (0).", "block", "check", "kind")
	probesDesc = desc("probes_total", "Results of the probe that a check uses; checks with equal definitions share one.",
		"block", "check", "result")
	transitionsDesc = desc("transitions_total", "Changes of the status that a check reports.", "block", "check")
	ageDesc         = desc("last_result_age_seconds", "Time since the last result of a check's probe.", "block", "check")
	checksDesc      = desc("checks", "Checks held, calculated ones and those that are not probed included.")
	distinctDesc    = desc("distinct_probes", "Different probes that the checks held share.")
	runningDesc     = desc("running_probes", "Probes under way.")
	faultsDesc      = desc("probe_faults_total", "Probes without a result for want of local resources, such as file descriptors.")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, subsystem, name), help, labels, nil)
}

// initMetrics makes the histograms. Durations are by kind alone: a histogram for each
// check would be 15 series and more than a kilobyte apiece, for 100,000 checks.
func (p *Pool) initMetrics() {
	p.histogram = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Subsystem: subsystem, Name: "probe_duration_seconds",
		Help:    "How long probes took, by kind.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"kind"})
	for k := TCP; k <= HTTPS; k++ {
		p.durations[k] = p.histogram.WithLabelValues(k.String())
	}
	p.lateness = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: namespace, Subsystem: subsystem, Name: "probe_start_lateness_seconds",
		Help:    "How long after they were due probes started.",
		Buckets: []float64{.001, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
	})
}

// Collector returns the metrics of the pool. It reads the checks when it is asked, and
// keeps nothing for each of them: the series of a check go when the check does.
func (p *Pool) Collector() prometheus.Collector { return collector{p} }

type collector struct{ pool *Pool }

func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		statusDesc, probesDesc, transitionsDesc, ageDesc,
		checksDesc, distinctDesc, runningDesc, faultsDesc,
	} {
		ch <- d
	}
	c.pool.histogram.Describe(ch)
	c.pool.lateness.Describe(ch)
}

// reading is what a scrape reads of one check.
type reading struct {
	block, check     string
	kind             label
	status           Status
	transitions      uint32
	passes, failures uint32
	ended            time.Duration // from the pool's beginning
	probed           bool          // has had a result
	checked          bool          // has a probe
}

func (c collector) Collect(ch chan<- prometheus.Metric) {
	p := c.pool
	p.mu.Lock()
	readings := p.read()
	distinct, running, faults := p.distinct, p.running, p.faults
	now := p.now()
	p.mu.Unlock()

	// The registry sorts each metric, and does so soonest what is in order already.
	slices.SortFunc(readings, func(a, b reading) int {
		return cmp.Or(strings.Compare(a.block, b.block), strings.Compare(a.check, b.check))
	})
	var block *dto.LabelPair
	for i := range readings {
		r := &readings[i]
		if i == 0 || r.block != readings[i-1].block {
			block = pair("block", r.block)
		}
		samples := new(series).of(r, block, float64((now-r.ended).Milliseconds())/1e3)
		for i := range samples {
			ch <- &samples[i]
		}
	}
	ch <- &sample{desc: checksDesc, value: float64(len(readings))}
	ch <- &sample{desc: distinctDesc, value: float64(distinct)}
	ch <- &sample{desc: runningDesc, value: float64(running)}
	ch <- &sample{desc: faultsDesc, value: float64(faults), counter: true}
	p.histogram.Collect(ch)
	p.lateness.Collect(ch)
}

// read reads every check once. During a reload two leases of one owner hold the same
// names; the newer one is read, because a series that comes twice would fail the whole
// scrape. The caller holds p.mu.
func (p *Pool) read() []reading {
	n := 0
	for _, leases := range p.owners {
		for _, l := range leases {
			n += len(l.entries)
		}
	}
	readings := make([]reading, 0, n)
	for owner, leases := range p.owners {
		var seen map[string]bool
		if len(leases) > 1 {
			seen = map[string]bool{}
		}
		for _, l := range slices.Backward(leases) {
			for i := range l.entries {
				e := &l.entries[i]
				if seen[e.name] {
					continue
				}
				if seen != nil {
					seen[e.name] = true
				}
				r := reading{block: owner, check: e.name, kind: e.kind, status: e.status, transitions: e.transitions}
				if c := e.checker; c != nil {
					r.checked = true
					r.passes, r.failures = c.passes, c.failures
					r.probed, r.ended = c.results > 0, c.ended
				}
				readings = append(readings, r)
			}
		}
	}
	return readings
}

// label is the kind of a check as metrics name it.
type label uint8

const (
	labelCalculated = label(HTTPS + 1)
	labelFixed      = label(HTTPS + 2)
)

func kindOf(c *Check) label {
	switch {
	case c.Fixed:
		return labelFixed
	case c.Calculated:
		return labelCalculated
	}
	return label(c.Spec.Kind)
}

func (l label) String() string {
	switch l {
	case labelCalculated:
		return "calculated"
	case labelFixed:
		return "fixed"
	}
	return Kind(l).String()
}
