//go:build !portable

package healthcheck

import (
	"context"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// dial connects to one address by the deadline, with linger 0 (see dialNet). It makes
// fewer system calls than package net, which asks for the addresses of both ends and
// sets options that a probe's short connection has no use for. At 500 checks a second
// that saves a quarter of the CPU time of a TCP check.
func (p *prober) dial(ctx context.Context, to netip.AddrPort, deadline time.Time) (net.Conn, error) {
	addr := to.Addr()
	if addr.Zone() != "" {
		return p.dialNet(ctx, to, deadline) // knows how to find the interface
	}
	family, sockaddr := syscall.AF_INET, syscall.Sockaddr(nil)
	if addr.Is4() {
		sockaddr = &syscall.SockaddrInet4{Port: int(to.Port()), Addr: addr.As4()}
	} else {
		family, sockaddr = syscall.AF_INET6, &syscall.SockaddrInet6{Port: int(to.Port()), Addr: addr.As16()}
	}
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, syscall.IPPROTO_TCP)
	if err != nil {
		return nil, err
	}
	switch err := syscall.Connect(fd, sockaddr); err {
	case nil, syscall.EINPROGRESS, syscall.EINTR:
	default:
		_ = syscall.Close(fd)
		return nil, err
	}
	// As a File the socket is waited for by the runtime's poller, not by a thread.
	s := socket{os.NewFile(uintptr(fd), "socket")}
	if err := s.connected(ctx, fd, sockaddr, deadline); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// socket is a TCP connection.
type socket struct{ *os.File }

// LocalAddr and RemoteAddr make it a [net.Conn]; nobody needs the addresses.
func (socket) LocalAddr() net.Addr  { return &net.TCPAddr{} }
func (socket) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// connected waits until the attempt to connect succeeds or fails.
func (s socket) connected(ctx context.Context, fd int, to syscall.Sockaddr, deadline time.Time) error {
	raw, err := s.SyscallConn()
	if err != nil {
		return err
	}
	if err := s.SetWriteDeadline(deadline); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = s.SetWriteDeadline(time.Unix(1, 0)) })()
	var attempt error
	err = raw.Write(func(uintptr) (done bool) {
		// Linux reports how an attempt to connect went when it is repeated.
		attempt = syscall.Connect(fd, to)
		switch attempt {
		case syscall.EINPROGRESS, syscall.EALREADY, syscall.EINTR:
			return false
		case nil, syscall.EISCONN:
			if attempt = refuseSelf(fd, to); attempt == nil {
				attempt = syscall.SetsockoptLinger(fd, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	return attempt
}

// refuseSelf returns errSelf if a socket is connected to itself.
func refuseSelf(fd int, to syscall.Sockaddr) error {
	local, err := syscall.Getsockname(fd)
	if err != nil {
		return err
	}
	self := false
	switch to := to.(type) {
	case *syscall.SockaddrInet4:
		local, ok := local.(*syscall.SockaddrInet4)
		self = ok && local.Port == to.Port && local.Addr == to.Addr
	case *syscall.SockaddrInet6:
		local, ok := local.(*syscall.SockaddrInet6)
		self = ok && local.Port == to.Port && local.Addr == to.Addr
	}
	if self {
		return errSelf
	}
	return nil
}
