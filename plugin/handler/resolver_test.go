package handler_test

import (
	"net/netip"
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

// start begins to resolve; the server tells of itself at once.
func (x *served) start(t *testing.T) *handler.Resolver {
	v := handler.NewResolver(x.Handler, x.Snapshot())
	x.Set(x.Snapshot(), v)
	x.Serving(x.server)
	v.Start()
	t.Cleanup(func() { stop(v) })
	return v
}

// stop ends a Resolver, and lets look-ups end that other plugins hold on to.
func stop(v *handler.Resolver) {
	v.Stop()
	time.Sleep(time.Minute)
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
		want("before the TTL is over", "NOERROR aa an[www.example.org. 1 A 192.0.2.7]")
		time.Sleep(2 * time.Second)
		want("after it", "NOERROR aa an[www.example.org. 19 A 192.0.2.8]")

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
		want("it is back", "NOERROR aa an[www.example.org. 19 A 192.0.2.7]")

		x.other.set(dns.RcodeSuccess)
		time.Sleep(21 * time.Second)
		want("NODATA is as good as NXDOMAIN", secondary)
	})
}

// TestExternalStaleEnds checks that a stale answer is given up after a day. The target is
// then as one that has never been resolved: what evaluates it is answered with what else
// there is.
func TestExternalStaleEnds(t *testing.T) {
	for _, evaluate := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { staleEnds(t, evaluate) })
	}
}

func staleEnds(t *testing.T, evaluate bool) {
	x := newExternal(t, evaluate)
	x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 192.0.2.7")
	v := x.start(t)
	synctest.Wait()
	x.other.set(dns.RcodeServerFailure)
	time.Sleep(23 * time.Hour)
	if m := x.ask("www.example.org."); m.Rcode != dns.RcodeSuccess || len(m.Answer) != 1 || m.Answer[0].(*dns.A).A.String() != "192.0.2.7" || !state(v).Healthy {
		t.Errorf("after 23 h: %s, want the last good answer", render(m))
	}
	time.Sleep(2 * time.Hour)
	want := map[bool]string{false: "SERVFAIL", true: secondary}[evaluate]
	if got := render(x.ask("www.example.org.")); got != want || state(v).Healthy {
		t.Errorf("after 25 h: %s and healthy %t, want %s and unhealthy", got, state(v).Healthy, want)
	}
	x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 192.0.2.7")
	time.Sleep(30 * time.Second)
	if m := x.ask("www.example.org."); len(m.Answer) != 1 || m.Answer[0].(*dns.A).A.String() != "192.0.2.7" {
		t.Errorf("after an answer: %s, want it", render(m))
	}
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
		v := handler.NewResolver(x.Handler, x.Snapshot())
		x.Set(x.Snapshot(), v)
		v.Start()
		defer stop(v)
		time.Sleep(time.Hour) // nothing to wake it
		if x.other.count() != 0 {
			t.Error("resolved without a server")
		}
		if got := render(x.ask("www.example.org.")); !strings.Contains(got, "192.0.2.7") {
			t.Errorf("got %s, want the target's address", got)
		}
	})
}

// TestExternalNeverResolved: a target that has never been resolved is healthy for as long
// as its first resolution may take, and unhealthy from then on: what cannot be answered
// with must not keep a secondary from being answered.
func TestExternalNeverResolved(t *testing.T) {
	tests := []struct {
		name    string
		rcode   int
		delay   time.Duration // of the resolution
		doubted time.Duration // when it becomes unhealthy
		back    time.Duration // when it is resolved at last
	}{
		{"it fails", dns.RcodeServerFailure, 500 * time.Millisecond, 500 * time.Millisecond, time.Minute},
		{"it takes too long", dns.RcodeSuccess, 3 * time.Second, 2 * time.Second, 1500 * time.Millisecond},
		{"it hangs", dns.RcodeSuccess, time.Hour, 2 * time.Second, time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const address = "lb.example.net. 60 A 203.0.113.9"
				x := newExternal(t, true)
				x.other.slow(tt.delay)
				if x.other.set(tt.rcode); tt.rcode == dns.RcodeSuccess {
					x.other.set(tt.rcode, address)
				}
				v := x.start(t)
				time.Sleep(tt.doubted - time.Millisecond)
				if !state(v).Healthy {
					t.Error("unhealthy before its time")
				}
				time.Sleep(2 * time.Millisecond)
				if got, took := x.took(0); got != secondary || took != 0 || state(v).Healthy {
					t.Errorf("got %s after %v, healthy %t; want the secondary at once, and unhealthy", got, took, state(v).Healthy)
				}
				time.Sleep(tt.back / 2)
				if got, took := x.took(0); got != secondary || took != 0 || state(v).Healthy {
					t.Errorf("later: got %s after %v, healthy %t; want the secondary at once, and unhealthy", got, took, state(v).Healthy)
				}
				x.other.slow(0)
				x.other.set(dns.RcodeSuccess, address)
				time.Sleep(tt.back)
				if m := x.ask("www.example.org."); len(m.Answer) != 1 || m.Answer[0].(*dns.A).A.String() != "203.0.113.9" || !state(v).Healthy {
					t.Errorf("once it is resolved: %s", render(m))
				}
			})
		})
	}
}

