package healthcheck

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

// Networks says which addresses a probe may connect to. It is comparable: equal Networks
// allow the same addresses.
type Networks string

const (
	// AnyNetwork allows every address.
	AnyNetwork Networks = ""

	// NotLinkLocal allows every address but those of the machine's own link, where clouds
	// offer credentials to whoever asks: 169.254.169.254 and fd00:ec2::254.
	//
	// Source: RFC 3927; RFC 4291, section 2.5.6; Amazon EC2 User Guide, "Use the Instance
	// Metadata Service to access instance metadata".
	NotLinkLocal Networks = "!169.254.0.0/16 fd00:ec2::254/128 fe80::/10"
)

// not begins Networks that name what is not allowed.
const not = "!"

// OnlyNetworks allows just the addresses in one of the prefixes, of which there is at least
// one.
func OnlyNetworks(prefixes []netip.Prefix) Networks {
	prefixes = slices.Clone(prefixes)
	for i := range prefixes {
		prefixes[i] = prefixes[i].Masked()
	}
	slices.SortFunc(prefixes, func(a, b netip.Prefix) int {
		return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
	})
	words := make([]string, 0, len(prefixes))
	for _, p := range slices.Compact(prefixes) {
		words = append(words, p.String())
	}
	return Networks(strings.Join(words, " "))
}

// Allow reports whether a probe may connect to an address. An IPv4 address in IPv6 form is
// the IPv4 address, and the zone of an address does not count.
func (n Networks) Allow(addr netip.Addr) bool {
	if n == AnyNetwork {
		return true
	}
	addr = addr.Unmap().WithZone("")
	words, negated := strings.CutPrefix(string(n), not)
	for word := range strings.SplitSeq(words, " ") {
		if p, err := netip.ParsePrefix(word); err == nil && p.Contains(addr) {
			return !negated
		}
	}
	return negated
}
