package lint

import (
	"github.com/steerdns/steer/plugin/record"
)

// tree knows what an alias that evaluates its target's health sees of each group.
//
// Source: Route 53 Developer Guide, "How Amazon Route 53 chooses records when health
// checking is configured", and "What happens when you omit health checks".
type tree struct {
	catalog *record.Catalog
	known   []outlook                  // by Ordinal; made for the first alias
	few     map[*record.Group]*outlook // in its place, where few groups are looked at
}

// outlook is what there is to know of a group without knowing how healthy anything is.
type outlook struct {
	state   state
	checked bool  // something can become unhealthy in it, or in what its aliases evaluate
	always  bool  // one of its record sets is healthy whatever fails
	cause   cause // of always, unless there is a finding of it at another place

	ttl uint32 // the longest of its answers, in seconds, as far as they are held here
}

type state uint8

const (
	unseen state = iota
	looking
	seen
)

// cause is the record set that keeps a tree healthy, or a load balancer that does.
type cause struct {
	group *record.Group
	index int32
}

// record returns nil of a load balancer.
func (c cause) record() *record.RecordSet {
	if c.group == nil || c.group.Balancer != nil {
		return nil
	}
	return &c.group.Records[c.index]
}

func (c cause) pos() record.Pos {
	if r := c.record(); r != nil {
		return r.Pos
	}
	return c.group.Pos
}

// longTTL returns the TTL if that can be too long.
func (o outlook) longTTL() uint32 {
	if o.ttl <= usualTTL {
		return 0
	}
	return o.ttl
}

// of returns the outlook of a group of the catalog.
func (t *tree) of(g *record.Group) outlook {
	o := t.place(g)
	if o.state == unseen {
		o.state = looking // aliases form no cycles; this is for a catalog that is not validated
		*o = t.look(g)
		o.state = seen
	}
	return *o
}

// place returns where the outlook of a group is kept.
func (t *tree) place(g *record.Group) *outlook {
	if t.few != nil {
		if t.few[g] == nil {
			t.few[g] = &outlook{}
		}
		return t.few[g]
	}
	if t.known == nil {
		t.known = make([]outlook, len(t.catalog.Order))
	}
	return &t.known[g.Ordinal]
}

// look works an outlook out.
func (t *tree) look(g *record.Group) (o outlook) {
	if b := g.Balancer; b != nil {
		o.ttl = b.TTL
		o.checked, o.always = balancerOutlook(b)
		if o.always {
			o.cause = cause{group: g}
		}
		return o
	}
	last := lastTier(g)
	for i := range g.Records {
		r := &g.Records[i]
		target, outside := outlook{}, false
		if r.Alias != nil {
			to, held := t.catalog.Target(r.Alias.Name, g.Type)
			if held == record.Here {
				target = t.of(to)
			}
			outside = held == record.Elsewhere
			o.ttl = max(o.ttl, target.ttl)
		} else {
			o.ttl = max(o.ttl, r.Values[0].Header().Ttl)
		}
		switch {
		case r.Check != record.NoCheck:
			o.checked = true
		case r.Alias == nil, !r.Alias.EvaluateTargetHealth:
			o.always = true
			if o.cause.group == nil && !isUncheckedTier(r, last) && !isUnevaluated(g, r, target) {
				o.cause = cause{g, int32(i)}
			}
		default:
			o.checked = o.checked || target.checked || outside
			o.always = o.always || target.always
			if o.cause.group == nil && !decides(g, r, last) {
				o.cause = target.cause
			}
		}
	}
	return o
}

// decides reports whether the health of a record set changes what its group answers: there
// are others to answer with, and it is not the one that is kept for when they are gone. last
// is the group's last tier.
func decides(g *record.Group, r *record.RecordSet, last uint16) bool {
	switch {
	case len(g.Records) < 2:
		return false
	case g.Policy == record.Failover:
		return r.Tier < last
	}
	return g.Policy != record.Weighted || r.Weight > 0
}

// lastTier returns the last tier of a failover group, and 0 for another.
func lastTier(g *record.Group) (last uint16) {
	if g.Policy != record.Failover {
		return 0
	}
	for i := range g.Records {
		last = max(last, g.Records[i].Tier)
	}
	return last
}

// isUncheckedTier reports whether a record set has a finding of [UncheckedTier]. last is the
// last tier of its group.
func isUncheckedTier(r *record.RecordSet, last uint16) bool { return unchecked(r) && r.Tier < last }

// isUnevaluated reports whether an alias of a weighted group has a finding of
// [AliasWithoutEvaluation] by itself. target is the outlook of what it points at.
func isUnevaluated(g *record.Group, r *record.RecordSet, target outlook) bool {
	return r.Alias != nil && unchecked(r) && g.Policy == record.Weighted && decides(g, r, 0) && target.checked && !target.always
}

// unchecked reports whether a record set has neither a check nor a target that it evaluates.
func unchecked(r *record.RecordSet) bool {
	return r.Check == record.NoCheck && (r.Alias == nil || !r.Alias.EvaluateTargetHealth)
}
