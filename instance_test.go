package steer

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/plugin/test"
	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/handler"
)

// TestStopForgets: after a reload nothing holds the data of the old instance, though the
// instance itself may live on; one that is shut down, and one whose reload failed, answer
// on.
func TestStopForgets(t *testing.T) {
	for _, tt := range []struct {
		name          string
		reload, fails bool
		forgets       bool
	}{
		{name: "shutdown"},
		{name: "reload", reload: true, forgets: true},
		{name: "shutdown after a reload that failed", reload: true, fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := caddy.NewTestController("dns", "steer example.org {\nsimple www A 192.0.2.1\n}")
			config, err := parse(c)
			if err != nil {
				t.Fatal(err)
			}
			in := newInstance(c, config)
			config = nil
			if err := in.start(); err != nil {
				t.Fatal(err)
			}
			data := weak.Make(in.handler.Data())
			in.restart(tt.reload)
			if tt.fails {
				in.restart(false)
			}
			for range 2 {
				if err := in.stop(); err != nil {
					t.Fatal(err)
				}
			}
			runtime.GC()
			if held := data.Value() != nil; held == tt.forgets {
				t.Errorf("the data is held: %t", held)
			}
			if want := map[bool]int{true: dns.RcodeServerFailure, false: dns.RcodeSuccess}[tt.forgets]; rcode(in.handler) != want {
				t.Errorf("answers %s, want %s", dns.RcodeToString[rcode(in.handler)], dns.RcodeToString[want])
			}
			if tt.forgets == in.family.ready() {
				t.Errorf("ready is %t", !tt.forgets)
			}
		})
	}
}

func rcode(h *handler.Handler) int {
	r := new(dns.Msg).SetQuestion("www.example.org.", dns.TypeA)
	rcode, _ := h.ServeDNS(context.Background(), &test.ResponseWriter{}, r)
	return rcode
}
