package handler_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/request"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// elsewhere answers for the names outside the zones, as the test sets it.
type elsewhere struct {
	mu    sync.Mutex
	rcode int
	rrs   []string // the answer
	ns    []string // the authority section
	aa    bool
	udp   int           // bytes of an answer over UDP above which it is truncated; 0 is no limit
	delay time.Duration // of each answer
	asked []time.Time
	names []string // asked for

	clients []string // who asked
}

func (*elsewhere) Name() string { return "elsewhere" }

func (e *elsewhere) set(rcode int, rrs ...string) { e.setAll(rcode, rrs, nil) }

func (e *elsewhere) setAll(rcode int, rrs, ns []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rcode, e.rrs, e.ns = rcode, rrs, ns
}

// slow sets how long further answers take.
func (e *elsewhere) slow(delay time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.delay = delay
}

func (e *elsewhere) count() int { return len(e.times()) }

// times returns when it was asked.
func (e *elsewhere) times() []time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]time.Time(nil), e.asked...)
}

func (e *elsewhere) ServeDNS(_ context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	e.mu.Lock()
	e.asked, e.names = append(e.asked, time.Now()), append(e.names, r.Question[0].Name)
	state := request.Request{W: w, Req: r}
	e.clients = append(e.clients, state.IP())
	m := new(dns.Msg)
	m.SetRcode(r, e.rcode)
	m.Authoritative = e.aa
	texts, ns, limit, delay := e.rrs, e.ns, e.udp, e.delay
	e.mu.Unlock()
	time.Sleep(delay)
	var err error
	if m.Answer, err = parse(texts); err != nil {
		return dns.RcodeServerFailure, err
	}
	if m.Ns, err = parse(ns); err != nil {
		return dns.RcodeServerFailure, err
	}
	if _, udp := w.RemoteAddr().(*net.UDPAddr); udp && limit > 0 && m.Len() > limit {
		m.Answer, m.Truncated = nil, true
	}
	w.WriteMsg(m)
	return dns.RcodeSuccess, nil
}

func parse(texts []string) (rrs []dns.RR, err error) {
	for _, s := range texts {
		rr, err := dns.NewRR(s)
		if err != nil {
			return nil, err
		}
		rrs = append(rrs, rr)
	}
	return rrs, nil
}

// served is a handler in a server, before a plugin that answers for other names.
type served struct {
	*handler.Handler
	server *dnsserver.Server
	other  *elsewhere
}

func inServer(t *testing.T, c *record.Catalog) *served {
	t.Helper()
	x := &served{Handler: serve(c), other: &elsewhere{}}
	x.Next = x.other
	x.server = newServer(t, "dns://:53", map[string]plugin.Handler{".": x.Handler})
	return x
}

// newServer makes a server at an address of one block for each zone.
func newServer(t *testing.T, address string, blocks map[string]plugin.Handler) *dnsserver.Server {
	t.Helper()
	var configs []*dnsserver.Config
	for zone, h := range blocks {
		config := &dnsserver.Config{Zone: zone, ListenHosts: []string{""}, Port: "53"}
		config.AddPlugin(func(plugin.Handler) plugin.Handler { return h })
		configs = append(configs, config)
	}
	s, err := dnsserver.NewServer(address, configs)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a query for an address through the server, as a client would.
func (x *served) ask(name string) *dns.Msg { return through(x.server, name, dns.TypeA, 0) }

// through sends a query through a server. depth is 0 for a client's, and more for one that
// the server asks itself.
func through(s *dnsserver.Server, name string, typ uint16, depth int) *dns.Msg {
	r := new(dns.Msg)
	r.SetQuestion(name, typ)
	rec := dnstest.NewRecorder(&udpWriter{})
	ctx := context.WithValue(context.Background(), dnsserver.Key{}, s)
	s.ServeDNS(context.WithValue(ctx, dnsserver.LoopKey{}, depth), rec, r)
	return rec.Msg
}

type udpWriter struct{ dns.ResponseWriter }

func (*udpWriter) LocalAddr() net.Addr     { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 53} }
func (*udpWriter) RemoteAddr() net.Addr    { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40000} }
func (*udpWriter) WriteMsg(*dns.Msg) error { return nil }
