package explain

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// values are RDATA that are answered together, as text.
type values struct {
	texts []string // in order
	key   string   // one line each: equal ones are the same answer
	ttl   uint32   // seconds
}

// render returns RRs as text, in an order that does not depend on theirs.
func render(rrs []dns.RR) *values {
	sorted := slices.Clone(rrs)
	slices.SortFunc(sorted, compareRDATA)
	v := &values{ttl: ttlOf(rrs)}
	for _, rr := range sorted {
		v.texts = append(v.texts, rdata(rr))
	}
	v.key = strings.Join(v.texts, "\n")
	return v
}

// valuesOf is render for the values of a record set, which are rendered once.
func (m *Model) valuesOf(rrs []dns.RR) *values {
	if v := m.rendered[&rrs[0]]; v != nil {
		return v
	}
	v := render(rrs)
	m.rendered[&rrs[0]] = v
	return v
}

// rdata returns the data of an RR in zone-file form.
func rdata(rr dns.RR) string {
	switch rr := rr.(type) {
	case *dns.A:
		return rr.A.String()
	case *dns.AAAA:
		return rr.AAAA.String()
	case *dns.RFC3597: // whose text begins otherwise
		return fmt.Sprintf(`\# %d %s`, len(rr.Rdata)/2, rr.Rdata)
	}
	return strings.TrimPrefix(rr.String(), rr.Header().String())
}

// compareRDATA orders addresses by number and other data by text.
func compareRDATA(a, b dns.RR) int {
	if x, y := address(a), address(b); x != nil && y != nil {
		return bytes.Compare(x, y)
	}
	return strings.Compare(rdata(a), rdata(b))
}

func address(rr dns.RR) net.IP {
	switch rr := rr.(type) {
	case *dns.A:
		return rr.A.To4()
	case *dns.AAAA:
		return rr.AAAA
	}
	return nil
}

// ttlOf returns the TTL of RRs that are answered together: a cache holds all of them for
// the least.
func ttlOf(rrs []dns.RR) uint32 {
	if len(rrs) == 0 {
		return 0
	}
	ttl := rrs[0].Header().Ttl
	for _, rr := range rrs[1:] {
		ttl = min(ttl, rr.Header().Ttl)
	}
	return ttl
}
