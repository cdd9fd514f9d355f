package healthcheck

import (
	"net"
	"slices"
	"strings"
	"testing"
)

func TestRequest(t *testing.T) {
	s := Defaults(HTTP)
	s.Host, s.Port, s.Path = "192.0.2.1", 8080, "/healthz?deep=1"
	s.Headers = "X-Token: secret\r\nuser-agent: mine/1.0\r\n"
	want := "GET /healthz?deep=1 HTTP/1.1\r\n" +
		"Host: 192.0.2.1:8080\r\n" +
		"Accept: */*\r\n" +
		"Connection: close\r\n" +
		"X-Token: secret\r\nuser-agent: mine/1.0\r\n\r\n"
	if got := string(appendRequest(nil, &s)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHost(t *testing.T) {
	tests := []struct {
		name       string
		kind       Kind
		host       string
		hostHeader string
		port       uint16
		want       string
	}{
		{"C32: a configured host gets the port", HTTPS, "192.0.2.1", "www.example.com", 8443, "www.example.com:8443"},
		{"C32: but not the scheme's", HTTPS, "192.0.2.1", "www.example.com", 443, "www.example.com"},
		{"443 is not HTTP's", HTTP, "192.0.2.1", "www.example.com", 443, "www.example.com:443"},
		{"80 is", HTTP, "192.0.2.1", "www.example.com", 80, "www.example.com"},
		{"unless it has one already", HTTP, "192.0.2.1", "www.example.com:81", 8080, "www.example.com:81"},
		{"the domain name", HTTP, "www.example.com", "", 80, "www.example.com"},
		{"without its last dot", HTTP, "www.example.com.", "", 8080, "www.example.com:8080"},
		{"the address", HTTP, "192.0.2.1", "", 80, "192.0.2.1"},
		{"the address and port", HTTP, "192.0.2.1", "", 8080, "192.0.2.1:8080"},
		{"IPv6 in brackets", HTTP, "2001:db8::1", "", 80, "[2001:db8::1]"},
		{"IPv6 and port", HTTPS, "2001:db8::1", "", 8443, "[2001:db8::1]:8443"},
		{"without its zone", HTTP, "fe80::1%eth0", "", 80, "[fe80::1]"},
		{"a configured IPv6", HTTP, "192.0.2.1", "2001:db8::2", 8080, "[2001:db8::2]:8080"},
		{"a configured IPv6 in brackets", HTTP, "192.0.2.1", "[2001:db8::2]", 8080, "[2001:db8::2]:8080"},
		{"a configured IPv6 with a port", HTTP, "192.0.2.1", "[2001:db8::2]:81", 8080, "[2001:db8::2]:81"},
	}
	for _, tt := range tests {
		s := Defaults(tt.kind)
		s.Host, s.HostHeader, s.Port = tt.host, tt.hostHeader, tt.port
		if got := string(appendHost(nil, &s)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What goes over the wire is one whole request, and the endpoint sees its lines.
func TestRequestOnTheWire(t *testing.T) {
	got := make(chan []string, 1)
	at := serve(t, loopback, func(c net.Conn) {
		got <- readRequest(c)
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	})
	s := spec(HTTP, at, func(s *Spec) {
		s.Method, s.Path, s.HostHeader, s.Headers = "HEAD", "/up", "www.example.com:80", "X-One: 1\r\n"
	})
	wantReason(t, attempt(t, s), "")
	want := []string{"HEAD /up HTTP/1.1", "Host: www.example.com:80", "User-Agent: steer", "Accept: */*", "Connection: close", "X-One: 1"}
	if lines := <-got; !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
