package healthcheck

import (
	"strings"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// sample is the value of one series in one scrape. With 100,000 checks there are half
// a million of them, and CoreDNS gives a scrape five seconds: so the series of a check
// share its labels, and nothing is checked or sorted that is right already. Metrics of
// the library's making would take three times the processor time.
type sample struct {
	desc    *prometheus.Desc
	labels  []*dto.LabelPair // sorted by name
	value   float64
	counter bool
}

// Desc and Write make it a [prometheus.Metric].
func (s *sample) Desc() *prometheus.Desc { return s.desc }

func (s *sample) Write(to *dto.Metric) error {
	to.Label = s.labels
	if s.counter {
		to.Counter = &dto.Counter{Value: &s.value}
	} else {
		to.Gauge = &dto.Gauge{Value: &s.value}
	}
	return nil
}

// pair returns a label. What is not UTF-8 would fail the scrape of the whole server.
func pair(name, value string) *dto.LabelPair {
	if !utf8.ValidString(value) {
		value = strings.ToValidUTF8(value, string(utf8.RuneError))
	}
	return &dto.LabelPair{Name: &name, Value: &value}
}

// Labels that many series share.
var (
	passLabel = pair("result", "pass")
	failLabel = pair("result", "fail")
	kindLabel = func() (labels [labelFixed + 1]*dto.LabelPair) {
		for k := range labels {
			labels[k] = pair("kind", label(k).String())
		}
		return labels
	}()
)

// series are the samples of one check.
type series struct {
	samples [5]sample
	labels  [9]*dto.LabelPair
	n       int
}

// of fills in what a scrape read of a check, of the owner that block names, and
// returns it.
func (s *series) of(r *reading, block *dto.LabelPair, age float64) []sample {
	check := pair("check", r.check)
	s.labels = [...]*dto.LabelPair{block, check, kindLabel[r.kind], block, check, failLabel, block, check, passLabel}
	s.add(statusDesc, s.labels[:3], float64(r.status), false)
	s.add(transitionsDesc, s.labels[:2], float64(r.transitions), true)
	if r.checked {
		s.add(probesDesc, s.labels[3:6], float64(r.failures), true)
		s.add(probesDesc, s.labels[6:9], float64(r.passes), true)
	}
	if r.probed {
		s.add(ageDesc, s.labels[:2], age, false)
	}
	return s.samples[:s.n]
}

func (s *series) add(desc *prometheus.Desc, labels []*dto.LabelPair, value float64, counter bool) {
	s.samples[s.n] = sample{desc, labels, value, counter}
	s.n++
}
