package handler

import (
	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/routing"
)

// message is a reply with room for its question, so that both are one allocation.
type message struct {
	dns.Msg
	question [1]dns.Question
}

// reply returns an empty authoritative answer to a query with one question. It is
// fresh: plugins above may change it.
func reply(r *dns.Msg) *dns.Msg {
	m := &message{}
	m.answers(r)
	return &m.Msg
}

func (m *message) answers(r *dns.Msg) {
	m.Id = r.Id
	m.Response = true
	m.Authoritative = true
	m.RecursionDesired = r.RecursionDesired
	m.CheckingDisabled = r.CheckingDisabled
	m.question[0] = r.Question[0]
	m.Question = m.question[:]
}

// replyOne returns an answer of one record. If it bears the name that was asked for, it
// is shared, with the slice that holds it.
//
//go:noinline
func replyOne(r *dns.Msg, one []dns.RR) *dns.Msg {
	if one[0].Header().Name != r.Question[0].Name {
		return replyUnder(r, one[0])
	}
	m := reply(r)
	m.Answer = one
	return m
}

// replyUnder returns an answer of one record under the name that was asked for. The
// record is held under another: the name's own in other case, an alias's target or a
// wildcard. For addresses, which most answers are, reply and record are one allocation.
//
//go:noinline
func replyUnder(r *dns.Msg, rr dns.RR) *dns.Msg {
	switch rr := rr.(type) {
	case *dns.A:
		m := &struct {
			message
			answer [1]dns.RR
			a      dns.A
		}{}
		m.answers(r)
		m.a = *rr
		m.a.Hdr.Name = r.Question[0].Name
		m.answer[0] = &m.a
		m.Answer = m.answer[:]
		return &m.Msg
	case *dns.AAAA:
		m := &struct {
			message
			answer [1]dns.RR
			aaaa   dns.AAAA
		}{}
		m.answers(r)
		m.aaaa = *rr
		m.aaaa.Hdr.Name = r.Question[0].Name
		m.answer[0] = &m.aaaa
		m.Answer = m.answer[:]
		return &m.Msg
	}
	m := reply(r)
	m.Answer = []dns.RR{routing.Own(rr, r.Question[0].Name)}
	return m
}

// replyRoom returns an answer with room for n records. Up to MaxValues of them are one
// allocation with it.
//
//go:noinline
func replyRoom(r *dns.Msg, n int) *dns.Msg {
	if n > routing.MaxValues {
		m := reply(r)
		m.Answer = make([]dns.RR, n)
		return m
	}
	m := &struct {
		message
		answer [routing.MaxValues]dns.RR
	}{}
	m.answers(r)
	m.Answer = m.answer[:n:n]
	return &m.Msg
}
