package routing

import "github.com/steerdns/steer/internal/arena"

// allocators allocate the parts of a Table. Parts that are compiled later use the zero value,
// which allocates them one by one: in an arena, one part in use keeps its whole chunk.
type allocators struct {
	selections *arena.Of[Selection]
	tables     *arena.Of[table]
	choices    *arena.Of[choice]
	guides     *arena.Of[uint32]
	targets    *arena.Of[target]
	lists      *arena.Of[int32]
}

// newAllocators returns allocators for what lives as long as the Table.
func newAllocators() allocators {
	return allocators{
		new(arena.Of[Selection]), new(arena.Of[table]), new(arena.Of[choice]),
		new(arena.Of[uint32]), new(arena.Of[target]), new(arena.Of[int32]),
	}
}
