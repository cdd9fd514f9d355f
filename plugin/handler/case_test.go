package handler_test

import (
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// rr parses a record.
func rr(t *testing.T, text string) []dns.RR {
	t.Helper()
	r, err := dns.NewRR(text)
	if err != nil {
		t.Fatal(err)
	}
	return []dns.RR{r}
}

// TestC07: a weighted CNAME group answers every type with exactly one CNAME.
func TestC07(t *testing.T) {
	const name = "svc.example.org."
	c := record.NewCatalog([]string{"example.org."})
	c.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
	err := c.Add(&record.Group{Key: record.Key{Name: name, Type: dns.TypeCNAME}, Policy: record.Weighted, Records: []record.RecordSet{
		{SetID: "a", Weight: 1, Check: record.NoCheck, Values: rr(t, name+" 0 CNAME a.example.net.")},
		{SetID: "b", Weight: 5, Check: record.NoCheck, Values: rr(t, name+" 0 CNAME b.example.net.")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	validate(t, c)
	h := serve(c)
	for _, draw := range []struct {
		number uint64
		target string
	}{{0, "a.example.net."}, {1, "b.example.net."}, {5, "b.example.net."}} {
		h.SetRand(func(n uint64) uint64 {
			if n != 6 {
				t.Errorf("a number below %d is drawn, want one below the sum of the weights", n)
			}
			return draw.number
		})
		for _, typ := range []uint16{dns.TypeA, dns.TypeTXT, dns.TypeCNAME} {
			m, _ := query(t, h, name, typ)
			if len(m.Answer) != 1 || m.Answer[0].Header().Ttl != 0 || m.Answer[0].(*dns.CNAME).Target != draw.target {
				t.Errorf("%s, number %d: %s, want one CNAME to %s with TTL 0", dns.Type(typ), draw.number, render(m), draw.target)
			}
		}
	}
}

// TestC19: an alias is answered as its target's records under its own name, with their
// TTL, and is not to be seen in any other type.
func TestC19(t *testing.T) {
	c := parseZone(t, "example.org. 60 SOA ns.dns.example.org. hostmaster.example.org. 1 7200 900 1209600 30\nweb.example.org. 120 A 192.0.2.1\n", "example.org.")
	err := c.Add(&record.Group{Key: record.Key{Name: "www.example.org.", Type: dns.TypeA}, Records: []record.RecordSet{
		{Check: record.NoCheck, Alias: &record.AliasTarget{Name: "web.example.org."}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	validate(t, c)
	h := serve(c)
	for typ, want := range map[uint16]string{
		dns.TypeA:     "NOERROR aa an[www.example.org. 120 A 192.0.2.1]",
		dns.TypeAAAA:  nodata,
		dns.TypeCNAME: nodata,
		dns.TypeANY:   `NOERROR aa an[www.example.org. 3600 HINFO "RFC8482" ""]`,
	} {
		m, _ := query(t, h, "www.example.org.", typ)
		if got := render(m); got != want {
			t.Errorf("%s: got %s, want %s", dns.Type(typ), got, want)
		}
	}
}

// TestC41: a wildcard CNAME to a group is followed by the group's health, as a direct
// query for it would be.
func TestC41(t *testing.T) {
	const zone = "example.org."
	c := pair(t, zone)
	err := c.Add(&record.Group{Key: record.Key{Name: "*.www." + zone, Type: dns.TypeCNAME}, Records: []record.RecordSet{
		{Check: record.NoCheck, Values: rr(t, "*.www."+zone+" 60 CNAME www."+zone)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	validate(t, c)
	h := serve(c)
	for _, step := range []struct {
		status healthcheck.Status
		want   string
	}{{healthcheck.Healthy, "192.0.2.1"}, {healthcheck.Unhealthy, "192.0.2.2"}} {
		h.Snapshot().Update([]healthcheck.Change{{Check: 0, Status: step.status}}, nil)
		m, _ := query(t, h, "a.www."+zone, dns.TypeA)
		want := "NOERROR aa an[a.www.example.org. 60 CNAME www.example.org.; www.example.org. 60 A " + step.want + "]"
		if got := render(m); got != want {
			t.Errorf("check %s: got %s, want %s", step.status, got, want)
		}
	}
}
