package arena_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/steerdns/steer/internal/arena"
)

// TestMake: what is handed out is zero, as long as was asked, and nobody else's, whatever
// is appended to it.
func TestMake(t *testing.T) {
	var s arena.Of[[2]int]
	var all [][][2]int
	for i := range 20_000 {
		n := i%7 + 1
		if i%5000 == 4999 {
			n = 100_000 // more than a chunk
		}
		part := s.Make(n)
		if len(part) != n || cap(part) != n {
			t.Fatalf("Make(%d) has length %d and capacity %d", n, len(part), cap(part))
		}
		for j := range part {
			if part[j] != [2]int{} {
				t.Fatalf("Make(%d) is not zero at %d: %v", n, j, part[j])
			}
			part[j] = [2]int{i, j}
		}
		all = append(all, part)
		_ = append(part, [2]int{-1, -1})
	}
	for i, part := range all {
		for j, v := range part {
			if v != [2]int{i, j} {
				t.Fatalf("part %d was written over at %d: %v", i, j, v)
			}
		}
	}
}

// TestFew: who makes one value keeps one value, and who makes many has few allocations.
func TestFew(t *testing.T) {
	const times = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		var s arena.Of[[8]int64]
		*s.New() = [8]int64{1}
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / times; n < 64 || n > 256 {
		t.Errorf("a arena with one value of 64 bytes takes %d bytes", n)
	}
	const many = 1_000_000
	allocations := testing.AllocsPerRun(1, func() {
		var s arena.Of[int64]
		for range many {
			*s.New() = 1
		}
	})
	if most := float64(many*8/(256<<10) + 20); allocations > most {
		t.Errorf("%d values took %v allocations, want %v at most", many, allocations, most)
	}
}

// TestStrings: strings stay what they were, next to each other.
func TestStrings(t *testing.T) {
	var s arena.Strings
	var kept, want []string
	b := []byte{}
	for i := range 100_000 {
		b = append(b[:0], strings.Repeat(string(rune('a'+i%26)), i%40)...)
		if i == 5000 {
			b = []byte(strings.Repeat("long", 1<<18))
		}
		kept, want = append(kept, s.Keep(string(b))), append(want, string(b))
	}
	for i := range kept {
		if kept[i] != want[i] {
			t.Fatalf("string %d is %.40q, want %.40q", i, kept[i], want[i])
		}
	}
	const name = "a.name.of.usual.length.example.org."
	allocations := testing.AllocsPerRun(1, func() {
		var s arena.Strings
		for range 100_000 {
			s.Keep(name)
		}
	})
	if allocations > 60 {
		t.Errorf("100,000 strings took %v allocations", allocations)
	}
}

// TestAppend: a list grows where it lies while nothing was made since, and elsewhere
// otherwise, and never over what others have.
func TestAppend(t *testing.T) {
	for _, s := range []*arena.Of[int]{nil, new(arena.Of[int])} {
		var lists [3000][]int
		for i := range lists {
			// Each list grows beside the one before it and the one after it.
			for _, k := range []int{i, i, i + 1, i, i + 1, i + 1, i} {
				if k < len(lists) {
					lists[k] = s.Append(lists[k], 100*k+len(lists[k]))
				}
			}
			s.Make(i % 3)
		}
		for k, list := range lists {
			for i, v := range list {
				if v != 100*k+i {
					t.Fatalf("list %d of %p has %d at %d, want %d", k, s, v, i, 100*k+i)
				}
			}
		}
	}
}

// TestList: values stay where they are.
func TestList(t *testing.T) {
	var l arena.List[int]
	var all []*int
	for i := range 5000 {
		v := l.Append()
		if *v != 0 {
			t.Fatalf("value %d is %d when it is new", i, *v)
		}
		*v = i
		all = append(all, v)
	}
	if l.Len() != len(all) {
		t.Errorf("the list has %d values, want %d", l.Len(), len(all))
	}
	for i, v := range all {
		if l.At(i) != v || *v != i {
			t.Fatalf("value %d has moved, or is %d", i, *v)
		}
	}
}
