package handler_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// took asks for www at a depth and returns the answer, and how long it took.
func (x *served) took(depth int) (string, time.Duration) {
	start := time.Now()
	got := render(through(x.server, "www.example.org.", dns.TypeA, depth))
	return got, time.Since(start)
}

// TestExternalWait: a query waits for a first resolution, but not for ever, and not when
// that would be idle.
func TestExternalWait(t *testing.T) {
	const (
		servfail = "SERVFAIL"
		found    = "NOERROR aa an[www.example.org. 60 A 203.0.113.9]"
	)
	tests := []struct {
		name  string
		rcode int
		delay time.Duration // of the resolution
		depth int           // of the query
		asked time.Duration // when, after the start
		want  string
		took  time.Duration
	}{
		{"until the resolution ends", dns.RcodeSuccess, 700 * time.Millisecond, 0, 200 * time.Millisecond, found, 500 * time.Millisecond},
		{"until there is nothing", dns.RcodeNameError, 700 * time.Millisecond, 0, 200 * time.Millisecond, secondary, 500 * time.Millisecond},
		{"until it fails", dns.RcodeServerFailure, 700 * time.Millisecond, 0, 200 * time.Millisecond, secondary, 500 * time.Millisecond},
		{"no longer than it counts as healthy", dns.RcodeSuccess, 3 * time.Second, 0, 200 * time.Millisecond, secondary, 1800 * time.Millisecond},
		{"not if it is known", dns.RcodeSuccess, 700 * time.Millisecond, 0, 700 * time.Millisecond, found, 0},
		{"not if the query comes from a resolution", dns.RcodeSuccess, 700 * time.Millisecond, 1, 200 * time.Millisecond, servfail, 0},
		{"not if the last try failed", dns.RcodeServerFailure, 700 * time.Millisecond, 0, time.Second, secondary, 0},
		{"nor during the next one", dns.RcodeServerFailure, 700 * time.Millisecond, 0, 2 * time.Second, secondary, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newExternal(t, true)
				x.other.delay = tt.delay
				x.other.set(tt.rcode, map[bool][]string{true: {"lb.example.net. 60 A 203.0.113.9"}}[tt.rcode == dns.RcodeSuccess]...)
				x.start(t)
				time.Sleep(tt.asked)
				synctest.Wait()
				got, took := x.took(tt.depth)
				if got != tt.want || took != tt.took {
					t.Errorf("got %s after %v, want %s after %v", got, took, tt.want, tt.took)
				}
			})
		})
	}
}

// TestExternalWaitBlind: a query for a target whose health is not looked at waits for two
// seconds, whatever the target counts as meanwhile.
func TestExternalWaitBlind(t *testing.T) {
	for _, tt := range []struct {
		delay time.Duration
		want  string
		took  time.Duration
	}{
		{2500 * time.Millisecond, "NOERROR aa an[www.example.org. 60 A 203.0.113.9]", 1500 * time.Millisecond},
		{4 * time.Second, "SERVFAIL", 2 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			x := newExternal(t, false)
			x.other.delay = tt.delay
			x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
			x.start(t)
			time.Sleep(time.Second)
			if got, took := x.took(0); got != tt.want || took != tt.took {
				t.Errorf("got %s after %v, want %s after %v", got, took, tt.want, tt.took)
			}
		})
	}
}

// TestExternalStopReleases: a query that waits for a target goes on when resolving ends,
// and the end does not wait for a plugin that does not look at its context.
func TestExternalStopReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.delay = time.Minute
		x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
		v := handler.NewResolver(x.Handler, x.Snapshot())
		x.Set(x.Snapshot(), v)
		v.Start()
		through(x.server, "example.org.", dns.TypeSOA, 0) // shows the server
		var took time.Duration
		done := make(chan struct{})
		go func() {
			_, took = x.took(0)
			close(done)
		}()
		time.Sleep(500 * time.Millisecond)
		start := time.Now()
		v.Stop()
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Errorf("the end took %v, want a tenth of a second at most", took)
		}
		<-done
		if took != 500*time.Millisecond {
			t.Errorf("the query waited for %v, want until resolving ended after 500ms", took)
		}
		time.Sleep(2 * time.Minute)
		if s := state(v); x.Snapshot().Externals()[0].Known() || s.Failed != 0 {
			t.Error("what was found after the end was filed")
		}
	})
}

