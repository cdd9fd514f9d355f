package handler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/handler"
)

// gaps returns the times between questions, in words.
func gaps(times []time.Time) string {
	var out []string
	for i := 1; i < len(times); i++ {
		out = append(out, times[i].Sub(times[i-1]).String())
	}
	return strings.Join(out, " ")
}

// state returns what the metrics say of the only target.
func state(v *handler.Resolver) (s handler.ExternalState) {
	v.States(func(one handler.ExternalState) { s = one })
	return s
}

// TestExternalBackOff: after a failure the time between tries doubles from one second to
// half a minute; a success ends that.
func TestExternalBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.set(dns.RcodeServerFailure)
		v := x.start(t)
		time.Sleep(125 * time.Second)
		x.other.set(dns.RcodeSuccess, "lb.example.net. 50 A 203.0.113.9")
		time.Sleep(30 * time.Second) // the success is at 151 s
		x.other.set(dns.RcodeServerFailure)
		time.Sleep(52 * time.Second)
		synctest.Wait()
		if got, want := gaps(x.other.times()), "1s 2s 4s 8s 16s 30s 30s 30s 30s 50s 1s 2s"; got != want {
			t.Errorf("times between tries %s, want %s", got, want)
		}
		if got, want := state(v).Failed, uint64(12); got != want {
			t.Errorf("%d failures, want %d", got, want)
		}
	})
}

// TestExternalRefresh: an answer is held for its smallest TTL, between a second and an
// hour; a negative one for what its SOA says, and half a minute at most.
func TestExternalRefresh(t *testing.T) {
	soa := func(ttl, minimum int) []string {
		return []string{fmt.Sprintf("example.net. %d SOA ns.example.net. h.example.net. 1 1 1 1 %d", ttl, minimum)}
	}
	tests := []struct {
		name  string
		rcode int
		rrs   []string
		ns    []string
		want  time.Duration
	}{
		{"one record", dns.RcodeSuccess, []string{"lb.example.net. 7 A 203.0.113.9"}, nil, 7 * time.Second},
		{"the smallest of the chain", dns.RcodeSuccess, []string{"lb.example.net. 5 CNAME a.example.net.", "a.example.net. 90 A 203.0.113.9"}, nil, 5 * time.Second},
		{"at the end of it", dns.RcodeSuccess, []string{"lb.example.net. 90 CNAME a.example.net.", "a.example.net. 5 A 203.0.113.9"}, nil, 5 * time.Second},
		{"a TTL of 0", dns.RcodeSuccess, []string{"lb.example.net. 0 A 203.0.113.9"}, nil, time.Second},
		{"a TTL of a day", dns.RcodeSuccess, []string{"lb.example.net. 86400 A 203.0.113.9"}, nil, time.Hour},
		{"its SOA's TTL", dns.RcodeNameError, nil, soa(5, 10), 5 * time.Second},
		{"its SOA's minimum", dns.RcodeNameError, nil, soa(10, 5), 5 * time.Second},
		{"NODATA, likewise", dns.RcodeSuccess, nil, soa(20, 10), 10 * time.Second},
		{"NODATA behind a CNAME, likewise", dns.RcodeSuccess, []string{"lb.example.net. 90 CNAME a.example.net."}, soa(20, 10), 10 * time.Second},
		{"a SOA of an hour", dns.RcodeNameError, nil, soa(3600, 3600), 30 * time.Second},
		{"a SOA of nothing", dns.RcodeSuccess, nil, soa(0, 0), time.Second},
		{"no SOA", dns.RcodeNameError, nil, nil, 30 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newExternal(t, true)
				x.other.setAll(tt.rcode, tt.rrs, tt.ns)
				v := x.start(t)
				time.Sleep(2*tt.want + tt.want/2)
				synctest.Wait()
				if got, want := gaps(x.other.times()), fmt.Sprintf("%v %v", tt.want, tt.want); got != want {
					t.Errorf("asked anew after %s, want %s", got, want)
				}
				if s := state(v); s.Failed != 0 || s.Healthy != (tt.rrs != nil && len(tt.ns) == 0) {
					t.Errorf("state %+v", s)
				}
			})
		})
	}
}

