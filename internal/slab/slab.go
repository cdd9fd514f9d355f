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

// Of allocates values of one type. The zero value is ready for use, by one goroutine; nil
// allocates one by one, which is for what comes and goes: it would keep those beside it.
//
// A chunk stays in memory while anything in it is used. The first ones are small: who
// allocates little keeps little.
type Of[T any] struct {
	chunk []T // the last one
	used  int // of the chunk
}

// New returns a new zero value.
func (s *Of[T]) New() *T { return &s.Make(1)[0] }

// Make returns n zero values, and room for no more.
func (s *Of[T]) Make(n int) []T {
	if s == nil {
		return make([]T, n)
	}
	if n > len(s.chunk)-s.used {
		most := max(1, chunkSize/int(unsafe.Sizeof(*new(T))))
		if n > most/4 { // what is left of the chunk may do for others
			return make([]T, n)
		}
		s.chunk = make([]T, max(n, min(2*len(s.chunk), most)))
		s.used = 0
	}
	s.used += n
	return s.chunk[s.used-n : s.used : s.used]
}

// Append appends a value to values that were made here, in their place if nothing was made
// since.
func (s *Of[T]) Append(to []T, v T) []T {
	if s == nil {
		return append(to, v)
	}
	if len(to) == 0 {
		to = s.Make(1)
		to[0] = v
		return to
	}
	if at := s.used - len(to); at >= 0 && s.used < len(s.chunk) && &s.chunk[at] == &to[0] {
		s.used++
		to = s.chunk[at:s.used:s.used]
		to[len(to)-1] = v
		return to
	}
	return append(to, v)
}

// Strings keeps strings one after another. The zero value is ready for use; nil keeps each
// by itself.
type Strings struct {
	chunk strings.Builder
	last  int // capacity of the last chunk
}

// Keep returns a copy of a string.
func (s *Strings) Keep(text string) string {
	if s == nil {
		return strings.Clone(text)
	}
	if len(text) > s.chunk.Cap()-s.chunk.Len() {
		s.last = min(max(len(text), 2*s.last), max(len(text), chunkSize))
		s.chunk = strings.Builder{}
		s.chunk.Grow(s.last)
	}
	n := s.chunk.Len()
	_, _ = s.chunk.WriteString(text)
	return s.chunk.String()[n:]
}

// List is a list of values that stay where they are: it grows without copies.
type List[T any] struct {
	chunks [][]T
	n      int
}

// listChunk is how many values the chunks of a List hold.
const listChunk = 1024

// Len returns how many values there are.
func (l *List[T]) Len() int { return l.n }

// At returns the value at an index.
func (l *List[T]) At(i int) *T { return &l.chunks[i/listChunk][i%listChunk] }

// Append appends a zero value and returns it.
func (l *List[T]) Append() *T {
	if l.n%listChunk == 0 {
		l.chunks = append(l.chunks, make([]T, listChunk))
	}
	l.n++
	return l.At(l.n - 1)
}
