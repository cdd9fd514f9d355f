package healthcheck

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// appendRequest appends the HTTP request of s. It is written by hand because the
// whole of net/http costs a third more for each probe and keeps its connections in
// ways that a health check must not use: no proxies, no redirects, no keep-alive, no
// retries.
//
// No Accept-Encoding is sent, so that servers do not compress for us what is thrown
// away; a body that is compressed all the same is decoded. Headers of s take the
// place of these.
func appendRequest(b []byte, s *Spec) []byte {
	b = append(b, s.Method...)
	b = append(b, ' ')
	b = append(b, s.Path...)
	b = append(b, " HTTP/1.1\r\n"...)
	if !hasHeader(s.Headers, "Host") {
		b = append(b, "Host: "...)
		b = appendHost(b, s)
		b = append(b, "\r\n"...)
	}
	for _, h := range [...]struct{ name, line string }{
		{"User-Agent", "User-Agent: steer\r\n"},
		{"Accept", "Accept: */*\r\n"},
		{"Connection", "Connection: close\r\n"},
	} {
		if !hasHeader(s.Headers, h.name) {
			b = append(b, h.line...)
		}
	}
	b = append(b, s.Headers...)
	return append(b, "\r\n"...)
}

// appendHost appends the value of the Host header: the configured one, else the domain
// name or address; with the port unless it has one already or the scheme implies it.
//
// Source: Route 53 Developer Guide, "Values that you specify when you create or update
// health checks", domain name and port.
func appendHost(b []byte, s *Spec) []byte {
	host := s.HostHeader
	if host == "" {
		host, _, _ = strings.Cut(s.Host, "%") // a zone means nothing to the other side
		host = strings.TrimSuffix(host, ".")
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		b = append(b, '[')
		b = append(b, host...)
		b = append(b, ']')
	} else {
		b = append(b, host...)
		if _, port, err := net.SplitHostPort(host); err == nil && port != "" {
			return b
		}
	}
	if s.Kind == HTTP && s.Port == 80 || s.Kind == HTTPS && s.Port == 443 {
		return b
	}
	b = append(b, ':')
	return strconv.AppendUint(b, uint64(s.Port), 10)
}

// hasHeader reports whether one of the header lines has the name.
func hasHeader(lines, name string) bool {
	for lines != "" {
		line, rest, _ := strings.Cut(lines, "\n")
		if len(line) > len(name) && line[len(name)] == ':' && strings.EqualFold(line[:len(name)], name) {
			return true
		}
		lines = rest
	}
	return false
}
