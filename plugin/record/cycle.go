package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// cycles finds aliases that lead back to themselves: a depth-first walk from those groups
// that can be on a cycle, in a fixed order so that the message is always the same.
func (v *validator) cycles(suspects []*Group) {
	slices.SortFunc(suspects, func(a, b *Group) int { return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type)) })
	w := &walk{validator: v, state: make(map[*Group]walkState, len(suspects))}
	for _, g := range suspects {
		if w.state[g] == unseen && v.catalog.Groups[g.Key] == g {
			w.visit(g)
		}
	}
}

type walkState uint8

const (
	unseen walkState = iota
	onPath
	done
)

type walk struct {
	*validator
	state map[*Group]walkState
	path  []string
}

// visit walks g's aliases. Its depth is that of the alias tree.
func (w *walk) visit(g *Group) {
	w.state[g] = onPath
	w.path = append(w.path, g.Name)
	for i := 0; i < len(g.Records); i++ {
		r := g.Records[i]
		if r.Alias == nil {
			continue
		}
		target, held := w.catalog.Target(r.Alias.Name, g.Type)
		if held != Here {
			continue
		}
		switch w.state[target] {
		case unseen:
			w.visit(target)
		case onPath:
			before := len(g.Records)
			w.refuse(g, &r, "alias cycle", w.cycleError(g, &r, target))
			i -= before - len(g.Records)
		}
	}
	w.path = w.path[:len(w.path)-1]
	w.state[g] = done
}

// cycleError names the way from target, which is on the path, back to it.
func (w *walk) cycleError(g *Group, r *RecordSet, target *Group) error {
	switch {
	case target != g:
		chain := append(slices.Clone(w.path[slices.Index(w.path, target.Name):]), target.Name)
		return fmt.Errorf("alias cycle: %s (%s)", strings.Join(chain, " -> "), dns.Type(g.Type))
	case r.Alias.Name != g.Name:
		return fmt.Errorf("%s: the alias points at %s, which this wildcard itself answers", g.Key, r.Alias.Name)
	}
	return fmt.Errorf("%s: the alias points at itself", g.Key)
}
