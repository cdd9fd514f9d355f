package test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/coredns/caddy"
)

// slack is what a busy machine may add to any time that a test waits for or measures.
const slack = 3 * time.Second

// server is a running CoreDNS in this process.
type server struct {
	t        *testing.T
	instance *caddy.Instance
}

// start starts a server from the text of a Corefile, and stops it when the test ends.
func start(t *testing.T, corefile string) *server {
	t.Helper()
	instance, err := caddy.Start(input(corefile))
	if err != nil {
		t.Fatalf("the server does not start: %v\n%s", err, corefile)
	}
	s := &server{t, instance}
	t.Cleanup(s.stop)
	return s
}

// reload does what SIGUSR1 and the reload plugin do. When it fails, the server goes on
// as it was.
func (s *server) reload(corefile string) error {
	instance, err := s.instance.Restart(input(corefile))
	s.instance = instance
	return err
}

func (s *server) mustReload(corefile string) {
	s.t.Helper()
	if err := s.reload(corefile); err != nil {
		s.t.Fatalf("reload: %v\n%s", err, corefile)
	}
}

// stop does what SIGTERM does. To call it again does nothing.
func (s *server) stop() {
	if s.instance == nil {
		return
	}
	s.instance.ShutdownCallbacks()
	s.instance.Stop()
	s.instance = nil
}

// input is the text of a Corefile.
func input(corefile string) caddy.Input {
	return caddy.CaddyfileInput{Filepath: "Corefile", Contents: []byte(corefile), ServerTypeName: "dns"}
}

var ports struct {
	sync.Mutex
	given map[int]bool
}

// freePort returns a port that nothing on loopback listens on, each once. It lies below
// those that the system gives to outgoing connections.
func freePort(t *testing.T) int {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	if ports.given == nil {
		ports.given = map[int]bool{}
	}
	for range 1000 {
		port := 20000 + rand.IntN(12000)
		if !ports.given[port] && free(port) {
			ports.given[port] = true
			return port
		}
	}
	t.Fatal("no free port found")
	return 0
}

func free(port int) bool {
	tcp, err := net.Listen("tcp", loopback(port))
	if err != nil {
		return false
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", loopback(port))
	if err != nil {
		return false
	}
	udp.Close()
	return true
}

// loopback returns the address of a port.
func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// poll asks until the answer is yes, or for so long. It asks once at least.
func poll(within time.Duration, yes func() bool) bool {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(within); ; <-ticker.C {
		if yes() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// noLeaks fails the test when, within a while, there are not as few goroutines as
// before.
func noLeaks(t *testing.T, before int) {
	t.Helper()
	if poll(10*time.Second, func() bool { return runtime.NumGoroutine() <= before }) {
		return
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	t.Errorf("%d goroutines, want %d as before:\n%s", runtime.NumGoroutine(), before, stacks)
}

// settled returns the number of goroutines once it has not changed for a moment.
func settled() int {
	n, since := runtime.NumGoroutine(), time.Now()
	poll(5*time.Second, func() bool {
		if now := runtime.NumGoroutine(); now != n {
			n, since = now, time.Now()
		}
		return time.Since(since) > 300*time.Millisecond
	})
	return n
}

// block returns the head of a server block on a loopback port.
func block(zone string, port int) string {
	return fmt.Sprintf("%s:%d {\n\tbind 127.0.0.1\n", zone, port)
}
