package route53json

import "github.com/steerdns/steer/plugin/record"

// draft is a group that is not complete yet: files are still read.
type draft struct {
	group *record.Group      // its Records are all that were read, in any state
	infos []memberInfo       // of the Records
	byID  map[identity]int32 // Records, by identity; nil while they are few
}

// memberInfo is what is known of a record set until its group is complete.
type memberInfo struct {
	index  int32 // see [Problem.Index]
	policy record.Policy
	state  state
}

type state uint8

const (
	served  state = iota
	leftOut       // reported; its name exists
	removed       // by a change, or left out and replaced
)

// member is a record set of a draft.
type member struct {
	set *record.RecordSet
	*memberInfo
}

// fewMembers is the largest number of members that are searched one by one.
const fewMembers = 16

// draft returns the draft of a key. It is often the last one.
func (l *loader) draft(k record.Key) *draft {
	if n := l.drafts.Len(); n > 0 {
		if d := l.drafts.At(n - 1); d.group.Key == k {
			return d
		}
	}
	if g := l.byKey[k]; g != nil {
		return l.drafts.At(int(g.Ordinal))
	}
	g := l.alloc.groups.New()
	g.Key, g.Ordinal = record.Key{Name: l.alloc.names.Keep(k.Name), Type: k.Type}, int32(l.drafts.Len())
	l.byKey[g.Key] = g
	d := l.drafts.Append()
	d.group = g
	return d
}

// member returns the member at an index.
func (d *draft) member(i int) member { return member{&d.group.Records[i], &d.infos[i]} }

// identity is what makes a record set one of its group: its set identifier, which is
// compared byte by byte. Where that is missing it is the policy and the tier; several
// weighted or multivalue record sets may lack it, and have one identity then.
//
// Source: Route 53 API Reference, ResourceRecordSet, SetIdentifier.
type identity struct {
	setID  string
	policy record.Policy
	tier   uint16
}

func (m member) identity() identity {
	if m.set.SetID != "" {
		return identity{setID: m.set.SetID}
	}
	return identity{policy: m.policy, tier: m.set.Tier}
}

// anonymous reports whether a member's identity can be that of others.
func (m member) anonymous() bool {
	return m.set.SetID == "" && (m.policy == record.Weighted || m.policy == record.Multivalue)
}

// find returns the first member of an identity, if there is one.
func (d *draft) find(id identity) (m member, ok bool) {
	if d.byID != nil && (id.setID != "" || id.policy != record.Weighted && id.policy != record.Multivalue) {
		if i, ok := d.byID[id]; ok && d.infos[i].state != removed {
			return d.member(int(i)), true
		}
		return member{}, false
	}
	for i := range d.infos {
		if m := d.member(i); m.state != removed && m.identity() == id {
			return m, true
		}
	}
	return member{}, false
}

// append appends a member to a draft.
func (l *loader) append(d *draft, m member) {
	d.group.Records = l.alloc.sets.Append(d.group.Records, *m.set)
	d.infos = l.infos.Append(d.infos, *m.memberInfo)
	switch {
	case d.byID != nil:
		d.byID[m.identity()] = int32(len(d.infos) - 1)
	case len(d.infos) > fewMembers:
		d.byID = make(map[identity]int32, 2*len(d.infos))
		for i := range d.infos {
			if m := d.member(i); m.state != removed {
				d.byID[m.identity()] = int32(i)
			}
		}
	}
}

// only returns the only member of a group, if there is just one.
func (d *draft) only() (only member, ok bool) {
	for i := range d.infos {
		if m := d.member(i); m.state != removed {
			if ok {
				return member{}, false
			}
			only, ok = m, true
		}
	}
	return only, ok
}
