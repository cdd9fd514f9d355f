// Package arena allocates values that come by the million and live about equally long, many
// at a time. The garbage collector then has few objects to scan, and values that are read
// one after another lie side by side.
package arena

import (
	"strings"
	"unsafe"
)

// chunkSize is how many bytes are allocated at a time at most. The collector
// keeps metadata for each chunk; larger chunks hardly reduce it further.
const chunkSize = 256 << 10

// Of allocates values of one type. The zero value is ready for use by one goroutine.
// A nil *Of allocates each value by itself. Use nil for values that are replaced often: a
// replaced value in a chunk stays in memory as long as any other value of that chunk does.
//
// The first chunks are small, so few values take little memory.
type Of[T any] struct {
	chunk []T // the last one
	used  int // of the chunk
}

// New returns a new zero value.
func (s *Of[T]) New() *T { return &s.Make(1)[0] }

// Make returns n zero values, without spare capacity.
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

// Append appends a value to a slice that was made here, in place if it was the last one made.
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

// Strings stores strings one after another in chunks. The zero value is ready for use; a nil
// *Strings stores each by itself.
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

// List is a list that grows without moving its values.
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
