//go:build !linux

package healthcheck

import (
	"context"
	"net/netip"
	"time"
)

// knock connects to one address and closes the connection at once.
func (p *prober) knock(ctx context.Context, to netip.AddrPort, deadline time.Time) error {
	return p.touch(ctx, to, deadline)
}
