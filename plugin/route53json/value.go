package route53json

import (
	"bytes"
	"slices"

	"github.com/miekg/dns"
)

// parseValues makes the RRs of a record set.
func (c *candidate) parseValues(m member, ttl uint32) bool {
	set := &c.it.set
	rrs := c.alloc.rrs.Make(len(set.values))[:0]
	var seen map[string]struct{}
	for i := range set.values {
		rr, err := c.value(set.values[i].text, ttl)
		if err != nil {
			c.report(LeftOut, BadValue, "%v", err)
			return false
		}
		if len(set.values) > 1 {
			if seen == nil {
				seen = make(map[string]struct{}, len(set.values))
			}
			text := rr.String()
			if _, twice := seen[text]; twice {
				c.report(Changed, Duplicate, "has the value %q twice; answered once", set.values[i].text)
				continue
			}
			seen[text] = struct{}{}
		}
		rrs = append(rrs, rr)
	}
	m.set.Values = rrs[:len(rrs):len(rrs)]
	return true
}

// value makes one RR. Names in values are absolute, as everywhere in Route 53.
func (c *candidate) value(raw []byte, ttl uint32) (dns.RR, error) {
	raw = bytes.TrimSpace(raw)
	text := c.key.Type == dns.TypeTXT || c.key.Type == dns.TypeSPF
	var err error
	switch {
	case text && bytes.IndexByte(raw, '"') < 0:
		c.report(Warning, TextFlavour, "value %.100q is not in double quotes; taken for one text", raw)
		raw, err = unescaped(raw)
	case text:
		raw, err = decimalEscapes(separate(raw))
	default:
		if c.key.Type == dns.TypeNAPTR {
			raw = bareReplacement(raw)
		}
		if bytes.IndexByte(raw, '\\') >= 0 {
			raw, err = decimalEscapes(raw)
		}
	}
	if err != nil {
		return nil, err
	}
	rr, _, err := c.alloc.values.Parse(c.key, ttl, ".", string(raw))
	return rr, err
}

// bareReplacement returns a NAPTR value without quotes around its last field, the name that
// is the replacement. Zone files have none there (RFC 3403, section 4.2); Route 53 takes
// them.
func bareReplacement(raw []byte) []byte {
	last := len(raw) - 1
	if last < 0 || raw[last] != '"' {
		return raw
	}
	var opening, strings int
	quoted := false
	for i := 0; i < last; i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			if quoted = !quoted; quoted {
				opening = i
				strings++
			}
		}
	}
	const fourth = 4 // after flags, service and regular expression
	if !quoted || strings != fourth {
		return raw
	}
	return slices.Concat(raw[:opening], raw[opening+1:last])
}

// separate puts a space between strings that touch, as in `"first""second"`: people split
// long texts like that, and Route 53 accepts it.
func separate(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`""`)) {
		return raw
	}
	out := make([]byte, 0, len(raw)+8)
	quoted := false
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			out = append(out, raw[i])
			if i++; i == len(raw) {
				return out
			}
		case '"':
			if quoted = !quoted; quoted && i > 0 && raw[i-1] == '"' {
				out = append(out, ' ')
			}
		}
		out = append(out, raw[i])
	}
	return out
}

// unescaped returns the bytes that a text with octal escapes stands for.
func unescaped(raw []byte) ([]byte, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw, nil
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' {
			b, ok, err := octal(raw[i+1:])
			switch {
			case err != nil:
				return nil, err
			case ok:
				out = append(out, b)
				i += 3
				continue
			case i+1 < len(raw):
				i++
			}
		}
		out = append(out, raw[i])
	}
	return out, nil
}
