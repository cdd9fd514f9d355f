package healthcheck

import (
	"slices"
	"testing"
)

func TestWheel(t *testing.T) {
	var w wheel
	add := func(due int64) *checker {
		c := new(checker)
		w.add(c, due)
		return c
	}
	take := func(now int64) (got []int64) {
		w.take(now, func(c *checker) { got = append(got, c.due) })
		return got
	}
	add(3)
	add(1)
	removed := add(2)
	add(3)
	add(3 + wheelSize) // the same place, a turn later
	add(50_000)
	w.remove(removed)

	if n, ok := w.next(); n != 1 || !ok {
		t.Errorf("next() = %d, %v, want 1", n, ok)
	}
	if got, want := take(3), []int64{1, 3, 3}; !slices.Equal(got, want) {
		t.Errorf("up to slot 3: took %v, want %v", got, want)
	}
	if late := add(2); late.due != 4 {
		t.Errorf("what is due in a slot already taken went to slot %d, want 4", late.due)
	}
	if got, want := take(3+wheelSize), []int64{4, 3 + wheelSize}; !slices.Equal(got, want) {
		t.Errorf("a turn later: took %v, want %v", got, want)
	}
	if got, want := take(60_000), []int64{50_000}; !slices.Equal(got, want) {
		t.Errorf("after many turns: took %v, want %v", got, want)
	}
	if n, ok := w.next(); ok {
		t.Errorf("the wheel is empty, next() = %d", n)
	}
}

func TestListRemovesAnywhere(t *testing.T) {
	for gone := range 3 {
		var l list
		var cs [3]checker
		for i := range cs {
			cs[i].due = int64(i)
			l.push(&cs[i])
		}
		l.remove(&cs[gone])
		want := slices.Delete([]int64{0, 1, 2}, gone, gone+1)
		var got []int64
		for c := l.pop(); c != nil; c = l.pop() {
			got = append(got, c.due)
		}
		if !slices.Equal(got, want) || l.head != nil || l.tail != nil {
			t.Errorf("without %d: got %v, want %v", gone, got, want)
		}
	}
}
