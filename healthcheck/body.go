package healthcheck

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http/httputil"
	"strconv"
	"strings"
)

// searched is how much of a decoded body is searched.
//
// Source: Route 53 Developer Guide, "How Amazon Route 53 determines whether a health
// check is healthy".
const searched = 5120

// maxBody is how many bytes are read to get at those: enough for the worst chunks of
// one byte each, few enough that a stream which decodes to nothing ends soon.
const maxBody = 64 << 10

// errNotFound is the failure of a search.
var errNotFound = fail(bodyClass, "search string not found in the first "+strconv.Itoa(searched)+" bytes")

// search looks for want in the first bytes of a body and returns nil as soon as they
// hold it, whatever comes after. buf has searched bytes. The error is errNotFound, one
// that begins with "body: ", or the reader's.
func search(br *bufio.Reader, h head, want string, buf []byte) error {
	body, err := decode(br, h)
	if err != nil {
		return err
	}
	n := 0
	for n < len(buf) {
		got, err := body.Read(buf[n:])
		// Only what is new can complete the string.
		from := max(0, n-len(want)+1)
		n += got
		if bytes.Contains(buf[from:n], []byte(want)) {
			return nil
		}
		switch {
		case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
			return errNotFound
		case err != nil:
			return err
		}
	}
	return errNotFound
}

// decode returns the body that follows h in br: without chunks and compression, and
// bounded.
func decode(br *bufio.Reader, h head) (io.Reader, error) {
	if h.code < 200 || h.code == 204 || h.code == 304 {
		return eof{}, nil
	}
	body := io.LimitReader(br, maxBody)
	switch {
	case h.transfer == "" || strings.EqualFold(h.transfer, "identity"):
		if h.length >= 0 {
			body = io.LimitReader(body, h.length)
		}
	case strings.EqualFold(h.transfer, "chunked"):
		body = httputil.NewChunkedReader(body)
	default:
		return nil, fail(bodyClass, "body: transfer encoding is not known")
	}
	switch strings.ToLower(h.encoding) {
	case "gzip", "x-gzip":
		r, err := gzip.NewReader(body)
		return orEmpty(r, err)
	case "deflate":
		return inflate(body)
	}
	return body, nil // not encoded, or in a way that is not known
}

// inflate decodes "deflate". RFC 9110 means zlib's format by it, and some servers send the
// bare DEFLATE format. A zlib header is a multiple of 31 and names method 8, which no bare
// stream begins with unless its padding is not zero.
func inflate(body io.Reader) (io.Reader, error) {
	br := bufio.NewReader(body)
	start, err := br.Peek(2)
	if err != nil {
		return orEmpty(br, err)
	}
	if start[0]&0x0f == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
		r, err := zlib.NewReader(br)
		return orEmpty(r, err)
	}
	return flate.NewReader(br), nil
}

// orEmpty turns the error of a decoder's start into an empty body if the body ended
// there.
func orEmpty(r io.Reader, err error) (io.Reader, error) {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return eof{}, nil
	}
	return r, err
}

// eof is an empty body.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }
