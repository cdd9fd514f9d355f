package route53json

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"unicode/utf8"
)

// Bounds of what is read. They are far above what Route 53 makes and keep hostile
// input from taking memory: but for what is kept of it, a file of any size is read in
// the window and one string.
const (
	windowSize = 64 << 10 // bytes
	maxDepth   = 64       // objects and lists in one another; Route 53 needs 6
	maxString  = 64 << 10 // bytes of a string or number; Route 53's longest value has 32,000 characters
)

// scanner reads JSON (RFC 8259) value by value out of a window that moves over the
// file, and knows the line at every step. encoding/json would need a whole record set
// at a time, tells lines only by counting them again, and takes bytes that are not
// UTF-8; it is the oracle of this scanner's fuzz test.
//
// An error ends the file: no method may be called after one.
type scanner struct {
	r      io.Reader
	window []byte
	at     int    // window[at:] is yet to be read
	text   []byte // the last string that did not lie plainly in the window
	depth  int

	line      int   // of window[at], from 1
	base      int64 // offset of the window in the file
	lineStart int64 // offset of the line

	hash maphash.Hash // of what was read since startDigest, up to window[mark]
	mark int          // negative when nothing is hashed
}

func newScanner(r io.Reader) *scanner {
	s := &scanner{r: r, window: make([]byte, 0, windowSize), line: 1, mark: -1}
	s.hash.SetSeed(seed)
	return s
}

// startDigest begins a digest at the next byte. It ends one that was begun before.
func (s *scanner) startDigest() {
	s.hash.Reset()
	s.mark = s.at
}

// endDigest returns the digest of what was read since startDigest, and false when another
// one has been begun and ended since then.
func (s *scanner) endDigest() (uint64, bool) {
	if s.mark < 0 {
		return 0, false
	}
	s.hash.Write(s.window[s.mark:s.at])
	s.mark = -1
	return s.hash.Sum64(), true
}

// syntaxError is what is wrong with a file as a whole, and where.
type syntaxError struct {
	line, column int
	err          error
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%d:%d: %v", e.line, e.column, e.err) }

func (e *syntaxError) Unwrap() error { return e.err }

// errorf returns an error at the next byte.
func (s *scanner) errorf(format string, args ...any) error {
	return &syntaxError{s.line, int(s.base + int64(s.at) - s.lineStart + 1), fmt.Errorf(format, args...)}
}

// fill puts further bytes of the file into the window when all that it holds are read.
func (s *scanner) fill() error {
	if s.mark >= 0 {
		s.hash.Write(s.window[s.mark:])
		s.mark = 0
	}
	s.base += int64(len(s.window))
	s.window, s.at = s.window[:0], 0
	for range 100 {
		n, err := s.r.Read(s.window[:cap(s.window)])
		s.window = s.window[:n]
		switch {
		case n > 0:
			return nil
		case errors.Is(err, io.EOF):
			return io.EOF
		case err != nil:
			return err
		}
	}
	return io.ErrNoProgress
}

// peek skips white space and returns the byte after it, or io.EOF.
func (s *scanner) peek() (byte, error) {
	for {
		for ; s.at < len(s.window); s.at++ {
			switch c := s.window[s.at]; c {
			case ' ', '\t', '\r':
			case '\n':
				s.line++
				s.lineStart = s.base + int64(s.at) + 1
			default:
				return c, nil
			}
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

// next is peek where the file must not end.
func (s *scanner) next() (byte, error) {
	c, err := s.peek()
	return c, s.inside(err)
}

// inside turns the end of the file into an error: it comes within a value.
func (s *scanner) inside(err error) error {
	if err != nil && errors.Is(err, io.EOF) {
		return s.errorf("the file ends here, in the middle of a value")
	}
	return err
}

// begin skips what marks a file as UTF-8, and tells what other encodings have there.
// At the end of the file it returns io.EOF.
func (s *scanner) begin() error {
	n, err := io.ReadFull(s.r, s.window[:3])
	s.window = s.window[:n]
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return io.EOF
	case n == 0:
		return err
	case bytes.HasPrefix(s.window, []byte("\xef\xbb\xbf")):
		s.at, s.lineStart = 3, 3
	case bytes.HasPrefix(s.window, []byte("\xff\xfe")), bytes.HasPrefix(s.window, []byte("\xfe\xff")):
		return s.errorf("the file is in UTF-16, as PowerShell redirects output; save it as UTF-8")
	}
	return nil
}

// object reads an object and calls member for each key, which is lower case and holds
// until member reads on; member has to read the value.
func (s *scanner) object(member func(key []byte) error) error {
	if err := s.open(); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.another(first, '}')
		if !more || err != nil {
			return err
		}
		if c, _ := s.peek(); c != '"' {
			return s.errorf("%q where a key in double quotes belongs", c)
		}
		key, err := s.string()
		if err != nil {
			return err
		}
		s.text = appendLower(s.text[:0], key)
		switch c, err := s.next(); {
		case err != nil:
			return err
		case c != ':':
			return s.errorf("%q where the ':' after a key belongs", c)
		}
		s.at++
		if err := member(s.text); err != nil {
			return err
		}
	}
}

// array reads a list and calls element for each element, which it has to read.
func (s *scanner) array(element func() error) error {
	if err := s.open(); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.another(first, ']')
		if !more || err != nil {
			return err
		}
		if err := element(); err != nil {
			return err
		}
	}
}

// open reads the bracket that peek has returned.
func (s *scanner) open() error {
	if s.depth++; s.depth > maxDepth {
		return s.errorf("objects and lists are nested deeper than %d levels", maxDepth)
	}
	s.at++
	return nil
}

// another reads the comma before a member that is not the first, or the closing
// bracket, and reports whether there is a member.
func (s *scanner) another(first bool, closing byte) (bool, error) {
	c, err := s.next()
	switch {
	case err != nil:
		return false, err
	case c == closing:
		s.at++
		s.depth--
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, s.errorf("%q where ',' or %q belongs", c, closing)
	}
	s.at++
	if c, err = s.next(); err == nil && c == closing {
		err = s.errorf("%q after a comma: JSON allows none after the last element", c)
	}
	return true, err
}

// skip reads over a value.
func (s *scanner) skip() error {
	c, err := s.next()
	switch {
	case err != nil:
		return err
	case c == '{':
		return s.object(func([]byte) error { return s.skip() })
	case c == '[':
		return s.array(s.skip)
	}
	_, err = s.scalar()
	return err
}

// appendLower appends b with its ASCII letters in lower case.
func appendLower(to, b []byte) []byte {
	for _, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

// validText reports an error unless b is UTF-8.
func (s *scanner) validText(b []byte) error {
	if utf8.Valid(b) {
		return nil
	}
	return s.errorf("the string that ends here is not UTF-8")
}
