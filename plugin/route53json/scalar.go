package route53json

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// scalar is a string, number, true or false. Its zero value is null, an absent member
// or an empty string: SDKs write any of the three for what is not set.
type scalar struct {
	text   []byte
	quoted bool
}

// scalar reads a value that is no object and no list. Its text holds until the next
// call.
func (s *scanner) scalar() (scalar, error) {
	c, err := s.next()
	switch {
	case err != nil:
		return scalar{}, err
	case c == '"':
		text, err := s.string()
		return scalar{text, true}, err
	case c == '-' || '0' <= c && c <= '9':
		text, err := s.number()
		return scalar{text, false}, err
	case c == 't':
		return scalar{text: []byte("true")}, s.literal("true")
	case c == 'f':
		return scalar{text: []byte("false")}, s.literal("false")
	case c == 'n':
		return scalar{}, s.literal("null")
	}
	return scalar{}, s.errorf("%q where a value belongs", c)
}

// byte reads one byte inside a value.
func (s *scanner) byte() (byte, error) {
	if s.at == len(s.window) {
		if err := s.fill(); err != nil {
			return 0, s.inside(err)
		}
	}
	c := s.window[s.at]
	s.at++
	return c, nil
}

// literal reads a word that peek has returned the first letter of.
func (s *scanner) literal(word string) error {
	for i := range len(word) {
		c, err := s.byte()
		if err != nil {
			return err
		}
		if c != word[i] {
			s.at--
			return s.errorf("%q in the middle of %q", c, word)
		}
	}
	return nil
}

// number reads a number that peek has returned the first byte of. The file may end
// after it.
func (s *scanner) number() ([]byte, error) {
	s.text = s.text[:0]
	for {
		if s.at == len(s.window) && s.fill() != nil {
			break // the next peek meets it again
		}
		c := s.window[s.at]
		if (c < '0' || '9' < c) && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		if len(s.text) >= maxString {
			return nil, s.errorf("a number of more than %d digits", maxString)
		}
		s.text = append(s.text, c)
		s.at++
	}
	if !validNumber(s.text) {
		return nil, s.errorf("%.40q is not a number", s.text)
	}
	return s.text, nil
}

// validNumber is the grammar of RFC 8259, section 6.
func validNumber(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("-"))
	digits := func() bool {
		rest := bytes.TrimLeft(b, "0123456789")
		n := len(b) - len(rest)
		b = rest
		return n > 0
	}
	if after, ok := bytes.CutPrefix(b, []byte("0")); ok {
		b = after
	} else if !digits() {
		return false
	}
	if after, ok := bytes.CutPrefix(b, []byte(".")); ok {
		if b = after; !digits() {
			return false
		}
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		if b = b[1:]; len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(b) == 0
}

// string reads a string that peek has returned the opening quote of. Most lie in the
// window without an escape and are returned from there.
func (s *scanner) string() ([]byte, error) {
	s.at++
	for i, c := range s.window[s.at:] {
		if c == '"' {
			text := s.window[s.at : s.at+i]
			s.at += i + 1
			return text, nil
		}
		if c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			break
		}
	}
	return s.longString()
}

// longString reads the rest of a string byte by byte.
func (s *scanner) longString() ([]byte, error) {
	s.text = s.text[:0]
	for {
		c, err := s.byte()
		switch {
		case err != nil:
			return nil, err
		case c == '"':
			return s.text, s.validText(s.text)
		case c < ' ':
			s.at--
			return nil, s.errorf("%q in a string; JSON writes it as an escape", c)
		case len(s.text) >= maxString:
			return nil, s.errorf("a string of more than %d bytes", maxString)
		case c != '\\':
			s.text = append(s.text, c)
		default:
			if err := s.escape(); err != nil {
				return nil, err
			}
		}
	}
}

// escape appends what an escape stands for; its backslash has been read.
func (s *scanner) escape() error {
	c, err := s.byte()
	if err != nil {
		return err
	}
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return s.unicode()
	default:
		s.at--
		return s.errorf("%q after a backslash; JSON knows no such escape", c)
	}
	s.text = append(s.text, c)
	return nil
}

// unicode appends what \uXXXX stands for, or a pair of them.
func (s *scanner) unicode() error {
	r, err := s.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		if r, err = s.pair(r); err != nil {
			return err
		}
	}
	s.text = utf8.AppendRune(s.text, r)
	return nil
}

// pair reads the escape that has to follow the first half of a surrogate pair.
func (s *scanner) pair(first rune) (rune, error) {
	for _, want := range []byte(`\u`) {
		switch c, err := s.byte(); {
		case err != nil:
			return 0, err
		case c != want:
			s.at--
			return 0, s.errorf(`\u%04X is half of a surrogate pair; its other half is missing`, first)
		}
	}
	second, err := s.hex()
	if err != nil {
		return 0, err
	}
	r := utf16.DecodeRune(first, second)
	if r == utf8.RuneError {
		return 0, s.errorf(`\u%04X\u%04X is not a character`, first, second)
	}
	return r, nil
}

// hex reads four hexadecimal digits.
func (s *scanner) hex() (rune, error) {
	var r rune
	for range 4 {
		c, err := s.byte()
		if err != nil {
			return 0, err
		}
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			s.at--
			return 0, s.errorf("%q where a hexadecimal digit belongs", c)
		}
		r = r<<4 | rune(c)
	}
	return r, nil
}
