package instance

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/plugin/test"
	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/handler"
)

// TestStopForgets: nothing holds the data of an instance that a reload has replaced, though
// the instance itself may live on; one that is shut down answers on, also where a reload has
// failed before.
func TestStopForgets(t *testing.T) {
	for _, tt := range []struct {
		name             string
		reloaded, failed bool
		forgets          bool
	}{
		{name: "shutdown"},
		{name: "reload", reloaded: true, forgets: true},
		{name: "shutdown after a reload that failed", reloaded: true, failed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := started(t)
			data := weak.Make(in.handler.Snapshot())
			if tt.reloaded {
				next := &Instance{owner: in.owner}
				running.add(next)
				if tt.failed {
					running.remove(next)
				} else {
					defer running.remove(next)
				}
			}
			stop(t, in)
			stop(t, in)
			runtime.GC()
			if held := data.Value() != nil; held == tt.forgets {
				t.Errorf("the data is held: %t", held)
			}
			if got, want := rcode(in.handler), map[bool]int{true: dns.RcodeServerFailure, false: dns.RcodeSuccess}[tt.forgets]; got != want {
				t.Errorf("answers %s, want %s", dns.RcodeToString[got], dns.RcodeToString[want])
			}
			if tt.forgets == in.set.ready() {
				t.Errorf("ready is %t", !tt.forgets)
			}
		})
	}
}

// TestReloadWaits: a load of everything waits for another one, and gives up with its
// context.
func TestReloadWaits(t *testing.T) {
	in := started(t)
	defer stop(t, in)
	before := in.generation()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	loading <- struct{}{}
	defer func() { <-loading }()
	if in.reload(ctx, nil) || in.generation() != before {
		t.Error("two loads at a time")
	}
}

// TestSetupWaits: a directive that is read waits for a load that is under way.
func TestSetupWaits(t *testing.T) {
	c := caddy.NewTestController("dns", "steer example.org {\nsimple www A 192.0.2.1\n}")
	loading <- struct{}{}
	done := make(chan error)
	go func() {
		_, err := New(c)
		done <- err
	}()
	select {
	case <-done:
		t.Error("two loads at a time")
	case <-time.After(50 * time.Millisecond):
		<-loading
		if err := <-done; err != nil {
			t.Error(err)
		}
		return
	}
	<-loading
}

// started returns an instance of one record that answers.
func started(t *testing.T) *Instance {
	t.Helper()
	file := filepath.Join(t.TempDir(), "zone.json")
	write(t, file, `[{"Name": "www.example.org.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}]`)
	c := caddy.NewTestController("dns", "steer example.org {\nroute53 "+file+"\nroute53_reload 0\n}")
	in, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Start(); err != nil {
		t.Fatal(err)
	}
	return in
}

func stop(t *testing.T, in *Instance) {
	t.Helper()
	if err := in.Stop(); err != nil {
		t.Fatal(err)
	}
}

func rcode(h *handler.Handler) int {
	r := new(dns.Msg).SetQuestion("www.example.org.", dns.TypeA)
	rcode, _ := h.ServeDNS(context.Background(), &test.ResponseWriter{}, r)
	return rcode
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
