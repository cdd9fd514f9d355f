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
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error) // network is ip, ip4 or ip6
}

func newProber() *prober {
	return &prober{
		// A probe's connection is too short for TCP keep-alive; not setting it up
		// saves four system calls.
		dialer: net.Dialer{KeepAlive: -1},
		lookup: net.DefaultResolver.LookupNetIP,
	}
}

// probe makes one attempt at an endpoint and returns nil if it is in order. An error
// is a reason for people: short, the same for the same cause, and without anything
// secret, such as header values or the query of a URL. When ctx ends, the probe ends
// soon, with any error.
func (p *prober) probe(ctx context.Context, s *Spec, roots *x509.CertPool) error {
	deadline := time.Now().Add(s.ConnectTimeout)
	if s.Kind == TCP {
		return p.connect(ctx, s, deadline, p.knock)
	}
	var conn *net.TCPConn
	err := p.connect(ctx, s, deadline, func(ctx context.Context, to netip.AddrPort, deadline time.Time) (err error) {
		conn, err = p.dial(ctx, to, deadline)
		return err
	})
	if err != nil {
		return err
	}
	defer drop(conn)
	// A stopped probe must not sit out its deadlines.
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if s.Kind == HTTPS {
		secured, err := secure(conn, s, roots, deadline)
		if err != nil {
			return err
		}
		return exchange(secured, s)
	}
	return exchange(conn, s)
}

// drop closes a connection at once: nothing that is still under way matters. With
// linger 0 the socket leaves no TIME_WAIT behind; many probes of one address would
// leave thousands of those, run out of local ports and slow all the others. The
// endpoint sees a reset, as it does from anyone who closes without reading all.
func drop(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}
