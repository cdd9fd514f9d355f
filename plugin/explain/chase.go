package explain

import (
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// way is a chain of CNAMEs so far: where it has come to, and why. Ways that have come to
// the same name go on as one, unless a chain can lead back to a name: then the names that
// it has gone through decide where it ends.
type way struct {
	name  string
	trail string // the names it has gone through, each between two line breaks; "" where they do not matter
	why   reasons
}

// chase adds what a question is answered with that a CNAME or DNAME leads on, as the
// handler follows them.
func (a *answering) chase(first step) {
	trail := ""
	if a.circular(first) {
		trail = "\n"
	}
	ways, order := map[way]odds{{name: first.name, trail: trail}: certain}, []way{{name: first.name, trail: trail}}
	for steps := 0; len(order) > 0; steps++ {
		on, at := make(map[way]odds), order
		order = nil
		for _, w := range at {
			s := first
			if steps > 0 {
				if steps > record.MaxFollow {
					a.none(outcome{rcode: noError, note: tooLong}, ways[w], w.why)
					continue
				}
				if strings.Contains(w.trail, "\n"+w.name+"\n") {
					a.none(outcome{rcode: noError, note: "the chain of CNAMEs goes round in a circle and ends there"}, ways[w], w.why)
					continue
				}
				s = a.follow(w.name, a.typ)
			}
			a.along(w, s, ways[w], steps == 0, func(to way, o odds) {
				if _, ok := on[to]; !ok {
					order = append(order, to)
				}
				on[to] = on[to].plus(o)
			})
		}
		ways = on
		if len(order) > manyWays {
			ways, order = merged(ways, order)
		}
	}
}

// manyWays is how many ways are told apart by the names that they have gone through. If
// there are more, which takes CNAMEs that fork at each step and lead back as well, a circle
// ends with the longest chain, and not where it comes back.
const manyWays = 4096

// merged lets ways that have come to the same name go on as one.
func merged(ways map[way]odds, order []way) (map[way]odds, []way) {
	fewer, first := make(map[way]odds), []way(nil)
	for _, w := range order {
		o := ways[w]
		w.trail = ""
		if _, ok := fewer[w]; !ok {
			first = append(first, w)
		}
		fewer[w] = fewer[w].plus(o)
	}
	return fewer, first
}

// along adds what a way is answered with at a step, or calls lead with where it goes on.
func (a *answering) along(w way, s step, o odds, first bool, lead func(to way, o odds)) {
	if s.group != nil && !slices.Contains(a.roots, s.group) {
		a.roots = append(a.roots, s.group)
	}
	switch s.kind {
	case holds:
		a.choose(s, a.selection(s.group), o, &w.why)
	case cname:
		a.lead(w, s, o, first, func(rr dns.RR, why reasons, o odds) {
			lead(way{target(rr), w.through(w.name), why}, o)
		})
	case dname:
		a.redirect(w, s, o, first, lead)
	case minimal:
		a.chances.add(minimalOutcome, []string{minimalOutcome.values}, o, w.why)
	case noData:
		a.none(outcome{rcode: noError, ttl: a.negativeTTL(s, a.typ), note: "no data at " + s.name}, o, w.why)
	case noName:
		a.none(outcome{rcode: nxDomain, ttl: a.negativeTTL(s, a.typ), note: "there is no " + s.name}, o, w.why)
	case through:
		if a.typ == dns.TypeANY { // the chain is as good a part of everything as any
			a.none(outcome{rcode: noError, note: "the chain of CNAMEs leads elsewhere"}, o, w.why)
			return
		}
		a.none(outcome{external: a.key(s.name), note: "it is resolved through the server"}, o, w.why)
	}
}

// lead calls on with each CNAME or DNAME that a step may choose.
func (a *answering) lead(w way, s step, o odds, first bool, on func(rr dns.RR, why reasons, o odds)) {
	a.spread.visit = a.visit
	a.spread.end = func(sel *routing.Selection, c routing.Choice, told routing.Reason, o odds) {
		why := reasons{w.why.told, w.why.resort || told == routing.LastResort}
		if first {
			why.told = told
		}
		rrs := a.redirections(c)
		for _, rr := range rrs {
			on(rr, why, o.times(1, uint64(len(rrs))))
		}
		if len(rrs) == 0 {
			a.end(s, sel, c, o, why, true)
		}
	}
	a.spread.from(a.selection(s.group), o)
}

// redirect leads a way on through a DNAME. A DNAME that the way has gone through already
// redirects it as before, whatever its odds.
func (a *answering) redirect(w way, s step, o odds, first bool, lead func(to way, o odds)) {
	owner := s.place.DNAME
	on := func(to string, ttl uint32, trail string, why reasons, o odds) {
		name, ok := redirected(w.name, owner, to)
		switch {
		case !ok:
			a.none(outcome{rcode: yxDomain, note: "the name that the DNAME makes is too long"}, o, why)
		case a.typ == dns.TypeCNAME:
			a.chances.add(outcome{values: name, ttl: ttl, rcode: noError}, []string{name}, o, why)
		default:
			lead(way{name, trail, why}, o)
		}
	}
	if _, gone, again := strings.Cut(w.trail, "\n"+owner+">"); again {
		to, _, _ := strings.Cut(gone, "\n")
		on(to, 0, w.through(w.name), w.why, o)
		return
	}
	a.lead(w, s, o, first, func(rr dns.RR, why reasons, o odds) {
		on(target(rr), rr.Header().Ttl, way{trail: w.through(w.name)}.through(owner+">"+target(rr)), why, o)
	})
}

// through returns the trail with one more name.
func (w way) through(name string) string {
	if w.trail == "" {
		return ""
	}
	return w.trail + name + "\n"
}

// circular reports whether a chain may come by a name twice, or whether the ways through a
// DNAME matter further on.
func (a *answering) circular(first step) bool {
	c := &circle{answering: a, path: make(map[string]bool), done: make(map[string]bool)}
	return c.closes(first, 0)
}

// farAway is how many CNAMEs lie between a question and a circle that nobody looks for:
// answers end long before it.
const farAway = 1000

// circle looks for a way that leads back to a name.
type circle struct {
	*answering
	path, done map[string]bool
}

func (c *circle) closes(s step, steps int) bool {
	if s.kind != cname && s.kind != dname || c.done[s.name] || steps > farAway {
		return false
	}
	if c.path[s.name] {
		return true
	}
	var targets []string
	choices := 0
	walk := spread{end: func(sel *routing.Selection, chosen routing.Choice, _ routing.Reason, _ odds) {
		choices++
		for _, rr := range c.redirections(chosen) {
			to, ok := target(rr), true
			if s.kind == dname {
				to, ok = redirected(s.name, s.place.DNAME, to)
			}
			if ok {
				targets = append(targets, to)
			}
		}
	}}
	walk.from(c.selection(s.group), certain)
	if s.kind == dname && (choices > 1 || len(targets) > 1) {
		return true
	}
	c.path[s.name] = true
	for _, to := range targets {
		if c.closes(c.follow(to, c.typ), steps+1) {
			return true
		}
	}
	c.path[s.name], c.done[s.name] = false, true
	return false
}

// redirections returns the CNAMEs or DNAMEs that a choice answers with, one of them at a
// time.
func (a *answering) redirections(c routing.Choice) []dns.RR {
	if c.External != nil && a.externalHealthy(c.External) {
		return c.External.RRs()
	}
	return c.Values
}
