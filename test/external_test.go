package test

import (
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// upstream is a DNS server whose answers the test changes as it goes.
type upstream struct {
	port int

	mu      sync.Mutex
	rcode   int
	answer  []string // in zone-file form
	queries int
}

// newUpstream returns an upstream that answers with these records.
func newUpstream(t *testing.T, answer ...string) *upstream {
	t.Helper()
	u := &upstream{port: freePort(t), answer: answer}
	conn, err := net.ListenPacket("udp", loopback(u.port))
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	s := &dns.Server{PacketConn: conn, Handler: u, NotifyStartedFunc: func() { close(started) }}
	go s.ActivateAndServe() // ends with Shutdown
	<-started
	t.Cleanup(func() { s.Shutdown() })
	return u
}

func (u *upstream) ServeDNS(w dns.ResponseWriter, r *dns.Msg) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.queries++
	m := new(dns.Msg)
	m.SetRcode(r, u.rcode)
	for _, s := range u.answer {
		if rr, err := dns.NewRR(s); err == nil && (rr.Header().Rrtype == r.Question[0].Qtype || rr.Header().Rrtype == dns.TypeCNAME) {
			m.Answer = append(m.Answer, rr)
		}
	}
	if len(m.Answer) == 0 {
		soa, _ := dns.NewRR("example.net. 1 IN SOA ns.example.net. root.example.net. 1 7200 900 1209600 1")
		m.Ns = append(m.Ns, soa)
	}
	w.WriteMsg(m)
}

func (u *upstream) set(rcode int, answer ...string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rcode, u.answer = rcode, answer
}

func (u *upstream) asked() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.queries
}

// externalCorefile returns a block whose primary is held elsewhere, and a block that
// forwards what is.
func externalCorefile(port, upstream int) string {
	return block("example.org", port) + `	errors
	steer {
		failover api A {
			primary   alias service.example.net evaluate_target_health
			secondary 192.0.2.2
		}
		alias blind A service.example.net
	}
}
` + block("example.net", port) + fmt.Sprintf("\tforward . 127.0.0.1:%d\n}\n", upstream)
}

func TestExternalTarget(t *testing.T) {
	up, port := newUpstream(t, "service.example.net. 1 IN A 198.51.100.1"), freePort(t)
	s := start(t, externalCorefile(port, up.port))
	state := func(name string) float64 {
		return metric(t, "coredns_steer_external_"+name, "name", "service.example.net.", "type", "A")
	}

	m := ask(t, port, "api.example.org", "A")
	if short(m) != "198.51.100.1" || m.Answer[0].Header().Name != "api.example.org." || m.Answer[0].Header().Ttl > 1 {
		t.Fatalf("the first answer is\n%v", m)
	}

	// Kept fresh by its TTL, though nobody asks.
	up.set(dns.RcodeSuccess, "service.example.net. 1 IN CNAME service-2.example.net.", "service-2.example.net. 1 IN A 198.51.100.2")
	waitShort(t, 2*time.Second+slack, port, "api.example.org", "A", "198.51.100.2")
	n := up.asked()
	if !poll(3*time.Second+slack, func() bool { return up.asked() >= n+2 }) {
		t.Error("the target is not resolved anew when its TTL is over")
	}

	// No records, or no such name: unhealthy at once.
	for _, gone := range []int{dns.RcodeSuccess, dns.RcodeNameError} {
		up.set(gone)
		waitShort(t, 2*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")
		if m := ask(t, port, "blind.example.org", "A"); m.Rcode != dns.RcodeSuccess || len(m.Answer) != 0 || len(m.Ns) != 1 {
			t.Errorf("an alias that does not evaluate its target answers\n%v\nwant NODATA", m)
		}
		if state("healthy") != 0 {
			t.Errorf("the metric says healthy")
		}
		up.set(dns.RcodeSuccess, "service.example.net. 1 IN A 198.51.100.3")
		waitShort(t, 2*time.Second+slack, port, "api.example.org", "A", "198.51.100.3")
	}

	// A failure leaves health as it was, and the last good answer is served.
	up.set(dns.RcodeServerFailure)
	if !poll(3*time.Second+slack, func() bool { return state("stale") == 1 && state("failures_total") > 0 }) {
		t.Error("the metrics do not show the failure")
	}
	if m := ask(t, port, "api.example.org", "A"); short(m) != "198.51.100.3" || m.Answer[0].Header().Ttl != 30 {
		t.Errorf("the stale answer is\n%v\nwant 198.51.100.3 with a TTL of 30", m)
	}

	// A reload in the middle of it keeps what is known.
	s.mustReload(externalCorefile(port, up.port) + "# again\n")
	if got := short(ask(t, port, "api.example.org", "A")); got != "198.51.100.3" {
		t.Errorf("after a reload the answer is %q, want the stale one", got)
	}
	up.set(dns.RcodeSuccess, "service.example.net. 1 IN A 198.51.100.4")
	waitShort(t, 30*time.Second+slack, port, "api.example.org", "A", "198.51.100.4")
	if state("stale") != 0 {
		t.Error("the metric says stale")
	}
}

// A target that another block of steer holds has that block's health.
func TestExternalTargetInAnotherBlock(t *testing.T) {
	web, port := newEndpoint(t), freePort(t)
	start(t, block("example.org", port)+`	steer {
		alias api A api.example.net evaluate_target_health
	}
}
`+block("example.net", port)+`	steer {
		failover api A {
			ttl 1
			primary   192.0.2.1 check `+web.url()+`
			secondary 192.0.2.2
		}
	}
}
`)
	waitShort(t, slack, port, "api.example.org", "A", "192.0.2.1")
	web.kill()
	// The start of a check is over after three seconds; then it would be 30.
	waitShort(t, 5*time.Second+slack, port, "api.example.net", "A", "192.0.2.2")
	waitShort(t, 2*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")
}

// Two blocks whose aliases point at each other know nothing, and say so; they do not
// take the server down.
func TestExternalTargetsInACircle(t *testing.T) {
	port := freePort(t)
	start(t, block("example.org", port)+"\tsteer {\n\t\tsimple up A 192.0.2.1\n\t\talias a A a.example.net evaluate_target_health\n\t}\n}\n"+
		block("example.net", port)+"\tsteer {\n\t\talias a A a.example.org evaluate_target_health\n\t}\n}\n")
	if m := ask(t, port, "a.example.org", "A"); len(m.Answer) != 0 {
		t.Errorf("the answer is\n%v", m)
	}
	if got := short(ask(t, port, "up.example.org", "A")); got != "192.0.2.1" {
		t.Errorf("up is %q", got)
	}
}

// An address may be spelled in more than one way.
func TestExternalTargetWhereverBound(t *testing.T) {
	for bind, at := range map[string]string{"::1": "::1", "0:0:0:0:0:0:0:1": "::1", "::ffff:127.0.0.1": "127.0.0.1"} {
		t.Run(bind, func(t *testing.T) {
			up, port := newUpstream(t, "service.example.net. 1 IN A 198.51.100.1"), freePort(t)
			start(t, fmt.Sprintf("example.org:%d {\n\tbind %s\n\tsteer {\n\t\talias api A service.example.net.\n\t}\n}\nexample.net:%d {\n\tbind %s\n\tforward . 127.0.0.1:%d\n}\n", port, bind, port, bind, up.port))
			m, err := dns.Exchange(query("api.example.org", "A"), net.JoinHostPort(at, strconv.Itoa(port)))
			if err != nil || short(m) != "198.51.100.1" {
				t.Errorf("%v, upstream asked %d times\n%v", err, up.asked(), m)
			}
		})
	}
}
