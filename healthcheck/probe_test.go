package healthcheck

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTCP(t *testing.T) {
	up := serve(t, loopback, func(net.Conn) {})
	gone := closedPort(t)
	t.Run("accepts", func(t *testing.T) { wantReason(t, attempt(t, spec(TCP, up)), "") })
	t.Run("refuses", func(t *testing.T) {
		wantReason(t, attempt(t, spec(TCP, gone)), "connect: connection refused")
	})
	t.Run("IPv6", func(t *testing.T) {
		up := serve(t, "[::1]:0", func(net.Conn) {})
		wantReason(t, attempt(t, spec(TCP, up)), "") // an address is used whatever Family says
	})
	t.Run("IPv6 with a zone", func(t *testing.T) {
		up := serve(t, "[::1]:0", func(net.Conn) {})
		wantReason(t, attempt(t, spec(TCP, up, func(s *Spec) { s.Host = "::1%lo" })), "")
	})
	t.Run("leaves nothing unread", func(t *testing.T) {
		ended := make(chan error, 1)
		up := serve(t, loopback, func(c net.Conn) {
			_, err := c.Read(make([]byte, 1))
			ended <- err
		})
		wantReason(t, attempt(t, spec(TCP, up)), "")
		if err := <-ended; err == nil || err == io.EOF {
			t.Errorf("the endpoint saw %v, want a reset (linger 0)", err)
		}
	})
}

// closedPort returns a port where nothing listens.
func closedPort(t *testing.T) netip.AddrPort {
	l, err := net.Listen("tcp", loopback)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).AddrPort()
}

// TestSilentAddress fills the queue of a listener that accepts nothing, after which
// the kernel answers no more.
func TestSilentAddress(t *testing.T) {
	silent := silentPort(t)
	wantReason(t, attempt(t, spec(TCP, silent, soon)), "connect: no answer within 150ms")
	wantReason(t, attempt(t, spec(HTTP, silent, soon)), "connect: no answer within 150ms")
}

