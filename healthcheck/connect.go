package healthcheck

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// networks are the names under which package net knows the families.
var networks = [...]string{IPv4: "ip4", IPv6: "ip6", AnyFamily: "ip"}

// connect opens a TCP connection to the endpoint of s. A name is resolved anew; its
// addresses are tried in turn, and the first failure is the one that is returned.
func (p *prober) connect(ctx context.Context, s *Spec, deadline time.Time) (*net.TCPConn, error) {
	if addr, err := netip.ParseAddr(s.Host); err == nil {
		return p.dial(ctx, netip.AddrPortFrom(addr, s.Port), deadline, s.ConnectTimeout)
	}
	addrs, err := p.resolve(ctx, s, deadline)
	if err != nil {
		return nil, err
	}
	var first error
	for i, addr := range addrs {
		left := time.Until(deadline)
		if left <= 0 {
			break
		}
		wait := share(left, len(addrs)-i)
		conn, err := p.dial(ctx, netip.AddrPortFrom(addr.Unmap(), s.Port), time.Now().Add(wait), wait)
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = connectError(context.DeadlineExceeded, s.ConnectTimeout)
	}
	return nil, first
}

// resolve returns the addresses of the host of s, at least one.
func (p *prober) resolve(ctx context.Context, s *Spec, deadline time.Time) ([]netip.Addr, error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	addrs, err := p.lookup(ctx, networks[s.Family], s.Host)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{IsNotFound: true}
	}
	if err != nil {
		return nil, resolveError(s.Host, err, s.ConnectTimeout)
	}
	return addrs, nil
}

// dial connects to one address until the deadline, which is waited away.
func (p *prober) dial(ctx context.Context, to netip.AddrPort, deadline time.Time, waited time.Duration) (*net.TCPConn, error) {
	d := p.dialer
	d.Deadline = deadline
	conn, err := d.DialTCP(ctx, "tcp", netip.AddrPort{}, to)
	if err != nil {
		return nil, connectError(err, waited)
	}
	return conn, nil
}
