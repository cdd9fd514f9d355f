package routing

import (
	"slices"

	"github.com/steerdns/steer/plugin/record"
)

// Parents returns the keys of the groups that have an alias to a group.
func (t *Table) Parents(g *record.Group) []record.Key {
	var keys []record.Key
	for _, p := range t.groups[g.Ordinal].parents {
		keys = append(keys, t.groups[p].group.Key)
	}
	return keys
}

// Edit takes groups into the table that are in the catalog at their Ordinals already, new
// ones or in the place of others, and takes those out that have left it. It compiles what
// that touches and publishes it as [Table.Update] does. It reports false and does nothing
// when other checks or external targets would be in use than are now, or when an alias to
// a group that goes would stay.
func (t *Table) Edit(put, drop []*record.Group, publish func(group int, s *Selection)) bool {
	fresh, ok := t.prepare(put)
	if !ok || !t.fits(put, drop, fresh) {
		return false
	}
	for _, g := range drop {
		t.unlink(g.Ordinal)
	}
	for _, g := range put {
		if t.replaced(g) != nil {
			t.unlink(g.Ordinal)
		}
	}
	for _, g := range drop {
		t.groups[g.Ordinal] = node{}
	}
	for i, g := range put {
		for int(g.Ordinal) >= len(t.groups) {
			t.groups, t.marked = append(t.groups, node{}), append(t.marked, false)
		}
		n := &t.groups[g.Ordinal]
		n.group, n.targets, n.previous = g, fresh[i].targets, nil
	}
	for _, g := range put {
		t.link(g.Ordinal)
	}
	for _, g := range put {
		t.rerank(g.Ordinal)
	}
	for _, g := range put {
		t.mark([]int32{g.Ordinal})
	}
	t.settle(publish)
	return true
}

// prepare returns the nodes of groups, and false when one needs an external target that
// is not in use.
func (t *Table) prepare(groups []*record.Group) (fresh []node, ok bool) {
	fresh, ok = make([]node, len(groups)), true
	for i, g := range groups {
		fresh[i].group = g
		fresh[i].targets = t.targets(g, func(k record.Key, to *record.Group) target {
			if to != nil {
				return target{groupTarget, to.Ordinal}
			}
			j, known := t.external[k]
			ok = ok && known
			return target{externalTarget, j}
		})
	}
	return fresh, ok
}

// fits reports whether nobody but the groups of an edit has to know of it.
func (t *Table) fits(put, drop []*record.Group, fresh []node) bool {
	edited := make(map[int32]bool, len(put)+len(drop))
	users := make(map[*[]int32]int) // how many more there will be
	for _, g := range drop {
		edited[g.Ordinal] = true
		t.addUser(users, &t.groups[g.Ordinal], -1)
	}
	for i, g := range put {
		edited[g.Ordinal] = true
		if n := t.replaced(g); n != nil {
			t.addUser(users, n, -1)
		}
		t.addUser(users, &fresh[i], 1)
	}
	for list, more := range users {
		if (len(*list) == 0) != (len(*list)+more == 0) {
			return false
		}
	}
	for _, g := range drop {
		for _, p := range t.groups[g.Ordinal].parents {
			if !edited[p] {
				return false
			}
		}
	}
	return true
}

// replaced returns the node that a group takes the place of, or nil if it is new: its
// Ordinal may be that of a group which goes.
func (t *Table) replaced(g *record.Group) *node {
	if int(g.Ordinal) >= len(t.groups) {
		return nil
	}
	if n := &t.groups[g.Ordinal]; n.group != nil && n.group.Key == g.Key {
		return n
	}
	return nil
}

// addUser counts a group once for each check and external target that it uses.
func (t *Table) addUser(users map[*[]int32]int, n *node, by int) {
	counted := make(map[*[]int32]bool)
	t.eachSource(n, func(list *[]int32) {
		if !counted[list] {
			counted[list] = true
			users[list] += by
		}
	})
}

// unlink takes a group out of the lists that link entered it into.
func (t *Table) unlink(self int32) {
	leave := func(list *[]int32) {
		*list = slices.DeleteFunc(*list, func(i int32) bool { return i == self })
	}
	t.eachSource(&t.groups[self], leave)
	t.eachChild(&t.groups[self], leave)
}

// rerank ranks a group anew, and those above it if that changes its rank.
func (t *Table) rerank(i int32) {
	n := &t.groups[i]
	if !t.rank(n) {
		return
	}
	for _, p := range n.parents {
		t.rerank(p)
	}
}
