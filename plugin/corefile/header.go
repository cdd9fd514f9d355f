package corefile

import (
	"slices"
	"strings"
)

// refusedHeaders have a line of their own in every request, or would break it.
var refusedHeaders = []string{"Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Expect"}

// headerOption is the keyword of a line whose arguments are never shown.
const headerOption = "header"

// header reads `header NAME VALUE`. Values may be secrets, so no error shows one.
func (o *checkOptions) header(s statement) error {
	name, value := s.args[0], s.args[1]
	same := func(other string) bool { return strings.EqualFold(name, other) }
	switch {
	case strings.HasSuffix(name, ":"):
		return s.errorf("header name ends in ':'; write it without: header NAME VALUE")
	case !isToken(name):
		return s.errorf("header name holds a character that no header name has; write: header NAME VALUE")
	case same("Host"):
		return s.errorf("header %q: use the option: host NAME", name)
	case slices.ContainsFunc(refusedHeaders, same):
		return s.errorf("header %q cannot be set: each probe is one request without a body on a connection of its own", name)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return s.errorf("header %q: the value holds a line break or a control character", name)
	}
	if looksSecret(name) {
		o.secret = s
	}
	o.spec.Headers += name + ": " + strings.TrimSpace(value) + "\r\n"
	return nil
}

// secretWords are parts of the names of headers that usually hold a secret.
var secretWords = []string{"auth", "cookie", "token", "secret", "password", "key"}

func looksSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

// isToken reports whether s can be a header name (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}
