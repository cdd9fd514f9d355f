package route53json

import "github.com/steerdns/steer/plugin/record"

// draft is a group while files are read.
type draft struct {
	key     record.Key
	members []member
	byID    map[string]int32 // members, by identity; nil while they are few
}

// member is a record set of a draft.
type member struct {
	set    record.RecordSet
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

// fewMembers is up to how many members a draft is searched one by one.
const fewMembers = 16

// draft returns the group of a key. It is often the last one.
func (l *loader) draft(k record.Key) *draft {
	if n := len(l.drafts); n > 0 && l.drafts[n-1].key == k {
		return l.drafts[n-1]
	}
	d := l.byKey[k]
	if d == nil {
		d = l.room.drafts.New()
		d.key, d.members = k, l.room.members.Make(1)[:0]
		l.byKey[k] = d
		l.drafts = append(l.drafts, d)
	}
	return d
}

// identity is what makes a record set one of its group: its set identifier. Where that
// is missing it is the tier; several weighted or multivalue record sets may lack it, and
// their identity stands for all of them.
func (m *member) identity() string {
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
func (m *member) anonymous() bool {
	return m.set.SetID == "" && (m.policy == record.Weighted || m.policy == record.Multivalue)
}

// find returns the member of an identity, or nil.
func (d *draft) find(identity string) *member {
	if d.byID != nil {
		if i, ok := d.byID[identity]; ok && d.members[i].state != removed {
			return &d.members[i]
		}
		return nil
	}
	for i := range d.members {
		if m := &d.members[i]; m.state != removed && m.identity() == identity {
			return m
		}
	}
	return nil
}

func (d *draft) append(m member) {
	d.members = append(d.members, m)
	switch {
	case d.byID != nil:
		d.byID[m.identity()] = int32(len(d.members) - 1)
	case len(d.members) > fewMembers:
		d.byID = make(map[string]int32, 2*len(d.members))
		for i := range d.members {
			if d.members[i].state != removed {
				d.byID[d.members[i].identity()] = int32(i)
			}
		}
	}
}

// onlyAnonymous returns the member of a small group that a DELETE without a set
// identifier means when it is the only member.
func (d *draft) onlyAnonymous() (only *member) {
	for i := range d.members {
		if m := &d.members[i]; m.state != removed {
			if only != nil {
				return nil
			}
			only = m
		}
	}
	return only
}
