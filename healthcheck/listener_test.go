package healthcheck

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// serve listens on a loopback address and hands each connection to handle. It ends
// with the test, and waits for its goroutines; handle must end when the peer does.
func serve(t testing.TB, address string, handle func(net.Conn)) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("cannot listen on %s: %v", address, err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				handle(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return l.Addr().(*net.TCPAddr).AddrPort()
}

const loopback = "127.0.0.1:0"

// readRequest reads a request's lines up to the empty one.
func readRequest(r io.Reader) (lines []string) {
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); err != nil || line == "" {
			return lines
		}
		lines = append(lines, line)
	}
}

// answer returns a handler that reads the request and sends these bytes.
func answer(response string) func(net.Conn) {
	return func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, response)
	}
}

// endless sends something again and again, with a pause, until the peer is gone.
func endless(start, again string, pause time.Duration) func(net.Conn) {
	return func(c net.Conn) {
		readRequest(c)
		_, err := io.WriteString(c, start)
		for err == nil {
			if pause > 0 {
				time.Sleep(pause)
			}
			_, err = io.WriteString(c, again)
		}
	}
}

// start returns a handler that begins a response and leaves it at that.
func start(response string) func(net.Conn) {
	return func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, response)
		hold(c)
	}
}

// hold keeps a connection open, and sends nothing, until the peer is gone.
func hold(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// spec returns a Spec of an endpoint, with time limits for tests: long enough where
// they must not matter.
func spec(kind Kind, at netip.AddrPort, edits ...func(*Spec)) *Spec {
	s := Defaults(kind)
	s.Host, s.Port = at.Addr().String(), at.Port()
	s.ConnectTimeout, s.ResponseTimeout = 5*time.Second, 5*time.Second
	for _, edit := range edits {
		edit(&s)
	}
	return &s
}

func find(want string) func(*Spec) { return func(s *Spec) { s.Search = want } }

// soon sets the time limits that a test waits for.
func soon(s *Spec) { s.ConnectTimeout, s.ResponseTimeout = 150*ms, 100*ms }

// wantReason compares the reason of a failure; "" is a pass.
func wantReason(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// attempt probes once, and sees to it that the probe is over in time.
func attempt(t *testing.T, s *Spec) error {
	t.Helper()
	began := time.Now()
	err := newProber().probe(context.Background(), s, nil)
	limit := s.ConnectTimeout + 2*s.ResponseTimeout
	if took := time.Since(began); took > limit+2*time.Second {
		t.Errorf("took %v, the limits are %v together", took, limit)
	}
	return err
}

// checkLeaks fails the test if goroutines of this package run on after it.
func checkLeaks(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		var stacks string
		for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * ms) {
			buf := make([]byte, 1<<20)
			stacks = string(buf[:runtime.Stack(buf, true)])
			left := 0
			for stack := range strings.SplitSeq(stacks, "\n\n") {
				if strings.Contains(stack, "healthcheck.(*") || strings.Contains(stack, "created by github.com/steerdns/steer/healthcheck.(*") {
					left++
				}
			}
			if left == 0 {
				return
			}
		}
		t.Errorf("goroutines are left:\n%s", stacks)
	})
}
