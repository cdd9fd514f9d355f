package handler_test

import (
	"context"
	"errors"
	"testing"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/plugin/test"

	"github.com/miekg/dns"
)

// below is a next plugin that answers as it is told.
type below struct {
	rcode int  // of the reply
	cname bool // whether the reply has a CNAME, whatever its rcode
	reply bool // whether it writes one
	code  int  // what it returns
	err   error
	asked int
}

func (*below) Name() string { return "below" }

func (b *below) ServeDNS(_ context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	b.asked++
	if b.reply {
		m := new(dns.Msg)
		m.SetRcode(r, b.rcode)
		if b.rcode == dns.RcodeSuccess {
			m.Answer = []dns.RR{&dns.TXT{Hdr: dns.RR_Header{Name: r.Question[0].Name, Rrtype: dns.TypeTXT, Class: dns.ClassINET}, Txt: []string{"below"}}}
		}
		if b.cname {
			m.Answer = []dns.RR{&dns.CNAME{Hdr: dns.RR_Header{Name: r.Question[0].Name, Rrtype: dns.TypeCNAME, Class: dns.ClassINET}, Target: "gone.test."}}
		}
		w.WriteMsg(m)
	}
	return b.code, b.err
}

func TestFallthrough(t *testing.T) {
	yes := func(string) bool { return true }
	found := below{reply: true, rcode: dns.RcodeSuccess}
	denies := below{reply: true, rcode: dns.RcodeNameError, code: dns.RcodeNameError}
	leads := below{reply: true, rcode: dns.RcodeNameError, cname: true}
	last := below{code: dns.RcodeServerFailure, err: plugin.Error("file", errors.New("no next plugin found"))}
	fails := below{code: dns.RcodeServerFailure, err: errors.New("upstream is down")}
	tests := []struct {
		why          string
		names, types func(string) bool
		below        below
		name         string
		want         string
		asked        int
		code         int
	}{
		{"a name not held, without fallthrough", nil, yes, found, "nowhere.example.org.", nxdomain, 0, 0},
		{"a name not held, with it", yes, nil, found, "nowhere.example.org.", `NOERROR an[nowhere.example.org. 0 TXT "below"]`, 1, 0},
		{"and the next plugin's NXDOMAIN stands", yes, nil, denies, "nowhere.example.org.", "NXDOMAIN", 1, dns.RcodeNameError},
		{"a type not held, without", yes, nil, found, "www.example.org.", nodata, 0, 0},
		{"a type not held, with it", nil, yes, found, "www.example.org.", `NOERROR an[www.example.org. 0 TXT "below"]`, 1, 0},
		{"the next plugin's NXDOMAIN becomes NODATA", nil, yes, denies, "www.example.org.", nodata, 1, 0},
		{"not that of what a CNAME leads to: the name itself exists", nil, yes, leads, "www.example.org.", "NXDOMAIN an[www.example.org. 0 CNAME gone.test.]", 1, 0},
		{"nor at an empty non-terminal", yes, nil, leads, "empty.example.org.", "NXDOMAIN an[empty.example.org. 0 CNAME gone.test.]", 1, 0},
		{"the end of the chain becomes NODATA", nil, yes, last, "www.example.org.", nodata, 1, 0},
		{"a failure stays one", nil, yes, fails, "www.example.org.", "no reply", 1, dns.RcodeServerFailure},
		{"an empty non-terminal, without", nil, yes, found, "empty.example.org.", nodata, 0, 0},
		{"an empty non-terminal, with it", yes, nil, found, "empty.example.org.", `NOERROR an[empty.example.org. 0 TXT "below"]`, 1, 0},
		{"its NXDOMAIN becomes NODATA", yes, nil, denies, "empty.example.org.", nodata, 1, 0},
		{"a name that a wildcard holds does not fall through", yes, nil, found, "x.wild.example.org.", nodata, 0, 0},
		{"but its types do", nil, yes, found, "x.wild.example.org.", `NOERROR an[x.wild.example.org. 0 TXT "below"]`, 1, 0},
		{"a delegation is ours", yes, yes, found, "x.sub.example.org.", referral, 0, 0},
		{"outside the zones it is always asked", nil, nil, found, "example.net.", `NOERROR an[example.net. 0 TXT "below"]`, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			c := parseZone(t, zoneText, "example.org.")
			c.Fallthrough, c.FallthroughTypes = tt.names, tt.types
			h, next := serve(c), tt.below
			h.Next = &next
			m, code := query(t, h, tt.name, dns.TypeTXT)
			if got := render(m); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if next.asked != tt.asked {
				t.Errorf("the next plugin was asked %d times, want %d", next.asked, tt.asked)
			}
			if code != tt.code {
				t.Errorf("returned %s, want %s", dns.RcodeToString[code], dns.RcodeToString[tt.code])
			}
		})
	}
}

// TestClasses: the block serves IN; what is asked in another class is the next plugin's.
func TestClasses(t *testing.T) {
	c := parseZone(t, zoneText, "example.org.")
	for _, class := range []uint16{dns.ClassCHAOS, dns.ClassHESIOD, dns.ClassANY, dns.ClassNONE} {
		for _, name := range []string{"www.example.org.", "nowhere.example.org.", "sub.example.org."} {
			h, next := serve(c), below{reply: true, rcode: dns.RcodeNotAuth}
			h.Next = &next
			r := new(dns.Msg)
			r.SetQuestion(name, dns.TypeA)
			r.Question[0].Qclass = class
			rec := dnstest.NewRecorder(&test.ResponseWriter{})
			if _, err := h.ServeDNS(context.Background(), rec, r); err != nil {
				t.Fatal(err)
			}
			if next.asked != 1 || rec.Msg.Rcode != dns.RcodeNotAuth {
				t.Errorf("%s in class %s: asked the next plugin %d times, got %s", name, dns.Class(class), next.asked, render(rec.Msg))
			}
		}
	}
}
