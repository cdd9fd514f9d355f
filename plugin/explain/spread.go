package explain

import (
	"github.com/steerdns/steer/plugin/routing"
)

// reasons are why an answer is what it is, as far as is known at some place on its way.
type reasons struct {
	told   routing.Reason // what the server tells of the answer
	resort bool           // some group on the way is in last resort
}

// spread follows the odds of an answer down a tree of Selections: it calls end with each
// record set, or draw of several records, at the end of an alias's way, with the odds and
// the greatest rule on that way. A Selection that several ways lead to is walked once, so
// the cost is that of the aliases and not of the ways through them.
type spread struct {
	end func(s *routing.Selection, c routing.Choice, why routing.Reason, o odds)

	// visit is told the odds that the way of an answer comes through a Selection. It may be
	// nil.
	visit func(s *routing.Selection, o odds)

	order   []*routing.Selection
	arrived map[*routing.Selection][]share
}

// share is odds that arrived by one greatest rule.
type share struct {
	why  routing.Reason
	odds odds
}

// from starts at a Selection with some odds.
func (p *spread) from(root *routing.Selection, o odds) {
	if p.plain(root) {
		p.through(root, []share{{root.Rule(), o}})
		return
	}
	if p.arrived == nil {
		p.arrived = make(map[*routing.Selection][]share)
	}
	p.sort(root)
	p.arrive(root, share{root.Rule(), o})
	for i := len(p.order) - 1; i >= 0; i-- { // targets come after all that point at them
		s := p.order[i]
		p.through(s, p.arrived[s])
	}
	p.order = p.order[:0]
	clear(p.arrived)
}

// plain reports whether no alias leads on from a Selection.
func (p *spread) plain(s *routing.Selection) bool {
	choices, _ := s.Choices()
	for c := range choices {
		if c.Target != nil {
			return false
		}
	}
	return true
}

// sort enters a Selection into the order after all that its aliases lead to.
func (p *spread) sort(s *routing.Selection) {
	if _, seen := p.arrived[s]; seen {
		return
	}
	p.arrived[s] = nil
	choices, _ := s.Choices()
	for c := range choices {
		if c.Target != nil {
			p.sort(c.Target)
		}
	}
	p.order = append(p.order, s)
}

// through takes the odds that arrived at a Selection on to what it chooses.
func (p *spread) through(s *routing.Selection, arrived []share) {
	if p.visit != nil {
		sum := odds{}
		for _, a := range arrived {
			sum = sum.plus(a.odds)
		}
		p.visit(s, sum)
	}
	choices, total := s.Choices()
	for _, a := range arrived {
		if total == 0 {
			p.end(s, routing.Choice{}, a.why, a.odds)
		}
		for c := range choices {
			o := a.odds.times(c.Share, total)
			if c.Target == nil {
				p.end(s, c, a.why, o)
				continue
			}
			p.arrive(c.Target, share{max(a.why, c.Target.Rule()), o})
		}
	}
}

func (p *spread) arrive(s *routing.Selection, more share) {
	list := p.arrived[s]
	for i := range list {
		if list[i].why == more.why {
			list[i].odds = list[i].odds.plus(more.odds)
			return
		}
	}
	p.arrived[s] = append(list, more)
}