// TestExternalNothingElse: a group with nothing but targets that have never been resolved
// is SERVFAIL, in time.
func TestExternalNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := record.NewCatalog([]string{"example.org."})
		addAlias(t, c, "www.example.org.", dns.TypeA, "lb.example.net.")
		x := inServer(t, c)
		x.other.set(dns.RcodeServerFailure)
		x.start(t)
		synctest.Wait()
		if got, took := x.took(0); got != "SERVFAIL" || took != 0 {
			t.Errorf("got %s after %v, want SERVFAIL at once", got, took)
		}
	})
}

// TestExternalHangs: a target whose look-up another plugin holds on to counts as failed
// after a while, is not asked for again meanwhile, and does not keep others from being
// resolved.
func TestExternalHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.set(dns.RcodeSuccess, "lb.example.net. 10 A 203.0.113.9")
		v := x.start(t)
		synctest.Wait()
		x.other.slow(time.Hour)
		time.Sleep(16 * time.Second) // it is due at 10 s, and given up at 15 s
		if s := state(v); !s.Healthy || !s.Stale || s.Failed != 1 {
			t.Errorf("state %+v, want healthy, stale and one failure", s)
		}
		time.Sleep(30 * time.Minute)
		if n := x.other.count(); n != 2 {
			t.Errorf("asked %d times, want twice", n)
		}
		x.other.slow(0)
		time.Sleep(31 * time.Minute)
		if s := state(v); s.Stale || x.other.count() < 3 {
			t.Errorf("state %+v after the look-up has ended, want a new one", s)
		}
	})
}

// TestExternalTTL: a client gets what is left of a TTL, and no more than the holder gave.
func TestExternalTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.delay = 500 * time.Millisecond // between the end of a TTL and a new one
		x.other.set(dns.RcodeSuccess, "lb.example.net. 3 A 203.0.113.8", "lb.example.net. 5 A 203.0.113.9")
		x.start(t)
		ttl := func() uint32 {
			m := x.ask("WWW.example.org.")
			for _, rr := range m.Answer {
				if rr.Header().Name != "WWW.example.org." || len(m.Answer) != 2 || rr.Header().Ttl != m.Answer[0].Header().Ttl {
					t.Fatalf("got %s", render(m))
				}
			}
			return m.Answer[0].Header().Ttl
		}
		start := time.Now()
		for _, step := range []struct {
			at   time.Duration // after the start
			want uint32
		}{{500, 3}, {501, 2}, {1500, 2}, {1501, 1}, {2499, 1}, {3400, 1}, {3900, 1}, {4000, 3}, {4100, 2}} {
			time.Sleep(step.at*time.Millisecond - time.Since(start))
			synctest.Wait()
			if got := ttl(); got != step.want {
				t.Errorf("after %d ms the TTL is %d, want %d", step.at, got, step.want)
			}
		}

		x.other.set(dns.RcodeSuccess, "lb.example.net. 0 A 203.0.113.8", "lb.example.net. 0 A 203.0.113.9")
		time.Sleep(10 * time.Second)
		if got := ttl(); got != 0 {
			t.Errorf("the TTL of what nobody is to hold is %d, want 0", got)
		}
		x.other.set(dns.RcodeServerFailure)
		time.Sleep(10 * time.Second)
		for range 2 {
			if got := ttl(); got != 30 {
				t.Errorf("the TTL of what is past its time is %d, want 30", got)
			}
			time.Sleep(time.Minute)
		}
	})
}

// TestExternalChaseTTL: so it is behind a CNAME.
func TestExternalChaseTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := parseZone(t, "example.org. 60 SOA ns. h. 1 1 1 1 30\ncname.example.org. 60 CNAME www.example.org.\n", "example.org.")
		addAlias(t, c, "www.example.org.", dns.TypeA, "lb.example.net.")
		x := inServer(t, c)
		x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
		x.start(t)
		time.Sleep(20 * time.Second)
		if got, want := render(x.ask("cname.example.org.")), "NOERROR aa an[cname.example.org. 60 CNAME www.example.org.; www.example.org. 40 A 203.0.113.9]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestExternalResolveAs: other plugins see a target's resolution come from the address
// that the block says.
func TestExternalResolveAs(t *testing.T) {
	for as, want := range map[string]string{"": "127.0.0.1", "198.51.100.7": "198.51.100.7", "2001:db8::7": "2001:db8::7"} {
		synctest.Test(t, func(t *testing.T) {
			x := newExternal(t, true)
			if as != "" {
				x.ResolveAs = netip.MustParseAddr(as)
			}
			x.other.udp = 40 // so that both UDP and TCP are used
			x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
			x.start(t)
			synctest.Wait()
			if got := strings.Join(x.other.clients, " "); got != want+" "+want {
				t.Errorf("as %q: asked by %s, want %s", as, got, want)
			}
		})
	}
}
