package route53json

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/internal/regular"
	"github.com/steerdns/steer/plugin/record"
)

// Zones returns the zones that files are of, sorted: the names with an SOA record. Where none
// has one it guesses: the closest name above all others, or the one that all have if it has
// NS. It returns none, and true, where that is not to be seen either, and none and false for
// files without record sets. Its errors are those of [Load].
func Zones(ctx context.Context, paths []string) (zones []string, guessed bool, err error) {
	z := &zoneFinder{loader: newLoader(ctx, Options{Zones: []string{"."}}), starts: make(map[string]struct{})}
	z.accept = z.note
	var errs Errors
	for _, path := range paths {
		if err := z.open(path); err != nil {
			errs = append(errs, err)
			if ctx.Err() != nil || errors.Is(err, regular.ErrUnresponsive) {
				break // as in Load
			}
		}
	}
	switch {
	case len(errs) > 0:
		return nil, false, errs
	case len(z.starts) > 0:
		return slices.Sorted(maps.Keys(z.starts)), false, nil
	case z.common == "":
		return nil, false, nil
	case z.common == "." || !z.below && !z.servers:
		return nil, true, nil
	}
	return []string{z.common}, true, nil
}

// zoneFinder reads no more of files than where their zones start.
type zoneFinder struct {
	*loader
	starts  map[string]struct{} // names with an SOA record
	common  string              // the closest name at or above all names; "" of none
	below   bool                // one of them is below it
	servers bool                // one of them has NS
}

func (z *zoneFinder) note(it *item, what kindOfItem, _ uint64) error {
	if what != aRecordSet && what != aChange {
		return nil
	}
	name, err := z.ownerName(it.set.name.text)
	if err != nil {
		return nil // Load reports it
	}
	switch typ := bytes.ToUpper(bytes.TrimSpace(it.set.typ.text)); string(typ) {
	case "SOA":
		z.starts[name] = struct{}{}
	case "NS":
		z.servers = true
	}
	if z.common == "" {
		z.common = name
	}
	for !dns.IsSubDomain(z.common, name) {
		z.common, _ = record.Parent(z.common)
		z.below = true
	}
	z.below = z.below || name != z.common
	return nil
}
