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
	leaf     Leaf            // what is answered when there is one choice
	table    *table          // several choices
	balancer *balancerAnswer // a load balancer
	rule     Reason
}

// Leaf is one record set as a query needs it: values, or the way to them.
type Leaf struct {
	values   []dns.RR   // len == cap, under the name of the group that holds them
	target   *Selection // of an alias to a group
	external *External  // of an alias to a name held elsewhere
	set      *record.RecordSet
}

// External returns the target held elsewhere that a record set is an alias to, or nil.
func (l *Leaf) External() *External { return l.external }

// Set returns the record set, or nil for an answer of several.
func (l *Leaf) Set() *record.RecordSet { return l.set }

// table is a choice among several record sets.
type table struct {
	choices []choice
	total   uint64   // weighted: the sum of the weights, or of equal shares; multivalue: see [samples]
	guide   []uint32 // weighted: guide[r>>shift] is the first choice that r can be
	shift   uint8
	several bool     // multivalue: up to MaxValues of the choices, not one
	pool    []dns.RR // multivalue: the choices' records
}

type choice struct {
	leaf Leaf
	end  uint64 // weighted: the choice has the random numbers below end that are not an earlier one's
}

// Answer is what a Selection answers to one query.
type Answer struct {
	RRs      []dns.RR          // shared between answers: must not be changed; len == cap
	Set      *record.RecordSet // chosen in the group that was asked for; nil if several are answered
	Leaf     *record.RecordSet // chosen in the group at the end of the aliases; likewise
	External *External         // the target held elsewhere that the RRs came from, or would have come from
	Reason   Reason
}

// Answer chooses with random numbers from rnd and returns the records under the owner
// name, which may differ from the group's in case, or altogether for an alias or below
// a wildcard.
func (s *Selection) Answer(owner string, rnd Rand) Answer {
	last, from, set, reason := s.choose(rnd)
	pool := from.pool(last)
	a := Answer{Set: set, Leaf: last.set, External: last.external, Reason: reason}
	switch n := from.Len(pool); {
	case n == 0:
	case n == 1 && pool[0].Header().Name == owner:
		a.RRs = pool
	default:
		a.RRs = make([]dns.RR, n)
		from.Fill(a.RRs, pool, rnd)
		Rename(a.RRs, owner)
	}
	return a
}

// Choose is the first half of Answer, for a caller that allocates the answer itself. from is
// the Selection at the end of the aliases, and the pool is what it answers from. If
// [Selection.Len] is 1, the pool is one record, the answer itself, under the name of the
// group that holds it; otherwise [Selection.Fill] takes the answer from the pool. set is
// what the group chooses that was asked for, and last what is chosen at the end.
func (s *Selection) Choose(rnd Rand) (pool []dns.RR, from *Selection, set *record.RecordSet, last *Leaf, reason Reason) {
	last, from, set, reason = s.choose(rnd)
	return from.pool(last), from, set, last, reason
}

// choose follows the aliases to the Selection at their end and the record set that it
// chooses. set is the one that s itself chooses.
func (s *Selection) choose(rnd Rand) (last *Leaf, from *Selection, set *record.RecordSet, reason Reason) {
	last, reason = s.pick(rnd), s.rule
	set = last.set
	for last.target != nil {
		s = last.target
		last, reason = s.pick(rnd), max(reason, s.rule)
	}
	return last, s, set, reason
}

// pool returns the records to answer from when a record set was chosen.
func (s *Selection) pool(chosen *Leaf) []dns.RR {
	switch {
	case chosen.external != nil:
		return chosen.external.RRs()
	case s.balancer != nil:
		return s.balancer.always
	case s.table != nil && s.table.several:
		return s.table.pool
	}
	return chosen.values
}

// Len returns how many records of a pool are answered.
func (s *Selection) Len(pool []dns.RR) int {
	switch {
	case s.balancer != nil:
		return s.balancer.len()
	case s.table != nil && s.table.several:
		return min(len(pool), MaxValues)
	}
	return len(pool)
}

// Fill fills out, which is Len long, with records in random order. Load balancers draw
// here, since one more frame would not fit into the stack that a query has.
func (s *Selection) Fill(out, pool []dns.RR, rnd Rand) {
	if s.table != nil && s.table.several {
		sample(out, pool, s.table.total, rnd)
		return
	}
	n := copy(out, pool)
	if s.balancer != nil {
		// A pool gives its share of what is still to be drawn, rounded up or down at
		// random. So each has the same odds to give one more, in any company, and the last
		// gives what is left.
		for left := len(s.balancer.pools); left > 0; left-- {
			k := (len(out) - n + int(rnd(uint64(left)))) / left
			sample(out[n:n+k], s.balancer.pools[left-1], 0, rnd)
			n += k
		}
	}
	shuffle(out, rnd)
}

// Rename puts the records of an answer, at least one, under an owner name.
func Rename(rrs []dns.RR, owner string) {
	if rrs[0].Header().Name == owner { // then all have it: they are of one group
		return
	}
	for i, rr := range rrs {
		rrs[i] = Own(rr, owner)
	}
}

// pick returns the chosen record set, or an empty leaf when several are answered.
func (s *Selection) pick(rnd Rand) *Leaf {
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

// Shuffle puts records into random order.
func Shuffle(rrs []dns.RR, rnd Rand) { shuffle(rrs, rnd) }
