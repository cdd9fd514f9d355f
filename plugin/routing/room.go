package routing

import "github.com/steerdns/steer/internal/slab"

// room is where the parts of a new Table are allocated: many at a time. What changes
// later is allocated one by one, or a part that stays would keep those beside it; nil is
// the room for that.
type room struct {
	selections slab.Of[Selection]
	tables     slab.Of[table]
	choices    slab.Of[choice]
	guides     slab.Of[uint32]
	targets    slab.Of[target]
	lists      slab.Of[int32]
}

func (r *room) newSelection() *Selection {
	if r == nil {
		return new(Selection)
	}
	return r.selections.New()
}

// newTable returns a table with room for choices.
func (r *room) newTable(choices int) *table {
	if r == nil {
		return &table{choices: make([]choice, choices)}
	}
	tab := r.tables.New()
	tab.choices = r.choices.Make(choices)
	return tab
}

func (r *room) newGuide(parts uint64) []uint32 {
	if r == nil {
		return make([]uint32, parts)
	}
	return r.guides.Make(int(parts))
}

func (r *room) newTargets(n int) []target {
	if r == nil {
		return make([]target, n)
	}
	return r.targets.Make(n)
}

// newList returns a list of groups with one in it.
func (r *room) newList(group int32) []int32 {
	if r == nil {
		return []int32{group}
	}
	list := r.lists.Make(1)
	list[0] = group
	return list
}
