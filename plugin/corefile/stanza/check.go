package stanza

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// isURL reports whether a check is called by its URL, since it was written where it is used.
func isURL(name string) bool { return strings.Contains(name, "://") }

// nameChecks decides which checks are defined with a name, and gives those one that have none
// that can be written. The others are written where they are used.
func (w *writer) nameChecks() {
	checks := w.catalog.Checks
	define := make([]bool, len(checks))
	for i := range checks {
		c := &checks[i]
		define[i] = !isURL(c.Name)
		if c.Calculated {
			for _, child := range w.children(c) {
				define[child] = true
			}
		}
	}
	for g := range w.catalog.All() {
		w.eachLoneCheck(g, func(i int32) { define[i] = define[i] || !w.standsAlone(i) })
	}
	w.names = make([]string, len(checks))
	taken := make(map[string]bool)
	for i := range checks {
		if name := checks[i].Name; define[i] && !isURL(name) && isIdentifier(name) && !taken[name] {
			w.names[i], taken[name] = name, true
		}
	}
	for i := range checks {
		if define[i] && w.names[i] == "" {
			w.names[i] = invent(checks[i].Name, taken)
			taken[w.names[i]] = true
		}
	}
}

// eachLoneCheck calls f with the checks of a group's record sets, as far as the block of the
// group does not have them for all.
func (w *writer) eachLoneCheck(g *record.Group, f func(check int32)) {
	if w.left[g] != "" {
		return
	}
	if g.Balancer != nil {
		for i := range g.Balancer.Groups {
			if targets := g.Balancer.Groups[i].Targets; len(targets) > 0 && !w.shared(targetUses(targets)).fits() {
				for _, t := range targets {
					f(t.Check)
				}
			}
		}
		return
	}
	if w.groupCheck(g).fits() {
		return
	}
	for _, r := range w.kept(g) {
		if r.Check != record.NoCheck {
			f(r.Check)
		}
	}
}

// standsAlone reports whether a record can have a check without a name: it has no options.
func (w *writer) standsAlone(i int32) bool {
	c := &w.catalog.Checks[i]
	if !isURL(c.Name) || c.Calculated || c.Fixed {
		return false
	}
	p, err := spell(c, false)
	return err == nil && len(p.options) == 0 && p.note == ""
}

// invent returns a name for a check, of the letters that its own has.
func invent(name string, taken map[string]bool) string {
	words := strings.FieldsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-')
	})
	base := strings.Join(words, "-")
	if base == "" {
		base = "check"
	}
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		if !taken[name] {
			return name
		}
	}
}

// writeChecks writes the definitions of the checks that have a name.
func (w *writer) writeChecks() {
	w.unlimited()
	for i, name := range w.names {
		if name != "" {
			w.writeCheck(&w.catalog.Checks[i], name)
		}
	}
}

// unlimited reports the checks that may not probe everything, which no stanza can say. Where
// the endpoint is an address, that one was allowed.
func (w *writer) unlimited() {
	var limited []string
	for i := range w.catalog.Checks {
		c := &w.catalog.Checks[i]
		if c.Spec.Networks != healthcheck.AnyNetwork && !isAddress(c.Spec.Host) && !c.Calculated && !c.Fixed && !c.Disabled {
			limited = append(limited, c.Name)
		}
	}
	if len(limited) > 0 {
		w.problem("the addresses behind a name that checks may probe are not limited in a Corefile, as they were for %s", record.Enumerate(limited))
	}
}

func (w *writer) writeCheck(c *healthcheck.Check, name string) {
	w.note(c.Name)
	if name != c.Name {
		w.problem("check %q is called %q here, in metrics and log lines too", c.Name, name)
	}
	head, _ := word(name)
	head = "check " + head
	if c.Fixed {
		status := settled(c, c.FixedStatus)
		w.problem("check %q probes nothing: its status is fixed at %s", name, status)
		w.constant(head, status)
		return
	}
	if c.Calculated {
		w.calculated(c, name, head)
		return
	}
	p, err := spell(c, false)
	if err != nil {
		w.unwritable(c, name, head, err.Error())
		return
	}
	if p.note != "" {
		w.problem("check %q: %s", name, p.note)
	}
	w.block(head+" "+p.url, p.options)
}

// settled returns the status of a check that nothing changes.
func settled(c *healthcheck.Check, raw healthcheck.Status) healthcheck.Status {
	if c.Disabled {
		raw = healthcheck.Healthy
	}
	if c.Invert {
		return raw.Not()
	}
	return raw
}

// unwritable writes a check that no stanza can define. It counts as healthy, as an imported
// one does that cannot be probed, unless it is disabled.
func (w *writer) unwritable(c *healthcheck.Check, name, head, why string) {
	status := healthcheck.Healthy
	if c.Disabled {
		status = settled(c, status)
	}
	w.problem("check %q cannot be written, so its status is fixed at %s: %s", name, status, why)
	w.constant(head, status)
}

// nowhere is the endpoint of a check that probes nothing (RFC 2606, section 2).
const nowhere = "tcp://not-probed.invalid:1"

// constant writes a check whose status never changes.
func (w *writer) constant(head string, status healthcheck.Status) {
	var p probe
	p.flags(&healthcheck.Check{Disabled: true, Invert: status == healthcheck.Unhealthy})
	w.block(head+" "+nowhere, p.options)
}

// children returns the checks that a calculated one counts: others that are calculated, which
// a stanza cannot count, never count as healthy.
func (w *writer) children(c *healthcheck.Check) []int {
	var children []int
	for _, i := range c.Children {
		if i >= 0 && i < len(w.catalog.Checks) && !w.catalog.Checks[i].Calculated {
			children = append(children, i)
		}
	}
	return children
}

// maxChildren is how many checks a calculated one may count.
const maxChildren = 255

// calculated writes a calculated check.
func (w *writer) calculated(c *healthcheck.Check, name, head string) {
	children := w.children(c)
	distinct := slices.Compact(slices.Sorted(slices.Values(children)))
	switch {
	case len(children) == 0:
		raw := healthcheck.Unhealthy
		if c.HealthyThreshold <= 0 {
			raw = healthcheck.Healthy
		}
		status := settled(c, raw)
		w.problem("check %q counts no others: its status is fixed at %s", name, status)
		w.constant(head, status)
		return
	case len(children) > maxChildren:
		w.unwritable(c, name, head, fmt.Sprintf("it counts %d checks, and %d are the most", len(children), maxChildren))
		return
	case len(distinct) < len(children):
		w.unwritable(c, name, head, "it counts a check twice")
		return
	}
	head += " calculated"
	for _, i := range children {
		child, _ := word(w.names[i])
		head += " " + child
	}
	var p probe
	if threshold := min(max(c.HealthyThreshold, 0), maxChildren+1); threshold != len(children) {
		p.add(fmt.Sprintf("healthy_threshold %d", threshold))
	}
	p.flags(c)
	w.block(head, p.options)
}
