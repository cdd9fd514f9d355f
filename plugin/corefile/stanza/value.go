package stanza

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// value returns the data of an RR as a word that is read back as just that. inList says that
// the record has other values. It returns false where there is no such word.
func (w *writer) value(k record.Key, rr dns.RR, inList bool) (string, bool) {
	if text, ok := address(rr); ok {
		return text, true
	}
	data, ok := rdata(rr)
	if !ok {
		return "", false
	}
	zone, _ := w.catalog.Zone(k.Name)
	for _, form := range []func(dns.RR, []byte) string{
		func(_ dns.RR, data []byte) string { return plainText(k.Type, data, inList) },
		zoneForm,
		generic,
	} {
		text := form(rr, data)
		if text == "" || recordOptions[text] {
			continue
		}
		again, warning, err := record.ParseValue(k, 0, zone, text)
		if err != nil || warning != "" {
			continue
		}
		if read, ok := rdata(again); !ok || !bytes.Equal(read, data) {
			continue
		}
		if written, ok := word(text); ok {
			return written, true
		}
	}
	return "", false
}

// address returns the address of an A or AAAA record.
func address(rr dns.RR) (string, bool) {
	switch rr := rr.(type) {
	case *dns.A:
		if addr, ok := netip.AddrFromSlice(rr.A.To4()); ok {
			return addr.String(), true
		}
	case *dns.AAAA:
		if addr, ok := netip.AddrFromSlice(rr.AAAA); ok && addr.Is6() && !addr.Is4In6() {
			return addr.String(), true
		}
	}
	return "", false
}

// rdata returns the data of an RR as it is sent, without compression.
func rdata(rr dns.RR) ([]byte, bool) {
	rr = dns.Copy(rr) // packing sets its length
	rr.Header().Name = "."
	msg := make([]byte, dns.Len(rr)+256) // Len may be short by some escapes
	n, err := dns.PackRR(rr, msg, 0, nil, false)
	const header = 11 // the root's name, type, class, TTL, length
	if err != nil || n < header {
		return nil, false
	}
	return msg[header:n], true
}

// plainText returns the text of a TXT or SPF record that can be written as it is: one
// string, or strings of 255 bytes and a rest. Of several values, one word each would look as
// if quotes were forgotten.
func plainText(typ uint16, data []byte, inList bool) string {
	if typ != dns.TypeTXT && typ != dns.TypeSPF {
		return ""
	}
	var text []byte
	for len(data) > 0 {
		n := int(data[0])
		if n+1 > len(data) || n < 255 && n+1 < len(data) {
			return ""
		}
		text, data = append(text, data[1:n+1]...), data[n+1:]
	}
	s := string(text)
	switch {
	case !utf8.ValidString(s) || strings.Contains(s, `"`):
		return ""
	case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		return ""
	case inList && !strings.Contains(s, " "):
		return ""
	}
	return s
}

// zoneForm returns the data as in a zone file, with decimal escapes for what the lexer
// cannot take in quotes, or would take for an environment variable.
func zoneForm(rr dns.RR, _ []byte) string {
	text := strings.TrimPrefix(rr.String(), rr.Header().String())
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && !isDigit(text[i+1]) && text[i+1] != '#':
			i++
			fmt.Fprintf(&b, `\%03d`, text[i])
		case c == '{' && i+1 < len(text) && strings.IndexByte("$%", text[i+1]) >= 0:
			b.WriteString(`\123`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// generic returns the data in the form that every type has (RFC 3597, section 5).
func generic(_ dns.RR, data []byte) string {
	return strings.TrimSpace(fmt.Sprintf(`\# %d %s`, len(data), strings.ToUpper(hex.EncodeToString(data))))
}
