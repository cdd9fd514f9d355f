// Package handler answers DNS queries from the current selections.
package handler

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"strings"
	"sync/atomic"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"
	clog "github.com/coredns/coredns/plugin/pkg/log"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

var log = clog.NewWithPlugin(Name)

// Name is the directive, by which CoreDNS finds the handler.
const Name = "steer"

// Handler is the plugin of one server block.
type Handler struct {
	Next plugin.Handler

	// Metadata is whether the block has the metadata plugin, so that answers tell it
	// what they know. Set before the first query.
	Metadata bool

	// Home is the address of the server that targets held elsewhere are resolved through,
	// as CoreDNS writes it: "dns://127.0.0.1:53". A server at another address of the same
	// block may not have the blocks that hold the targets. "" is whichever is seen first.
	// Set before the first query.
	Home string

	// ResolveAs is the address that they are resolved as, as if a client there had asked.
	// The zero Addr stands for 127.0.0.1. Set before the first query.
	ResolveAs netip.Addr

	// IsReady is whether every check knows its first status; nil means yes.
	IsReady func() bool

	data     atomic.Pointer[Snapshot]
	counters counters
	resolver atomic.Pointer[Resolver]         // nil before start-up and without external targets
	server   atomic.Pointer[dnsserver.Server] // at Home; nil until it is known
	rand     routing.Rand
}

// New returns a Handler that answers from the data.
func New(d *Snapshot) *Handler {
	h := &Handler{rand: rand.Uint64N, counters: counters{zones: len(d.zones)}}
	h.data.Store(d)
	return h
}

// Name implements plugin.Handler.
func (h *Handler) Name() string { return Name }

// Set makes the handler answer from other data, whose external targets v resolves; v
// is nil if there are none. Queries under way end with what they began with.
func (h *Handler) Set(d *Snapshot, v *Resolver) {
	if v == nil {
		h.data.Store(d)
		h.resolver.Store(nil)
		return
	}
	h.resolver.Store(v)
	h.data.Store(d)
	if h.server.Load() != nil {
		v.begin()
	}
}

// Snapshot returns what the handler answers from at the moment.
func (h *Handler) Snapshot() *Snapshot { return h.data.Load() }

// ServeDNS implements plugin.Handler. The way of a found answer is short and has small
// frames, since every query starts on a small stack; whatever is rarer is in functions
// of its own that are kept from being inlined.
func (h *Handler) ServeDNS(ctx context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	if len(r.Question) != 1 || r.Opcode != dns.OpcodeQuery || r.Question[0].Qclass != dns.ClassINET {
		return h.next(ctx, w, r)
	}
	if h.resolver.Load() != nil {
		h.captureServer(ctx)
	}
	d, q := h.data.Load(), &r.Question[0]
	name := d.names.base[q.Name]
	if d.names.overlay.Load() != nil {
		name = d.names.edited(name, q.Name)
	}
	if name == nil {
		if name = d.folded(q.Name); name == nil {
			return h.absent(ctx, w, r, d)
		}
	}
	if s := name.find(q.Qtype); s != nil && name.cut == nil {
		// As found does, but without its frame.
		m, external := h.answer(ctx, r, d, name.zone, s)
		if m == nil {
			return h.empty(ctx, w, r, d, name.zone, s, external)
		}
		w.WriteMsg(m)
		return dns.RcodeSuccess, nil
	}
	return h.present(ctx, w, r, d, name)
}

// found answers with what a group chooses. The frames that make the message are gone
// when it is written: packing and sending it takes stack, too.
func (h *Handler) found(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, z *zone, s *slot) (int, error) {
	m, external := h.answer(ctx, r, d, z, s)
	if m == nil {
		return h.empty(ctx, w, r, d, z, s, external)
	}
	w.WriteMsg(m)
	return dns.RcodeSuccess, nil
}

// answer returns the message with what a group chooses, or nil when that has no records,
// and then the target held elsewhere that should have had them, if it is one.
//
//go:noinline
func (h *Handler) answer(ctx context.Context, r *dns.Msg, d *Snapshot, z *zone, s *slot) (*dns.Msg, *routing.External) {
	pool, from, set, last, reason := s.Load().Choose(h.rand)
	n := from.Len(pool)
	if n == 0 {
		return nil, last.External()
	}
	h.count(ctx, z, reason)
	if h.Metadata {
		annotate(ctx, d, set, last.Set(), reason)
	}
	if e := last.External(); e != nil {
		return replyExternal(r, e, pool, h.rand), nil
	}
	if n == 1 {
		return replyOne(r, pool), nil
	}
	m := replyRoom(r, n)
	from.Fill(m.Answer, pool, h.rand)
	routing.Rename(m.Answer, r.Question[0].Name)
	return m, nil
}

// observe counts an answer and tells the metadata plugin why it was given.
func (h *Handler) observe(ctx context.Context, d *Snapshot, z *zone, set, leaf *record.RecordSet, reason routing.Reason) {
	h.count(ctx, z, reason)
	if h.Metadata {
		annotate(ctx, d, set, leaf, reason)
	}
}

// folded looks a name up that is not held as it is spelled: perhaps it is in upper case.
//
//go:noinline
func (d *Snapshot) folded(name string) *nameNode {
	for i := range len(name) {
		if c := name[i]; c < 'A' || 'Z' < c {
			continue
		}
		if d.names.overlay.Load() != nil {
			return d.names.lower(name) // not below the large frame of the other
		}
		return d.lower(name)
	}
	return nil
}

// lower looks up the lower-case form of a name without allocating it, where no names were
// edited.
//
//go:noinline
func (d *Snapshot) lower(name string) *nameNode {
	var b [255]byte
	if len(name) > len(b) { // escapes can make a name longer than it is on the wire
		return d.names.base[strings.ToLower(name)]
	}
	n := copy(b[:], name)
	for i, c := range b[:n] {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return d.names.base[string(b[:n])]
}

// next hands the query to the next plugin.
//
//go:noinline
func (h *Handler) next(ctx context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	return plugin.NextOrFailure(Name, h.Next, ctx, w, r)
}
