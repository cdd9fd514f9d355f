package record

import (
	"testing"

	"github.com/miekg/dns"
)

func TestParseType(t *testing.T) {
	tests := []struct {
		word string
		want uint16
		err  string
	}{
		{"A", dns.TypeA, ""},
		{"aaaa", dns.TypeAAAA, ""},
		{"Https", dns.TypeHTTPS, ""},
		{"DS", dns.TypeDS, ""},
		{"CDNSKEY", dns.TypeCDNSKEY, ""},
		{"TYPE65280", 65280, ""},
		{"type1", dns.TypeA, ""},
		{"", 0, `unknown type ""; write one such as A, AAAA, CNAME, TXT or TYPE65280`},
		{"IN", 0, `unknown type "IN"; write one such as A, AAAA, CNAME, TXT or TYPE65280`},
		{"TYPE65536", 0, `unknown type "TYPE65536"; write one such as A, AAAA, CNAME, TXT or TYPE65280`},
		{"TYPE-1", 0, `unknown type "TYPE-1"; write one such as A, AAAA, CNAME, TXT or TYPE65280`},
		{"any", 0, `type "any" is for queries and messages only; no record can have it`},
		{"TYPE0", 0, `type "TYPE0" is for queries and messages only; no record can have it`},
		{"TYPE65535", 0, `type "TYPE65535" is for queries and messages only; no record can have it`},
		{"NSEC3", 0, `type "NSEC3" belongs to DNSSEC and is created by signing the zone; use the dnssec plugin`},
		{"NULL", 0, `type "NULL" cannot be written in a zone file`},
	}
	for _, tt := range tests {
		got, err := ParseType(tt.word)
		if got != tt.want || message(err) != tt.err {
			t.Errorf("ParseType(%q) = %d, %v; want %d, %s", tt.word, got, err, tt.want, tt.err)
		}
	}
}

// TestParseTypeKnowsAll goes through the types that miekg/dns has a name for: each is
// accepted, or refused on purpose.
func TestParseTypeKnowsAll(t *testing.T) {
	refused := map[string]bool{
		"None": true, "NULL": true, "OPT": true, "NXNAME": true, "TKEY": true, "TSIG": true, "IXFR": true, "AXFR": true,
		"MAILB": true, "MAILA": true, "ANY": true, "Reserved": true,
		"SIG": true, "KEY": true, "NXT": true, "RRSIG": true, "NSEC": true, "DNSKEY": true, "NSEC3": true, "NSEC3PARAM": true,
	}
	for typ, name := range dns.TypeToString {
		got, err := ParseType(name)
		switch {
		case refused[name] && err == nil:
			t.Errorf("%s is accepted", name)
		case !refused[name] && err != nil:
			t.Errorf("%s is refused: %v", name, err)
		case err == nil && got != typ:
			t.Errorf("%s is %d, want %d", name, got, typ)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
