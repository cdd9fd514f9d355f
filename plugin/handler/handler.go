// Package handler answers DNS queries from the current selections.
package handler

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/routing"
)

// Name is the directive, by which CoreDNS finds the handler.
const Name = "steer"

// Handler is the plugin of one server block.
type Handler struct {
	Next plugin.Handler

	// Metadata is whether the block has the metadata plugin, so that answers tell it
	// what they know. Set before the first query.
	Metadata bool

	// IsReady is whether every check knows its first status; nil means yes.
	IsReady func() bool

	data     atomic.Pointer[Data]
	counters counters
	resolver atomic.Pointer[Resolver] // nil before start-up and without external targets
	rand     routing.Rand
}

// New returns a Handler that answers from the data.
func New(d *Data) *Handler {
	h := &Handler{rand: rand.Uint64N}
	h.data.Store(d)
	return h
}

// Name implements plugin.Handler.
func (h *Handler) Name() string { return Name }

// Serve makes the handler answer from other data, whose external targets v resolves; v
// is nil if there are none. Queries under way end with what they began with.
func (h *Handler) Serve(d *Data, v *Resolver) {
	if v == nil {
		h.data.Store(d)
		h.resolver.Store(nil)
		return
	}
	h.resolver.Store(v)
	h.data.Store(d)
}

// Data returns what the handler answers from at the moment.
func (h *Handler) Data() *Data { return h.data.Load() }

// ServeDNS implements plugin.Handler. The way of a found answer is short and has small
// frames, since every query starts on a small stack; whatever is rarer is in functions
// of its own that are kept from being inlined.
func (h *Handler) ServeDNS(ctx context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	if len(r.Question) != 1 || r.Opcode != dns.OpcodeQuery {
		return h.next(ctx, w, r)
	}
	if h.resolver.Load() != nil {
		h.captureServer(ctx)
	}
	d, q := h.data.Load(), &r.Question[0]
	name, ok := d.names[q.Name]
	if !ok {
		if name = d.folded(q.Name); name == nil {
			return h.absent(ctx, w, r, d)
		}
	}
	if s := name.find(q.Qtype); s != nil && name.cut == nil {
		return h.found(ctx, w, r, name.zone, s)
	}
	return h.present(ctx, w, r, d, name)
}

// found answers with what a group chooses.
func (h *Handler) found(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, z *zone, s *slot) (int, error) {
	owner := r.Question[0].Name
	a := s.Load().Choose(owner, h.rand)
	if len(a.RRs) == 0 {
		return h.empty(ctx, w, r, z, s)
	}
	h.count(ctx, z, a.Reason)
	if h.Metadata {
		h.tell(ctx, a.Set, a.Reason)
	}
	var m *dns.Msg
	if len(a.RRs) == 1 && a.RRs[0].Header().Name != owner {
		m = replyUnder(r, a.RRs[0])
	} else {
		m = reply(r)
		m.Answer = a.RRs
	}
	w.WriteMsg(m)
	return dns.RcodeSuccess, nil
}

// folded looks a name up that is not held as it is spelled: perhaps it is in upper case.
//
//go:noinline
func (d *Data) folded(name string) *holder {
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			return d.lower(name)
		}
	}
	return nil
}

// lower looks up the lower-case form of a name without allocating it.
//
//go:noinline
func (d *Data) lower(name string) *holder {
	var b [255]byte
	if len(name) > len(b) { // escapes can make a name longer than it is on the wire
		return d.names[strings.ToLower(name)]
	}
	n := copy(b[:], name)
	for i, c := range b[:n] {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return d.names[string(b[:n])]
}

// next hands the query to the next plugin.
//
//go:noinline
func (h *Handler) next(ctx context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	return plugin.NextOrFailure(Name, h.Next, ctx, w, r)
}
