//go:build linux

package healthcheck

import (
	"net/netip"
	"syscall"
	"testing"
)

// silentPort returns a port that does not answer: its listener accepts nothing and
// its queue is full, so the kernel drops what comes.
func silentPort(t *testing.T) netip.AddrPort {
	t.Helper()
	open := func() int {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { syscall.Close(fd) })
		return fd
	}
	fd := open()
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	at := name.(*syscall.SockaddrInet4)
	for range 8 {
		_ = syscall.Connect(open(), at) // in progress is all it comes to
	}
	return netip.AddrPortFrom(netip.AddrFrom4(at.Addr), uint16(at.Port))
}
