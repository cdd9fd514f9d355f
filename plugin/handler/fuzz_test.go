package handler_test

import (
	"context"
	"testing"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/dnstest"

	"github.com/miekg/dns"
)

// FuzzServeDNS feeds the handler whatever miekg/dns takes for a message. It must not
// panic, must write once or say that it did not, and what it writes must be a message.
func FuzzServeDNS(f *testing.F) {
	c := parseZone(f, zoneText, "example.org.")
	c.FallthroughTypes = func(string) bool { return true }
	h := serve(c)
	for _, name := range []string{"example.org.", "WWW.example.org.", "x.wild.example.org.", "chain.example.org.", "a.sub.example.org.", "loop1.example.org.", "x.old.example.org.", "nowhere.example.org.", "."} {
		for _, typ := range []uint16{dns.TypeA, dns.TypeDS, dns.TypeANY, dns.TypeAXFR, dns.TypeNone} {
			r := new(dns.Msg)
			r.SetQuestion(name, typ)
			b, err := r.Pack()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := new(dns.Msg)
		if r.Unpack(b) != nil {
			return
		}
		rec := dnstest.NewMultiRecorder(&udpWriter{})
		code, _ := h.ServeDNS(context.Background(), rec, r)
		switch {
		case len(rec.Msgs) > 1:
			t.Fatalf("%d replies", len(rec.Msgs))
		case plugin.ClientWrite(code) != (len(rec.Msgs) == 1):
			t.Fatalf("returned %s with %d replies", dns.RcodeToString[code], len(rec.Msgs))
		case len(rec.Msgs) == 0:
			return
		}
		if _, err := rec.Msgs[0].Pack(); err != nil {
			t.Fatalf("the reply is no message: %v\n%v", err, rec.Msgs[0])
		}
	})
}
