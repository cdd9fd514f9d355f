package corefile

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// checkList numbers the checks of a block: those with a name in the order of their
// definitions, then those that records bring along, each definition once.
type checkList struct {
	all  []healthcheck.Check
	at   []record.Pos // of all: the definition or, of a check without a name, the first use
	own  map[probe]int32
	uses map[string]int // of the names made for checks that have none

	defined []*checkDecl // the first of all
	named   map[string]int32
	failed  map[string]bool // named ones that could not be read

	// imported returns the health check that an imported file defines under an id, and its
	// position; false where none does. Nil without imports.
	imported func(id string) (check healthcheck.Check, at record.Pos, ok bool, err error)
	imports  map[int32]bool // those that came from there
}

// probe is a check without its name: what makes two of them the same.
type probe struct {
	spec             healthcheck.Spec
	invert, disabled bool
}

func newCheckList(defined []*checkDecl) *checkList {
	l := &checkList{
		own:     make(map[probe]int32),
		uses:    make(map[string]int),
		defined: defined,
		named:   make(map[string]int32, len(defined)),
		imports: make(map[int32]bool),
	}
	for i, d := range defined {
		l.all, l.at = append(l.all, d.check), append(l.at, d.pos)
		l.named[d.check.Name] = int32(i)
	}
	return l
}

// find returns the number of the check that a name means: one of the block's own, or one
// that an imported file defines, which is numbered when it is first used.
func (l *checkList) find(name string) (i int32, ok bool, err error) {
	i, ok = l.named[name]
	if ok || l.imported == nil {
		return i, ok, nil
	}
	check, at, ok, err := l.imported(name)
	if err != nil || !ok {
		return record.NoCheck, false, err
	}
	i = int32(len(l.all))
	l.all, l.at = append(l.all, check), append(l.at, at)
	l.named[name], l.imports[i] = i, true
	return i, true, nil
}

// places says where the checks of a block can be defined.
func (l *checkList) places() string {
	if l.imported == nil {
		return "in this block"
	}
	return "in this block or its imported files"
}

// resolveChecks finds the children of calculated checks.
func (b *builder) resolveChecks() {
	l := b.checks
	for i, d := range l.defined {
		for _, name := range d.children {
			child, ok, err := l.find(name)
			check := &l.all[i] // find may move it
			switch {
			case err == nil && !ok && l.failed[name]:
				continue
			case err != nil:
			case !ok:
				err = record.ErrorAt(d.pos, "calculated check %q counts %q, and no check of that name is defined %s%s", check.Name, conceal(name), l.places(), suggest(name, l.names()))
			case int(child) == i:
				err = record.ErrorAt(d.pos, "calculated check %q counts itself", check.Name)
			case l.all[child].Calculated:
				at := l.at[child]
				if l.imports[child] && b.again {
					b.warn(lint.CalculatedChild, d.pos, record.Key{}, "", "calculated check %q counts %q, which is calculated itself now (%s); it counts as healthy", check.Name, name, at)
					check.HealthyThreshold = max(check.HealthyThreshold-1, 0)
					continue
				}
				err = record.ErrorAt(d.pos, "calculated check %q counts %q, which is calculated itself (%s); name the checks that one counts", check.Name, name, at)
			}
			if err != nil {
				b.failures.add(err)
				continue
			}
			check.Children = append(check.Children, int(child))
		}
	}
}

// index returns the number of the check that a record refers to. values are the
// record's, for a check without a host.
func (l *checkList) index(ref *checkRef, values []dns.RR) (int32, error) {
	if ref.own == nil {
		i, ok, err := l.find(ref.name)
		switch {
		case err != nil:
			return record.NoCheck, err
		case !ok && l.failed[ref.name]:
			return record.NoCheck, nil
		case !ok:
			return record.NoCheck, record.ErrorAt(ref.pos, "check %q is not defined %s and is not a URL (http://, https:// or tcp://)%s", conceal(ref.name), l.places(), cmp.Or(hint(suggest(ref.name, l.names())), checkHint(ref.name)))
		}
		return i, nil
	}
	check := ref.own.check
	if ref.own.hostless() {
		check.Spec.Host = address(values[0])
	}
	return l.add(check, ref.pos), nil
}

// add numbers a check that came without a name.
func (l *checkList) add(check healthcheck.Check, at record.Pos) int32 {
	key := probe{check.Spec, check.Invert, check.Disabled}
	if i, ok := l.own[key]; ok {
		return i
	}
	check.Name = specName(&check.Spec)
	l.uses[check.Name]++
	if n := l.uses[check.Name]; n > 1 {
		check.Name = fmt.Sprintf("%s (%d)", check.Name, n)
	}
	i := int32(len(l.all))
	l.all, l.at = append(l.all, check), append(l.at, at)
	l.own[key] = i
	return i
}

// names returns the names of the defined checks, in order.
func (l *checkList) names() []string {
	names := make([]string, len(l.defined))
	for i, d := range l.defined {
		names[i] = d.check.Name
	}
	return names
}

// address returns what a check without a host probes for an A or AAAA record.
func address(rr dns.RR) string {
	var ip net.IP
	switch rr := rr.(type) {
	case *dns.A:
		ip = rr.A
	case *dns.AAAA:
		ip = rr.AAAA
	}
	addr, _ := netip.AddrFromSlice(ip)
	return addr.String()
}