// TestExternalOverTCP: an answer that does not fit is asked for once more over TCP.
func TestExternalOverTCP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.udp = 40
		x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
		x.start(t)
		synctest.Wait()
		if got, want := render(x.ask("www.example.org.")), "NOERROR aa an[www.example.org. 60 A 203.0.113.9]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n := x.other.count(); n != 2 {
			t.Errorf("asked %d times, want twice", n)
		}
	})
}

// TestExternalReferral: who refers to another server does not say that there is nothing.
func TestExternalReferral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
		v := x.start(t)
		synctest.Wait()
		ns := []string{"lb.example.net. 60 NS ns.example.net."}
		x.other.setAll(dns.RcodeSuccess, nil, ns)
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if got, want := render(x.ask("www.example.org.")), "NOERROR aa an[www.example.org. 30 A 203.0.113.9]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if s := state(v); !s.Healthy || !s.Stale || s.Failed == 0 {
			t.Errorf("state %+v, want healthy, stale and a failure", s)
		}
		x.other.mu.Lock()
		x.other.aa = true // NODATA with the zone's own servers
		x.other.mu.Unlock()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := render(x.ask("www.example.org.")); got != secondary {
			t.Errorf("got %s, want %s", got, secondary)
		}
	})
}

// TestExternalRcodes: only a success and NXDOMAIN say something of the target.
func TestExternalRcodes(t *testing.T) {
	for rcode, failure := range map[int]bool{
		dns.RcodeSuccess: false, dns.RcodeNameError: false,
		dns.RcodeServerFailure: true, dns.RcodeRefused: true, dns.RcodeFormatError: true, dns.RcodeNotImplemented: true,
	} {
		synctest.Test(t, func(t *testing.T) {
			x := newExternal(t, true)
			x.other.set(rcode)
			v := x.start(t)
			synctest.Wait()
			if s := state(v); s.Healthy || (s.Failed == 1) != failure {
				t.Errorf("%s: state %+v, want a failure: %t", dns.RcodeToString[rcode], s, failure)
			}
		})
	}
}

// TestExternalAsksItsServer: a handler may be on several servers, but only the one at the
// block's own address is asked: others need not have the blocks that hold the targets.
func TestExternalAsksItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExternal(t, true)
		x.other.set(dns.RcodeSuccess, "lb.example.net. 60 A 203.0.113.9")
		wrong := &elsewhere{rcode: dns.RcodeNameError}
		other := newServer(t, "dns://192.0.2.53:53", map[string]plugin.Handler{"example.org.": x.Handler, ".": wrong})
		x.Home = "dns://:53"
		v := handler.NewResolver(x.Handler, x.Snapshot())
		x.Set(x.Snapshot(), v)
		v.Start()
		defer stop(v)
		through(other, "example.org.", dns.TypeSOA, 0)
		time.Sleep(time.Hour)
		if n := x.other.count() + wrong.count(); n != 0 {
			t.Errorf("%d look-ups before a query on the server at home", n)
		}
		through(x.server, "example.org.", dns.TypeSOA, 0)
		synctest.Wait()
		if x.other.count() != 1 || wrong.count() != 0 {
			t.Errorf("asked at home %d times and elsewhere %d times, want once at home", x.other.count(), wrong.count())
		}
		if got, want := render(through(other, "www.example.org.", dns.TypeA, 0)), "NOERROR aa an[www.example.org. 60 A 203.0.113.9]"; got != want {
			t.Errorf("the other server answers %s, want %s", got, want)
		}
	})
}

// TestExternalsAtOnce: many targets are resolved side by side, and each by itself.
func TestExternalsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := parseZone(t, chaseText, "example.org.")
		const n = 40
		for i := range n {
			addAlias(t, c, fmt.Sprintf("a%d.example.org.", i), dns.TypeA, fmt.Sprintf("t%d.example.net.", i))
		}
		x := inServer(t, c)
		x.other.set(dns.RcodeSuccess, "x.example.net. 60 A 203.0.113.9")
		x.other.delay = time.Second
		x.start(t)
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if got := x.other.count(); got != 32 {
			t.Errorf("%d look-ups at once, want 32", got)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		names := slices.Compact(slices.Sorted(slices.Values(x.other.names)))
		if len(names) != n || x.other.count() != n {
			t.Errorf("%d look-ups of %d names, want %d of each", x.other.count(), len(names), n)
		}
	})
}
