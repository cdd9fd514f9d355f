package healthcheck

import (
	"errors"
	"testing"
	"time"
)

// TestDialNetRefusesSelf gives a socket of package net the destination's port as its source,
// so that it connects to itself.
func TestDialNetRefusesSelf(t *testing.T) {
	closed := closedPort(t)
	p := newProber()
	p.source = closed
	conn, err := p.dialNet(t.Context(), closed, time.Now().Add(10*time.Second))
	if err == nil {
		_ = conn.Close()
	}
	if !errors.Is(err, errSelf) {
		t.Errorf("got %v, want %v", err, errSelf)
	}
}
