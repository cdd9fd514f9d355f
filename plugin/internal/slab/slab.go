// Package slab allocates values that come by the million and live about as long as each
// other: many at a time, so that the garbage collector has few objects to look at, and
// those that are read one after another lie side by side.
package slab

import (
	"strings"
	"unsafe"
)

// chunkSize is how many bytes are allocated at a time at most. The collector keeps books
// for each chunk; with larger ones these books are no smaller by much.
const chunkSize = 256 << 10

// Of allocates values of one type. The zero value is ready for use, by one goroutine.
//
// A chunk stays in memory while anything in it is used. The first ones are small: who
// allocates little keeps little.
type Of[T any] struct {
	free []T
	last int // length of the last chunk
}

// New returns a new zero value.
func (s *Of[T]) New() *T { return &s.Make(1)[0] }

// Make returns n zero values, and room for no more.
func (s *Of[T]) Make(n int) []T {
	if n > len(s.free) {
		most := max(1, chunkSize/int(unsafe.Sizeof(*new(T))))
		if n > most/4 { // what is left of the chunk may do for others
			return make([]T, n)
		}
		s.last = max(n, min(2*s.last, most))
		s.free = make([]T, s.last)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// Strings keeps strings one after another.
type Strings struct {
	chunk strings.Builder
	last  int // capacity of the last chunk
}

// Keep returns a string of some bytes.
func (s *Strings) Keep(b []byte) string {
	if len(b) > s.chunk.Cap()-s.chunk.Len() {
		s.last = min(max(len(b), 2*s.last), max(len(b), chunkSize))
		s.chunk = strings.Builder{}
		s.chunk.Grow(s.last)
	}
	n := s.chunk.Len()
	_, _ = s.chunk.Write(b)
	return s.chunk.String()[n:]
}
