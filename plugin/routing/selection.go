package routing

import (
	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// MaxValues is how many records a multivalue answer holds at most.
//
// Source: Route 53 Developer Guide, "Multivalue answer routing".
const MaxValues = 8

// Selection is what one group answers until health changes. It is immutable, and so is
// everything that it points at, but for the answers of external targets: one pointer is
// a consistent tree of aliases.
type Selection struct {
	leaf           // what is answered when there is one choice
	table  *table  // several choices
	spread *spread // a load balancer
	rule   Reason
}

// leaf is one record set as a query needs it: values, or the way to them.
type leaf struct {
	values   []dns.RR   // len == cap, under the name of the group that holds them
	target   *Selection // of an alias to a group
	external *External  // of an alias to a name held elsewhere
	set      *record.RecordSet
}

// table is a choice among several record sets.
type table struct {
	choices []choice
	total   uint64   // weighted: the sum of the weights, or of equal shares
	guide   []uint32 // weighted: guide[r>>shift] is the first choice that r can be
	shift   uint8
	several bool     // multivalue: up to MaxValues of the choices, not one
	values  []dns.RR // multivalue: the choices' records
}

type choice struct {
	leaf
	end uint64 // weighted: the choice has the random numbers below end that are not an earlier one's
}

// Answer is what a Selection chose for one query.
type Answer struct {
	RRs      []dns.RR          // shared between answers: must not be changed; len == cap
	Set      *record.RecordSet // chosen in the group that was asked for; nil of a multivalue answer
	External *External         // the target held elsewhere that the RRs came from, or would have come from
	Reason   Reason
}

// Answer chooses with random numbers from rnd and returns the records under the owner
// name, which may differ from the group's in case, or altogether for an alias or below
// a wildcard.
func (s *Selection) Answer(owner string, rnd Rand) Answer {
	a := s.Choose(owner, rnd)
	if len(a.RRs) == 1 && a.RRs[0].Header().Name != owner {
		a.RRs = []dns.RR{Own(a.RRs[0], owner)}
	}
	return a
}

// Choose is [Selection.Answer] but for an answer of one record, which it returns under
// whatever name holds it: the caller may have a cheaper way to give it the owner name.
func (s *Selection) Choose(owner string, rnd Rand) Answer {
	l, reason := s.pick(rnd), s.rule
	set := l.set
	for l.target != nil {
		s = l.target
		l, reason = s.pick(rnd), max(reason, s.rule)
	}
	switch {
	case s.table != nil && s.table.several:
		return Answer{RRs: s.table.some(owner, rnd), Set: set, Reason: reason}
	case s.spread != nil:
		return Answer{RRs: s.spread.answer(owner, rnd), Set: set, Reason: reason}
	}
	values := l.values
	if l.external != nil {
		values = l.external.RRs()
	}
	if len(values) > 1 {
		values = shuffled(owner, values, rnd)
	}
	return Answer{RRs: values[:len(values):len(values)], Set: set, External: l.external, Reason: reason}
}

// pick returns the chosen record set, or an empty leaf when several are answered.
func (s *Selection) pick(rnd Rand) *leaf {
	if s.table == nil || s.table.several {
		return &s.leaf
	}
	return &s.table.weighted(rnd).leaf
}

// weighted returns the choice that a random number below the total falls to.
func (t *table) weighted(rnd Rand) *choice {
	r := rnd(t.total)
	i := int(t.guide[r>>t.shift])
	for r >= t.choices[i].end {
		i++
	}
	return &t.choices[i]
}

// some returns up to MaxValues of the choices' records, without replacement and in
// random order.
func (t *table) some(owner string, rnd Rand) []dns.RR {
	d := drawing{n: len(t.values)}
	rrs := make([]dns.RR, min(d.n, MaxValues))
	for i := range rrs {
		rrs[i] = t.values[d.take(rnd)]
	}
	if rrs[0].Header().Name != owner { // then none has: they are of one group
		for i, rr := range rrs {
			rrs[i] = Own(rr, owner)
		}
	}
	return rrs
}

// drawing draws numbers below n without replacement, up to MaxValues of them.
type drawing struct {
	n     int
	count int
	taken [MaxValues]int // in ascending order
}

// take returns the next number; each one that was not taken yet has the same odds.
func (d *drawing) take(rnd Rand) int {
	// The v-th of those not taken: skip the taken ones before it.
	v, at := int(rnd(uint64(d.n-d.count))), 0
	for at < d.count && d.taken[at] <= v {
		at++
		v++
	}
	for i := d.count; i > at; i-- {
		d.taken[i] = d.taken[i-1]
	}
	d.taken[at] = v
	d.count++
	return v
}

// shuffled returns the RRs under an owner name in random order, all orders with the
// same odds.
func shuffled(owner string, rrs []dns.RR, rnd Rand) []dns.RR {
	out := make([]dns.RR, len(rrs))
	for i, rr := range rrs {
		// Inside out: the new one swaps with any before it, or stays.
		j := int(rnd(uint64(i + 1)))
		out[i] = out[j]
		out[j] = Own(rr, owner)
	}
	return out
}

// Own returns the RR under an owner name: itself if it bears the name, else a copy that
// shares the RDATA.
func Own(rr dns.RR, owner string) dns.RR {
	switch rr := rr.(type) {
	case *dns.A:
		if rr.Hdr.Name == owner {
			return rr
		}
		c := *rr
		c.Hdr.Name = owner
		return &c
	case *dns.AAAA:
		if rr.Hdr.Name == owner {
			return rr
		}
		c := *rr
		c.Hdr.Name = owner
		return &c
	}
	if rr.Header().Name == owner {
		return rr
	}
	c := dns.Copy(rr)
	c.Header().Name = owner
	return c
}
