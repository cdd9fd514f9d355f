package instance

import (
	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/steerdns/steer/plugin/handler"
)

func init() {
	prometheus.MustRegister(checks.Collector(), blocks{})
}

// blocks collects what the running server blocks hold. It is read at scrape time, so
// that what a reload removes is gone from the metrics too.
type blocks struct{}

var (
	recordSetsDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "record_sets"),
		"Record sets held, by server block.", []string{"block"}, nil)
	externalHealthyDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "external_healthy"),
		"Whether the last resolution of an alias's external target that succeeded gave records. Before the first one: 1 while that may still be under way, then 0.", []string{"block", "name", "type"}, nil)
	externalStaleDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "external_stale"),
		"Whether an alias's external target cannot be resolved, so that an old answer is served, or none.", []string{"block", "name", "type"}, nil)
	externalFailuresDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "external_failures_total"),
		"Resolutions of an alias's external target that failed.", []string{"block", "name", "type"}, nil)
)

// Describe implements prometheus.Collector.
func (blocks) Describe(ch chan<- *prometheus.Desc) {
	ch <- recordSetsDesc
	ch <- externalHealthyDesc
	ch <- externalStaleDesc
	ch <- externalFailuresDesc
	describeGroups(ch)
	describeBalancers(ch)
	describeImports(ch)
}

// Collect implements prometheus.Collector.
func (blocks) Collect(ch chan<- prometheus.Metric) {
	instances := running.all()
	collectGroups(instances, ch)
	for _, in := range instances {
		ch <- prometheus.MustNewConstMetric(recordSetsDesc, prometheus.GaugeValue, float64(in.handler.Snapshot().RecordSets()), in.owner)
		collectBalancers(in, ch)
		collectImports(in, ch)
		g := in.generation()
		if g == nil || g.resolver == nil {
			continue
		}
		g.resolver.States(func(s handler.ExternalState) {
			labels := []string{in.owner, s.Key.Name, dns.Type(s.Key.Type).String()}
			ch <- prometheus.MustNewConstMetric(externalHealthyDesc, prometheus.GaugeValue, boolean(s.Healthy), labels...)
			ch <- prometheus.MustNewConstMetric(externalStaleDesc, prometheus.GaugeValue, boolean(s.Stale), labels...)
			ch <- prometheus.MustNewConstMetric(externalFailuresDesc, prometheus.CounterValue, float64(s.Failed), labels...)
		})
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
