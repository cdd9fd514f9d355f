package handler_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// TestExternalManyUnresolved: two seconds after the start no target counts as healthy that
// has not been resolved, also where there are more of them than look-ups at a time, and
// each takes longer.
func TestExternalManyUnresolved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const targets = 100
		c := record.NewCatalog([]string{"example.org."})
		c.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
		second, _ := dns.NewRR("www.example.org. 60 A 192.0.2.2")
		for i := range targets {
			key := record.Key{Name: fmt.Sprintf("w%d.example.org.", i), Type: dns.TypeA}
			rr := dns.Copy(second)
			rr.Header().Name = key.Name
			err := c.Add(&record.Group{Key: key, Policy: record.Failover, Records: []record.RecordSet{
				{Tier: 1, Check: record.NoCheck, Alias: &record.AliasTarget{Name: fmt.Sprintf("lb%d.example.net.", i), EvaluateTargetHealth: true}},
				{Tier: 2, Check: record.NoCheck, Values: []dns.RR{rr}},
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		validate(t, c)
		x := inServer(t, c)
		x.other.delay = 4 * time.Second
		x.other.set(dns.RcodeServerFailure)
		v := x.start(t)
		healthy := func() (n int) {
			v.States(func(s handler.ExternalState) {
				if s.Healthy {
					n++
				}
			})
			return n
		}
		time.Sleep(1900 * time.Millisecond)
		synctest.Wait()
		if n := healthy(); n != targets {
			t.Errorf("%d of %d targets count as healthy before two seconds have passed", n, targets)
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if n := healthy(); n != 0 {
			t.Errorf("%d of %d targets count as healthy after two seconds", n, targets)
		}
		if got, want := render(x.ask("w99.example.org.")), "NOERROR aa an[w99.example.org. 60 A 192.0.2.2]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
