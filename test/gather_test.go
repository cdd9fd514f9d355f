package test

import (
	"maps"
	"slices"
	"testing"

	"github.com/coredns/caddy"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// newest returns the instance that serves now.
func newest(t *testing.T) *caddy.Instance {
	t.Helper()
	list := caddy.Instances()
	if len(list) == 0 {
		t.Fatal("no instance is left")
	}
	return list[len(list)-1]
}

// families returns what the process would tell Prometheus, by name.
func families(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	list, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]*dto.MetricFamily, len(list))
	for _, f := range list {
		byName[f.GetName()] = f
	}
	return byName
}

// metric returns the sum of a metric's series that have the labels, given as names and
// values in turn; -1 if there are none.
func metric(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	sum, found := 0.0, false
	for _, m := range families(t)[name].GetMetric() {
		if !hasLabels(m, labels) {
			continue
		}
		found = true
		sum += m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	if !found {
		return -1
	}
	return sum
}

func hasLabels(m *dto.Metric, labels []string) bool {
	has := map[string]string{}
	for _, l := range m.GetLabel() {
		has[l.GetName()] = l.GetValue()
	}
	for pair := range slices.Chunk(labels, 2) {
		if has[pair[0]] != pair[1] {
			return false
		}
	}
	return true
}

// labelNames returns the names of the labels of a family, sorted.
func labelNames(f *dto.MetricFamily) []string {
	names := map[string]bool{}
	for _, m := range f.GetMetric() {
		for _, l := range m.GetLabel() {
			names[l.GetName()] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
