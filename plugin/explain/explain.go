package explain

import (
	"fmt"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// Explain says what a question for a name and a type is answered with, and why. The name
// is absolute, in any case. It is an error if it is no domain name.
func (m *Model) Explain(name string, typ uint16) (*Explanation, error) {
	name, err := record.Canonical(name)
	if err != nil {
		return nil, err
	}
	first := m.ask(name, typ)
	t := &tree{Model: m, typ: typ, reach: make(map[*routing.Selection]odds), shown: make(map[*record.Group]bool)}
	a := answering{Model: m, typ: typ, visit: func(s *routing.Selection, o odds) { t.reach[s] = t.reach[s].plus(o) }}
	a.from(first)
	e := &Explanation{
		Question:   Question{name, dns.Type(typ).String()},
		Zone:       first.place.Zone,
		Answers:    answersOf(&a.chances),
		Tree:       t.node(first, certain),
		LastResort: a.chances.resort(),
	}
	if len(e.Answers) > 0 {
		e.Rcode = e.Answers[0].Rcode
	}
	e.reason(first, &a.chances, m)
	e.Next = m.nextOf(a.roots)
	return e, nil
}

// reason fills in the rule that chose.
func (e *Explanation) reason(first step, c *chances, m *Model) {
	if end, ok := endings[first.kind]; ok {
		e.Reason, e.Why, e.Source = end.reason, end.why, end.source
		return
	}
	told := c.told()
	why := rules[told]
	if told == routing.LastResort && first.group.Policy == record.Failover && m.selection(first.group).Rule() == told {
		why = lastTier
	}
	if told == routing.LastResort && first.group.Policy == record.Balanced {
		why = failOpen
	}
	e.Reason, e.Why, e.Source = told.String(), why.why, why.source
}

// answersOf returns the answers of a question as they are told.
func answersOf(c *chances) []Answer {
	list := make([]Answer, 0, len(c.list))
	for _, at := range c.sorted() {
		a := Answer{
			Values: at.texts, TTL: at.ttl, Odds: at.odds.String(), Each: at.each,
			Rcode: at.rcode, External: at.external, Note: at.note,
		}
		if a.Values == nil {
			a.Values = []string{}
		}
		if at.rcode != "" || at.external != "" && !strings.HasPrefix(at.note, "the next plugin") {
			a.Reason = at.told.String()
		}
		list = append(list, a)
	}
	return list
}

// tree draws where the answers to one question come from.
type tree struct {
	*Model
	typ   uint16
	reach map[*routing.Selection]odds // that the way of an answer comes through it
	shown map[*record.Group]bool
}

// node draws a step of the way, which an answer comes to with some odds if nothing is held
// there.
func (t *tree) node(s step, o odds) *Node {
	switch s.kind {
	case holds:
		return t.group(s.group, s, s.name, t.typ)
	case cname:
		return t.group(s.group, s, s.name, dns.TypeCNAME)
	case dname:
		return t.group(s.group, s, s.name, dns.TypeDNAME)
	}
	end := endings[s.kind]
	n := &Node{Kind: end.kind, Name: s.name, Type: dns.Type(t.typ).String(), Why: end.why, Source: end.source, Odds: o.String()}
	switch s.kind {
	case referral:
		t.delegation(n, s)
	case noData, besides:
		n.Why = t.without(s, n.Why)
	}
	return n
}

// without says what a name holds that has nothing of the type asked for.
func (t *tree) without(s step, why string) string {
	types := t.catalog.Types(s.place.Holder)
	if len(types) == 0 {
		return why + "; it is there for names below it"
	}
	names := make([]string, len(types))
	for i, typ := range types {
		names[i] = dns.Type(typ).String()
	}
	at := ""
	if s.place.Holder != s.name {
		at = " at the wildcard " + s.place.Holder
	}
	return fmt.Sprintf("%s; there is %s%s", why, strings.Join(names, ", "), at)
}

// group draws a group that is looked up by a name, and what it leads to where it is drawn
// first. s is the step of the question that the group, or an alias to it, stands for.
func (t *tree) group(g *record.Group, s step, name string, typ uint16) *Node {
	sel := t.selection(g)
	n := &Node{
		Kind: "group", Name: name, Type: dns.Type(typ).String(), Position: position(g.Pos), Policy: g.Policy.String(),
		Rule: sel.Rule().String(), Odds: t.reach[sel].atMost1().String(),
	}
	if g.Name != name {
		n.Holder = g.Name
	}
	t.judge(n, g, sel)
	if t.shown[g] {
		n.Repeated = true
		return n
	}
	t.shown[g] = true
	if d, several := sel.Draw(); several {
		n.Draw = &Draw{Drawn: len(d.Always) + d.Drawn, Of: len(d.Always)}
		for _, pool := range d.Pools {
			n.Draw.Of += len(pool)
		}
	}
	if g.Balancer != nil {
		n.Kind = "load_balancer"
		n.Balancer = t.balancer(g.Balancer)
		return n
	}
	n.Records = t.records(g, sel, s)
	return n
}

// judge fills in the rule of a group and what an alias above it sees.
func (t *tree) judge(n *Node, g *record.Group, sel *routing.Selection) {
	why := rules[sel.Rule()]
	_, _, healthy := t.table.Group(int(g.Ordinal))
	up := 0
	for i := range g.Records {
		if t.table.Healthy(int(g.Ordinal), i) {
			up++
		}
	}
	n.Healthy = &healthy
	n.Sees = fmt.Sprintf("%d of %d record sets healthy", up, len(g.Records))
	if sel.Rule() == routing.LastResort && g.Policy == record.Failover {
		why = lastTier
	}
	if g.Balancer != nil {
		n.Sees = "each target group meets its dns_failover in some zone"
		if !healthy {
			n.Sees = "a target group meets its dns_failover in no zone, or there are no targets"
		}
		if sel.Rule() == routing.LastResort {
			why = failOpen
		}
	}
	n.Why, n.Source = why.why, why.source
}

// delegation fills in the servers of a referral and their addresses.
func (t *tree) delegation(n *Node, s step) {
	n.Holder = s.place.Cut
	sel := t.selection(s.group)
	t.reach[sel] = certain
	n.Records = t.records(s.group, sel, s)
	for i := range s.group.Records {
		for _, rr := range s.group.Records[i].Values {
			ns, ok := rr.(*dns.NS)
			if !ok {
				continue
			}
			for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA} {
				if g := t.Model.group(strings.ToLower(ns.Ns), typ); g != nil {
					c := t.groupAnswers(g, t.selection(g))
					glue := Glue{Name: ns.Ns, Type: dns.Type(typ).String()}
					for _, at := range c.sorted() {
						glue.Values = append(glue.Values, at.texts...)
					}
					n.Glue = append(n.Glue, glue)
				}
			}
		}
	}
}

// position returns where something stands, or "" if nobody wrote it.
func position(p record.Pos) string {
	if p == (record.Pos{}) {
		return ""
	}
	return p.String()
}
