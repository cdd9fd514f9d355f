package healthcheck

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

const notFound = "search string not found in the first 5120 bytes"

// compress returns text packed by the writer that make returns.
func compress[W io.WriteCloser](text string, make func(io.Writer) W) string {
	var b bytes.Buffer
	w := make(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func gzipped(text string) string { return compress(text, gzip.NewWriter) }
func zlibbed(text string) string { return compress(text, zlib.NewWriter) }
func flated(text string) string {
	return compress(text, func(w io.Writer) *flate.Writer {
		fw, _ := flate.NewWriter(w, flate.BestCompression)
		return fw
	})
}

// chunked writes text in chunks of n bytes.
func chunked(text string, n int) string {
	var b strings.Builder
	for len(text) > 0 {
		n := min(n, len(text))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, text[:n])
		text = text[n:]
	}
	return b.String() + "0\r\n\r\n"
}

func TestSearch(t *testing.T) {
	const (
		ok      = "HTTP/1.1 200 OK\r\n"
		plain   = ok + "\r\n"
		gz      = ok + "Content-Encoding: gzip\r\n\r\n"
		deflate = ok + "Content-Encoding: deflate\r\n\r\n"
		chunks  = ok + "Transfer-Encoding: chunked\r\n\r\n"
	)
	fill := func(n int) string { return strings.Repeat(".", n) }
	tests := []struct {
		name   string
		handle func(net.Conn)
		edit   func(*Spec)
		want   string
	}{
		{"found", answer(plain + "a needle here"), nil, ""},
		{"not found", answer(plain + "a haystack"), nil, notFound},
		{"C30: in other case", answer(plain + "a Needle here"), nil, notFound},
		{"C30: across the edge", answer(plain + fill(5110) + strings.Repeat("x", 20)), find(strings.Repeat("x", 20)), notFound},
		{"at the edge", answer(plain + fill(5114) + "needle" + fill(100)), nil, ""},
		{"a byte beyond the edge", answer(plain + fill(5115) + "needle"), nil, notFound},
		{"of 255 bytes", answer(plain + fill(99) + strings.Repeat("x", 255)), find(strings.Repeat("x", 255)), ""},
		{"empty body", answer(plain), nil, notFound},
		{"with its length", answer(ok + "Content-Length: 6\r\n\r\nneedle"), nil, ""},
		{"beyond its length", answer(ok + "Content-Length: 5\r\n\r\nneedle"), nil, notFound},
		{"204 has no body", answer("HTTP/1.1 204 No Content\r\n\r\nneedle"), nil, notFound},
		{"304 has no body", answer("HTTP/1.1 304 Not Modified\r\n\r\nneedle"), nil, notFound},
		{"the status is judged first", answer("HTTP/1.1 500 Oops\r\n\r\nneedle"), nil, "status 500, want 200-399"},

		{"chunked", answer(chunks + chunked("a needle here", 100)), nil, ""},
		{"chunks of one byte", answer(chunks + chunked(fill(5114)+"needle", 1)), nil, ""},
		{"chunk sizes are not searched", answer(chunks + chunked("needle", 3)), find("3"), notFound},
		{"broken chunks", answer(chunks + "zz\r\nneedle\r\n"), nil, "body: invalid byte in chunk length"},
		{"an unknown transfer encoding", answer(ok + "Transfer-Encoding: gzip, chunked\r\n\r\n"), nil, "body: transfer encoding is not known"},

		{"gzip", answer(gz + gzipped(fill(5000)+"needle")), nil, ""},
		{"gzip, at the edge", answer(gz + gzipped(fill(5114)+"needle")), nil, ""},
		{"gzip, beyond the edge", answer(gz + gzipped(fill(5115)+"needle")), nil, notFound},
		{"gzip, chunked", answer(ok + "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n" + chunked(gzipped("needle"), 7)), nil, ""},
		{"zlib", answer(deflate + zlibbed(fill(5000)+"needle")), nil, ""},
		{"bare deflate", answer(deflate + flated(fill(5000)+"needle")), nil, ""},
		{"not gzip at all", answer(gz + "a needle here, and more of it"), nil, "body: gzip: invalid header"},
		{"broken gzip", answer(gz + gzipped("")[:10] + "\xff\xff\xff\xff"), nil, "body: flate: corrupt input before offset 1"},
		{"cut gzip", answer(gz + gzipped("needle")[:8]), nil, notFound},
		{"empty gzip", answer(gz), nil, notFound},
		{"empty deflate", answer(deflate), nil, notFound},
		{"an unknown encoding is searched as it is", answer(ok + "Content-Encoding: br\r\n\r\nneedle"), nil, ""},
		{"a gzip bomb", answer(gz + gzipped(strings.Repeat("\x00", 4<<20))), nil, notFound},
		{"a gzip stream that decodes to nothing", endless(gz+gzipped("")[:10], strings.Repeat("\x00\x00\x00\xff\xff", 100), 0), nil, notFound},

		{"an endless body", endless(plain, fill(1000), 0), nil, notFound},
		{"found in an endless body", endless(plain+"needle", ".", time.Millisecond), nil, ""},
		{"found in a body that does not end", start(ok + "Content-Length: 100\r\n\r\nneedle"), nil, ""},
		{"found across two reads", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, plain+"nee")
			time.Sleep(20 * ms)
			_, _ = io.WriteString(c, "dle")
		}, nil, ""},
		{"a byte at a time", endless(plain, ".", 5*ms), soon, "search string not found within 100ms"},
		{"reset in the body", func(c net.Conn) {
			readRequest(c)
			_, _ = io.WriteString(c, plain+"nee")
			time.Sleep(20 * ms)
			_ = c.(*net.TCPConn).SetLinger(0)
		}, nil, "body: connection reset"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := spec(HTTP, serve(t, loopback, tt.handle), find("needle"))
			if tt.edit != nil {
				tt.edit(s)
			}
			wantReason(t, attempt(t, s), tt.want)
		})
	}
}

// FuzzResponse feeds a response to everything that reads one. It must end, neither
// panic nor find what is not there, and say something stable when it fails.
func FuzzResponse(f *testing.F) {
	for _, body := range []string{"needle", chunked("a needle", 2), gzipped("needle"), zlibbed("needle"), flated("needle")} {
		for _, header := range []string{"", "Content-Length: 6\r\n", "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n", "Content-Encoding: deflate\r\n"} {
			f.Add([]byte("HTTP/1.1 200 OK\r\n" + header + "\r\n" + body))
		}
	}
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404\nX: y\n z\n\n"))
	s := Defaults(HTTP)
	s.Host, s.Port, s.Search = "192.0.2.1", 80, "needle"
	f.Fuzz(func(t *testing.T, response []byte) {
		err := exchange(&canned{Reader: bytes.NewReader(response)}, &s)
		again := exchange(&canned{Reader: bytes.NewReader(response)}, &s)
		if (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Errorf("first %v, then %v", err, again)
		}
		if err != nil && (len(err.Error()) > 200 || err.Error() == "") {
			t.Errorf("a reason of %d bytes", len(err.Error()))
		}
		if err == nil && !bytes.HasPrefix(response, []byte("HTTP/1.")) {
			t.Error("passed without a status line")
		}
	})
}

// canned is a connection whose peer says what it says and closes.
type canned struct {
	net.Conn
	*bytes.Reader
}

func (c *canned) Read(b []byte) (int, error)  { return c.Reader.Read(b) }
func (c *canned) Write(b []byte) (int, error) { return len(b), nil }
func (c *canned) SetDeadline(time.Time) error { return nil }
