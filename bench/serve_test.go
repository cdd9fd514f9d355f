// Package bench measures how fast steer answers, and beside whom.
//
// The benchmarks here call ServeDNS in process, with one writer that drops what it is
// given, so that rows of one run can be compared: what a plugin costs, not what the
// network does. The commands below this directory measure whole servers.
package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/handler"
)

// writer drops messages, and remembers the last one.
type writer struct {
	addr net.Addr
	last *dns.Msg
}

func (w *writer) LocalAddr() net.Addr         { return w.addr }
func (w *writer) RemoteAddr() net.Addr        { return w.addr }
func (w *writer) WriteMsg(m *dns.Msg) error   { w.last = m; return nil }
func (w *writer) Write(b []byte) (int, error) { return len(b), nil }
func (w *writer) Close() error                { return nil }
func (w *writer) TsigStatus() error           { return nil }
func (w *writer) TsigTimersOnly(bool)         {}
func (w *writer) Hijack()                     {}

func newWriter() *writer {
	return &writer{addr: &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40212}}
}

// fromServer is a context as the server makes one for a query.
func fromServer() context.Context {
	ctx := context.WithValue(context.Background(), dnsserver.Key{}, &dnsserver.Server{Addr: "dns://:53"})
	return context.WithValue(ctx, dnsserver.LoopKey{}, 0)
}

// row is a query of steer's zone, and what the answer must be.
type row struct {
	name    string
	qname   string
	typ     uint16
	answers int // records
	rcode   int
}

var rows = []row{
	{"simple", "simple.example.org.", dns.TypeA, 1, dns.RcodeSuccess},
	{"weighted3", "weighted3.example.org.", dns.TypeA, 1, dns.RcodeSuccess},
	{"weighted100", "weighted100.example.org.", dns.TypeA, 1, dns.RcodeSuccess},
	{"failover", "failover.example.org.", dns.TypeA, 1, dns.RcodeSuccess},
	{"multivalue8of100", "multivalue100.example.org.", dns.TypeA, 8, dns.RcodeSuccess},
	{"tree3deep", "tree.example.org.", dns.TypeA, 1, dns.RcodeSuccess},
	{"balancer", "balancer.example.org.", dns.TypeA, 3, dns.RcodeSuccess},
	{"balancer8of30", "targets.example.org.", dns.TypeA, 8, dns.RcodeSuccess},
	{"nodata", "weighted3.example.org.", dns.TypeAAAA, 0, dns.RcodeSuccess},
	{"nxdomain", "nowhere.example.org.", dns.TypeA, 0, dns.RcodeNameError},
	{"wildcard", "x.wild.example.org.", dns.TypeA, 1, dns.RcodeSuccess},
	{"mixedcase", "Weighted3.Example.ORG.", dns.TypeA, 1, dns.RcodeSuccess},
}

// serve measures a plugin's answer to one question.
func serve(b *testing.B, h plugin.Handler, name string, typ uint16) {
	b.Helper()
	r := new(dns.Msg)
	r.SetQuestion(name, typ)
	serveAll(b, h, []*dns.Msg{r})
}

// serveAll measures a plugin's answers to questions in turn. Beside the time that goes by
// it reports the processor time, which does not grow when other programs want the same
// processor.
func serveAll(b *testing.B, h plugin.Handler, queries []*dns.Msg) {
	b.Helper()
	w, ctx := newWriter(), fromServer()
	b.ReportAllocs()
	before := cpu()
	for i := 0; b.Loop(); i++ {
		if i == len(queries) {
			i = 0
		}
		if _, err := h.ServeDNS(ctx, w, queries[i]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpu()-before)/float64(b.N), "cpu-ns/op")
}

// cpu returns the processor time of this process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkServe is a query in process, by policy, beside other plugins.
func BenchmarkServe(b *testing.B) {
	h := zone(b, 0)
	for _, row := range rows {
		b.Run("steer/"+row.name, func(b *testing.B) { serve(b, h, row.qname, row.typ) })
	}
	for _, n := range neighbours {
		b.Run(n.name, func(b *testing.B) { serve(b, n.handler(b), "weighted3.example.org.", dns.TypeA) })
	}
}

// BenchmarkServeMany is the weighted group of three beside so many other record sets,
// and names taken at random from among those, which find nothing in the processor's
// caches. The garbage collector rests: a heap of nothing but ten record sets would cost it
// less than that of any real server does. All rows take memory that the process has used
// before, as that of a server has, if they run for a fifth of a second at most.
func BenchmarkServeMany(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, n := range []int{10, 1000, 100_000, 1_000_000} {
		debug.SetGCPercent(100)
		var h *handler.Handler
		b.Run(fmt.Sprintf("one/%d", n), func(b *testing.B) {
			h = zone(b, n)
			rest()
			serve(b, h, "weighted3.example.org.", dns.TypeA)
		})
		b.Run(fmt.Sprintf("random/%d", n), func(b *testing.B) {
			if h == nil { // not asked for the first row
				h = zone(b, n)
			}
			rest()
			serveRandom(b, h, n)
		})
	}
}

// rest ends collections with one of what making a zone left behind, and of more memory than
// a row's messages need.
func rest() {
	debug.SetGCPercent(-1)
	for range 256 {
		chunk := make([]byte, 1<<20)
		for i := range chunk {
			chunk[i] = 1 // or the kernel has yet to provide it
		}
	}
	runtime.GC()
}

// serveRandom measures answers for names at random among n.
func serveRandom(b *testing.B, h plugin.Handler, n int) {
	b.Helper()
	queries := make([]*dns.Msg, 1<<16)
	for i := range queries {
		queries[i] = new(dns.Msg)
		queries[i].SetQuestion(fmt.Sprintf("n%d.filler.example.org.", rand.IntN(n)), dns.TypeA)
	}
	serveAll(b, h, queries)
}

// TestRows makes sure that the benchmarks measure answers and not errors.
func TestRows(t *testing.T) {
	h, ctx := zone(t, 0), fromServer()
	ask := func(h plugin.Handler, name string, typ uint16) *dns.Msg {
		r := new(dns.Msg)
		r.SetQuestion(name, typ)
		w := newWriter()
		if _, err := h.ServeDNS(ctx, w, r); err != nil || w.last == nil {
			t.Fatalf("%s: no answer: %v", name, err)
		}
		return w.last
	}
	for _, row := range rows {
		m := ask(h, row.qname, row.typ)
		if len(m.Answer) != row.answers || m.Rcode != row.rcode {
			t.Errorf("%s: %d records, rcode %s; want %d, %s", row.name, len(m.Answer), dns.RcodeToString[m.Rcode], row.answers, dns.RcodeToString[row.rcode])
		}
	}
	for _, n := range neighbours {
		if m := ask(n.handler(t), "weighted3.example.org.", dns.TypeA); len(m.Answer)+len(m.Extra) == 0 {
			t.Errorf("%s: the answer is empty", n.name)
		}
	}
}
