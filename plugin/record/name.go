package record

import (
	"fmt"
	"strings"

	"github.com/miekg/dns"
	"golang.org/x/net/idna"
)

// Canonical returns the one spelling under which a name is held and looked up:
// lower case, with its final dot, and escaped just as miekg/dns writes names that it
// reads from the wire. Escapes in s are decimal ("\042"), as in master files.
func Canonical(s string) (string, error) {
	if s == "" {
		return "", fmt.Errorf("name is empty")
	}
	if err := ASCII(s); err != nil {
		return "", err
	}
	full := dns.Fqdn(s)
	if plain(full) {
		return strings.ToLower(full), nil
	}
	var wire [256]byte
	n, err := dns.PackDomainName(full, wire[:], 0, nil, false)
	if err != nil {
		return "", fmt.Errorf("%q is not a domain name: labels have 1 to 63 bytes, names at most 255", s)
	}
	name, _, err := dns.UnpackDomainName(wire[:n], 0)
	if err != nil {
		return "", fmt.Errorf("%q is not a domain name: %w", s, err)
	}
	return strings.ToLower(name), nil
}

// unicode turns names of letters beyond ASCII into what DNS has in their place (RFC 5890).
// It leaves characters such as "*" and "_" alone.
var unicode = idna.New(idna.MapForLookup(), idna.StrictDomainName(false))

// ASCII returns an error if a name holds letters beyond ASCII, which DNS has another
// spelling for. The error shows that spelling.
func ASCII(s string) error {
	for i := range len(s) {
		if s[i] < 0x80 {
			continue
		}
		if name, err := unicode.ToASCII(s); err == nil {
			return fmt.Errorf("%q is not ASCII; write %q, its form in DNS", s, name)
		}
		return fmt.Errorf("%q is not ASCII; write the form that it has in DNS, which begins with \"xn--\"", s)
	}
	return nil
}

// plain reports whether s is sure to survive a trip over the wire unchanged: only
// letters, digits, '-', '_' and '*', in labels of 1 to 63 bytes.
func plain(s string) bool {
	if len(s) > 254 {
		return false
	}
	label := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			if label == 0 || label > 63 {
				return s == "."
			}
			label = 0
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '*':
			label++
		default:
			return false
		}
	}
	return label == 0
}

// Parent returns the name without its first label, and false for the root.
func Parent(name string) (string, bool) {
	i, end := dns.NextLabel(name, 0)
	if end {
		if name == "." || name == "" {
			return "", false
		}
		return ".", true
	}
	return name[i:], true
}

// Wildcard reports whether the first label of a canonical name is the asterisk alone.
func Wildcard(name string) bool { return strings.HasPrefix(name, "*.") }
