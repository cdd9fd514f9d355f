package handler_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/dnstest"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// elsewhere answers for the names outside the zones, as the test sets it.
type elsewhere struct {
	mu    sync.Mutex
	rcode int
	rrs   []string
	asked int
}

func (*elsewhere) Name() string { return "elsewhere" }

func (e *elsewhere) set(rcode int, rrs ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rcode, e.rrs = rcode, rrs
}

func (e *elsewhere) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked
}

func (e *elsewhere) ServeDNS(_ context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked++
	m := new(dns.Msg)
	m.SetRcode(r, e.rcode)
	for _, s := range e.rrs {
		rr, err := dns.NewRR(s)
		if err != nil {
			return dns.RcodeServerFailure, err
		}
		m.Answer = append(m.Answer, rr)
	}
	w.WriteMsg(m)
	return dns.RcodeSuccess, nil
}

// external is a handler with an alias to a name held elsewhere, in a server.
type external struct {
	*handler.Handler
	server *dnsserver.Server
	other  *elsewhere
}

func newExternal(t *testing.T, evaluate bool) *external {
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
	x := &external{Handler: serve(c), other: &elsewhere{}}
	x.Next = x.other
	config := &dnsserver.Config{Zone: ".", ListenHosts: []string{""}, Port: "53"}
	config.AddPlugin(func(plugin.Handler) plugin.Handler { return x.Handler })
	if x.server, err = dnsserver.NewServer("dns://:53", []*dnsserver.Config{config}); err != nil {
		t.Fatal(err)
	}
	return x
}

// ask sends a query through the server, as a client would.
func (x *external) ask(name string) *dns.Msg {
	r := new(dns.Msg)
	r.SetQuestion(name, dns.TypeA)
	rec := dnstest.NewRecorder(&udpWriter{})
	ctx := context.WithValue(context.Background(), dnsserver.Key{}, x.server)
	x.server.ServeDNS(context.WithValue(ctx, dnsserver.LoopKey{}, 0), rec, r)
	return rec.Msg
}

// start begins to resolve; the wake-up query comes at once.
func (x *external) start(t *testing.T) *handler.Resolver {
	v := handler.NewResolver(x.Handler, x.Data(), handler.Home{Wake: func(context.Context) { x.ask("example.org.") }})
	x.Serve(x.Data(), v)
	v.Start()
	t.Cleanup(v.Stop)
	return v
}

type udpWriter struct{ dns.ResponseWriter }

func (*udpWriter) LocalAddr() net.Addr     { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 53} }
func (*udpWriter) RemoteAddr() net.Addr    { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40000} }
func (*udpWriter) WriteMsg(*dns.Msg) error { return nil }

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
		v := handler.NewResolver(x.Handler, x.Data(), handler.Home{})
		x.Serve(x.Data(), v)
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

// TestExternalAdopts: after a reload the new resolver knows what the old one knew.
func TestExternalAdopts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		was := newExternal(t, true)
		was.other.set(dns.RcodeNameError)
		old := was.start(t)
		synctest.Wait()

		is := newExternal(t, true)
		is.other.set(dns.RcodeServerFailure)
		v := handler.NewResolver(is.Handler, is.Data(), handler.Home{})
		is.Serve(is.Data(), v)
		v.Adopt(old)
		v.Start()
		defer v.Stop()
		if got := render(is.ask("www.example.org.")); got != secondary {
			t.Errorf("got %s, want the secondary: the target was known to be gone", got)
		}
	})
}
