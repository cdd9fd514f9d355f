package route53json

import (
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// finish turns the drafts into groups and ends the load. Its error is that of the context.
func (l *loader) finish() (*Import, error) {
	l.im.byKey, l.im.groups = l.byKey, make([]*record.Group, 0, l.drafts.Len())
	for i := range l.drafts.Len() {
		if i%checkpoint == 0 && l.ctx.Err() != nil {
			return nil, l.ctx.Err()
		}
		d := l.drafts.At(i)
		if g := l.group(d); g != nil {
			l.im.groups = append(l.im.groups, g)
		} else {
			delete(l.byKey, d.group.Key)
		}
	}
	l.im.sortProblems()
	return l.im, nil
}

// checkpoint is after how many record sets a load looks whether it is still wanted. Files
// are read in pieces of fewer, each of which looks, too.
const checkpoint = 4096

// group completes the group of a draft. It returns nil if no record set of it is served.
func (l *loader) group(d *draft) *record.Group {
	g := d.group
	if g.Type == dns.TypeNS {
		l.leaveOutServers(d)
	}
	if len(d.infos) > 1 {
		l.resolveConflicts(d)
	}
	first, whole := -1, true // whole: all record sets are served unchanged
	for i := range d.infos {
		m := d.member(i)
		switch m.state {
		case served:
			if first < 0 {
				first = i
				g.Pos, g.Policy = m.set.Pos, m.policy
			}
			l.im.file(m.set.Pos.File).RecordSets++
			whole = whole && !m.hasSeveralValues()
			continue
		case leftOut:
			l.im.names[g.Name] = struct{}{}
		}
		whole = false
	}
	if first < 0 {
		return nil
	}
	if !whole {
		g.Records = l.records(d)
	}
	l.compareTTLs(d, g)
	return g
}

// records returns the record sets of a draft that are served.
func (l *loader) records(d *draft) []record.RecordSet {
	var records []record.RecordSet
	for i := range d.infos {
		if m := d.member(i); m.state == served {
			records = l.appendMember(records, d, m)
		}
	}
	return records
}

// leaveOutServers leaves out the name servers of a hosted zone that is not a zone of the block.
// Its records are served as names of a zone above it, and its NS would delegate them.
func (l *loader) leaveOutServers(d *draft) {
	if _, ok := l.foreignZones[d.group.Name]; !ok {
		return
	}
	for i := range d.infos {
		l.leaveOutMember(d, d.member(i), Misplaced, "are the name servers of the zone %s, which is not a zone of this block; as a delegation they would hide its records", d.group.Name)
	}
}

// resolveConflicts leaves out record sets that conflict with the rest of their group. The
// group has the policy of most of them; of several such policies, that of the first record
// set. A simple group keeps its first record set, a failover group the first of each tier.
func (l *loader) resolveConflicts(d *draft) {
	policy, first := d.policy()
	var tiers []uint16
	for i := range d.infos {
		m := d.member(i)
		switch {
		case m.state != served:
		case m.policy != policy:
			l.leaveOutMember(d, m, Conflict, "is %s, but the group is %s (%s)", m.policy, policy, first.set.Pos)
		case policy == record.Simple && m.set != first.set:
			l.leaveOutMember(d, m, Conflict, "has no routing policy, and a name has one such record set for each type: %s", first.set.Pos)
		case policy == record.Failover && slices.Contains(tiers, m.set.Tier):
			l.leaveOutMember(d, m, Conflict, "is a second %s; the first one is kept", record.TierName(m.set.Tier))
		case policy == record.Failover:
			tiers = append(tiers, m.set.Tier)
		}
	}
}

// policy returns the policy that a group has, and its first record set.
func (d *draft) policy() (record.Policy, member) {
	votes := make(map[record.Policy]int)
	most := 0
	for i := range d.infos {
		if m := d.member(i); m.state == served {
			votes[m.policy]++
			most = max(most, votes[m.policy])
		}
	}
	for i := range d.infos {
		if m := d.member(i); m.state == served && votes[m.policy] == most {
			return m.policy, m
		}
	}
	return record.Simple, member{}
}

// hasSeveralValues reports whether a member becomes several record sets.
func (m member) hasSeveralValues() bool {
	return m.policy == record.Multivalue && len(m.set.Values) > 1
}

// appendMember appends a member's record set: of a multivalue one with several values
// one for each, since up to eight values are chosen among all of them.
func (l *loader) appendMember(to []record.RecordSet, d *draft, m member) []record.RecordSet {
	if !m.hasSeveralValues() {
		return append(to, *m.set)
	}
	l.reportMember(d, m, Changed, BadPolicy, "has %d values, and multivalue record sets have one; taken for one record set each, with the same health check", len(m.set.Values))
	for i := range m.set.Values {
		one := *m.set
		one.Values = m.set.Values[i : i+1 : i+1]
		if i > 0 {
			one.SetID = ""
		}
		to = append(to, one)
	}
	return to
}

// compareTTLs warns of a group whose answers have different TTLs.
func (l *loader) compareTTLs(d *draft, g *record.Group) {
	first, other := -1, 0
	for i := range g.Records {
		values := g.Records[i].Values
		switch {
		case len(values) == 0:
			continue
		case first < 0:
			first = i
		case values[0].Header().Ttl != g.Records[first].Values[0].Header().Ttl:
			other = i
		}
	}
	if other == 0 {
		return
	}
	a, b := &g.Records[first], &g.Records[other]
	l.im.report(about(g.Key, b.Pos, b.SetID), Warning, BadTTL, "TTL %d differs from the %d of another record set of the group (%s)",
		b.Values[0].Header().Ttl, a.Values[0].Header().Ttl, a.Pos)
}

// leaveOutMember leaves out a member that was to be served.
func (l *loader) leaveOutMember(d *draft, m member, kind Kind, format string, args ...any) {
	if m.state == served {
		m.state = leftOut
		l.reportMember(d, m, LeftOut, kind, format, args...)
	}
}

func (l *loader) reportMember(d *draft, m member, level Level, kind Kind, format string, args ...any) {
	p := about(d.group.Key, m.set.Pos, m.set.SetID)
	p.Index = int(m.index)
	l.im.report(p, level, kind, format, args...)
}
