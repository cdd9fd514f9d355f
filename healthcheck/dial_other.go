//go:build !linux || portable

package healthcheck

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// dial connects to one address by the deadline, with linger 0 (see dialNet).
func (p *prober) dial(ctx context.Context, to netip.AddrPort, deadline time.Time) (net.Conn, error) {
	return p.dialNet(ctx, to, deadline)
}