// TestExternalWaitThenChoose: after the wait it is chosen anew, since health may have
// changed; what is chosen then is waited for as well, for two seconds in all.
func TestExternalWaitThenChoose(t *testing.T) {
	tests := []struct {
		name              string
		evaluate          bool
		first, second     int           // rcodes of the targets of the primary and the secondary
		firstIn, secondIn time.Duration // when they are known
		took              time.Duration
		want              string
	}{
		{"the primary is there", true, dns.RcodeSuccess, dns.RcodeSuccess, time.Second, time.Second, 700 * time.Millisecond, "NOERROR aa an[www.example.org. 60 A 203.0.113.9]"},
		{"the primary has nothing, and is not evaluated", false, dns.RcodeNameError, dns.RcodeSuccess, time.Second, 0, 700 * time.Millisecond, nodata},
		{"the primary has nothing, the secondary has", true, dns.RcodeNameError, dns.RcodeSuccess, time.Second, 0, 700 * time.Millisecond, "NOERROR aa an[www.example.org. 59 A 203.0.113.8]"},
		{"neither has anything", true, dns.RcodeNameError, dns.RcodeNameError, time.Second, 0, 700 * time.Millisecond, nodata},
		{"the primary has nothing, the secondary is not known yet", true, dns.RcodeNameError, dns.RcodeSuccess, time.Second, 1500 * time.Millisecond, 1200 * time.Millisecond, "NOERROR aa an[www.example.org. 60 A 203.0.113.8]"},
		{"the primary fails", true, dns.RcodeServerFailure, dns.RcodeSuccess, time.Second, 1500 * time.Millisecond, 1200 * time.Millisecond, "NOERROR aa an[www.example.org. 60 A 203.0.113.8]"},
		{"the primary has nothing, the secondary takes too long", true, dns.RcodeNameError, dns.RcodeSuccess, time.Second, 3 * time.Second, 1700 * time.Millisecond, nodata},
		{"both take too long", true, dns.RcodeSuccess, dns.RcodeSuccess, 4 * time.Second, 4 * time.Second, 2 * time.Second, "SERVFAIL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := parseZone(t, strings.Replace(zoneText, "www.example.org.        60 A     192.0.2.80\n", "", 1), "example.org.")
				alias := func(tier uint16, target string) record.RecordSet {
					return record.RecordSet{Tier: tier, Check: record.NoCheck, Alias: &record.AliasTarget{Name: target, EvaluateTargetHealth: tt.evaluate}}
				}
				add(t, c, record.Key{Name: "www.example.org.", Type: dns.TypeA}, record.Failover, alias(1, "a.example.net."), alias(2, "b.example.net."))
				x := inServer(t, c)
				x.other = &elsewhere{rcode: tt.first, delay: tt.firstIn}
				other := &elsewhere{rcode: tt.second, delay: tt.secondIn}
				if tt.first == dns.RcodeSuccess {
					x.other.rrs = []string{"a.example.net. 60 A 203.0.113.9"}
				}
				if tt.second == dns.RcodeSuccess {
					other.rrs = []string{"b.example.net. 60 A 203.0.113.8"}
				}
				x.server = newServer(t, "dns://:53", map[string]plugin.Handler{"example.org.": x.Handler, "a.example.net.": x.other, "b.example.net.": other})
				x.start(t)
				time.Sleep(300 * time.Millisecond)
				got, took := x.took(0)
				if got != tt.want || took != tt.took {
					t.Errorf("got %s after %v, want %s after %v", got, took, tt.want, tt.took)
				}
			})
		})
	}
}

// TestExternalsInACircle: targets of two blocks that lead to each other do not wait for
// each other.
func TestExternalsInACircle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocks := map[string]plugin.Handler{}
		var handlers []*handler.Handler
		for zone, target := range map[string]string{"one.test.": "a.two.test.", "two.test.": "a.one.test."} {
			c := record.NewCatalog([]string{zone})
			addAlias(t, c, "a."+zone, dns.TypeA, target)
			h := serve(c)
			blocks[zone], handlers = h, append(handlers, h)
		}
		s := newServer(t, "dns://:53", blocks)
		var resolvers []*handler.Resolver
		for _, h := range handlers {
			v := handler.NewResolver(h, h.Snapshot())
			h.Set(h.Snapshot(), v)
			h.Serving(s)
			v.Start()
			defer stop(v)
			resolvers = append(resolvers, v)
		}
		synctest.Wait()
		for _, v := range resolvers {
			if s := state(v); s.Failed != 1 {
				t.Errorf("%s: %d failures at once, want one: it waited", s.Key, s.Failed)
			}
		}
		start := time.Now()
		if m := through(s, "a.one.test.", dns.TypeA, 0); m.Rcode != dns.RcodeServerFailure || time.Since(start) != 0 {
			t.Errorf("got %s after %v, want SERVFAIL at once", render(m), time.Since(start))
		}
	})
}

// TestExternalAfterStop: when nobody resolves any more, as in a lameduck, nobody waits.
func TestExternalAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.delay = 3 * time.Second
		v := handler.NewResolver(x.Handler, x.Snapshot())
		x.Set(x.Snapshot(), v)
		v.Start()
		through(x.server, "example.org.", dns.TypeSOA, 0)
		defer time.Sleep(time.Minute) // for the look-up that may have begun
		v.Stop()
		if got, took := x.took(0); took != 0 {
			t.Errorf("got %s after %v, want it at once", got, took)
		}
	})
}
