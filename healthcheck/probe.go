package healthcheck

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"time"
)

// prober makes single probes. It holds no state of a check.
type prober struct {
	dialer net.Dialer
	source netip.AddrPort                                                        // of dialNet's connections, for tests; zero is the kernel's choice
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error) // network is ip, ip4 or ip6
	open   func() error                                                          // whether files can be opened
}

func newProber() *prober {
	return &prober{
		// A probe's connection is too short for TCP keep-alive; not setting it up
		// saves four system calls.
		dialer: net.Dialer{KeepAlive: -1},
		lookup: net.DefaultResolver.LookupNetIP,
		open:   openFile,
	}
}

// probe makes one attempt at an endpoint and returns nil if it is in order. An error
// is a reason for people: short, the same for the same cause, and without anything
// secret, such as header values or the query of a URL. When ctx ends, the probe ends
// soon, with any error.
func (p *prober) probe(ctx context.Context, s *Spec, roots *x509.CertPool) error {
	deadline := time.Now().Add(s.ConnectTimeout)
	conn, err := p.connect(ctx, s, deadline)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if s.Kind == TCP {
		return nil
	}
	// A stopped probe must not sit out its deadlines.
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if s.Kind == HTTP {
		return exchange(conn, s)
	}
	secured, err := secure(conn, s, roots, deadline)
	if err != nil {
		return err
	}
	return exchange(secured, s)
}
