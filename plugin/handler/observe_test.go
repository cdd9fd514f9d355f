package handler_test

import (
	"context"
	"testing"

	"github.com/coredns/coredns/plugin"
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
	h.Snapshot().Update([]healthcheck.Change{{Check: 0, Status: healthcheck.Unhealthy}}, nil)
	ask("www."+zone, dns.TypeA)
	ask("www."+zone, dns.TypeAAAA)
	ask("nowhere."+zone, dns.TypeA)
	ask("x.wild."+zone, dns.TypeA)
	ask("www."+zone, dns.TypeANY)
	want := map[string]float64{"primary": 2, "secondary": 1, "nodata": 1, "nxdomain": 1, "simple": 1, "minimal": 1}
	if got := answers(t, zone); !equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
	handler.DropCounters("", zone)
	if got := answers(t, zone); len(got) != 0 {
		t.Errorf("after the zone is gone: %v", got)
	}
}

// TestCountersOfStoppedBlock: a query that is still under way when its block lets go of
// its data is counted in the zone that it began with.
func TestCountersOfStoppedBlock(t *testing.T) {
	const zone = "stopped.test."
	c := pair(t, zone)
	c.FallthroughTypes = func(string) bool { return true }
	h := serve(c)
	h.Next = plugin.HandlerFunc(func(context.Context, dns.ResponseWriter, *dns.Msg) (int, error) {
		h.Set(handler.NewSnapshot(record.NewCatalog(nil), nil), nil)
		return dns.RcodeNameError, nil
	})
	query(t, h, "www."+zone, dns.TypeAAAA)
	if got := answers(t, zone); !equal(got, map[string]float64{"nodata": 1}) {
		t.Errorf("counted %v, want the one answer", got)
	}
	handler.DropCounters("", zone)
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
	c := pair(t, zone)
	const (
		reason, set, check = "steer/reason", "steer/set-id", "steer/check"
		wildcard           = "zone/wildcard"
	)
	addAlias(t, c, "nothing."+zone, dns.TypeA, "missing."+zone)
	addAlias(t, c, "sometimes."+zone, dns.TypeA, "lb.example.net.")
	addAlias(t, c, "unnamed."+zone, dns.TypeA, "www."+zone)
	to := func(id, name string) record.RecordSet {
		return record.RecordSet{SetID: id, Check: record.NoCheck, Weight: 1, Alias: &record.AliasTarget{Name: name}}
	}
	add(t, c, record.Key{Name: "tree." + zone, Type: dns.TypeA}, record.Weighted, to("eu", "www."+zone))
	add(t, c, record.Key{Name: "top." + zone, Type: dns.TypeA}, record.Weighted, to(`a>b\c`, "tree."+zone))
	add(t, c, record.Key{Name: "odd." + zone, Type: dns.TypeA}, record.Weighted, to("eu", "x.wild."+zone))
	for text, k := range map[string]record.Key{
		"sub." + zone + " 60 NS ns.test.":             {Name: "sub." + zone, Type: dns.TypeNS},
		"cname." + zone + " 60 CNAME www." + zone:     {Name: "cname." + zone, Type: dns.TypeCNAME},
		"dangling." + zone + " 60 CNAME gone." + zone: {Name: "dangling." + zone, Type: dns.TypeCNAME},
	} {
		rrs, err := parse([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		add(t, c, k, record.Simple, record.RecordSet{SetID: "id of " + k.Name, Check: record.NoCheck, Values: rrs})
	}
	h := serve(c)
	h.Metadata = true
	h.Snapshot().Externals()[0].Set(routing.Resolution{})
	tests := []struct {
		name string
		typ  uint16
		down bool
		want map[string]string
	}{
		{"www." + zone, dns.TypeA, false, map[string]string{reason: "primary", set: "first", check: "web-1"}},
		{"www." + zone, dns.TypeA, true, map[string]string{reason: "secondary", set: "second"}},
		{"unnamed." + zone, dns.TypeA, false, map[string]string{reason: "primary", set: ">first"}},
		{"tree." + zone, dns.TypeA, false, map[string]string{reason: "primary", set: "eu>first"}},
		{"tree." + zone, dns.TypeA, true, map[string]string{reason: "secondary", set: "eu>second"}},
		{"top." + zone, dns.TypeA, true, map[string]string{reason: "secondary", set: `a\>b\\c>second`}},
		{"odd." + zone, dns.TypeA, false, map[string]string{reason: "weighted", set: "eu"}},
		{"x.wild." + zone, dns.TypeA, false, map[string]string{reason: "simple", wildcard: "*.wild." + zone}},
		{"x.wild." + zone, dns.TypeTXT, false, map[string]string{reason: "nodata", wildcard: "*.wild." + zone}},
		{"www." + zone, dns.TypeAAAA, false, map[string]string{reason: "nodata"}},
		{"wild." + zone, dns.TypeA, false, map[string]string{reason: "nodata"}},
		{"nowhere." + zone, dns.TypeA, false, map[string]string{reason: "nxdomain"}},
		{"nothing." + zone, dns.TypeA, false, map[string]string{reason: "nodata"}},
		{"sometimes." + zone, dns.TypeA, false, map[string]string{reason: "nodata"}},
		{"x.sub." + zone, dns.TypeA, false, map[string]string{reason: "referral"}},
		{"www." + zone, dns.TypeANY, false, map[string]string{reason: "minimal"}},
		{"cname." + zone, dns.TypeANY, false, map[string]string{reason: "simple", set: "id of cname." + zone}},
		{"cname." + zone, dns.TypeA, false, map[string]string{reason: "simple", set: "id of cname." + zone}},
		{"dangling." + zone, dns.TypeA, false, map[string]string{reason: "simple", set: "id of dangling." + zone}},
	}
	for _, tt := range tests {
		status := healthcheck.Healthy
		if tt.down {
			status = healthcheck.Unhealthy
		}
		h.Snapshot().Update([]healthcheck.Change{{Check: 0, Status: status}}, nil)
		r := new(dns.Msg)
		r.SetQuestion(tt.name, tt.typ)
		rec := dnstest.NewRecorder(&test.ResponseWriter{})
		ctx := (&metadata.Metadata{Zones: []string{"."}}).Collect(context.Background(), request.Request{Req: r, W: rec})
		if _, err := h.ServeDNS(ctx, rec, r); err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{reason, set, check, wildcard} {
			got, want := "", tt.want[label]
			if f := metadata.ValueFunc(ctx, label); f != nil {
				got = f()
			}
			if got != want {
				t.Errorf("%s %s, down %t: %s is %q, want %q", tt.name, dns.Type(tt.typ), tt.down, label, got, want)
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
