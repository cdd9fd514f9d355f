package handler

import (
	"context"
	"net/netip"
	"time"

	"github.com/coredns/coredns/core/dnsserver"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/routing"
)

// choose returns what a group answers under an owner name. The TTL of what is held
// elsewhere is what is left of it.
func (h *Handler) choose(s *slot, owner string) routing.Answer {
	a := s.Load().Answer(owner, h.rand)
	if a.External != nil && len(a.RRs) > 0 {
		rrs, ttl := held(a.External, a.RRs)
		a.RRs = copies(rrs, owner, ttl)
		routing.Shuffle(a.RRs, h.rand)
	}
	return a
}

// replyExternal returns an answer of records of a target held elsewhere.
//
//go:noinline
func replyExternal(r *dns.Msg, e *routing.External, chosen []dns.RR, rnd routing.Rand) *dns.Msg {
	rrs, ttl := held(e, chosen)
	rrs = copies(rrs, r.Question[0].Name, ttl)
	routing.Shuffle(rrs, rnd)
	m := reply(r)
	m.Answer = rrs
	return m
}

// held returns the records of a target held elsewhere and the TTL that is left of them: in
// whole seconds and rounded down, but one at least, since many resolvers take a TTL of 0
// for a longer one. If the holder gives 0, it is 0. chosen are the records that were
// chosen; there may be others since.
func held(e *routing.External, chosen []dns.RR) ([]dns.RR, uint32) {
	r := e.Resolution()
	if r == nil || len(r.RRs) == 0 {
		return chosen, 1
	}
	ttl := r.RRs[0].Header().Ttl // all have one
	if !r.Until.IsZero() {
		ttl = min(ttl, uint32(max(time.Until(r.Until)/time.Second, 1)))
	}
	return r.RRs, ttl
}

// copies returns copies of RRs under an owner name and with a TTL. Addresses are shared.
func copies(rrs []dns.RR, owner string, ttl uint32) []dns.RR {
	out := make([]dns.RR, len(rrs))
	for i, rr := range rrs {
		switch rr := rr.(type) {
		case *dns.A:
			c := *rr
			out[i] = &c
		case *dns.AAAA:
			c := *rr
			out[i] = &c
		default:
			out[i] = dns.Copy(rr)
		}
		h := out[i].Header()
		h.Name, h.Ttl = owner, ttl
	}
	return out
}

// empty answers when what was chosen has no records: an alias to nothing, or to a name
// held elsewhere that has none or has never been resolved. Only in the last case, and
// after a wait for its resolution, is there another choice: weights would not be exact
// otherwise.
//
//go:noinline
func (h *Handler) empty(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, z *zone, s *slot, e *routing.External) (int, error) {
	// A query that comes from a resolution must not wait for one: it may be its own.
	depth, _ := ctx.Value(dnsserver.LoopKey{}).(int)
	v := h.resolver.Load()
	wait, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	for e != nil && !e.Known() {
		if v == nil || depth > 0 || !v.await(wait, e) {
			return dns.RcodeServerFailure, nil
		}
		var m *dns.Msg
		if m, e = h.answer(ctx, r, d, z, s); m != nil {
			w.WriteMsg(m)
			return dns.RcodeSuccess, nil
		}
	}
	h.observe(ctx, d, z, nil, nil, routing.NoData)
	return h.negative(w, r, z, dns.RcodeSuccess)
}

// Serving tells the handler of a server that it answers on. The first one at Home is what
// targets held elsewhere are resolved through.
func (h *Handler) Serving(s *dnsserver.Server) {
	if h.Home != "" && h.Home != s.Addr || !h.server.CompareAndSwap(nil, s) {
		return
	}
	if v := h.resolver.Load(); v != nil {
		v.begin()
	}
}

// captureServer shows the handler the server that a query came in on, where CoreDNS has
// not: it does so for servers of plain DNS alone.
//
//go:noinline
func (h *Handler) captureServer(ctx context.Context) {
	if h.server.Load() != nil {
		return
	}
	if server, ok := ctx.Value(dnsserver.Key{}).(*dnsserver.Server); ok {
		h.Serving(server)
	}
}

// source returns the address that targets held elsewhere are resolved as.
func (h *Handler) source() netip.Addr {
	if h.ResolveAs.IsValid() {
		return h.ResolveAs
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}
