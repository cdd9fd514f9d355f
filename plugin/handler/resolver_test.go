package handler_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// newExternal makes a handler with a primary that is held elsewhere, in a server.
func newExternal(t *testing.T, evaluate bool) *served {
	t.Helper()
	c := record.NewCatalog([]string{"example.org."})
	c.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
	key := record.Key{Name: "www.example.org.", Type: dns.TypeA}
	second, _ := dns.NewRR("www.example.org. 60 A 192.0.2.2")
	err := c.Add(&record.Group{Key: key, Policy: record.Failover, Records: []record.RecordSet{
		{Tier: 1, Check: record.NoCheck, Alias: &record.AliasTarget{Name: "lb.example.net.", EvaluateTargetHealth: evaluate}},
		{Tier: 2, Check: record.NoCheck, Values: []dns.RR{second}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	validate(t, c)
	return inServer(t, c)
}

// start begins to resolve; the wake-up query comes at once.
func (x *served) start(t *testing.T) *handler.Resolver {
	v := handler.NewResolver(x.Handler, x.Snapshot(), handler.Home{Wake: func(context.Context) { x.ask("example.org.") }})
	x.Set(x.Snapshot(), v)
	v.Start()
	t.Cleanup(v.Stop)
	return v
}

const (
	secondary = "NOERROR aa an[www.example.org. 60 A 192.0.2.2]"
	chainEnd  = "lb.example.net. 20 CNAME a.example.net."
	address7  = "a.example.net. 90 A 192.0.2.7"
)

// TestExternalFollowsTarget walks an alias's external target through its life: unknown,
// found, changed, gone, back, failing.
func TestExternalFollowsTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.set(dns.RcodeSuccess, chainEnd, address7)
		v := x.start(t)
		synctest.Wait()
		want := func(why, text string) {
			t.Helper()
			synctest.Wait()
			if got := render(x.ask("www.example.org.")); got != text {
				t.Errorf("%s: got %s, want %s", why, got, text)
			}
		}
		asked := x.other.count()
		want("resolved before anyone asked, under the alias's name, with the chain's smallest TTL", "NOERROR aa an[www.example.org. 20 A 192.0.2.7]")
		if x.other.count() != asked {
			t.Error("a query resolved the target once more")
		}

		x.other.set(dns.RcodeSuccess, chainEnd, "a.example.net. 90 A 192.0.2.8")
		time.Sleep(19 * time.Second)
		want("before the TTL is over", "NOERROR aa an[www.example.org. 20 A 192.0.2.7]")
		time.Sleep(2 * time.Second)
		want("after it", "NOERROR aa an[www.example.org. 20 A 192.0.2.8]")

		x.other.set(dns.RcodeServerFailure)
		time.Sleep(21 * time.Second)
		want("a failure leaves health as it is and serves the old answer with a short TTL", "NOERROR aa an[www.example.org. 30 A 192.0.2.8]")
		v.States(func(s handler.ExternalState) {
			if !s.Stale || !s.Healthy || s.Failed == 0 {
				t.Errorf("state %+v, want stale, healthy and failures counted", s)
			}
		})

		x.other.set(dns.RcodeNameError)
		time.Sleep(31 * time.Second)
		want("NXDOMAIN makes it unhealthy at once", secondary)

		x.other.set(dns.RcodeSuccess, chainEnd, address7)
		time.Sleep(31 * time.Second)
		want("it is back", "NOERROR aa an[www.example.org. 20 A 192.0.2.7]")

		x.other.set(dns.RcodeSuccess)
		time.Sleep(21 * time.Second)
		want("NODATA is as good as NXDOMAIN", secondary)
	})
}

// TestExternalStaleEnds checks that a stale answer is given up after a day.
func TestExternalStaleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, false)
		x.other.set(dns.RcodeSuccess, address7, "lb.example.net. 60 A 192.0.2.7")
		x.start(t)
		synctest.Wait()
		x.other.set(dns.RcodeServerFailure)
		time.Sleep(23 * time.Hour)
		if m := x.ask("www.example.org."); m.Rcode != dns.RcodeSuccess || len(m.Answer) == 0 {
			t.Errorf("after 23 h: %s, want the last good answer", render(m))
		}
		time.Sleep(2 * time.Hour)
		if m := x.ask("www.example.org."); m.Rcode != dns.RcodeServerFailure {
			t.Errorf("after 25 h: %s, want SERVFAIL", render(m))
		}
	})
}

// TestExternalWithoutEvaluation: the target's health is not looked at, so that a target
// that does not exist is answered with NODATA.
func TestExternalWithoutEvaluation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, false)
		x.other.set(dns.RcodeNameError)
		x.start(t)
		synctest.Wait()
		if got := render(x.ask("www.example.org.")); !strings.HasPrefix(got, "NOERROR aa ns[example.org.") {
			t.Errorf("got %s, want NODATA", got)
		}
	})
}

// TestExternalFirstQueryWaits: a query that comes before the first resolution waits for
// it, and shows the server if nothing else has.
func TestExternalFirstQueryWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.set(dns.RcodeSuccess, address7, "lb.example.net. 60 A 192.0.2.7")
		v := handler.NewResolver(x.Handler, x.Snapshot(), handler.Home{})
		x.Set(x.Snapshot(), v)
		v.Start()
		defer v.Stop()
		time.Sleep(time.Hour) // nothing to wake it
		if x.other.count() != 0 {
			t.Error("resolved without a server")
		}
		if got := render(x.ask("www.example.org.")); !strings.Contains(got, "192.0.2.7") {
			t.Errorf("got %s, want the target's address", got)
		}
	})
}

// TestExternalUnreachable: a target that has never been resolved is SERVFAIL, in time.
func TestExternalUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.set(dns.RcodeServerFailure)
		x.start(t)
		synctest.Wait()
		start := time.Now()
		if m := x.ask("www.example.org."); m.Rcode != dns.RcodeServerFailure {
			t.Errorf("got %s, want SERVFAIL", render(m))
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("it took %v, want at most 2s", took)
		}
	})
}
