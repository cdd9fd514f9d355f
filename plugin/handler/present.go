package handler

import (
	"context"
	"strings"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/nonwriter"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// present answers for a name that exists when it is not plainly one of its types that
// is asked for.
//
//go:noinline
func (h *Handler) present(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, name *nameNode) (int, error) {
	typ := r.Question[0].Qtype
	switch {
	case typ == dns.TypeAXFR || typ == dns.TypeIXFR:
		return dns.RcodeRefused, nil
	case name.delegated(typ):
		return h.referral(ctx, w, r, d, name.cut)
	case typ == dns.TypeANY && !name.empty():
		return h.any(ctx, w, r, d, name)
	}
	if s := name.find(typ); s != nil {
		return h.found(ctx, w, r, d, name.zone, s)
	}
	if name.cname && follows(typ) {
		return h.alias(ctx, w, r, d, name)
	}
	return h.nodata(ctx, w, r, d, name)
}

// absent answers for a name that nothing holds: the closest name above it that exists
// says whose it is (RFC 4592, the closest encloser).
//
//go:noinline
func (h *Handler) absent(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot) (int, error) {
	lower := strings.ToLower(r.Question[0].Name)
	names := d.names.now()
	if name := names.find(lower); name != nil { // an edit has just brought it
		return h.present(ctx, w, r, d, name)
	}
	encloser, at := names.encloser(lower)
	if encloser == nil {
		return h.next(ctx, w, r)
	}
	typ := r.Question[0].Qtype
	switch {
	case typ == dns.TypeAXFR || typ == dns.TypeIXFR:
		return dns.RcodeRefused, nil
	case encloser.cut != nil:
		return h.referral(ctx, w, r, d, encloser.cut)
	case encloser.dname:
		return h.redirect(ctx, w, r, d, encloser, at)
	case encloser.wildcard != nil:
		if h.Metadata {
			tellWildcard(ctx, "*."+strings.TrimPrefix(at, "."))
		}
		return h.present(ctx, w, r, d, encloser.wildcard)
	}
	if through := d.Catalog.Fallthrough; through != nil && through(lower) {
		return h.next(ctx, w, r)
	}
	h.observe(ctx, d, encloser.zone, nil, nil, routing.NameError)
	return h.negative(w, r, encloser.zone, dns.RcodeNameError)
}

// nodata answers for a name that exists but holds nothing of the type asked for. Where
// the operator allows it, the next plugin is asked first.
func (h *Handler) nodata(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, name *nameNode) (int, error) {
	through := d.Catalog.FallthroughTypes
	if name.empty() {
		through = d.Catalog.Fallthrough
	}
	if through != nil && h.Next != nil && through(strings.ToLower(r.Question[0].Name)) {
		return h.askNext(ctx, w, r, d, name.zone)
	}
	z := name.authority(r.Question[0].Qtype)
	h.observe(ctx, d, z, nil, nil, routing.NoData)
	return h.negative(w, r, z, dns.RcodeSuccess)
}

// delegated reports whether a type of the name is another server's to answer: all but the
// DS at a delegation.
func (h *nameNode) delegated(typ uint16) bool {
	return h.cut != nil && (h.cut != h || typ != dns.TypeDS)
}

// authority returns the zone whose SOA goes with a negative answer about a type of the
// name. DS is the parent's side of a cut (RFC 4035, section 3.1.4.1).
func (h *nameNode) authority(typ uint16) *zone {
	if typ == dns.TypeDS && h.zone.apex == h && h.zone.parent != nil {
		return h.zone.parent
	}
	return h.zone
}

// askNext gives the next plugin the first word on a name that exists here. That it knows of
// no such name, or that there is no further plugin, becomes NODATA.
func (h *Handler) askNext(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, z *zone) (int, error) {
	nw := nonwriter.New(w)
	rcode, err := h.next(ctx, nw, r)
	switch {
	case nw.Msg == nil && (rcode == dns.RcodeNameError || noPlugin(err)),
		nw.Msg != nil && nw.Msg.Rcode == dns.RcodeNameError && len(nw.Msg.Answer) == 0:
		h.observe(ctx, d, z, nil, nil, routing.NoData)
		return h.negative(w, r, z, dns.RcodeSuccess)
	case nw.Msg == nil:
		return rcode, err
	}
	w.WriteMsg(nw.Msg)
	if !plugin.ClientWrite(rcode) {
		rcode = dns.RcodeSuccess // the reply is written: nobody is to write another
	}
	return rcode, err
}

// noPlugin reports whether an error is that of plugin.NextOrFailure at the end of the
// chain. CoreDNS has no error value for it.
func noPlugin(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "no next plugin found")
}

// negative writes NODATA or NXDOMAIN, with the SOA for its TTL (RFC 2308).
func (h *Handler) negative(w dns.ResponseWriter, r *dns.Msg, z *zone, rcode int) (int, error) {
	m := reply(r)
	m.Rcode = rcode
	addSOA(m, z)
	w.WriteMsg(m)
	return dns.RcodeSuccess, nil
}

func addSOA(m *dns.Msg, z *zone) {
	if soa := z.negative.Load(); soa != nil {
		m.Ns = []dns.RR{soa}
	}
}

// any answers the question for everything minimally (RFC 8482): with the CNAME if there
// is one (section 4.1), else with a HINFO (section 4.2).
func (h *Handler) any(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, name *nameNode) (int, error) {
	if name.cname {
		return h.found(ctx, w, r, d, name.zone, name.find(dns.TypeCNAME))
	}
	h.observe(ctx, d, name.zone, nil, nil, routing.Minimal)
	m := reply(r)
	m.Answer = []dns.RR{minimal(r.Question[0].Name)}
	w.WriteMsg(m)
	return dns.RcodeSuccess, nil
}

// minimal returns what stands for everything that a name holds.
func minimal(owner string) dns.RR {
	return &dns.HINFO{
		Hdr: dns.RR_Header{Name: owner, Rrtype: dns.TypeHINFO, Class: dns.ClassINET, Ttl: anyTTL},
		Cpu: "RFC8482",
	}
}

// anyTTL is the TTL in seconds of the answer to ANY; RFC 8482 suggests hours.
const anyTTL = 3600

// referral answers with the delegation of a name at or below a cut, and the addresses
// of its servers as far as they are held here (RFC 1034, section 4.3.2, step 3b).
func (h *Handler) referral(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, cut *nameNode) (int, error) {
	h.observe(ctx, d, cut.zone, nil, nil, routing.Referral)
	m := reply(r)
	m.Authoritative = false
	at := strings.ToLower(r.Question[0].Name)
	for ok := true; ok && d.names.find(at) != cut; {
		at, ok = record.Parent(at) // the cut is at the name or above it
	}
	m.Ns = h.choose(cut.find(dns.TypeNS), at).RRs
	for _, rr := range m.Ns {
		ns, ok := rr.(*dns.NS)
		if !ok {
			continue
		}
		glue := d.names.find(strings.ToLower(ns.Ns))
		if glue == nil {
			continue
		}
		for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
			if s := glue.find(typ); s != nil {
				m.Extra = append(m.Extra, h.choose(s, ns.Ns).RRs...)
			}
		}
	}
	m.Extra = m.Extra[:len(m.Extra):len(m.Extra)]
	w.WriteMsg(m)
	return dns.RcodeSuccess, nil
}
