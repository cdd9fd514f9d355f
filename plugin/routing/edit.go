package routing

import (
	"slices"

	"github.com/steerdns/steer/plugin/record"
)

// Edit takes over changes that the catalog holds already, compiles the groups that they
// touch, and publishes them as [Table.Update] does. It reports false and does nothing when
// something other than these groups could notice the changes: a check or an external target
// that loses its last user, an external target that is new, an alias to a group that goes,
// and what is reported of an alias to one that stays; or when too many aliases would follow
// each other.
func (t *Table) Edit(changes []record.Change, publish func(group int, s *Selection)) bool {
	nodes, ok := t.prepare(changes)
	if !ok {
		return false
	}
	ok = t.exchange(changes, nodes) // which are those of before then
	for i, ch := range changes {
		ok = ok && !t.noticed(ch, &nodes[i])
	}
	if !ok {
		t.exchange(changes, nodes)
		return false
	}
	for _, ch := range changes {
		n := &t.groups[ch.Ordinal()]
		n.current, n.previous = nil, nil // which hold what was before
		if ch.New != nil {
			t.mark([]int32{ch.Ordinal()})
		}
	}
	t.settle(publish)
	for _, ch := range changes {
		if ch.New == nil {
			t.unfile(ch.Ordinal())
		} else {
			t.file(ch.Ordinal()) // by the same rule, it can be in another state than the one before
		}
	}
	t.report()
	return true
}

// prepare makes room for the groups that are new, and returns the group and the targets
// that each change leaves, none where a group goes. It returns false when an alias leads to
// an external target that is not in use.
func (t *Table) prepare(changes []record.Change) (nodes []node, ok bool) {
	nodes, ok = make([]node, len(changes)), true
	for i, ch := range changes {
		for int(ch.Ordinal()) >= len(t.groups) {
			t.groups, t.marked = append(t.groups, node{}), append(t.marked, false)
		}
		if ch.New == nil {
			continue
		}
		nodes[i].group = ch.New
		nodes[i].targets = t.targets(ch.New, func(k record.Key, to *record.Group) target {
			if to != nil {
				return target{groupTarget, to.Ordinal}
			}
			j, known := t.external[k]
			ok = ok && known
			return target{externalTarget, j}
		})
	}
	return nodes, ok
}

// exchange gives the places of changes the groups and targets of nodes, which get those
// that were there. It reports whether aliases that follow each other are not too many.
func (t *Table) exchange(changes []record.Change, nodes []node) bool {
	leavers := make(map[*[]int32]map[int32]struct{})
	for i, ch := range changes {
		n, other := &t.groups[ch.Ordinal()], &nodes[i]
		relink(ch.Ordinal(), t.lists(n), t.lists(other), leavers)
		n.group, other.group, n.targets, other.targets = other.group, n.group, other.targets, n.targets
	}
	for list, gone := range leavers { // once for all, since a list can be long
		*list = slices.DeleteFunc(*list, func(i int32) bool { _, leaves := gone[i]; return leaves })
	}
	ok := true
	for _, ch := range changes {
		ok = t.rerank(ch.Ordinal()) && ok
	}
	return ok
}

// relink enters a place into lists, and records the lists that it leaves. Those that it
// stays in are left alone.
func relink(i int32, was, is map[*[]int32]struct{}, leavers map[*[]int32]map[int32]struct{}) {
	for list := range was {
		if _, stays := is[list]; stays {
			continue
		}
		if leavers[list] == nil {
			leavers[list] = make(map[int32]struct{})
		}
		leavers[list][i] = struct{}{}
	}
	for list := range is {
		if _, stays := was[list]; !stays {
			*list = append(*list, i)
		}
	}
}

// lists returns the lists that a group has to be in, of those who must be told of changes.
func (t *Table) lists(n *node) map[*[]int32]struct{} {
	lists := make(map[*[]int32]struct{})
	if n.group != nil {
		see := func(list *[]int32) { lists[list] = struct{}{} }
		t.eachSource(n, see)
		t.eachChild(n, see)
	}
	return lists
}

// noticed reports whether something other than the groups of an edit could notice a change,
// when all of them are made. old is the node of before.
func (t *Table) noticed(ch record.Change, old *node) bool {
	if ch.Old == nil {
		return false
	}
	unused := false
	t.eachSource(old, func(list *[]int32) { unused = unused || len(*list) == 0 })
	aliases := len(t.groups[ch.Ordinal()].parents) > 0
	return unused || aliases && (ch.New == nil || !t.catalog.Alike(ch.New, ch.Old))
}

// rerank ranks a group anew, and those above it if that changes its rank. It reports
// whether no rank on the way is above the limit.
func (t *Table) rerank(i int32) bool {
	n := &t.groups[i]
	if !t.rank(n) {
		return true
	}
	ok := n.rank <= record.MaxAliases
	for _, p := range n.parents {
		ok = t.rerank(p) && ok
	}
	return ok
}
