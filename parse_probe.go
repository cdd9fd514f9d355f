package steer

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// checkList numbers the checks of a block: those with a name in the order of their
// definitions, then those that records bring along, each definition once.
type checkList struct {
	all  []healthcheck.Check
	own  map[probe]int32
	uses map[string]int // of the names made for checks that have none

	defined []*checkDecl // the first of all
	named   map[string]int32
	used    map[int32]bool
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
		used:    make(map[int32]bool),
	}
	for i, d := range defined {
		l.all = append(l.all, d.check)
		l.named[d.check.Name] = int32(i)
	}
	return l
}

// resolveChecks finds the children of calculated checks.
func (b *builder) resolveChecks() error {
	l := b.checks
	for i, d := range l.defined {
		check := &l.all[i]
		for _, name := range d.children {
			child, ok := l.named[name]
			switch {
			case !ok:
				return record.ErrorAt(d.pos, "calculated check %q counts %q, and no check of that name is defined in this block%s", check.Name, conceal(name), suggest(name, l.names()))
			case int(child) == i:
				return record.ErrorAt(d.pos, "calculated check %q counts itself", check.Name)
			case l.all[child].Calculated:
				return record.ErrorAt(d.pos, "calculated check %q counts %q, which is calculated itself (%s); name the checks that one counts", check.Name, name, l.defined[child].pos)
			}
			check.Children = append(check.Children, int(child))
			l.used[child] = true
		}
		if check.Calculated && check.HealthyThreshold > len(check.Children) {
			b.warn(d.pos, record.Key{}, "", "never healthy", "calculated check %q wants %d healthy of %d checks, so it is never healthy", check.Name, check.HealthyThreshold, len(check.Children))
		}
	}
	return nil
}

// index returns the number of the check that a record refers to. values are the
// record's, for a check without a host.
func (l *checkList) index(ref *checkRef, values []dns.RR) (int32, error) {
	if ref.own == nil {
		i, ok := l.named[ref.name]
		if !ok {
			return record.NoCheck, record.ErrorAt(ref.pos, "check %q is not defined in this block, and no URL (http://, https:// or tcp://)%s", conceal(ref.name), suggest(ref.name, l.names()))
		}
		l.used[i] = true
		return i, nil
	}
	check := ref.own.check
	if ref.own.hostless() {
		check.Spec.Host = address(values[0])
	}
	return l.add(check), nil
}

// add numbers a check that came without a name.
func (l *checkList) add(check healthcheck.Check) int32 {
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
	l.all = append(l.all, check)
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

// warnUnused warns of checks that nothing depends on: one was forgotten at its record,
// more often than not. They are probed and shown all the same.
func (b *builder) warnUnused() {
	for i, d := range b.checks.defined {
		if !b.checks.used[int32(i)] {
			b.warn(d.pos, record.Key{}, "", "unused check", "check %q is used by no record and counted by no other check", d.check.Name)
		}
	}
}
