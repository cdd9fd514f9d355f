package instance

import (
	"maps"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/coredns/coredns/plugin"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/steerdns/steer/plugin/handler"
)

var (
	importProblemsDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "import_problems"),
		"Problems of the data that was imported from a Route 53 file, by kind.", []string{"block", "file", "kind"}, nil)
	importSuccessDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "import_last_success_timestamp_seconds"),
		"When a Route 53 file was last loaded.", []string{"block", "file"}, nil)
	importErrorDesc = prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, handler.Name, "import_last_error_timestamp_seconds"),
		"When loading a changed Route 53 file last failed, so that older data stayed.", []string{"block", "file"}, nil)
)

func describeImports(ch chan<- *prometheus.Desc) {
	ch <- importProblemsDesc
	ch <- importSuccessDesc
	ch <- importErrorDesc
}

func collectImports(in *Instance, ch chan<- prometheus.Metric) {
	in.mu.Lock()
	im := in.config.Import
	loaded, failed := maps.Clone(in.imports.loaded), maps.Clone(in.imports.failed)
	in.mu.Unlock()
	if im == nil {
		return
	}
	for _, c := range im.Counts() {
		ch <- prometheus.MustNewConstMetric(importProblemsDesc, prometheus.GaugeValue, float64(c.N), in.owner, fileLabel(c.File), string(c.Kind))
	}
	emit := func(desc *prometheus.Desc, times map[string]time.Time) {
		for path, at := range times {
			ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(at.UnixMilli())/1000, in.owner, fileLabel(path))
		}
	}
	emit(importSuccessDesc, loaded)
	emit(importErrorDesc, failed)
}

// fileLabel returns a path as the value of a label, which has to be UTF-8.
func fileLabel(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	return strconv.Quote(path)
}
