package stanza

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// owner returns the name of a group as its stanza has it: relative to the zone where that
// is the only one of the block, since a relative name means each of several.
func (w *writer) owner(name string) string {
	if name == w.zone {
		return "@"
	}
	if short, ok := w.relative(name); ok {
		return short
	}
	return escapeName(name)
}

// relative returns the form of a name without the zone, and false where there is none that
// means this name.
func (w *writer) relative(name string) (string, bool) {
	if zone, ok := w.catalog.Zone(name); !ok || zone != w.zone || name == zone {
		return "", false
	}
	short := strings.TrimSuffix(strings.TrimSuffix(name, strings.TrimPrefix(w.zone, ".")), ".")
	if zone, ok := w.catalog.Zone(short + "."); ok && zone != "." {
		return "", false // it ends in the zone, so it would be taken for absolute
	}
	return escapeName(short), true
}

// target returns the target of an alias of some types. Without its final dot it has to be a
// name that is held, or it would be one outside the zones.
func (w *writer) target(name string, types ...uint16) string {
	if name == w.zone {
		return "@"
	}
	short, ok := w.relative(name)
	for _, typ := range types {
		ok = ok && w.catalog.Groups[record.Key{Name: name, Type: typ}] != nil
	}
	if ok && !recordOptions[short] && !isAddress(short) {
		return short
	}
	full := escapeName(name)
	if isAddress(strings.TrimSuffix(full, ".")) {
		return fmt.Sprintf(`\%03d`, full[0]) + full[1:] // for a name that looks like one
	}
	return full
}

func isAddress(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// escapeName returns a canonical name with decimal escapes for all characters that mean
// something to the lexer, or are seldom seen in names.
func escapeName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return !isPlain(r) }) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '\\' && i+3 < len(name) && isDigit(name[i+1]):
			b.WriteString(name[i : i+4])
			i += 3
		case c == '\\' && i+1 < len(name):
			i++
			fmt.Fprintf(&b, `\%03d`, name[i])
		case isPlain(rune(c)):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03d`, c)
		}
	}
	return b.String()
}

func isPlain(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_*./+=", r)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// typeName returns a type as stanzas have it, and false for one that no stanza can hold.
func typeName(typ uint16) (string, bool) {
	name := dns.Type(typ).String()
	got, err := record.ParseType(name)
	return name, err == nil && got == typ
}
