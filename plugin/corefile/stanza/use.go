package stanza

import (
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// use is the check of a record or a target.
type use struct {
	check int32
	addr  string // the one address that it answers with; "" if there is none
}

// groupCheck is the check that a block has for all that is in it.
type groupCheck struct {
	kind  groupCheckKind
	check int32 // that of the first use
}

type groupCheckKind uint8

const (
	apart groupCheckKind = iota // there is none, or not one for all
	same
	own // probes the address of each use
)

func (g groupCheck) fits() bool { return g.kind != apart }

// groupCheck returns the check that the block of a group has. A group without a block has
// none.
func (w *writer) groupCheck(g *record.Group) groupCheck {
	if g.Policy == record.Simple || g.Balancer != nil {
		return groupCheck{}
	}
	var uses []use
	for _, r := range w.kept(g) {
		uses = append(uses, recordUse(g, &r))
	}
	if len(uses) == 1 && (uses[0].check == record.NoCheck || w.name(uses[0].check) != "" || w.standsAlone(uses[0].check)) {
		return groupCheck{} // it fits into the line of the record
	}
	return w.shared(uses)
}

func recordUse(g *record.Group, r *record.RecordSet) use {
	u := use{check: r.Check}
	if (g.Type == dns.TypeA || g.Type == dns.TypeAAAA) && len(r.Values) == 1 {
		u.addr, _ = address(r.Values[0])
	}
	return u
}

func targetUses(targets []record.Target) []use {
	uses := make([]use, len(targets))
	for i, t := range targets {
		uses[i] = use{t.Check, t.Addr.String()}
	}
	return uses
}

// name returns the name under which a check is defined, or that it will have if none is yet;
// "" for one that is written where it is used.
func (w *writer) name(check int32) string {
	if w.names != nil {
		return w.names[check]
	}
	if name := w.catalog.Checks[check].Name; !isURL(name) {
		return name
	}
	return ""
}

// shared returns the check that is common to all uses.
func (w *writer) shared(uses []use) groupCheck {
	if len(uses) == 0 || uses[0].check == record.NoCheck {
		return groupCheck{}
	}
	first := uses[0].check
	c := &w.catalog.Checks[first]
	switch {
	case allSame(uses) && w.name(first) != "":
		return groupCheck{same, first}
	case w.probesOwn(uses) && w.spellable(c, true):
		return groupCheck{own, first}
	case allSame(uses) && w.spellable(c, false):
		return groupCheck{same, first}
	}
	return groupCheck{}
}

func allSame(uses []use) bool {
	return !slices.ContainsFunc(uses, func(u use) bool { return u.check != uses[0].check })
}

// oneCheck reports whether all uses can have one check, perhaps after it was given a name.
func (w *writer) oneCheck(uses []use) bool { return allSame(uses) || w.shared(uses).fits() }

func (w *writer) spellable(c *healthcheck.Check, hostless bool) bool {
	if c.Calculated || c.Fixed {
		return false
	}
	_, err := spell(c, hostless)
	return err == nil
}

// probesOwn reports whether each use has the same check without a name, but for the host,
// which is its own address.
func (w *writer) probesOwn(uses []use) bool {
	first := w.catalog.Checks[uses[0].check]
	for _, u := range uses {
		if u.check == record.NoCheck {
			return false
		}
		c := w.catalog.Checks[u.check]
		if c.Calculated || c.Fixed || !isURL(c.Name) || c.Spec.Host != u.addr {
			return false
		}
		c.Spec.Host = first.Spec.Host
		if c.Spec != first.Spec || c.Invert != first.Invert || c.Disabled != first.Disabled {
			return false
		}
	}
	return true
}

// useWords returns the words by which a record names a check.
func (w *writer) useWords(check int32) string {
	if name := w.names[check]; name != "" {
		written, _ := word(name)
		return "check " + written
	}
	p, _ := spell(&w.catalog.Checks[check], false)
	return "check " + p.url
}

// writeGroupCheck writes the line or block by which a block names its check.
func (w *writer) writeGroupCheck(g groupCheck) {
	switch {
	case g.kind == apart:
	case g.kind == same && w.names[g.check] != "":
		w.line(w.useWords(g.check))
	default:
		c := &w.catalog.Checks[g.check]
		p, _ := spell(c, g.kind == own)
		if p.note != "" {
			w.problem("check %q: %s", p.url, p.note)
		}
		w.block("check "+p.url, p.options)
	}
}
