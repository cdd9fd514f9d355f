package explain

import (
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// chains knows which CNAMEs lead where, under any health.
type chains struct {
	to map[string][]*record.Group // CNAME groups by the names whose groups answer for their targets
}

func newChains(m *Model) *chains {
	c := &chains{to: make(map[string][]*record.Group)}
	for g := range m.catalog.All() {
		if g.Type != dns.TypeCNAME {
			continue
		}
		for _, holder := range m.leads(g) {
			c.to[holder] = append(c.to[holder], g)
		}
	}
	return c
}

// leads returns the names whose groups answer for what the CNAMEs of a group itself point
// at, and those of DNAMEs in between.
func (m *Model) leads(g *record.Group) []string {
	var holders []string
	for i := range g.Records {
		for _, rr := range g.Records[i].Values {
			holders = m.holders(holders, target(rr), 0)
		}
	}
	slices.Sort(holders)
	return slices.Compact(holders)
}

func (m *Model) holders(list []string, name string, steps int) []string {
	p := m.catalog.Place(name)
	switch {
	case p.Zone == "" || p.Cut != "" || steps > record.MaxFollow:
	case p.DNAME != "":
		list = append(list, p.DNAME)
		for _, r := range m.group(p.DNAME, dns.TypeDNAME).Records {
			for _, rr := range r.Values {
				if to, ok := redirected(name, p.DNAME, target(rr)); ok {
					list = m.holders(list, to, steps+1)
				}
			}
		}
	case p.Holder != "":
		list = append(list, p.Holder)
	}
	return list
}

// followers returns the questions that one CNAME leads on to a question. Where a CNAME or
// DNAME itself changes, these are about the types that it leads to.
func (m *Model) followers(k record.Key) []record.Key {
	if m.chains == nil {
		m.chains = newChains(m)
	}
	if len(m.chains.to) == 0 && k.Type != dns.TypeCNAME {
		return nil
	}
	var keys []record.Key
	if g := m.catalog.Groups[k]; g != nil && k.Type == dns.TypeCNAME {
		for _, typ := range m.typesBelow(g) {
			keys = append(keys, record.Key{Name: k.Name, Type: typ})
		}
	}
	for _, g := range m.chains.to[k.Name] {
		types := []uint16{k.Type}
		if k.Type == dns.TypeCNAME || k.Type == dns.TypeDNAME {
			types = m.typesBelow(g)
		}
		for _, name := range m.aliasesOf(g, nil) {
			for _, typ := range types {
				if follows(typ) {
					keys = append(keys, record.Key{Name: name, Type: typ})
				}
			}
		}
	}
	return keys
}

// aliasesOf adds the names of a CNAME group and of the groups with aliases that lead to
// it.
func (m *Model) aliasesOf(g *record.Group, names []string) []string {
	if slices.Contains(names, g.Name) {
		return names
	}
	names = append(names, g.Name)
	for _, i := range m.table.Above(int(g.Ordinal)) {
		above, _, _ := m.table.Group(int(i))
		names = m.aliasesOf(above, names)
	}
	return names
}

// typesBelow returns the types that the chains from a CNAME group end in, or A if they lead
// elsewhere, where nobody knows.
func (m *Model) typesBelow(g *record.Group) []uint16 {
	var types []uint16
	seen := make(map[*record.Group]bool)
	var below func(g *record.Group)
	below = func(g *record.Group) {
		if seen[g] {
			return
		}
		seen[g] = true
		for i := range g.Records {
			if to := m.table.Target(int(g.Ordinal), i); to.Kind == routing.GroupTarget {
				alias, _, _ := m.table.Group(to.Group)
				below(alias)
			}
		}
		for _, holder := range m.leads(g) {
			if next := m.group(holder, dns.TypeCNAME); next != nil {
				below(next)
				continue
			}
			for _, typ := range m.catalog.Types(holder) {
				if follows(typ) && typ != dns.TypeDNAME {
					types = append(types, typ)
				}
			}
		}
	}
	below(g)
	if len(types) == 0 {
		return []uint16{dns.TypeA}
	}
	slices.Sort(types)
	return slices.Compact(types)
}
