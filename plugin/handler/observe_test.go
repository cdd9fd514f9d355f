package handler_test

import (
	"context"
	"testing"

	"github.com/coredns/coredns/plugin/metadata"
	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/plugin/test"
	"github.com/coredns/coredns/request"

	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// pair is a failover pair with a checked primary, and a wildcard.
func pair(t testing.TB, zone string) *record.Catalog {
	t.Helper()
	c := record.NewCatalog([]string{zone})
	c.SOA[zone] = record.DefaultSOA(zone, 1)
	c.Checks = []healthcheck.Check{{Name: "web-1", Spec: healthcheck.Defaults(healthcheck.TCP)}}
	value := func(s string) []dns.RR {
		rr, err := dns.NewRR(s)
		if err != nil {
			t.Fatal(err)
		}
		return []dns.RR{rr}
	}
	www, wild := "www."+zone, "*.wild."+zone
	groups := []*record.Group{
		{Key: record.Key{Name: www, Type: dns.TypeA}, Policy: record.Failover, Records: []record.RecordSet{
			{Tier: 1, Check: 0, SetID: "first", Values: value(www + " 60 A 192.0.2.1")},
			{Tier: 2, Check: record.NoCheck, SetID: "second", Values: value(www + " 60 A 192.0.2.2")},
		}},
		{Key: record.Key{Name: wild, Type: dns.TypeA}, Records: []record.RecordSet{{Check: record.NoCheck, Values: value(wild + " 60 A 192.0.2.3")}}},
	}
	for _, g := range groups {
		if err := c.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	validate(t, c)
	return c
}

// TestCounters counts answers by zone and reason.
func TestCounters(t *testing.T) {
	const zone = "counters.test."
	h := serve(pair(t, zone))
	ask := func(name string, typ uint16) { query(t, h, name, typ) }
	ask("www."+zone, dns.TypeA)
	ask("www."+zone, dns.TypeA)
	h.Data().Update([]healthcheck.Change{{Check: 0, Status: healthcheck.Unhealthy}}, nil)
	ask("www."+zone, dns.TypeA)
	ask("www."+zone, dns.TypeAAAA)
	ask("nowhere."+zone, dns.TypeA)
	ask("x.wild."+zone, dns.TypeA)
	want := map[string]float64{"primary": 2, "secondary": 1, "nodata": 1, "nxdomain": 1, "simple": 1}
	if got := answers(t, zone); !equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
	handler.DropCounters("", zone)
	if got := answers(t, zone); len(got) != 0 {
		t.Errorf("after the zone is gone: %v", got)
	}
}

// answers returns the counters above 0 of a zone by reason.
func answers(t *testing.T, zone string) map[string]float64 {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() != "coredns_steer_answers_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if v := m.GetCounter().GetValue(); labels["zone"] == zone && v > 0 {
				out[labels["reason"]] = v
			}
		}
	}
	return out
}

func equal(a, b map[string]float64) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// TestMetadata checks what log can show of an answer.
func TestMetadata(t *testing.T) {
	const zone = "metadata.test."
	h := serve(pair(t, zone))
	h.Metadata = true
	tests := []struct {
		name string
		down bool
		want map[string]string
	}{
		{"www." + zone, false, map[string]string{"steer/reason": "primary", "steer/set-id": "first", "steer/check": "web-1"}},
		{"www." + zone, true, map[string]string{"steer/reason": "secondary", "steer/set-id": "second", "steer/check": ""}},
		{"x.wild." + zone, false, map[string]string{"steer/reason": "simple", "zone/wildcard": "*.wild." + zone}},
	}
	for _, tt := range tests {
		status := healthcheck.Healthy
		if tt.down {
			status = healthcheck.Unhealthy
		}
		h.Data().Update([]healthcheck.Change{{Check: 0, Status: status}}, nil)
		r := new(dns.Msg)
		r.SetQuestion(tt.name, dns.TypeA)
		rec := dnstest.NewRecorder(&test.ResponseWriter{})
		ctx := (&metadata.Metadata{Zones: []string{"."}}).Collect(context.Background(), request.Request{Req: r, W: rec})
		if _, err := h.ServeDNS(ctx, rec, r); err != nil {
			t.Fatal(err)
		}
		for label, want := range tt.want {
			got := ""
			if f := metadata.ValueFunc(ctx, label); f != nil {
				got = f()
			}
			if got != want {
				t.Errorf("%s, down %t: %s is %q, want %q", tt.name, tt.down, label, got, want)
			}
		}
	}
}

// TestReasonsHaveNames: every reason is a metric label.
func TestReasonsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for r := range routing.Reasons {
		name := routing.Reason(r).String()
		if name == "unknown" || seen[name] {
			t.Errorf("reason %d has the name %q", r, name)
		}
		seen[name] = true
	}
}
