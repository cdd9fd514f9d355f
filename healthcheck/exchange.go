package healthcheck

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// scratch is the memory of one exchange. It is taken when the connection stands, so
// that probes which wait for one hold none.
type scratch struct {
	br      *bufio.Reader
	request []byte
	body    [searched]byte
}

var scratches = sync.Pool{New: func() any {
	return &scratch{br: bufio.NewReaderSize(nil, bufferSize)}
}}

// exchange sends the request of s over a connection and judges the response: the
// status, and with Search the body. No body is read without it.
//
// Deadlines are absolute, so an endpoint that sends a byte now and then does not
// outlast them.
func exchange(conn net.Conn, s *Spec) error {
	mem := scratches.Get().(*scratch)
	defer func() {
		mem.br.Reset(nil)
		scratches.Put(mem)
	}()
	mem.br.Reset(conn)
	mem.request = appendRequest(mem.request[:0], s)
	if err := conn.SetDeadline(time.Now().Add(s.ResponseTimeout)); err != nil {
		return headError(err, false, s)
	}
	if _, err := conn.Write(mem.request); err != nil {
		return headError(err, false, s)
	}
	if _, err := mem.br.Peek(1); err != nil {
		return headError(err, false, s)
	}
	h, err := readHead(mem.br)
	if err != nil {
		return headError(err, true, s)
	}
	if !accepts(s.Statuses, h.code) {
		return fail(statusClass, "status "+strconv.Itoa(h.code)+", want "+s.Statuses)
	}
	if s.Search == "" {
		return nil
	}
	if s.Method == "HEAD" {
		return errNotFound
	}
	if err := conn.SetDeadline(time.Now().Add(s.ResponseTimeout)); err != nil {
		return bodyError(err, s)
	}
	if err := search(mem.br, h, s.Search, mem.body[:]); err != nil {
		return bodyError(err, s)
	}
	return nil
}

// headError says why the status line and headers could not be read, of which some
// bytes had been or none.
func headError(err error, some bool, s *Spec) error {
	switch {
	case err == errStatusLine || err == errHeaderLine || err == errLongHeaders:
		return err
	case isTimeout(err) && some:
		return fail(timeoutClass, "headers not complete within "+s.ResponseTimeout.String())
	case isTimeout(err):
		return fail(timeoutClass, "no response within "+s.ResponseTimeout.String())
	case errors.Is(err, io.EOF) && some:
		return fail(resetClass, "connection closed before the end of the headers")
	case errors.Is(err, io.EOF):
		return fail(resetClass, "connection closed without a response")
	}
	return fail(ioClass(err), plain(err))
}

// bodyError says why the string was not found.
func bodyError(err error, s *Spec) error {
	switch {
	case err == errNotFound:
		return err
	case isTimeout(err):
		return fail(timeoutClass, "search string not found within "+s.ResponseTimeout.String())
	}
	return fail(bodyClass, "body: "+strings.TrimPrefix(plain(err), "body: "))
}
