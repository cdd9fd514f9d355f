package handler_test

import (
	"context"
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
		{"until it fails", dns.RcodeServerFailure, 700 * time.Millisecond, 0, 200 * time.Millisecond, servfail, 500 * time.Millisecond},
		{"no longer than two seconds", dns.RcodeSuccess, 3 * time.Second, 0, 200 * time.Millisecond, servfail, 2 * time.Second},
		{"not if it is known", dns.RcodeSuccess, 700 * time.Millisecond, 0, 800 * time.Millisecond, found, 0},
		{"not if the query comes from a resolution", dns.RcodeSuccess, 700 * time.Millisecond, 1, 200 * time.Millisecond, servfail, 0},
		{"not if the last try failed", dns.RcodeServerFailure, 700 * time.Millisecond, 0, time.Second, servfail, 0},
		{"nor during the next one", dns.RcodeServerFailure, 700 * time.Millisecond, 0, 2 * time.Second, servfail, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newExternal(t, true)
				x.other.delay = tt.delay
				x.other.set(tt.rcode, map[bool][]string{true: {"lb.example.net. 60 A 203.0.113.9"}}[tt.rcode == dns.RcodeSuccess]...)
				x.start(t)
				time.Sleep(tt.asked)
				got, took := x.took(tt.depth)
				if got != tt.want || took != tt.took {
					t.Errorf("got %s after %v, want %s after %v", got, took, tt.want, tt.took)
				}
			})
		})
	}
}

// TestExternalStopReleases: a query that waits for a target goes on when resolving ends.
func TestExternalStopReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.delay = time.Second // a plugin that does not look at its context
		x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
		v := handler.NewResolver(x.Handler, x.Snapshot(), handler.Home{})
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
		v.Stop()
		<-done
		if took != time.Second {
			t.Errorf("the query waited for %v, want until resolving ended after 1s", took)
		}
	})
}

// TestExternalWaitThenChoose: after the wait it is chosen anew, since health may have
// changed; what is chosen then is not waited for.
func TestExternalWaitThenChoose(t *testing.T) {
	tests := []struct {
		name              string
		evaluate          bool
		first, second     int           // rcodes of the targets of the primary and the secondary
		firstIn, secondIn time.Duration // when they are known
		want              string
	}{
		{"the primary is there", true, dns.RcodeSuccess, dns.RcodeSuccess, time.Second, time.Second, "NOERROR aa an[www.example.org. 60 A 203.0.113.9]"},
		{"the primary has nothing, and is not evaluated", false, dns.RcodeNameError, dns.RcodeSuccess, time.Second, 0, nodata},
		{"the primary has nothing, the secondary has", true, dns.RcodeNameError, dns.RcodeSuccess, time.Second, 0, "NOERROR aa an[www.example.org. 60 A 203.0.113.8]"},
		{"neither has anything", true, dns.RcodeNameError, dns.RcodeNameError, time.Second, 0, nodata},
		{"the primary has nothing, the secondary is not known yet", true, dns.RcodeNameError, dns.RcodeSuccess, time.Second, 1500 * time.Millisecond, "SERVFAIL"},
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
				if got != tt.want || took != 700*time.Millisecond {
					t.Errorf("got %s after %v, want %s after 700ms", got, took, tt.want)
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
			v := handler.NewResolver(h, h.Snapshot(), handler.Home{Wake: func(context.Context) { through(s, h.Snapshot().Catalog.Zones[0], dns.TypeSOA, 0) }})
			h.Set(h.Snapshot(), v)
			v.Start()
			defer v.Stop()
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
		v := handler.NewResolver(x.Handler, x.Snapshot(), handler.Home{})
		x.Set(x.Snapshot(), v)
		v.Start()
		through(x.server, "example.org.", dns.TypeSOA, 0)
		v.Stop()
		if got, took := x.took(0); took != 0 {
			t.Errorf("got %s after %v, want it at once", got, took)
		}
	})
}
