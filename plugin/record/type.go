package record

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/miekg/dns"
)

// ParseType returns the type of a name such as "A", "https" or "TYPE65280". It refuses
// types that no one can hold a record of, and those that a signer makes.
func ParseType(s string) (uint16, error) {
	t, ok := typeByName(strings.ToUpper(s))
	switch {
	case !ok:
		return 0, fmt.Errorf("unknown type %q; write one such as A, AAAA, CNAME, TXT or TYPE65280", s)
	case isMeta(t):
		return 0, fmt.Errorf("type %q is for queries and messages only; no record can have it", s)
	case isSigned(t):
		return 0, fmt.Errorf("type %q belongs to DNSSEC and is created by signing the zone; use the dnssec plugin", s)
	case t == dns.TypeNULL:
		return 0, fmt.Errorf("type %q cannot be written in a zone file", s)
	}
	return t, nil
}

// typeByName takes upper case names and the generic form of RFC 3597.
func typeByName(s string) (uint16, bool) {
	if t, ok := dns.StringToType[s]; ok {
		return t, true
	}
	digits, ok := strings.CutPrefix(s, "TYPE")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	return uint16(n), err == nil
}

// isMeta reports whether a type is reserved, or stands in questions and messages only.
// Source: RFC 6895, section 3.1: 0, OPT, 128–255 and 65535.
func isMeta(t uint16) bool {
	return t == dns.TypeNone || t == dns.TypeOPT || 128 <= t && t <= 255 || t == dns.TypeReserved
}

// isSigned reports whether records of a type come from the signer of a zone. DS, CDS,
// CDNSKEY and the like are data that an operator publishes.
func isSigned(t uint16) bool {
	switch t {
	case dns.TypeSIG, dns.TypeKEY, dns.TypeNXT,
		dns.TypeRRSIG, dns.TypeNSEC, dns.TypeDNSKEY, dns.TypeNSEC3, dns.TypeNSEC3PARAM:
		return true
	}
	return false
}
