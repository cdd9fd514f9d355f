package routing

import "github.com/steerdns/steer/plugin/record"

// candidate is a record set of a group as the policies see it.
type candidate struct {
	index   int32 // in the group's Records
	healthy bool
	weight  uint16
	tier    uint16
}

// eligible returns the record sets of a group that may be answered, in the group's
// order, and the rule that chose them. It filters in place: group is used up.
func eligible(policy record.Policy, group []candidate) ([]candidate, Reason) {
	switch policy {
	case record.Weighted:
		return weighted(group)
	case record.Failover:
		return failover(group)
	case record.Multivalue:
		return multivalue(group)
	default:
		return group, Simple // the health of the one record matters only to aliases
	}
}

// weighted returns the record sets of a weighted group that share the traffic: healthy
// ones of weight above 0; else healthy ones of weight 0; if none is healthy, all count
// as healthy and those of weight above 0 go first again.
//
// Source: Route 53 Developer Guide, "How Amazon Route 53 chooses records when health
// checking is configured", and the table of weights 1, 1 and 0 under "Weighted routing".
func weighted(group []candidate) ([]candidate, Reason) {
	reason := Weighted
	if !anyHealthy(group) {
		reason = LastResort
	}
	ok := func(c candidate) bool { return c.healthy || reason == LastResort }
	positive := false
	for _, c := range group {
		positive = positive || ok(c) && c.weight > 0
	}
	if !positive && reason == Weighted {
		// In a group whose weights are all 0 they are no exception: equal shares are
		// the rule there.
		for _, c := range group {
			if c.weight > 0 {
				reason = ZeroWeight
			}
		}
	}
	in := group[:0]
	for _, c := range group {
		if ok(c) && (c.weight > 0 || !positive) {
			in = append(in, c)
		}
	}
	return in, reason
}

// failover returns the first healthy record set by tier; if none is healthy, the
// first.
//
// Source: Route 53 Developer Guide, "Active-active and active-passive failover". More
// than two tiers are ours.
func failover(group []candidate) ([]candidate, Reason) {
	first, best := 0, -1
	for i, c := range group {
		if c.tier < group[first].tier {
			first = i
		}
		if c.healthy && (best < 0 || c.tier < group[best].tier) {
			best = i
		}
	}
	reason := Primary
	switch {
	case best < 0:
		best, reason = first, LastResort
	case group[best].tier == 2:
		reason = Secondary
	case group[best].tier > 2:
		reason = LaterTier
	}
	return group[best : best+1], reason
}

// multivalue returns the healthy record sets; if none is healthy, all.
//
// Source: Route 53 Developer Guide, "Multivalue answer routing".
func multivalue(group []candidate) ([]candidate, Reason) {
	if !anyHealthy(group) {
		return group, LastResort
	}
	in := group[:0]
	for _, c := range group {
		if c.healthy {
			in = append(in, c)
		}
	}
	return in, Multivalue
}

func anyHealthy(group []candidate) bool {
	for _, c := range group {
		if c.healthy {
			return true
		}
	}
	return false
}
