package route53json

import "github.com/steerdns/steer/plugin/record"

// draft is a group while files are read.
type draft struct {
	group *record.Group    // its Records are all that were read, whatever their state
	notes []note           // of the Records
	byID  map[string]int32 // Records, by identity; nil while they are few
}

// note is what there is to know of a record set until its group is complete.
type note struct {
	index  int32 // see [Problem.Index]
	policy record.Policy
	state  state
}

type state uint8

const (
	served  state = iota
	leftOut       // reported; its name exists
	removed       // by a change
)

// member is a record set of a draft.
type member struct {
	set *record.RecordSet
	*note
}

// fewMembers is up to how many members a draft is searched one by one.
const fewMembers = 16

// draft returns the group of a key. It is often the last one.
func (l *loader) draft(k record.Key) *draft {
	if n := l.drafts.Len(); n > 0 {
		if d := l.drafts.At(n - 1); d.group.Key == k {
			return d
		}
	}
	if g := l.byKey[k]; g != nil {
		return l.drafts.At(int(g.Ordinal))
	}
	g := l.kept.groups.New()
	g.Key, g.Ordinal = record.Key{Name: l.kept.names.Keep(k.Name), Type: k.Type}, int32(l.drafts.Len())
	l.byKey[g.Key] = g
	d := l.drafts.Append()
	d.group = g
	return d
}

// member returns the member at an index.
func (d *draft) member(i int) member { return member{&d.group.Records[i], &d.notes[i]} }

// identity is what makes a record set one of its group: its set identifier. Where that
// is missing it is the tier; several weighted or multivalue record sets may lack it, and
// their identity stands for all of them.
func (m member) identity() string {
	if m.set.SetID != "" {
		return m.set.SetID
	}
	switch m.policy {
	case record.Failover:
		return "\x00" + record.TierName(m.set.Tier)
	case record.Weighted, record.Multivalue:
		return "\x00" + m.policy.String()
	}
	return ""
}

// anonymous reports whether a member's identity can be that of others.
func (m member) anonymous() bool {
	return m.set.SetID == "" && (m.policy == record.Weighted || m.policy == record.Multivalue)
}

// find returns the member of an identity, if there is one.
func (d *draft) find(identity string) (m member, ok bool) {
	if d.byID != nil {
		if i, ok := d.byID[identity]; ok && d.notes[i].state != removed {
			return d.member(int(i)), true
		}
		return member{}, false
	}
	for i := range d.notes {
		if m := d.member(i); m.state != removed && m.identity() == identity {
			return m, true
		}
	}
	return member{}, false
}

// append appends a member to a draft.
func (l *loader) append(d *draft, m member) {
	d.group.Records = l.kept.sets.Append(d.group.Records, *m.set)
	d.notes = l.notes.Append(d.notes, *m.note)
	switch {
	case d.byID != nil:
		d.byID[m.identity()] = int32(len(d.notes) - 1)
	case len(d.notes) > fewMembers:
		d.byID = make(map[string]int32, 2*len(d.notes))
		for i := range d.notes {
			if m := d.member(i); m.state != removed {
				d.byID[m.identity()] = int32(i)
			}
		}
	}
}

// onlyAnonymous returns the member of a small group that a DELETE without a set
// identifier means when it is the only member.
func (d *draft) onlyAnonymous() (only member, ok bool) {
	for i := range d.notes {
		if m := d.member(i); m.state != removed {
			if ok {
				return member{}, false
			}
			only, ok = m, true
		}
	}
	return only, ok
}
