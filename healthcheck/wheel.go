package healthcheck

// list is a queue of checkers through their prev and next.
type list struct {
	head, tail *checker
}

func (l *list) push(c *checker) {
	c.prev, c.next = l.tail, nil
	if l.tail == nil {
		l.head = c
	} else {
		l.tail.next = c
	}
	l.tail = c
}

func (l *list) remove(c *checker) {
	if c.prev == nil {
		l.head = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next == nil {
		l.tail = c.prev
	} else {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

func (l *list) pop() *checker {
	c := l.head
	if c != nil {
		l.remove(c)
	}
	return c
}

// wheelSize is the number of slots in one turn of the wheel: 102.4 s. A checker with
// a longer wait stays where it is until the wheel has turned often enough.
const wheelSize = 1024

// wheel holds the waiting checkers by the slot they are due in. Adding and removing
// cost the same however many there are, and nothing is allocated.
type wheel struct {
	slots [wheelSize]list
	taken int64 // the last slot whose checkers were taken
}

// add puts c into the slot due, or into the next one if that has been taken already.
func (w *wheel) add(c *checker, due int64) {
	c.due = max(due, w.taken+1)
	c.state = waiting
	w.slots[c.due%wheelSize].push(c)
}

func (w *wheel) remove(c *checker) { w.slots[c.due%wheelSize].remove(c) }

// take hands over the checkers of all slots up to now, the earliest first.
func (w *wheel) take(now int64, due func(*checker)) {
	// After a long sleep one turn meets every checker; the order is then that of
	// the wheel, which does no harm.
	for n := max(w.taken+1, now-wheelSize+1); n <= now; n++ {
		l := &w.slots[n%wheelSize]
		for c := l.head; c != nil; {
			next := c.next
			if c.due <= now {
				l.remove(c)
				due(c)
			}
			c = next
		}
	}
	w.taken = max(w.taken, now)
}

// next returns the first slot that may have a due checker. With waits longer than a
// turn it can be too early by whole turns; then the scheduler finds nothing due.
func (w *wheel) next() (n int64, ok bool) {
	for n := w.taken + 1; n <= w.taken+wheelSize; n++ {
		if w.slots[n%wheelSize].head != nil {
			return n, true
		}
	}
	return 0, false
}
