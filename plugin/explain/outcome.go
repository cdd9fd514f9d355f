package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/steerdns/steer/plugin/routing"
)

// outcome is an answer that a client may get, without its odds. It is comparable.
type outcome struct {
	values   string // as [values.key]
	ttl      uint32 // seconds
	each     bool   // the values are drawn one by one: the odds are those of each
	rcode    string
	external string // the name and type that another server or plugin is asked for
	note     string // why there are no values
}

// chance is an outcome with its odds, and why it comes about.
type chance struct {
	outcome
	texts []string // the values
	odds  odds
	reasons
}

// chances are all answers that a question may get.
type chances struct {
	list  []chance
	index map[outcome]int // of a long list
}

// long is how many outcomes are worth an index.
const long = 16

// add counts odds for an outcome. Of several reasons for the same one the greatest counts.
func (c *chances) add(o outcome, texts []string, p odds, why reasons) {
	if p.zero() {
		return
	}
	i := c.find(o)
	if i < 0 {
		if c.index != nil {
			c.index[o] = len(c.list)
		}
		c.list = append(c.list, chance{o, texts, p, why})
		return
	}
	at := &c.list[i]
	at.odds = at.odds.plus(p)
	at.told, at.resort = max(at.told, why.told), at.resort || why.resort
}

func (c *chances) find(o outcome) int {
	if len(c.list) < long {
		return slices.IndexFunc(c.list, func(at chance) bool { return at.outcome == o })
	}
	if c.index == nil {
		c.index = make(map[outcome]int, 2*long)
		for i := range c.list {
			c.index[c.list[i].outcome] = i
		}
	}
	if i, ok := c.index[o]; ok {
		return i
	}
	return -1
}

// resort reports whether some of the answers are a last resort.
func (c *chances) resort() bool {
	return slices.ContainsFunc(c.list, func(at chance) bool { return at.resort })
}

// told returns the greatest reason of the answers that have records, if there are any.
func (c *chances) told() routing.Reason {
	var told, without routing.Reason
	some := false
	for i := range c.list {
		if why := c.list[i].told; why < routing.NoData {
			told, some = max(told, why), true
		} else {
			without = max(without, why)
		}
	}
	if some {
		return told
	}
	return without
}

// equal reports whether the same answers have the same odds, whatever the reasons.
func (c *chances) equal(d *chances) bool {
	if len(c.list) != len(d.list) {
		return false
	}
	for i := range c.list {
		j := d.find(c.list[i].outcome)
		if j < 0 || !c.list[i].odds.equal(d.list[j].odds) {
			return false
		}
	}
	return true
}

// empty reports whether nothing is ever answered with, here or elsewhere.
func (c *chances) empty() bool {
	return !slices.ContainsFunc(c.list, func(at chance) bool { return at.values != "" || at.external != "" })
}

// sorted returns the answers, the likeliest first.
func (c *chances) sorted() []chance {
	list := slices.Clone(c.list)
	slices.SortStableFunc(list, func(a, b chance) int {
		switch {
		case b.odds.less(a.odds):
			return -1
		case a.odds.less(b.odds):
			return 1
		}
		return cmp.Or(strings.Compare(a.values, b.values), strings.Compare(a.external, b.external), strings.Compare(a.note, b.note), cmp.Compare(a.ttl, b.ttl))
	})
	return list
}
