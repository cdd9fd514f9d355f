package route53json

import (
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// action is what is done with a record set.
type action uint8

const (
	listed action = iota // it is in a list of record sets
	create
	upsert
	remove
)

// takeChange makes one change of a batch.
func (l *loader) takeChange(it *item) {
	do := upsert
	switch {
	case it.action.is("create"):
		do = create
	case it.action.is("upsert"):
	case it.action.is("delete"):
		do = remove
	case len(it.action.text) == 0:
		(&candidate{loader: l, it: it}).report(Changed, BadChange, "the change has no Action; taken for UPSERT")
	default:
		(&candidate{loader: l, it: it}).report(LeftOut, BadChange, "Action %q is none of CREATE, UPSERT and DELETE", it.action.text)
		return
	}
	l.takeRecordSet(it, do)
}

// place puts a record set into its group as it is to be done. One that cannot be served
// never replaces one that can, and where it is replaced itself, its place in the order of
// the file goes with it.
func (c *candidate) place(d *draft, m member, do action) {
	old, ok := d.find(m.identity())
	switch {
	case !ok, do != upsert && m.anonymous():
		c.append(d, m)
	case m.state == leftOut: // and reported
	case old.state == leftOut:
		old.remove()
		c.append(d, m)
	case do == upsert:
		*old.set, *old.memberInfo = *m.set, *m.memberInfo
	default:
		c.report(LeftOut, Duplicate, "is a duplicate of an earlier record set (%s), which is kept", old.set.Pos)
	}
}

// remove takes a member out of its group.
func (m member) remove() {
	m.state = removed
	m.set.Values, m.set.Alias = nil, nil
}

// delete removes the record set that a DELETE means: the one with its set identifier. A
// DELETE without one means the one that has none either, or, if that is not there, the
// only one of its name and type, as long as it has the policy that the DELETE says.
func (c *candidate) delete(d *draft, m member) {
	old, n := c.deleted(d, m)
	switch {
	case n == 1:
		old.remove()
	case n > 1:
		c.report(Warning, BadChange, "DELETE has no SetIdentifier and matches %d record sets without one; none has the same values, so none is removed", n)
	default:
		c.report(Warning, BadChange, "DELETE matches no record set that was read before it")
	}
}

// deleted returns the record set that a DELETE means, and how many it can mean.
func (c *candidate) deleted(d *draft, m member) (old member, n int) {
	c.silent = true
	defer func() { c.silent = false }()
	if m.set.SetID == "" {
		c.policy(m)
	}
	old, ok := d.find(m.identity())
	switch {
	case ok && m.anonymous():
		return c.nameless(d, m)
	case !ok && m.set.SetID == "":
		old, ok = d.only()
		ok = ok && (m.policy == record.Simple || m.policy == old.policy && m.set.Tier == old.set.Tier)
	}
	if !ok {
		return member{}, 0
	}
	return old, 1
}

// nameless is deleted where several record sets have the identity of the DELETE: the first
// of those with its values is meant.
func (c *candidate) nameless(d *draft, m member) (old member, n int) {
	filled := c.fill(m)
	for i := range d.infos {
		o := d.member(i)
		if o.state == removed || o.identity() != m.identity() {
			continue
		}
		if filled && m.set.Weight == o.set.Weight && sameAnswer(m.set, o.set) {
			return o, 1
		}
		old, n = o, n+1
	}
	return old, n
}

// sameAnswer reports whether two record sets of a group have the same values or the same
// alias, whatever their TTLs.
func sameAnswer(a, b *record.RecordSet) bool {
	if a.Alias != nil || b.Alias != nil {
		return a.Alias != nil && b.Alias != nil && a.Alias.Name == b.Alias.Name
	}
	within := func(a, b []dns.RR) bool {
		return !slices.ContainsFunc(a, func(x dns.RR) bool {
			return !slices.ContainsFunc(b, func(y dns.RR) bool { return dns.IsDuplicate(x, y) })
		})
	}
	return within(a.Values, b.Values) && within(b.Values, a.Values)
}
