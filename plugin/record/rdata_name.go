package record

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"

	"github.com/miekg/dns"
)

// relative is the origin given to the zone parser: a label that nobody writes marks
// the names that it completed, so that they can be told from absolute ones.
const relative = `\255.`

// completeNames replaces the names in an RR's data that end in [relative], and refuses
// names beyond ASCII.
func completeNames(rr dns.RR, origin string) (warning string, err error) {
	eachName(reflect.ValueOf(rr).Elem(), func(name string) string {
		if err == nil {
			if err = ASCII(name); err != nil {
				err = fmt.Errorf("holds a wrong name: %w", err)
			}
		}
		i, _ := dns.PrevLabel(name, 1)
		if err != nil || name[i:] != relative {
			return name
		}
		var warned string
		name, warned, err = complete(name[:i], origin)
		if warning == "" {
			warning = warned
		}
		return name
	})
	return warning, err
}

// complete returns the absolute form of a name that was written without its final
// dot. written has one; it is empty for "@".
func complete(written, origin string) (name, warning string, err error) {
	if origin == "." {
		return dns.Fqdn(written), "", nil
	}
	if _, err := netip.ParseAddr(strings.TrimSuffix(written, ".")); err == nil {
		return "", "", fmt.Errorf("holds the address %q where a name belongs", strings.TrimSuffix(written, "."))
	}
	if strings.Contains(written, "://") {
		return "", "", errors.New("holds a URL where a name belongs")
	}
	labels := dns.CountLabel(written)
	if labels > 1 && dns.IsSubDomain(origin, written) {
		return written, "", nil
	}
	name = written + origin
	if labels > 1 {
		warning = fmt.Sprintf("name %q has no final dot, so it means %q", strings.TrimSuffix(written, "."), name)
	}
	return name, warning, nil
}

// EachName calls f with every domain name in the data of an RR.
func EachName(rr dns.RR, f func(name string)) {
	eachName(reflect.ValueOf(dns.Copy(rr)).Elem(), func(name string) string {
		f(name)
		return name
	})
}

// eachName calls f with every domain name in the data of an RR and stores what it
// returns. The struct tags of miekg/dns say which fields are names.
func eachName(v reflect.Value, f func(string) string) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		switch {
		case field.Type == reflect.TypeFor[dns.RR_Header]():
		case field.Anonymous: // HTTPS is a SVCB, CDS a DS
			eachName(value, f)
		case !isName(field.Tag.Get("dns")):
		case value.Kind() == reflect.Slice:
			for j := range value.Len() {
				value.Index(j).SetString(f(value.Index(j).String()))
			}
		case value.String() != "":
			value.SetString(f(value.String()))
		}
	}
}

func isName(tag string) bool {
	switch tag {
	case "domain-name", "cdomain-name", "ipsechost", "amtrelayhost":
		return true
	}
	return false
}

// ParseName returns the absolute form of a name that stands in data, such as a name
// server's, by the rules of [ParseValue].
func ParseName(origin, s string) (name, warning string, err error) {
	if s == "@" {
		return origin, "", nil
	}
	if name, err = Canonical(s); err != nil {
		return "", "", fmt.Errorf("holds a wrong name: %w", err)
	}
	if dns.IsFqdn(s) {
		return name, "", nil
	}
	return complete(name, origin)
}
