package healthcheck

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// networks are the names under which package net knows the families.
var networks = [...]string{IPv4: "ip4", IPv6: "ip6", AnyFamily: "ip"}

// connect connects to the endpoint of s by the deadline. A name is resolved anew; its
// addresses are tried in turn, and the first failure is the one that is returned.
func (p *prober) connect(ctx context.Context, s *Spec, deadline time.Time) (net.Conn, error) {
	if addr, err := netip.ParseAddr(s.Host); err == nil {
		if !s.Networks.Allow(addr) {
			return nil, fail(notAllowedClass, "not probed: "+addr.Unmap().String()+notAllowed)
		}
		conn, err := p.dial(ctx, netip.AddrPortFrom(addr.Unmap(), s.Port), deadline)
		if err != nil {
			return nil, connectError(err, s.ConnectTimeout)
		}
		return conn, nil
	}
	addrs, err := p.resolve(ctx, s, deadline)
	if err != nil {
		return nil, err
	}
	if addrs, err = allowed(addrs, s); err != nil {
		return nil, err
	}
	var first error
	for i, addr := range addrs {
		left := time.Until(deadline)
		if left <= 0 {
			break
		}
		wait := share(left, len(addrs)-i)
		conn, err := p.dial(ctx, netip.AddrPortFrom(addr.Unmap(), s.Port), time.Now().Add(wait))
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = connectError(err, s.ConnectTimeout)
		}
	}
	if first == nil {
		first = connectError(context.DeadlineExceeded, s.ConnectTimeout)
	}
	return nil, first
}

// notAllowed ends the reason why an address is not probed.
const notAllowed = " is in no network that may be probed; it counts as healthy"

// allowed returns those addresses of the host of s that may be probed, at least one.
func allowed(addrs []netip.Addr, s *Spec) ([]netip.Addr, error) {
	first := addrs[0]
	addrs = slices.DeleteFunc(addrs, func(a netip.Addr) bool { return !s.Networks.Allow(a) })
	if len(addrs) == 0 {
		return nil, fail(notAllowedClass, "not probed: "+s.Host+" resolves to "+first.Unmap().String()+", which"+notAllowed)
	}
	return addrs, nil
}

// resolve returns the addresses of the host of s, at least one.
func (p *prober) resolve(ctx context.Context, s *Spec, deadline time.Time) ([]netip.Addr, error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	addrs, err := p.lookup(ctx, networks[s.Family], s.Host)
	if err == nil && len(addrs) == 0 {
		err = &net.AddrError{}
	}
	if err == nil {
		return addrs, nil
	}
	// When no more files can be opened the resolver may go on without resolv.conf and
	// the hosts file, and find nothing.
	if localFault(p.open()) {
		return nil, errLocal
	}
	return nil, resolveError(err, s)
}

// errSelf is the failure of a socket that is connected to itself. That happens when nothing
// listens on a local port of the ephemeral range and the kernel draws this very port as the
// source: TCP lets both ends of a connection open at once (RFC 9293, section 3.5), so the
// socket answers its own request. Nothing listens, so the error is that of a closed port.
const errSelf = syscall.ECONNREFUSED

// dialNet connects to one address by the deadline. The connection has linger 0: when it
// is closed, nothing that is still under way matters, and the socket leaves no
// TIME_WAIT behind. Many probes of one address would leave thousands of those, run out
// of local ports and slow all the others. The endpoint sees a reset, as it does from
// anyone who closes without reading all.
func (p *prober) dialNet(ctx context.Context, to netip.AddrPort, deadline time.Time) (net.Conn, error) {
	d := p.dialer
	d.Deadline = deadline
	conn, err := d.DialTCP(ctx, "tcp", p.source, to)
	if err != nil {
		return nil, err
	}
	_ = conn.SetLinger(0)
	// Package net tries again when a socket is connected to itself, but twice at most.
	if conn.LocalAddr().(*net.TCPAddr).AddrPort() == conn.RemoteAddr().(*net.TCPAddr).AddrPort() {
		_ = conn.Close()
		return nil, errSelf
	}
	return conn, nil
}
