package corefile

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// isURL tells the URL of a check from the name of one.
func isURL(word string) bool { return strings.Contains(word, "://") }

// parseURL reads the URL of a check into the Spec of its kind. Its Host is empty when
// the URL has none. net/url is not used: it accepts much that no check can mean, and its
// errors would repeat passwords.
func parseURL(s string) (healthcheck.Spec, error) {
	scheme, rest, _ := strings.Cut(s, "://")
	kind, ok := kinds[strings.ToLower(scheme)]
	if !ok {
		return healthcheck.Spec{}, fmt.Errorf("check URL: scheme %q is not http, https or tcp", conceal(scheme))
	}
	spec := healthcheck.Defaults(kind)
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	before, _, _ := strings.Cut(rest, "?")
	var err error
	spec.Host, spec.Port, err = splitAuthority(authority, defaultPort[kind])
	switch {
	case strings.Contains(before, "@"), err != nil && strings.Contains(rest, "@"): // or a password with a '?'
		return spec, errUserName
	case err != nil:
	case kind == healthcheck.TCP && path != "":
		err = errors.New("a tcp:// check connects only, so it has no path and no query")
	case path != "":
		spec.Path, err = requestTarget(path)
	}
	if err != nil {
		return spec, fmt.Errorf("check URL %q: %w", conceal(s), err)
	}
	return spec, nil
}

var errUserName = errors.New("check URL: it cannot hold a user name or password, since logs and metrics show it; use the option: header Authorization \"...\"; an @ in a path is written %40")

var kinds = map[string]healthcheck.Kind{
	"tcp":   healthcheck.TCP,
	"http":  healthcheck.HTTP,
	"https": healthcheck.HTTPS,
}

// defaultPort has no port for tcp.
var defaultPort = map[healthcheck.Kind]uint16{healthcheck.HTTP: 80, healthcheck.HTTPS: 443}

// splitAuthority splits HOST[:PORT]; both may be missing, the port only where there is
// a default.
func splitAuthority(s string, port uint16) (host string, _ uint16, err error) {
	host, digits := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.Contains(s[i:], "]") {
		host, digits = s[:i], s[i+1:]
		n, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || n == 0 {
			return "", 0, fmt.Errorf("port %q is not a number from 1 to 65535", digits)
		}
		port = uint16(n)
	}
	if port == 0 {
		return "", 0, errors.New("a tcp:// check needs a port, such as tcp://192.0.2.1:443")
	}
	if host == "" {
		return "", port, nil
	}
	host, err = parseHost(host)
	return host, port, err
}

// parseHost reads an address, IPv6 ones in brackets, or a domain name.
func parseHost(s string) (string, error) {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !strings.HasSuffix(inner, "]") || !addr.Is6() {
			return "", fmt.Errorf("%q is not an IPv6 address in brackets", s)
		}
		return addr.Unmap().String(), nil
	}
	if addr, err := netip.ParseAddr(s); err == nil && addr.Is4() {
		return s, nil
	}
	if strings.Contains(s, ":") {
		return "", fmt.Errorf("%q is neither an IPv4 address nor a name; an IPv6 address is written in brackets: [2001:db8::1]", s)
	}
	if err := record.ASCII(s); err != nil {
		return "", err
	}
	if !isHostName(s) {
		return "", fmt.Errorf("%q is neither an address nor a domain name", s)
	}
	return strings.ToLower(s), nil
}

// isHostName reports whether s is a name that can be resolved to addresses: letters,
// digits, hyphens and underscores, and no numeric last label, which would be a slip in
// an address.
func isHostName(s string) bool {
	labels := strings.Split(strings.TrimSuffix(s, "."), ".")
	for _, label := range labels {
		if strings.Trim(strings.ToLower(label), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	if strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return false
	}
	_, err := record.Canonical(s) // lengths
	return err == nil
}

// requestTarget checks the path and query of a URL, which go onto the wire as they are.
func requestTarget(s string) (string, error) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '#':
			return "", errors.New("a fragment is never sent to a server")
		case c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			_, n := utf8.DecodeRuneInString(s[i:])
			return "", fmt.Errorf("%q must be percent-encoded, as %s", s[i:i+n], percentEncoded(s[i:i+n]))
		case c == '%' && !(i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])):
			return "", errors.New("a percent sign that does not begin an encoded byte is %25")
		}
	}
	if s[0] == '?' {
		s = "/" + s
	}
	return s, nil
}

func percentEncoded(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// specName is what a check without a name is called in logs and metrics: its URL with
// the port and without the query, which may hold secrets.
func specName(s *healthcheck.Spec) string {
	path, _, _ := strings.Cut(s.Path, "?")
	return s.Kind.String() + "://" + net.JoinHostPort(s.Host, strconv.Itoa(int(s.Port))) + path
}
