package record

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/internal/arena"
)

// ParseValue returns the RR of a key whose RDATA is value, in the form of a zone file.
// It reads exactly one RR: what would end the value early (a line break, a comment, a
// parenthesis) and what follows it are errors, never dropped.
//
// A name in the value that has no final dot is relative to origin, as in a zone file,
// unless it ends in origin already; a relative one of several labels is seldom meant
// and returned with a warning. The origin "." makes all names absolute.
//
// The value of a TXT or SPF record that holds no double quote is one text, taken
// literally and split into strings of 255 bytes.
func ParseValue(k Key, ttl uint32, origin, value string) (rr dns.RR, warning string, err error) {
	return new(ValueParser).Parse(k, ttl, origin, value)
}

// ValueParser parses values. The zero value allocates each by itself.
type ValueParser struct {
	a    *arena.Of[compactA]
	aaaa *arena.Of[compactAAAA]
}

// NewValueParser returns a parser of values that are kept for about as long as each other.
func NewValueParser() ValueParser {
	return ValueParser{new(arena.Of[compactA]), new(arena.Of[compactAAAA])}
}

// Parse is [ParseValue].
func (p *ValueParser) Parse(k Key, ttl uint32, origin, value string) (rr dns.RR, warning string, err error) {
	hdr := dns.RR_Header{Name: k.Name, Rrtype: k.Type, Class: dns.ClassINET, Ttl: ttl}
	switch {
	case k.Type == dns.TypeA && !generic(value):
		rr, err = p.parseA(hdr, value)
	case k.Type == dns.TypeAAAA && !generic(value):
		rr, err = p.parseAAAA(hdr, value)
	case (k.Type == dns.TypeTXT || k.Type == dns.TypeSPF) && !generic(value) && !strings.Contains(value, `"`):
		rr, err = parseText(hdr, value)
	default:
		rr, warning, err = parseZoneForm(hdr, origin, value)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s value %.100q %w", dns.Type(k.Type), value, err)
	}
	return rr, warning, nil
}

// generic reports whether a value is in the form of RFC 3597, which every type has.
func generic(value string) bool {
	return strings.HasPrefix(value, `\# `) || strings.HasPrefix(value, "\\#\t")
}

// compactA keeps an A record and its address in one allocation; a large configuration
// holds a million of them.
type compactA struct {
	rr dns.A
	ip [4]byte
}

func (p *ValueParser) parseA(hdr dns.RR_Header, value string) (dns.RR, error) {
	addr, err := netip.ParseAddr(value)
	switch {
	case err != nil:
		return nil, errors.New("is not an IPv4 address" + aliasHint(value))
	case !addr.Is4():
		return nil, errors.New("is an IPv6 address; its type is AAAA")
	}
	c := p.a.New()
	*c = compactA{rr: dns.A{Hdr: hdr}, ip: addr.As4()}
	c.rr.A = c.ip[:]
	return &c.rr, nil
}

type compactAAAA struct {
	rr dns.AAAA
	ip [16]byte
}

// parseAAAA refuses IPv4-mapped addresses: no client can reach one over IPv6, and
// RFC 4038, section 4.2, keeps them off the wire.
func (p *ValueParser) parseAAAA(hdr dns.RR_Header, value string) (dns.RR, error) {
	addr, err := netip.ParseAddr(value)
	switch {
	case err != nil:
		return nil, errors.New("is not an IPv6 address" + aliasHint(value))
	case addr.Is4():
		return nil, errors.New("is an IPv4 address; its type is A")
	case addr.Is4In6():
		return nil, fmt.Errorf("is an IPv4 address in IPv6 form; write %s under type A", addr.Unmap())
	case addr.Zone() != "":
		return nil, errors.New("has an IPv6 zone, which is valid on one machine only")
	}
	c := p.aaaa.New()
	*c = compactAAAA{rr: dns.AAAA{Hdr: hdr}, ip: addr.As16()}
	c.rr.AAAA = c.ip[:]
	return &c.rr, nil
}

// aliasHint helps who wrote a name where an address belongs.
func aliasHint(value string) string {
	name, err := Canonical(value)
	if err != nil || dns.CountLabel(name) < 2 || !plain(name) || strings.Trim(name, "0123456789.") == "" {
		return ""
	}
	return "; to answer with the addresses of a name use an alias"
}

