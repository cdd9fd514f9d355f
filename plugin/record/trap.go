package record

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
)

// maxCheckedTTL is the TTL in seconds above which an answer outlives a failover by so
// much that it is worth a warning.
const maxCheckedTTL = 300

// traps finds what is legal but seldom meant.
func (v *validator) traps(g *Group) {
	v.hidden(g)
	if g.Balancer != nil {
		v.balancer(g)
		return
	}
	checked, ttl := false, uint32(0)
	for i := range g.Records {
		r := &g.Records[i]
		checked = checked || r.Check != NoCheck
		if len(r.Values) > 0 {
			ttl = max(ttl, r.Values[0].Header().Ttl)
		}
		v.checkOfOwnName(g, r)
	}
	if checked && ttl > maxCheckedTTL {
		v.warn(g, nil, "long ttl", fmt.Errorf("%s has health checks and a TTL of %d s: clients keep a dead address that long; %d s or less is usual", g.Key, ttl, maxCheckedTTL))
	}
	v.shadowed(g)
}

// checkOfOwnName warns of a check whose endpoint is the name that the group answers:
// it probes whatever this server answers, so it can hold itself up or down.
// Source: Route 53 Developer Guide, "Values that you specify when you create or update
// health checks", the warning on domain names.
func (v *validator) checkOfOwnName(g *Group, r *RecordSet) {
	if r.Check == NoCheck || !v.isNamed(r.Check) || (g.Type != dns.TypeA && g.Type != dns.TypeAAAA && g.Type != dns.TypeCNAME) {
		return
	}
	if check, ok := v.probes(r.Check, g); ok {
		v.warn(g, r, "circular check", fmt.Errorf("%s: check %q probes the name that this group itself answers, so it depends on its own answer; probe an address instead", g.Key, check.Name))
	}
}

// hidden warns of a group at or below a delegation, which is never answered; only
// addresses may be of use there, as glue.
func (v *validator) hidden(g *Group) {
	cut := v.catalog.Cut(g.Name)
	if cut == "" || cut == g.Name && (g.Type == dns.TypeNS || g.Type == dns.TypeDS) || g.Type == dns.TypeA || g.Type == dns.TypeAAAA {
		return
	}
	v.warn(g, nil, "hidden", fmt.Errorf("%s is never answered: the NS at %s delegates the name away", g.Key, cut))
}

// findNamed notes which checks probe an endpoint that is given by name: few, mostly.
func (v *validator) findNamed() {
	v.named = make([]bool, len(v.catalog.Checks))
	for i := range v.named {
		for _, check := range v.endpoints(int32(i)) {
			_, named := namedHost(&check)
			v.named[i] = v.named[i] || named
		}
	}
}

// isNamed reports whether a check probes an endpoint that is given by name.
func (v *validator) isNamed(check int32) bool {
	if v.named != nil {
		return v.named[check]
	}
	return slices.ContainsFunc(v.endpoints(check), func(c healthcheck.Check) bool {
		_, named := namedHost(&c)
		return named
	})
}

// namedHost returns the host of a check as a canonical name, and whether it is one.
func namedHost(c *healthcheck.Check) (string, bool) {
	if _, err := netip.ParseAddr(c.Spec.Host); err == nil || c.Spec.Host == "" {
		return "", false
	}
	host, err := Canonical(c.Spec.Host)
	return host, err == nil
}

// probes returns the check behind a check whose endpoint is the name that a group
// answers, if there is one.
func (v *validator) probes(check int32, g *Group) (healthcheck.Check, bool) {
	for _, check := range v.endpoints(check) {
		if host, named := namedHost(&check); named && v.catalog.Lookup(Key{host, g.Type}) == g {
			return check, true
		}
	}
	return healthcheck.Check{}, false
}

// endpoints returns the checks that probe something on behalf of a check: itself, or
// the children of a calculated one.
func (v *validator) endpoints(i int32) []healthcheck.Check {
	check := v.catalog.Checks[i]
	if !check.Calculated {
		return []healthcheck.Check{check}
	}
	var children []healthcheck.Check
	for _, child := range check.Children {
		children = append(children, v.catalog.Checks[child])
	}
	return children
}

// uncheckedTarget warns of an alias that evaluates a target which can never be
// unhealthy, since one of its records has neither a check nor a health of its own.
func (v *validator) uncheckedTarget(g *Group, r *RecordSet, target *Group) {
	if !r.Alias.EvaluateTargetHealth {
		return
	}
	if b := target.Balancer; b != nil && b.alwaysHealthy() {
		v.warn(g, r, "unchecked target", fmt.Errorf("alias %s evaluates the health of load_balancer %s, which is always healthy: dns_failover is off in all its target groups (%s)", g.Key, b.Name, b.Pos))
	}
	if i := target.unchecked(); i >= 0 {
		set := &target.Records[i]
		v.warn(g, r, "unchecked target", &uncheckedError{g.Key, target.Name, target.Policy, set.SetID, set.Tier, int32(i), set.Pos})
	}
}

// uncheckedError says that an alias evaluates a target which is always healthy. It is a
// type of its own since it can be true of most aliases of a large zone, and only so many
// are told.
type uncheckedError struct {
	alias  Key
	target string
	policy Policy
	setID  string // of the record set without a check
	tier   uint16
	index  int32
	pos    Pos
}

func (e *uncheckedError) Error() string {
	return fmt.Sprintf("alias %s evaluates the health of %s, which is always healthy: record %s there has no check (%s)", e.alias, e.target, label(e.policy, e.setID, e.tier, e.index), e.pos)
}

// unchecked returns the first record set of a group that is always healthy, or -1.
func (g *Group) unchecked() int {
	return slices.IndexFunc(g.Records, func(r RecordSet) bool { return alwaysHealthy(&r) })
}

// Resembles reports whether the same is to be said of an alias to a group as of one to
// another, but for lines in files.
func (g *Group) Resembles(old *Group) bool {
	i, j := g.unchecked(), old.unchecked()
	if i < 0 || j < 0 {
		return i == j
	}
	return g.Label(i) == old.Label(j)
}

// shadowed warns of a failover group where a tier is always answered, so that what
// stands below it never is. It is served all the same.
func (v *validator) shadowed(g *Group) {
	if g.Policy != Failover {
		return
	}
	if first := &g.Records[0]; len(g.Records) == 1 {
		v.warn(g, first, "lonely failover", fmt.Errorf("failover %s has a %s only; it is always answered", g.Key, TierName(first.Tier)))
		return
	}
	last := slices.MaxFunc(g.Records, func(a, b RecordSet) int { return cmp.Compare(a.Tier, b.Tier) }).Tier
	for i := range g.Records {
		if r := &g.Records[i]; r.Tier < last && alwaysHealthy(r) {
			kind := "unchecked tier"
			if r.Tier == 1 {
				kind = "unchecked primary"
			}
			v.warn(g, r, kind, fmt.Errorf("failover %s: the %s has no health check, so nothing below it is ever answered", g.Key, TierName(r.Tier)))
		}
	}
}

// alwaysHealthy reports whether nothing can make a record set unhealthy.
func alwaysHealthy(r *RecordSet) bool {
	return r.Check == NoCheck && (r.Alias == nil || !r.Alias.EvaluateTargetHealth)
}
