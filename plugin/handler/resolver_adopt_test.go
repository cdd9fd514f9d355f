package handler_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
)

// TestExternalAdopts: after a reload the new resolver knows what the old one knew.
func TestExternalAdopts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		was := newExternal(t, true)
		was.other.set(dns.RcodeNameError)
		old := was.start(t)
		synctest.Wait()

		is := newExternal(t, true)
		is.other.set(dns.RcodeServerFailure)
		v := handler.NewResolver(is.Handler, is.Snapshot())
		is.Set(is.Snapshot(), v)
		v.Adopt(old)
		v.Start()
		defer stop(v)
		if got := render(is.ask("www.example.org.")); got != secondary {
			t.Errorf("got %s, want the secondary: the target was known to be gone", got)
		}
	})
}

// replace makes the handler answer from new data of its catalog, as a changed import does.
func (x *served) replace(old *handler.Resolver) *handler.Resolver {
	d := handler.NewSnapshot(x.Snapshot().Catalog, []healthcheck.Status{})
	v := handler.NewResolver(x.Handler, d)
	v.Adopt(old)
	v.Start()
	x.Set(d, v)
	old.Stop()
	return v
}

// TestExternalAdoptsWithinHandler: new data for the same handler changes nothing of when
// targets are due, and needs no query to find its server.
func TestExternalAdoptsWithinHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
		v := handler.NewResolver(x.Handler, x.Snapshot())
		x.Set(x.Snapshot(), v)
		v.Start()
		x.ask("example.org.")
		time.Sleep(20 * time.Second)
		v = x.replace(v)
		// No query after the first one shows the server.
		if m, _ := query(t, x.Handler, "www.example.org.", dns.TypeA); render(m) != "NOERROR aa an[www.example.org. 40 A 203.0.113.9]" {
			t.Errorf("got %s, want what was known", render(m))
		}
		x.other.set(dns.RcodeServerFailure)
		time.Sleep(48 * time.Second) // failures at 60, 61, 63 and 67 s
		v = x.replace(v)
		s := state(v)
		if want := (handler.ExternalState{Key: s.Key, Healthy: true, Stale: true, Failed: 4}); s != want {
			t.Errorf("state %+v, want %+v", s, want)
		}
		if m, _ := query(t, x.Handler, "www.example.org.", dns.TypeA); render(m) != "NOERROR aa an[www.example.org. 30 A 203.0.113.9]" {
			t.Errorf("got %s, want the stale answer", render(m))
		}
		time.Sleep(24 * time.Second)
		v.Stop()
		if got, want := gaps(x.other.times()), "1m0s 1s 2s 4s 8s 16s"; got != want {
			t.Errorf("times between tries %s, want %s", got, want)
		}
	})
}

// TestExternalAdoptsAcrossHandlers: after a reload of the Corefile the server may hold other
// blocks, so that each target is resolved anew at once. What is known is served until
// then, and counters go on.
func TestExternalAdoptsAcrossHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		was := newExternal(t, true)
		was.other.set(dns.RcodeServerFailure)
		old := was.start(t)
		time.Sleep(5 * time.Second) // failures at 0, 1 and 3 s
		was.other.set(dns.RcodeSuccess, "lb.example.net. 3600 A 203.0.113.9")
		time.Sleep(5 * time.Second)

		is := newExternal(t, true)
		is.other.delay = time.Second
		is.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.8")
		is.Home = "dns://:53"
		v := handler.NewResolver(is.Handler, is.Snapshot())
		v.Adopt(old)
		v.Start()
		defer stop(v)
		is.Set(is.Snapshot(), v)
		time.Sleep(10 * time.Minute) // long before what is known is due
		if is.other.count() != 0 {
			t.Error("asked a server that it has not seen")
		}
		if got, want := render(is.ask("www.example.org.")), "NOERROR aa an[www.example.org. 2997 A 203.0.113.9]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if s := state(v); s.Failed != 3 || !s.Healthy {
			t.Errorf("state %+v, want healthy, with the three failures of before", s)
		}
		time.Sleep(1100 * time.Millisecond)
		if got, want := render(is.ask("www.example.org.")), "NOERROR aa an[www.example.org. 59 A 203.0.113.8]"; got != want || is.other.count() != 1 {
			t.Errorf("asked %d times, got %s, want %s", is.other.count(), got, want)
		}
	})
}

// TestExternalAdoptsDoubt: a target that has never been resolved stays unhealthy over a
// reload, so that its secondary goes on to be answered.
func TestExternalAdoptsDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		was := newExternal(t, true)
		was.other.set(dns.RcodeServerFailure)
		old := was.start(t)
		synctest.Wait()

		is := newExternal(t, true)
		is.other.slow(time.Second)
		is.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.8")
		v := handler.NewResolver(is.Handler, is.Snapshot())
		v.Adopt(old)
		v.Start()
		defer stop(v)
		is.Set(is.Snapshot(), v)
		is.Serving(is.server)
		synctest.Wait()
		if got, took := is.took(0); got != secondary || took != 0 || state(v).Healthy {
			t.Errorf("got %s after %v, healthy %t, want the secondary at once", got, took, state(v).Healthy)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got, _ := is.took(0); got != "NOERROR aa an[www.example.org. 60 A 203.0.113.8]" {
			t.Errorf("got %s once it is resolved", got)
		}
	})
}

// TestServing: of the servers that a handler is told of the first at home counts, whether
// before or after there is something to resolve.
func TestServing(t *testing.T) {
	for _, early := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			x := newExternal(t, true)
			x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
			wrong := &elsewhere{rcode: dns.RcodeNameError}
			away := newServer(t, "dns://192.0.2.53:53", map[string]plugin.Handler{".": wrong})
			second := newServer(t, "dns://:53", map[string]plugin.Handler{".": wrong})
			x.Home = "dns://:53"
			tell := func() {
				for _, s := range []*dnsserver.Server{away, x.server, second} {
					x.Serving(s)
				}
			}
			if early {
				tell()
			}
			v := handler.NewResolver(x.Handler, x.Snapshot())
			v.Start()
			defer stop(v)
			x.Set(x.Snapshot(), v)
			if !early {
				tell()
			}
			synctest.Wait()
			if x.other.count() != 1 || wrong.count() != 0 {
				t.Errorf("told early %t: asked at home %d times and elsewhere %d times, want once at home", early, x.other.count(), wrong.count())
			}
		})
	}
}
