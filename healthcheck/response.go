package healthcheck

import (
	"bufio"
	"bytes"
	"strconv"
)

// maxHeaders is how many bytes the headers of a response may have, in all, interim
// responses included.
//
// Source: Route 53 Developer Guide, "How Amazon Route 53 determines whether a health
// check is healthy".
const maxHeaders = 16384

// bufferSize is that of the buffer a response is read through, and the longest
// status line.
const bufferSize = 4096

// What is wrong with a response.
var (
	errStatusLine  = fail(formatClass, "malformed status line")
	errHeaderLine  = fail(formatClass, "malformed header line")
	errLongHeaders = fail(formatClass, "headers longer than "+strconv.Itoa(maxHeaders)+" bytes")
)

// head is what a probe wants to know from the status line and headers of a response.
type head struct {
	code     int
	length   int64  // Content-Length; -1 if there is none
	transfer string // Transfer-Encoding; "" if there is none
	encoding string // Content-Encoding; "" if there is none
}

// readHead reads the status line and headers of the final response from br, whose
// buffer has bufferSize bytes. Interim (1xx) responses are skipped: all their bytes
// count as headers, so an endless number of them ends like endless headers do.
// The error is one of those above or br's.
func readHead(br *bufio.Reader) (head, error) {
	left := maxHeaders
	for {
		line, err := br.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			return head{}, errStatusLine
		}
		if err != nil {
			if len(line) > 0 && !mayBeStatusLine(line) {
				return head{}, errStatusLine
			}
			return head{}, err
		}
		code, ok := parseStatusLine(line)
		if !ok {
			return head{}, errStatusLine
		}
		h := head{code: code, length: -1}
		interim := code >= 100 && code < 200 && code != 101 // 101 ends HTTP: there is no response after it
		if interim {
			left -= len(line)
		}
		if err := h.readHeaders(br, &left); err != nil {
			return head{}, err
		}
		if !interim {
			return h, nil
		}
	}
}

// parseStatusLine returns the code of "HTTP/1.1 200 OK"; the words after it may be
// missing.
func parseStatusLine(line []byte) (code int, ok bool) {
	line = trimEnd(line)
	const prefix = len("HTTP/1.1 ")
	if len(line) < prefix+3 || !mayBeStatusLine(line[:prefix]) {
		return 0, false
	}
	for _, c := range line[prefix : prefix+3] {
		if c < '0' || c > '9' {
			return 0, false
		}
		code = code*10 + int(c-'0')
	}
	return code, code >= 100 && (len(line) == prefix+3 || line[prefix+3] == ' ')
}

// mayBeStatusLine reports whether line begins like a status line as far as it goes.
func mayBeStatusLine(line []byte) bool {
	const pattern = "HTTP/1.# " // # is a digit
	for i, c := range line[:min(len(line), len(pattern))] {
		if p := pattern[i]; c != p && (p != '#' || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// readHeaders reads header lines up to and including the empty one, and takes their
// bytes from left.
func (h *head) readHeaders(br *bufio.Reader, left *int) error {
	for first := true; ; first = false {
		line, err := br.ReadSlice('\n')
		*left -= len(line)
		if *left < 0 {
			return errLongHeaders
		}
		if err != nil && err != bufio.ErrBufferFull {
			return err
		}
		whole := err == nil
		text := trimEnd(line)
		if whole && len(text) == 0 {
			return nil
		}
		switch {
		case bytes.IndexByte(text, 0) >= 0:
			return errHeaderLine
		case len(text) > 0 && (text[0] == ' ' || text[0] == '\t'):
			if first {
				return errHeaderLine
			} // else the obsolete way to go on with the line before
		default:
			colon := bytes.IndexByte(text, ':')
			if colon < 1 || !isToken(text[:colon]) {
				return errHeaderLine
			}
			if !h.keep(text[:colon], bytes.Trim(text[colon+1:], " \t")) {
				return errHeaderLine
			}
		}
		for !whole { // the rest of a line longer than the buffer
			if line, err = br.ReadSlice('\n'); bytes.IndexByte(line, 0) >= 0 {
				return errHeaderLine
			}
			if *left -= len(line); *left < 0 {
				return errLongHeaders
			}
			if err != nil && err != bufio.ErrBufferFull {
				return err
			}
			whole = err == nil
		}
	}
}

// keep keeps a header that matters for reading the body, and reports whether its value
// makes sense: lengths are numbers, and agree.
func (h *head) keep(name, value []byte) bool {
	switch {
	case is(name, "Content-Length"):
		n, err := strconv.ParseUint(string(value), 10, 63)
		if err != nil || h.length >= 0 && h.length != int64(n) {
			return false
		}
		h.length = int64(n)
	case is(name, "Transfer-Encoding"):
		h.transfer = string(value)
	case is(name, "Content-Encoding"):
		h.encoding = string(value)
	}
	return true
}

func is(name []byte, want string) bool {
	return len(name) == len(want) && bytes.EqualFold(name, []byte(want))
}

// isToken reports whether b is a header name by RFC 9110, section 5.6.2.
func isToken(b []byte) bool {
	for _, c := range b {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		case bytes.IndexByte([]byte("!#$%&'*+.^`|~"), c) >= 0:
		default:
			return false
		}
	}
	return true
}

// trimEnd cuts the end of a line off: LF, or CR and LF.
func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
