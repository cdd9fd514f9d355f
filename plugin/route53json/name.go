package route53json

import (
	"bytes"
	"fmt"

	"github.com/steerdns/steer/plugin/record"
)

// ownerName returns the canonical form of a record set's name. Lists are sorted by
// name, so it is often that of the record set before.
func (l *loader) ownerName(raw []byte) (string, error) {
	if bytes.Equal(raw, l.lastRaw) {
		return l.lastName, nil
	}
	name, err := canonical(raw)
	if err == nil {
		l.lastRaw, l.lastName = append(l.lastRaw[:0], raw...), name
	}
	return name, err
}

// targetName returns the canonical form of an alias's target, which is often that of
// many.
func (l *loader) targetName(raw []byte) (string, error) {
	if name, ok := l.targets[string(raw)]; ok {
		return name, nil
	}
	name, err := canonical(raw)
	if err != nil {
		return "", err
	}
	name = l.alloc.names.Keep(name)
	if len(l.targets) < maxInterned {
		l.targets[string(raw)] = name
	}
	return name, nil
}

// canonical returns the canonical form of a name in Route 53's spelling: with octal
// escapes, absolute with or without its final dot, with white space around it.
func canonical(raw []byte) (string, error) {
	raw = bytes.TrimSpace(raw)
	if bytes.IndexByte(raw, '\\') >= 0 {
		decimal, err := decimalEscapes(raw)
		if err != nil {
			return "", err
		}
		return record.Canonical(string(decimal))
	}
	return record.Canonical(string(raw))
}

// decimalEscapes writes Route 53's octal escapes as the decimal ones of zone files,
// which miekg/dns reads: "\052" becomes "\042". Other characters behind a backslash
// stand for themselves in both.
//
// Source: Route 53 Developer Guide, "DNS domain name format", and its section on TXT
// records.
func decimalEscapes(raw []byte) ([]byte, error) {
	out := make([]byte, 0, len(raw)+8)
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			continue
		}
		b, ok, err := octal(raw[i+1:])
		switch {
		case err != nil:
			return nil, err
		case ok:
			out = fmt.Appendf(out, `\%03d`, b)
			i += 3
		case i+1 < len(raw):
			out = append(out, '\\', raw[i+1])
			i++
		default:
			return nil, fmt.Errorf("%q ends in a lone backslash", raw)
		}
	}
	return out, nil
}

// octal returns the byte of the three octal digits that follow a backslash, and false
// when no three digits do.
func octal(after []byte) (b byte, ok bool, err error) {
	if len(after) < 3 {
		return 0, false, nil
	}
	n := 0
	for _, c := range after[:3] {
		if c < '0' || '9' < c {
			return 0, false, nil
		}
		if c > '7' {
			n = 256
		}
		n = n*8 + int(c-'0')
	}
	if n > 255 {
		return 0, false, fmt.Errorf(`escape "\%s" is not octal: Route 53 writes bytes as \000 to \377`, after[:3])
	}
	return byte(n), true, nil
}
