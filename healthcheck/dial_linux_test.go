//go:build !portable

package healthcheck

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestDialRefusesSelf connects a socket to itself, as the kernel does now and then when a
// closed port of the ephemeral range is probed. The check must not pass.
func TestDialRefusesSelf(t *testing.T) {
	for _, tt := range []struct {
		family int
		to     syscall.Sockaddr
	}{
		{syscall.AF_INET, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}},
		{syscall.AF_INET6, &syscall.SockaddrInet6{Addr: netip.IPv6Loopback().As16()}},
	} {
		fd, err := syscall.Socket(tt.family, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := socket{os.NewFile(uintptr(fd), "socket")}
		if err := syscall.Bind(fd, tt.to); err != nil {
			_ = s.Close()
			t.Logf("address family %d: %v", tt.family, err)
			continue // a machine without IPv6
		}
		self, err := syscall.Getsockname(fd)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Connect(fd, self); err != nil && !errors.Is(err, syscall.EINPROGRESS) {
			t.Fatalf("connect to itself: %v", err)
		}
		if err := s.connected(t.Context(), fd, self, time.Now().Add(10*time.Second)); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("address family %d: got %v, want %v", tt.family, err, syscall.ECONNREFUSED)
		}
		_ = s.Close()
	}
}

// TestDialFromSamePort: an endpoint at another address may have the probe's own port.
func TestDialFromSamePort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	port := l.Addr().(*net.TCPAddr).Port
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := socket{os.NewFile(uintptr(fd), "socket")}
	defer func() { _ = s.Close() }()
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 2}, Port: port}); err != nil {
		t.Fatal(err)
	}
	to := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: port}
	if err := syscall.Connect(fd, to); err != nil && !errors.Is(err, syscall.EINPROGRESS) {
		t.Fatal(err)
	}
	if err := s.connected(t.Context(), fd, to, time.Now().Add(10*time.Second)); err != nil {
		t.Error(err)
	}
}