// parseText makes strings of 255 bytes from one text. miekg/dns holds strings as zone
// files write them, so a backslash is doubled.
func parseText(hdr dns.RR_Header, value string) (dns.RR, error) {
	if strings.ContainsAny(value, "\r\n\x00") {
		return nil, errors.New("holds a line break; write it as an escape in a quoted string")
	}
	var texts []string
	for rest := value; ; {
		part := rest[:min(len(rest), 255)]
		texts = append(texts, strings.ReplaceAll(part, `\`, `\\`))
		if rest = rest[len(part):]; rest == "" {
			break
		}
	}
	var rr dns.RR = &dns.TXT{Hdr: hdr, Txt: texts}
	if hdr.Rrtype == dns.TypeSPF {
		rr = &dns.SPF{Hdr: hdr, Txt: texts}
	}
	rr, _, err := wire(rr, hdr)
	return rr, err
}

// parseZoneForm reads a value as the rest of a line in a zone file.
func parseZoneForm(hdr dns.RR_Header, origin, value string) (dns.RR, string, error) {
	value = strings.TrimSpace(value)
	if err := oneValue(value); err != nil {
		return nil, "", err
	}
	if hdr.Rrtype == dns.TypeSOA && !generic(value) && len(strings.Fields(value)) != soaFields {
		return nil, "", fmt.Errorf("has %d fields, not %d%s", len(strings.Fields(value)), soaFields, example(hdr.Rrtype))
	}
	line := ". 0 IN " + dns.Type(hdr.Rrtype).String() + " " + value + "\n"
	parser := dns.NewZoneParser(strings.NewReader(line), relative, "")
	rr, ok := parser.Next()
	if ok {
		if _, more := parser.Next(); more {
			return nil, "", errors.New("is more than one value")
		}
	}
	if err := parser.Err(); err != nil || !ok {
		return nil, "", fmt.Errorf("is wrong: %s%s", reason(err), example(hdr.Rrtype))
	}
	warning, err := completeNames(rr, origin)
	if err != nil {
		return nil, "", err
	}
	rr, length, err := wire(rr, hdr)
	if err != nil {
		return nil, "", fmt.Errorf("%w%s", err, example(hdr.Rrtype))
	}
	if generic(value) && length != genericLength(value) {
		return nil, "", fmt.Errorf("holds more bytes than a record of type %s has", dns.Type(hdr.Rrtype))
	}
	return rr, warning, nil
}

// soaFields is how many fields a SOA has. The zone parser takes missing ones for 0.
const soaFields = 7

// genericLength returns the length that a value in the form of RFC 3597 declares. The
// zone parser has held it against the data, but drops what the type does not use.
func genericLength(value string) int {
	n, _ := strconv.Atoi(strings.Fields(value)[1])
	return n
}

// oneValue refuses what would make the zone parser see less, or more, than one value.
func oneValue(value string) error {
	if value == "" {
		return errors.New("is empty")
	}
	quoted := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\n' || c == '\r' || c == 0:
			return errors.New("holds a line break")
		case c == '\\':
			if i++; i == len(value) {
				return errors.New(`ends in a lone backslash; write "\\" for one`)
			}
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ';':
			return errors.New(`holds a ";", which begins a comment in zone files; escape it as "\;" or quote the string`)
		case c == '(' || c == ')':
			return fmt.Errorf("holds a %q; write the value on one line without parentheses", c)
		}
	}
	if quoted {
		return errors.New("opens a quote that is not closed")
	}
	return nil
}

// reason takes what a person needs from an error of the zone parser, which reads
// `dns: bad MX Pref: "ten" at line: 1:12`; the line is one of our making.
func reason(err error) string {
	if err == nil {
		return "there is nothing in it"
	}
	s := strings.TrimPrefix(err.Error(), "dns: ")
	if i := strings.LastIndex(s, " at line: "); i >= 0 {
		s = s[:i]
	}
	for _, blank := range []string{`: "\n"`, `: " "`, `: ""`} {
		s = strings.TrimSuffix(s, blank)
	}
	return s
}

// wire takes an RR over the wire and back. Thus a value that cannot be sent is an
// error now and not an answer lost later, and every spelling of it becomes one. length
// is that of the RDATA in bytes.
func wire(rr dns.RR, hdr dns.RR_Header) (out dns.RR, length int, err error) {
	rr.Header().Name = "."
	msg := make([]byte, dns.Len(rr)+256) // Len may be short by some escapes
	n, err := dns.PackRR(rr, msg, 0, nil, false)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot be sent: %s", reason(err))
	}
	length = int(rr.Header().Rdlength)
	out, end, err := dns.UnpackRR(msg[:n], 0)
	if err != nil || end != n {
		return nil, 0, fmt.Errorf("cannot be read back: %s", reason(err))
	}
	*out.Header() = hdr
	return out, length, nil
}
