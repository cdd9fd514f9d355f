package explain

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// large makes a catalog of names over checks: of ten names, six are weighted groups of three
// addresses, two are failover groups, one is an alias that fails over between two others,
// and one is a CNAME to another. The addresses' checks are spread evenly.
func large(names, checks int) *record.Catalog {
	const zone = "example.org."
	c := record.NewCatalog([]string{zone})
	c.SOA[zone] = record.DefaultSOA(zone, 1)
	for i := range checks {
		check := healthcheck.Check{Name: fmt.Sprintf("check-%d", i), Spec: healthcheck.Defaults(healthcheck.TCP)}
		check.Spec.Host, check.Spec.Port = fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), 443
		c.Checks = append(c.Checks, check)
	}
	next := 0
	address := func(name string, weight, tier uint16) record.RecordSet {
		check := next % checks
		next++
		return record.RecordSet{Check: int32(check), Weight: weight, Tier: tier, Values: []dns.RR{
			&dns.A{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: []byte{10, byte(check >> 16), byte(check >> 8), byte(check)}},
		}}
	}
	name := func(i int) string { return fmt.Sprintf("n%d.%s", i, zone) }
	for i := range names {
		at := name(i)
		g := &record.Group{Key: record.Key{Name: at, Type: dns.TypeA}}
		switch i % 10 {
		default:
			g.Policy = record.Weighted
			g.Records = []record.RecordSet{address(at, 10, 0), address(at, 20, 0), address(at, 30, 0)}
		case 6, 7:
			g.Policy = record.Failover
			g.Records = []record.RecordSet{address(at, 0, 1), address(at, 0, 2)}
		case 8:
			g.Policy = record.Failover
			for tier := range uint16(2) {
				g.Records = append(g.Records, record.RecordSet{Check: record.NoCheck, Tier: tier + 1, Alias: &record.AliasTarget{Name: name(i - 1 - int(tier)), EvaluateTargetHealth: true}})
			}
		case 9:
			g.Type = dns.TypeCNAME
			g.Records = []record.RecordSet{{Check: record.NoCheck, Values: []dns.RR{
				&dns.CNAME{Hdr: dns.RR_Header{Name: at, Rrtype: dns.TypeCNAME, Class: dns.ClassINET, Ttl: 60}, Target: name(i - 9)},
			}}}
		}
		if err := c.Add(g); err != nil {
			panic(err)
		}
	}
	c.Validate()
	return c
}

// cpu returns the time that the process has had a processor for.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEachFailure tells what every single failure of 10,000 checks would do to 100,000
// names.
func BenchmarkEachFailure(b *testing.B) {
	c := large(100_000, 10_000)
	for b.Loop() {
		runtime.GC()
		start, used := time.Now(), cpu()
		m := New(c)
		built := time.Since(start)
		changes := 0
		for range m.EachFailure(m.Each(CheckKind)) {
			changes++
		}
		b.ReportMetric(float64(changes), "changes")
		b.ReportMetric(built.Seconds(), "s/model")
		b.ReportMetric((time.Since(start) - built).Seconds(), "s/failures")
		b.ReportMetric((cpu() - used).Seconds(), "cpu-s")
	}
}

// TestFailureCost: what a single failure changes is worked out from what it touches. So it
// allocates as much in a catalog of a hundred times as many names.
func TestFailureCost(t *testing.T) {
	cost := func(names int) float64 {
		m := New(large(names, names/10))
		cause := m.Each(CheckKind)[:1]
		changes := 0
		once := func() {
			for range m.EachFailure(cause) {
				changes++
			}
		}
		once() // what is worked out once
		if changes == 0 {
			t.Fatal("nothing changes")
		}
		return testing.AllocsPerRun(5, once)
	}
	if few, many := cost(1000), cost(100_000); many > 1.2*few {
		t.Errorf("%v allocations among 1,000 names, %v among 100,000", few, many)
	}
}
