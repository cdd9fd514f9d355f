package test

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// capture keeps what is logged, by the servers of this process or by one of a binary.
type capture struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

// logged is what the servers in this process log.
var logged = &capture{}

func (c *capture) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes.Write(b)
}

// mark is a point in a log; what was logged before it is of no interest.
type mark struct {
	log *capture
	at  int
}

func (c *capture) mark() mark {
	c.mu.Lock()
	defer c.mu.Unlock()
	return mark{c, c.bytes.Len()}
}

// text returns what was logged since the mark.
func (m mark) text() string {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	return string(m.log.bytes.Bytes()[m.at:])
}

// count returns how many lines since the mark hold the words.
func (m mark) count(words string) int {
	n := 0
	for line := range strings.SplitSeq(m.text(), "\n") {
		if strings.Contains(line, words) {
			n++
		}
	}
	return n
}

// wait waits for a line that holds the words.
func (m mark) wait(t *testing.T, within time.Duration, words string) {
	t.Helper()
	if !poll(within, func() bool { return m.count(words) > 0 }) {
		t.Fatalf("not logged within %v: %q; what was:\n%s", within, words, m.text())
	}
}
