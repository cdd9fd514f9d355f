//go:build unix

package healthcheck

import (
	"net/netip"
	"syscall"
	"testing"
)

// A process that can open no more files knows nothing about any endpoint, whether that
// has an address or a name.
func TestOutOfFiles(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Skip(err)
	}
	none := before
	none.Cur = 0
	at := netip.MustParseAddrPort("127.0.0.1:1")
	for _, host := range []string{"127.0.0.1", "::1", "localhost", "api.example.com"} {
		s := spec(TCP, at, soon, func(s *Spec) { s.Host = host })
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
			t.Skip(err)
		}
		err := attempt(t, s)
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Fatal(err)
		}
		if err != errLocal {
			t.Errorf("%s: got %v, want %v", host, err, errLocal)
		}
	}
}
