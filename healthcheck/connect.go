package healthcheck

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// networks are the names under which package net knows the families.
var networks = [...]string{IPv4: "ip4", IPv6: "ip6", AnyFamily: "ip"}

// opener connects to one address; it fails when the deadline passes or ctx ends.
type opener func(ctx context.Context, to netip.AddrPort, deadline time.Time) error

// connect has the endpoint of s opened by the deadline. A name is resolved anew; its
// addresses are tried in turn, and the first failure is the one that is returned.
func (p *prober) connect(ctx context.Context, s *Spec, deadline time.Time, open opener) error {
	if addr, err := netip.ParseAddr(s.Host); err == nil {
		if err := open(ctx, netip.AddrPortFrom(addr.Unmap(), s.Port), deadline); err != nil {
			return connectError(err, s.ConnectTimeout)
		}
		return nil
	}
	addrs, err := p.resolve(ctx, s, deadline)
	if err != nil {
		return err
	}
	var first error
	for i, addr := range addrs {
		left := time.Until(deadline)
		if left <= 0 {
			break
		}
		wait := share(left, len(addrs)-i)
		err := open(ctx, netip.AddrPortFrom(addr.Unmap(), s.Port), time.Now().Add(wait))
		if err == nil {
			return nil
		}
		if first == nil {
			first = connectError(err, s.ConnectTimeout)
		}
	}
	if first == nil {
		first = connectError(context.DeadlineExceeded, s.ConnectTimeout)
	}
	return first
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

// dial connects to one address for an exchange.
func (p *prober) dial(ctx context.Context, to netip.AddrPort, deadline time.Time) (*net.TCPConn, error) {
	d := p.dialer
	d.Deadline = deadline
	return d.DialTCP(ctx, "tcp", netip.AddrPort{}, to)
}

// touch connects to one address and closes the connection at once.
func (p *prober) touch(ctx context.Context, to netip.AddrPort, deadline time.Time) error {
	conn, err := p.dial(ctx, to, deadline)
	if err == nil {
		drop(conn)
	}
	return err
}
