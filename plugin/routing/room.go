package routing

import "github.com/steerdns/steer/internal/slab"

// room is where the parts of a Table are allocated. What changes in it later goes by the
// zero value, which allocates one by one: a part that stays would keep those beside it.
type room struct {
	selections *slab.Of[Selection]
	tables     *slab.Of[table]
	choices    *slab.Of[choice]
	guides     *slab.Of[uint32]
	targets    *slab.Of[target]
	lists      *slab.Of[int32]
}

// newRoom returns a room for what lives as long as the Table.
func newRoom() room {
	return room{
		new(slab.Of[Selection]), new(slab.Of[table]), new(slab.Of[choice]),
		new(slab.Of[uint32]), new(slab.Of[target]), new(slab.Of[int32]),
	}
}
