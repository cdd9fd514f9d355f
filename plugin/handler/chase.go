package handler

import (
	"context"
	"slices"
	"strings"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin/pkg/upstream"
	"github.com/coredns/coredns/request"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// maxReentry is how many look-ups through the server can lead to each other; CoreDNS's own
// plugins draw the line at the same depth.
const maxReentry = 8

// follows reports whether a query for the type is answered with a CNAME found in its
// place (RFC 1034, section 3.6.2; RFC 4035, section 2.5).
func follows(typ uint16) bool {
	switch typ {
	case dns.TypeCNAME, dns.TypeANY,
		dns.TypeDS, dns.TypeDNSKEY, dns.TypeRRSIG, dns.TypeNSEC, dns.TypeNSEC3, dns.TypeNSEC3PARAM, dns.TypeCDS, dns.TypeCDNSKEY:
		return false
	}
	return true
}

// alias answers for a name that holds a CNAME, and follows it.
func (h *Handler) alias(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, name *nameNode) (int, error) {
	c := &chase{handler: h, data: d, w: w, r: r, m: reply(r), zone: name.zone}
	c.cname(ctx, r.Question[0].Name, name)
	return c.write(ctx)
}

// redirect answers for a name below a DNAME: with the DNAME, the CNAME that it stands
// for, and what that leads to (RFC 6672, section 3.1). at is the DNAME's owner.
func (h *Handler) redirect(ctx context.Context, w dns.ResponseWriter, r *dns.Msg, d *Snapshot, name *nameNode, at string) (int, error) {
	c := &chase{handler: h, data: d, w: w, r: r, m: reply(r), zone: name.zone}
	c.dname(ctx, r.Question[0].Name, name, at)
	return c.write(ctx)
}

// chase is a reply that follows CNAMEs.
type chase struct {
	handler *Handler
	data    *Snapshot
	w       dns.ResponseWriter
	r       *dns.Msg
	m       *dns.Msg

	zone  *zone
	first *routing.Answer // what the name asked for chose
	steps int
}

func (c *chase) write(ctx context.Context) (int, error) {
	a := routing.Answer{}
	if c.first != nil {
		a = *c.first
	}
	c.handler.observe(ctx, c.data, c.zone, a.Set, a.Leaf, a.Reason)
	c.m.Answer = slices.Clip(c.m.Answer)
	c.w.WriteMsg(c.m)
	return dns.RcodeSuccess, nil
}

// cname adds the CNAME that a name holds, and follows it.
func (c *chase) cname(ctx context.Context, owner string, name *nameNode) {
	a := c.handler.choose(name.find(dns.TypeCNAME), owner)
	if c.first == nil {
		c.first = &a
	}
	if !c.add(a, name.zone) {
		return
	}
	if cname, ok := a.RRs[0].(*dns.CNAME); ok {
		c.follow(ctx, cname.Target)
	}
}

// dname adds a DNAME and the CNAME that it makes of the owner name, and follows it. A
// second name below one DNAME is redirected by the DNAME that the reply has already.
func (c *chase) dname(ctx context.Context, owner string, name *nameNode, at string) {
	dname := c.held(owner[len(owner)-len(at):])
	if dname == nil {
		a := c.handler.choose(name.find(dns.TypeDNAME), owner[len(owner)-len(at):])
		if c.first == nil {
			c.first = &a
		}
		if !c.add(a, name.zone) {
			return
		}
		var ok bool
		if dname, ok = a.RRs[0].(*dns.DNAME); !ok {
			return
		}
	}
	target := record.Substitute(owner, at, dname.Target)
	if _, ok := dns.IsDomainName(target); !ok {
		c.m.Rcode = dns.RcodeYXDomain
		return
	}
	c.m.Answer = append(c.m.Answer, &dns.CNAME{
		Hdr:    dns.RR_Header{Name: owner, Rrtype: dns.TypeCNAME, Class: dns.ClassINET, Ttl: dname.Hdr.Ttl},
		Target: target,
	})
	if c.r.Question[0].Qtype != dns.TypeCNAME {
		c.follow(ctx, target)
	}
}

// held returns the DNAME of an owner that the reply has, or nil.
func (c *chase) held(owner string) *dns.DNAME {
	for _, rr := range c.m.Answer {
		if dname, ok := rr.(*dns.DNAME); ok && strings.EqualFold(dname.Hdr.Name, owner) {
			return dname
		}
	}
	return nil
}

// visited reports whether the reply has a CNAME of a name: following it would go round in
// a circle.
func (c *chase) visited(name string) bool {
	return slices.ContainsFunc(c.m.Answer, func(rr dns.RR) bool {
		return rr.Header().Rrtype == dns.TypeCNAME && strings.EqualFold(rr.Header().Name, name)
	})
}

// follow adds what the target of a CNAME holds of the type asked for. Where it ends early,
// the reply is the chain so far.
func (c *chase) follow(ctx context.Context, target string) {
	if c.steps++; c.steps > record.MaxFollow || c.visited(target) {
		return
	}
	lower := strings.ToLower(target)
	names := c.data.names.now()
	name, at := names.find(lower), lower
	if name == nil {
		var encloser *nameNode
		if encloser, at = names.encloser(lower); encloser == nil || encloser.cut != nil {
			c.lookup(ctx, target)
			return
		}
		if encloser.dname {
			c.dname(ctx, target, encloser, at)
			return
		}
		if name = encloser.wildcard; name == nil {
			c.missing(ctx, target, encloser.zone)
			return
		}
	}
	typ := c.r.Question[0].Qtype
	switch s := name.find(typ); {
	case name.delegated(typ):
		c.lookup(ctx, target)
	case typ == dns.TypeANY && !name.empty():
		c.any(target, name)
	case s != nil:
		c.add(c.handler.choose(s, target), name.zone)
	case name.cname && follows(typ):
		c.cname(ctx, target, name)
	default:
		c.missingType(ctx, target, name)
	}
}

// any ends the chase of a question for everything, as one for the target would be answered.
func (c *chase) any(target string, name *nameNode) {
	if name.cname {
		c.add(c.handler.choose(name.find(dns.TypeCNAME), target), name.zone)
		return
	}
	c.m.Answer = append(c.m.Answer, minimal(target))
}

// add adds what a group of a zone answers, and reports whether that is anything. If not,
// the chase ends with NODATA, or with SERVFAIL when it is not known yet.
func (c *chase) add(a routing.Answer, z *zone) bool {
	switch {
	case len(a.RRs) > 0:
		c.m.Answer = append(c.m.Answer, a.RRs...)
		return true
	case a.External != nil && !a.External.Known():
		c.m.Rcode = dns.RcodeServerFailure
	default:
		c.empty(z)
	}
	return false
}

// missing ends the chase at a name that nothing here holds.
func (c *chase) missing(ctx context.Context, target string, z *zone) {
	if through := c.data.Catalog.Fallthrough; through != nil && through(strings.ToLower(target)) {
		c.lookup(ctx, target)
		return
	}
	c.m.Rcode = dns.RcodeNameError
	addSOA(c.m, z)
}

// missingType ends the chase at a name that does not hold the type.
func (c *chase) missingType(ctx context.Context, target string, name *nameNode) {
	through := c.data.Catalog.FallthroughTypes
	if name.empty() {
		through = c.data.Catalog.Fallthrough
	}
	if through != nil && through(strings.ToLower(target)) {
		c.lookup(ctx, target)
		return
	}
	c.empty(name.authority(c.r.Question[0].Qtype))
}

// empty ends the chase with NODATA.
func (c *chase) empty(z *zone) { addSOA(c.m, z) }

// lookup resolves the target through the server, in the course of this query. What it
// says is passed on, but that it would rather not say: the CNAME is the answer then.
func (c *chase) lookup(ctx context.Context, target string) {
	if c.r.Question[0].Qtype == dns.TypeANY {
		return // the chain is as good a part of everything as any (RFC 8482, section 4.1)
	}
	depth, _ := ctx.Value(dnsserver.LoopKey{}).(int)
	if depth >= maxReentry {
		c.m.Rcode = dns.RcodeServerFailure
		return
	}
	ctx = context.WithValue(ctx, dnsserver.LoopKey{}, depth+1)
	got, err := upstream.New().Lookup(ctx, request.Request{W: c.w, Req: c.r}, target, c.r.Question[0].Qtype)
	if err != nil || got == nil {
		c.m.Rcode = dns.RcodeServerFailure
		return
	}
	c.m.Answer = append(c.m.Answer, got.Answer...)
	c.m.Truncated = got.Truncated
	switch got.Rcode {
	case dns.RcodeNameError, dns.RcodeServerFailure, dns.RcodeYXDomain:
		c.m.Rcode = got.Rcode
	}
	for _, rr := range got.Ns {
		if rr.Header().Rrtype == dns.TypeSOA {
			c.m.Ns = []dns.RR{rr}
		}
	}
}
