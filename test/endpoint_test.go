package test

import (
	"net"
	"net/http"
	"sync/atomic"
	"testing"
)

// endpoint is an HTTP server that can be killed and brought back on the same port.
type endpoint struct {
	t      *testing.T
	port   int
	server *http.Server
	probes atomic.Int64
	status atomic.Int64
}

// newEndpoint returns an endpoint that is alive.
func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{t: t, port: freePort(t)}
	e.status.Store(http.StatusOK)
	e.revive()
	t.Cleanup(e.kill)
	return e
}

func (e *endpoint) url() string { return "http://" + loopback(e.port) + "/" }

func (e *endpoint) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	e.probes.Add(1)
	w.WriteHeader(int(e.status.Load()))
}

// kill makes connections be refused.
func (e *endpoint) kill() {
	if e.server != nil {
		e.server.Close()
		e.server = nil
	}
}

func (e *endpoint) revive() {
	e.t.Helper()
	l, err := net.Listen("tcp", loopback(e.port))
	if err != nil {
		e.t.Fatal(err)
	}
	e.server = &http.Server{Handler: e}
	go e.server.Serve(l) // ends with Close
}