func TestHTTP(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	tests := []struct {
		name   string
		handle func(net.Conn)
		edit   func(*Spec)
		want   string
	}{
		{"200", answer(ok + "Content-Length: 0\r\n\r\n"), nil, ""},
		{"HTTP/1.0", answer("HTTP/1.0 200 OK\r\n\r\n"), nil, ""},
		{"no reason phrase", answer("HTTP/1.1 200\r\n\r\n"), nil, ""},
		{"an empty reason phrase", answer("HTTP/1.1 200 \r\n\r\n"), nil, ""},
		{"bare line feeds", answer("HTTP/1.1 200 OK\nServer: x\n\n"), nil, ""},
		{"a folded header", answer(ok + "X-Long: a\r\n and b\r\n\r\n"), nil, ""},
		{"a redirect is a success and not followed", answer("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"), nil, ""},
		{"404", answer("HTTP/1.1 404 Not Found\r\n\r\n"), nil, "status 404, want 200-399"},
		{"503", answer("HTTP/1.1 503 Service Unavailable\r\n\r\n"), nil, "status 503, want 200-399"},
		{"503 wanted", answer("HTTP/1.1 503 Service Unavailable\r\n\r\n"), func(s *Spec) { s.Statuses = "200,500-503" }, ""},
		{"200 not wanted", answer(ok + "\r\n"), func(s *Spec) { s.Statuses = "204,500-503" }, "status 200, want 204,500-503"},
		{"the body is not waited for", start(ok + "Content-Length: 1000000\r\n\r\n"), nil, ""},
		{"HEAD", answer(ok + "Content-Length: 1000\r\n\r\n"), func(s *Spec) { s.Method = "HEAD" }, ""},
		{"HEAD has no body", answer(ok + "\r\nneedle"), func(s *Spec) { s.Method, s.Search = "HEAD", "needle" }, "search string not found in the first 5120 bytes"},

		{"100 first", answer("HTTP/1.1 100 Continue\r\n\r\n" + ok + "\r\n"), nil, ""},
		{"103 with headers first", answer("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + ok + "\r\n"), nil, ""},
		{"101 is final", answer("HTTP/1.1 101 Switching Protocols\r\n\r\n"), nil, "status 101, want 200-399"},
		{"a flood of 100", endless("", "HTTP/1.1 100 Continue\r\n\r\n", 0), nil, "headers longer than 16384 bytes"},

		{"nothing", hold, soon, "no response within 100ms"},
		{"closed after the request", answer(""), nil, "connection closed without a response"},
		{"reset", func(c net.Conn) { readRequest(c); _ = c.(*net.TCPConn).SetLinger(0) }, nil, "connection reset"},
		{"closed within the status line", answer("HTTP/1."), nil, "connection closed before the end of the headers"},
		{"closed within the headers", answer(ok + "Server: x\r\n"), nil, "connection closed before the end of the headers"},
		{"headers a byte at a time", dribble(ok + "X-Filler: " + strings.Repeat("x", 1000)), soon, "headers not complete within 100ms"},
		{"status line a byte at a time", dribble(ok + "\r\n"), func(s *Spec) { s.ResponseTimeout = 50 * ms }, "headers not complete within 50ms"},
		{"endless headers", endless(ok, "X-More: and more\r\n", 0), nil, "headers longer than 16384 bytes"},
		{"one endless header", endless(ok+"X-Long: ", "xxxxxxxxxx", 0), nil, "headers longer than 16384 bytes"},
		{"headers of 16384 bytes", answer(ok + headers(16384)), nil, ""},
		{"headers of 16385 bytes", answer(ok + headers(16385)), nil, "headers longer than 16384 bytes"},
		{"an endless status line", endless("HTTP/1.1 200 ", "very ", 0), nil, "malformed status line"},

		{"another protocol", answer("SSH-2.0-OpenSSH_9.6\r\n"), nil, "malformed status line"},
		{"another protocol that does not end its line", answer("\x15\x03\x01\x00\x02\x02\x46"), nil, "malformed status line"},
		{"HTTP/2", answer("HTTP/2.0 200 OK\r\n\r\n"), nil, "malformed status line"},
		{"no code", answer("HTTP/1.1 OK\r\n\r\n"), nil, "malformed status line"},
		{"a code of four digits", answer("HTTP/1.1 2000 OK\r\n\r\n"), nil, "malformed status line"},
		{"a code below 100", answer("HTTP/1.1 099 OK\r\n\r\n"), nil, "malformed status line"},
		{"HTML alone", answer("<html>200 OK</html>\r\n\r\n"), nil, "malformed status line"},
		{"a header without a colon", answer(ok + "Server\r\n\r\n"), nil, "malformed header line"},
		{"a header without a name", answer(ok + ": x\r\n\r\n"), nil, "malformed header line"},
		{"a space in a name", answer(ok + "Content Length: 1\r\n\r\n"), nil, "malformed header line"},
		{"a length that is no number", answer(ok + "Content-Length: abc\r\n\r\n"), nil, "malformed header line"},
		{"no length", answer(ok + "Content-Length:\r\n\r\n"), nil, "malformed header line"},
		{"a negative length", answer(ok + "Content-Length: -1\r\n\r\n"), nil, "malformed header line"},
		{"two lengths", answer(ok + "Content-Length: 0\r\nContent-Length: 1\r\n\r\n"), nil, "malformed header line"},
		{"a length twice", answer(ok + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n"), nil, ""},
		{"NUL in a value", answer(ok + "Server: a\x00b\r\n\r\n"), nil, "malformed header line"},
		{"NUL in a folded line", answer(ok + "Server: a\r\n b\x00\r\n\r\n"), nil, "malformed header line"},
		{"NUL at the end of a long line", answer(ok + "X-Long: " + strings.Repeat("x", 2*bufferSize) + "\x00\r\n\r\n"), nil, "malformed header line"},
		{"a folded line without a first", answer(ok + " x: y\r\n\r\n"), nil, "malformed header line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := spec(HTTP, serve(t, loopback, tt.handle))
			if tt.edit != nil {
				tt.edit(s)
			}
			wantReason(t, attempt(t, s), tt.want)
		})
	}
}

// dribble sends a byte every few milliseconds.
func dribble(response string) func(net.Conn) {
	return func(c net.Conn) {
		readRequest(c)
		for i := range response {
			if _, err := io.WriteString(c, response[i:i+1]); err != nil {
				return
			}
			time.Sleep(10 * ms)
		}
		hold(c)
	}
}

// headers returns header lines of n bytes in all, the empty line included.
func headers(n int) string {
	const line, end = "X-Filler: xxxxxxxxxxxxxxxxxxxx\r\n", "\r\n"
	all := strings.Repeat(line, (n-len(end))/len(line)-1)
	last := n - len(all) - len(end)
	return all + "X-Last: " + strings.Repeat("x", last-len("X-Last: \r\n")) + "\r\n" + end
}

func TestStoppedProbeEndsAtOnce(t *testing.T) {
	for name, s := range map[string]*Spec{
		"connecting":                   spec(TCP, silentPort(t)),
		"in the handshake":             spec(HTTPS, serve(t, loopback, hold)),
		"waiting for a response":       spec(HTTP, serve(t, loopback, hold)),
		"waiting for the body":         spec(HTTP, serve(t, loopback, start("HTTP/1.1 200 OK\r\n\r\n")), find("x")),
		"resolving a name that is not": spec(TCP, closedPort(t), func(s *Spec) { s.Host = "silent.example" }),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(50*ms, cancel)
			p := newProber()
			p.lookup = func(ctx context.Context, _, _ string) ([]netip.Addr, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			began := time.Now()
			if err := p.probe(ctx, s, nil); err == nil {
				t.Error("passed")
			}
			if took := time.Since(began); took > time.Second {
				t.Errorf("took %v, the limit is %v", took, s.ConnectTimeout)
			}
		})
	}
}

func TestNames(t *testing.T) {
	up := serve(t, loopback, func(net.Conn) {})
	up6 := serve(t, "[::1]:0", func(net.Conn) {})
	var (
		good   = netip.MustParseAddr("127.0.0.1")
		bad    = netip.MustParseAddr("127.0.0.99") // nothing listens there
		good6  = netip.MustParseAddr("::1")
		mapped = netip.MustParseAddr("::ffff:127.0.0.1")
	)
	tests := []struct {
		name    string
		port    uint16
		family  Family
		asked   string
		addrs   []netip.Addr
		err     error
		open    error // of opening a file
		want    string
		timeout time.Duration
	}{
		{name: "IPv4", port: up.Port(), asked: "ip4", addrs: []netip.Addr{good}},
		{name: "IPv4 written as IPv6", port: up.Port(), asked: "ip4", addrs: []netip.Addr{mapped}},
		{name: "IPv6", port: up6.Port(), family: IPv6, asked: "ip6", addrs: []netip.Addr{good6}},
		{name: "either", port: up.Port(), family: AnyFamily, asked: "ip", addrs: []netip.Addr{good6, good}},
		{name: "the second address", port: up.Port(), asked: "ip4", addrs: []netip.Addr{bad, good}},
		{name: "none of them", port: up.Port(), asked: "ip4", addrs: []netip.Addr{bad, bad}, want: "connect: connection refused"},
		{name: "no such host", asked: "ip4", err: &net.DNSError{Err: "no such host", IsNotFound: true}, want: "resolve api.example.com: no such host, or it has no IPv4 address"},
		{name: "no such host for IPv6", family: IPv6, asked: "ip6", err: &net.DNSError{Err: "no such host", IsNotFound: true}, want: "resolve api.example.com: no such host, or it has no IPv6 address"},
		{name: "no such host at all", family: AnyFamily, asked: "ip", err: &net.DNSError{Err: "no such host", IsNotFound: true}, want: "resolve api.example.com: no such host"},
		{name: "no address", asked: "ip4", want: "resolve api.example.com: no IPv4 address"},
		{name: "the other family only", family: IPv6, asked: "ip6", err: &net.AddrError{Err: "no suitable address found", Addr: "api.example.com"}, want: "resolve api.example.com: no IPv6 address"},
		{name: "out of sockets", asked: "ip4", err: &net.DNSError{Err: "dial udp 10.0.0.1:53: socket: too many open files"}, want: errLocal.Error()},
		{name: "out of buffers", asked: "ip4", err: &net.DNSError{Err: "write udp 10.0.0.1:53: write: no buffer space available"}, want: errLocal.Error()},
		{name: "out of files, without resolv.conf", asked: "ip4", err: &net.DNSError{Err: "no such host", IsNotFound: true}, open: syscall.EMFILE, want: errLocal.Error()},
		{name: "time out", asked: "ip4", err: &net.DNSError{Err: "i/o timeout", IsTimeout: true}, want: "resolve api.example.com: no answer within 5s"},
		{name: "failure", asked: "ip4", err: &net.DNSError{Err: "server misbehaving", Server: "10.0.0.1:53"}, want: "resolve api.example.com: name server failure"},
		{name: "silence", asked: "ip4", err: errSilent, want: "resolve api.example.com: no answer within 80ms", timeout: 80 * ms},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProber()
			asked := ""
			p.lookup = func(ctx context.Context, network, host string) ([]netip.Addr, error) {
				asked = network
				if host != "api.example.com" {
					t.Errorf("looked up %q", host)
				}
				if tt.err == errSilent {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return slices.Clone(tt.addrs), tt.err
			}
			p.open = func() error { return tt.open }
			s := spec(TCP, netip.AddrPortFrom(good, tt.port), func(s *Spec) { s.Host, s.Family = "api.example.com", tt.family })
			if tt.timeout > 0 {
				s.ConnectTimeout = tt.timeout
			}
			wantReason(t, p.probe(context.Background(), s, nil), tt.want)
			if asked != tt.asked {
				t.Errorf("asked for %q, want %q", asked, tt.asked)
			}
		})
	}
}

var errSilent = errors.New("no answer")

// A first address that does not answer leaves time for the second.
func TestASilentFirstAddress(t *testing.T) {
	silent := silentPort(t)
	other := serve(t, netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), silent.Port()).String(), func(net.Conn) {})
	p := newProber()
	p.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{silent.Addr(), other.Addr()}, nil
	}
	s := spec(TCP, silent, func(s *Spec) { s.Host, s.ConnectTimeout = "api.example.com", 2100*ms })
	if testing.Short() {
		t.Skip("takes a second")
	}
	wantReason(t, p.probe(context.Background(), s, nil), "")
}
