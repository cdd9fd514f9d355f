package healthcheck

import (
	"fmt"
	"net"
	"testing"
	"time"
)

// A pool over real sockets, from end to end: an endpoint dies and comes back.
func TestPoolOverSockets(t *testing.T) {
	checkLeaks(t)
	l, err := net.Listen("tcp", loopback)
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().(*net.TCPAddr).AddrPort()
	hangs := serve(t, loopback, hold)

	reported := make(chan Transition, 10)
	p := NewPool(Options{OnTransition: func(t Transition) { reported <- t }})
	quick := func(s *Spec) {
		s.Interval, s.Recheck, s.Rise, s.Fall = 100*ms, 100*ms, 2, 2
	}
	lease := p.Acquire("block", []Check{
		{Name: "tcp", Spec: *spec(TCP, at, quick)},
		{Name: "hangs", Spec: *spec(HTTP, hangs, quick)},
		{Name: "calculated", Calculated: true, Children: []int{0}, HealthyThreshold: 1},
	})
	want := func(check, reason string, to Status) {
		t.Helper()
		select {
		case got := <-reported:
			if want := (Transition{"block", check, to.Not(), to, reason, got.Endpoint}); got != want {
				t.Errorf("reported %+v, want %+v", got, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("waited 10s to hear that %s is %v", check, to)
		}
	}
	l.Close()
	want("tcp", "connect: connection refused", Unhealthy)
	want("calculated", "0 of 1 children healthy, want 1", Unhealthy)
	if l, err = net.Listen("tcp", at.String()); err != nil {
		t.Skip("the port was taken meanwhile")
	}
	defer l.Close()
	want("tcp", "passed 2 times in a row", Healthy)
	want("calculated", "1 of 1 children healthy, want 1", Healthy)
	<-lease.Changed()
	if lease.Known() {
		t.Error("known, but the endpoint that hangs cannot have two results yet")
	}
	began := time.Now()
	lease.Release()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("Release took %v with a probe that hangs", took)
	}
}

// The running probes of a real pool all end with the last lease.
func TestReleaseStopsHangingProbes(t *testing.T) {
	checkLeaks(t)
	hangs := serve(t, loopback, hold)
	p := NewPool(Options{})
	var checks []Check
	for i := range 200 {
		s := spec(HTTP, hangs, func(s *Spec) { s.Interval, s.Path = 100*ms, fmt.Sprint("/", i) })
		checks = append(checks, Check{Name: s.Path, Spec: *s})
	}
	l := p.Acquire("block", checks)
	for running := 0; running < len(checks); time.Sleep(5 * ms) {
		p.mu.Lock()
		running = p.running
		p.mu.Unlock()
	}
	l.Release()
	if p.running != 0 {
		t.Errorf("%d probes run after Release", p.running)
	}
}
