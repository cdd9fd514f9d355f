package handler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin/pkg/nonwriter"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// resolveThrough resolves a name through the server, as a client at an address would. It
// returns the records of the type under that name, without the chain of CNAMEs that led to
// them, each with the smallest TTL on the way; no records and no error if there are
// none to be had; and how long that holds.
func resolveThrough(ctx context.Context, server *dnsserver.Server, source netip.Addr, k record.Key) ([]dns.RR, time.Duration, error) {
	ip, loopback := net.IP(source.AsSlice()), net.IPv6loopback
	if source.Is4() {
		loopback = net.IPv4(127, 0, 0, 1)
	}
	got, err := exchange(ctx, server, k, &localWriter{local: &net.UDPAddr{IP: loopback}, remote: &net.UDPAddr{IP: ip}})
	if err == nil && got.Truncated {
		got, err = exchange(ctx, server, k, &localWriter{local: &net.TCPAddr{IP: loopback}, remote: &net.TCPAddr{IP: ip}})
	}
	if err != nil {
		return nil, 0, err
	}
	switch {
	case got.Rcode == dns.RcodeNameError:
		return nil, denied(got), nil
	case got.Rcode != dns.RcodeSuccess:
		return nil, 0, fmt.Errorf("the server answers %s", dns.RcodeToString[got.Rcode])
	}
	rrs, ttl := answers(got, k)
	switch {
	case len(rrs) > 0:
		return rrs, min(max(ttl, minRefresh), maxRefresh), nil
	case !got.Authoritative && slices.ContainsFunc(got.Ns, func(rr dns.RR) bool { return rr.Header().Rrtype == dns.TypeNS }):
		return nil, 0, errors.New("the server answers with a referral")
	}
	return nil, denied(got), nil
}

// exchange sends one query through the server's plugins.
func exchange(ctx context.Context, server *dnsserver.Server, k record.Key, w dns.ResponseWriter) (*dns.Msg, error) {
	r := new(dns.Msg)
	r.SetQuestion(k.Name, k.Type)
	r.SetEdns0(dns.DefaultMsgSize, false)
	ctx = context.WithValue(ctx, dnsserver.Key{}, server)
	ctx = context.WithValue(ctx, dnsserver.LoopKey{}, 1)
	nw := nonwriter.New(w)
	server.ServeDNS(ctx, nw, r)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case nw.Msg == nil:
		return nil, errors.New("the server does not answer")
	}
	return nw.Msg, nil
}

// answers returns the records of the key's type in an answer, under the key's name and
// with the smallest TTL of the answer.
func answers(m *dns.Msg, k record.Key) ([]dns.RR, time.Duration) {
	var rrs []dns.RR
	ttl := uint32(maxRefresh / time.Second)
	for _, rr := range m.Answer {
		ttl = min(ttl, rr.Header().Ttl)
		if rr.Header().Rrtype == k.Type {
			c := dns.Copy(rr)
			c.Header().Name = k.Name
			rrs = append(rrs, c)
		}
	}
	return withTTL(rrs, ttl), time.Duration(ttl) * time.Second
}

// withTTL returns copies of RRs with another TTL.
func withTTL(rrs []dns.RR, ttl uint32) []dns.RR {
	out := make([]dns.RR, len(rrs))
	for i, rr := range rrs {
		out[i] = dns.Copy(rr)
		out[i].Header().Ttl = ttl
	}
	return out
}

// denied returns how long a negative answer holds: by its SOA (RFC 2308), but not long,
// since a target that appears is to be found soon.
func denied(m *dns.Msg) time.Duration {
	hold := maxDenial
	for _, rr := range m.Ns {
		if soa, ok := rr.(*dns.SOA); ok {
			hold = min(hold, time.Duration(min(soa.Hdr.Ttl, soa.Minttl))*time.Second)
		}
	}
	return max(hold, minRefresh)
}

// localWriter is the client's end of a query that the plugin itself asks.
type localWriter struct{ local, remote net.Addr }

func (w *localWriter) LocalAddr() net.Addr         { return w.local }
func (w *localWriter) RemoteAddr() net.Addr        { return w.remote }
func (w *localWriter) WriteMsg(*dns.Msg) error     { return nil }
func (w *localWriter) Write(b []byte) (int, error) { return len(b), nil }
func (w *localWriter) Close() error                { return nil }
func (w *localWriter) TsigStatus() error           { return nil }
func (w *localWriter) TsigTimersOnly(bool)         {}
func (w *localWriter) Hijack()                     {}
