package route53json

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

// place does with a record set what is to be done. One that cannot be served never
// replaces one that can.
func (c *candidate) place(d *draft, m member, do action) {
	old, ok := d.find(m.identity())
	if !ok && do == remove {
		old, ok = d.onlyAnonymous()
	}
	switch {
	case do == remove && !ok:
		c.report(Warning, BadChange, "DELETE finds no such record set in what was read so far")
	case do == remove:
		old.state = removed
		old.set.Values, old.set.Alias = nil, nil
	case !ok, do != upsert && m.anonymous():
		c.append(d, m)
	case m.state == leftOut: // and reported
	case do == upsert, old.state == leftOut:
		*old.set, *old.note = *m.set, *m.note
	default:
		c.report(LeftOut, Duplicate, "is there already (%s); the first one stays", old.set.Pos)
	}
}
