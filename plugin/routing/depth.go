package routing

import "github.com/steerdns/steer/plugin/record"

// tooDeep reports whether more than [record.MaxAliases] aliases would follow each other
// after an edit, which has no alias cycles. fresh are the nodes of put.
func (t *Table) tooDeep(put []*record.Group, fresh []node) bool {
	ranks := make(map[int32]int32) // as the edit makes them, where that is other than before
	edited := make(map[int32]*node, len(put))
	parents := make(map[int32][]int32) // among put
	todo := make([]int32, 0, len(put))
	for i, g := range put {
		edited[g.Ordinal] = &fresh[i]
		todo = append(todo, g.Ordinal)
		if t.replaced(g) == nil {
			ranks[g.Ordinal] = 0
		}
		for _, to := range fresh[i].targets {
			if to.kind == groupTarget {
				parents[to.index] = append(parents[to.index], g.Ordinal)
			}
		}
	}
	rankOf := func(i int32) int32 {
		if rank, ok := ranks[i]; ok {
			return rank
		}
		return t.groups[i].rank
	}
	for len(todo) > 0 { // first come, first served: a rank is right after as many rounds as it is high
		i := todo[0]
		todo = todo[1:]
		n := edited[i]
		if n == nil {
			n = &t.groups[i]
		}
		rank := int32(0)
		for _, to := range n.targets {
			if to.kind == groupTarget {
				rank = max(rank, rankOf(to.index)+1)
			}
		}
		if rank == rankOf(i) {
			continue
		}
		ranks[i] = rank
		todo = append(append(todo, parents[i]...), t.groups[i].parents...)
	}
	for _, rank := range ranks {
		if rank > record.MaxAliases {
			return true
		}
	}
	return false
}
