package handler_test

import (
	"context"
	"errors"
	"testing"

	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"
)

// below is a next plugin that answers as it is told.
type below struct {
	rcode int  // of the reply
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
		w.WriteMsg(m)
	}
	return b.code, b.err
}

func TestFallthrough(t *testing.T) {
	yes := func(string) bool { return true }
	found := below{reply: true, rcode: dns.RcodeSuccess}
	denies := below{reply: true, rcode: dns.RcodeNameError, code: dns.RcodeNameError}
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
