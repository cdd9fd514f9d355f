package stanza

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word returns a string as one word of a Corefile, in quotes where it needs them, and false
// when no spelling of it is read back as it was.
//
// Source: caddyfile of github.com/coredns/caddy: a word ends at white space, a '#' begins a
// comment even inside a word, only a quote can be escaped and only inside quotes, and what
// looks like an environment variable is replaced whether it is in quotes or not. A brace is
// one of a block, in quotes too, and steer takes an empty word for a variable that is not set.
func word(s string) (string, bool) {
	if s == "" || s == "{" || s == "}" || !utf8.ValidString(s) || hasReference(s) {
		return "", false
	}
	if isBare(s) && !strings.Contains(s, `"`) {
		return s, true
	}
	if q, ok := quote(s); ok {
		return q, true
	}
	return s, isBare(s)
}

// isBare reports whether a word can stand without quotes.
func isBare(s string) bool {
	return s[0] != '"' && !strings.Contains(s, "#") && !strings.ContainsFunc(s, unicode.IsSpace)
}

// quote puts a word into quotes. The lexer leaves a backslash before any other character
// than a quote alone, so an odd number of them before a quote has no spelling.
func quote(s string) (string, bool) {
	var b strings.Builder
	b.WriteByte('"')
	backslashes := 0
	for i := range len(s) {
		switch {
		case s[i] == '\\':
			backslashes++
		case s[i] == '"' && backslashes%2 == 1:
			return "", false
		case s[i] == '"':
			b.WriteByte('\\')
			backslashes = 0
		default:
			backslashes = 0
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
	return b.String(), backslashes%2 == 0
}

// hasReference reports whether a word may hold a reference to an environment variable.
func hasReference(s string) bool {
	for _, mark := range [][2]string{{"{$", "}"}, {"{%", "%}"}} {
		if i := strings.Index(s, mark[0]); i >= 0 && strings.Contains(s[i:], mark[1]) {
			return true
		}
	}
	return false
}

// isIdentifier reports whether a check or a part of a load balancer can be called s.
func isIdentifier(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == utf8.RuneError }) {
		return false
	}
	_, ok := word(s)
	return ok
}

// recordOptions are the words that end a record's values, so that no value and no target
// can be one. The word alias before them begins an alias.
var recordOptions = map[string]bool{"alias": true, "check": true, "id": true, "ttl": true, "evaluate_target_health": true}
