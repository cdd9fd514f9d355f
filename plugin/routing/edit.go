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
// when other checks or external targets would be in use than are now, when an alias to a
// group that goes would stay, or when too many aliases would follow each other.
func (t *Table) Edit(put, drop []*record.Group, publish func(group int, s *Selection)) bool {
	for _, g := range put {
		for int(g.Ordinal) >= len(t.groups) {
			t.groups, t.marked = append(t.groups, node{}), append(t.marked, false)
		}
	}
	fresh, ok := t.prepare(put)
	if !ok || !t.fits(put, drop, fresh) || t.tooDeep(put, fresh) {
		return false
	}
	t.relink(put, drop, fresh)
	for i, g := range put {
		n := &t.groups[g.Ordinal]
		n.group, n.targets, n.previous = g, fresh[i].targets, nil
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
	if n := &t.groups[g.Ordinal]; n.group != nil && n.group.Key == g.Key {
		return n
	}
	return nil
}

// addUser counts a group once for each check and external target that it uses.
func (t *Table) addUser(users map[*[]int32]int, n *node, by int) {
	for list := range listsOf(n, t.eachSource) {
		users[list] += by
	}
}

// listsOf returns the lists that a walk over what a group uses comes by.
func listsOf(n *node, walks ...func(n *node, f func(list *[]int32))) map[*[]int32]struct{} {
	lists := make(map[*[]int32]struct{})
	for _, walk := range walks {
		walk(n, func(list *[]int32) { lists[list] = struct{}{} })
	}
	return lists
}

// relink takes groups that go out of the lists of who must be told of changes, enters
// those that come, and moves those that change. Lists that a group stays in, which can be
// long, are left alone.
func (t *Table) relink(put, drop []*record.Group, fresh []node) {
	leave := make(map[*[]int32]map[int32]bool)
	enter := make(map[*[]int32][]int32)
	leaves := func(list *[]int32, i int32) {
		if leave[list] == nil {
			leave[list] = make(map[int32]bool)
		}
		leave[list][i] = true
	}
	ended := make(map[*[]int32]bool) // the parents of what goes: another one may get its place
	for _, g := range drop {
		ended[&t.groups[g.Ordinal].parents] = true
		for list := range listsOf(&t.groups[g.Ordinal], t.eachSource, t.eachChild) {
			leaves(list, g.Ordinal)
		}
	}
	for i, g := range put {
		now := listsOf(&fresh[i], t.eachSource, t.eachChild)
		if old := t.replaced(g); old != nil {
			for list := range listsOf(old, t.eachSource, t.eachChild) {
				if _, stays := now[list]; stays && !ended[list] {
					delete(now, list)
				} else {
					leaves(list, g.Ordinal)
				}
			}
		}
		for list := range now {
			enter[list] = append(enter[list], g.Ordinal)
		}
	}
	for list, gone := range leave {
		*list = slices.DeleteFunc(*list, func(i int32) bool { return gone[i] })
	}
	for _, g := range drop {
		t.groups[g.Ordinal] = node{} // its place may be another one's already
	}
	for list, more := range enter {
		*list = append(*list, more...)
	}
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
