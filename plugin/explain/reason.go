package explain

import "github.com/steerdns/steer/plugin/routing"

// Pages that rules come from.
const (
	guide        = "Route 53 Developer Guide, "
	pageSimple   = guide + `"Simple routing"`
	pageWeighted = guide + `"Weighted routing"`
	pageFailover = guide + `"Active-active and active-passive failover"`
	pageMulti    = guide + `"Multivalue answer routing"`
	pageChoose   = guide + `"How Amazon Route 53 chooses records when health checking is configured"`
	pageTrees    = guide + `"How health checks work in complex Amazon Route 53 configurations"`
	pageBalancer = `Elastic Load Balancing guide, "Target group health"`
)

// rule is a rule in words, and where it comes from.
type rule struct{ why, source string }

// rules are those of the reasons.
var rules = [routing.Reasons]rule{
	routing.Simple:     {"the name has one record set; it is answered whatever its health", pageSimple},
	routing.Multivalue: {"all healthy record sets are answered, up to eight at a time, in random order", pageMulti},
	routing.Weighted:   {"one of the healthy record sets is answered, by weight", pageWeighted},
	routing.Balanced:   {"all zones are healthy and answered", pageBalancer},
	routing.Primary:    {"the primary is healthy, so it is answered", pageFailover},
	routing.ZeroWeight: {"only record sets of weight 0 are healthy; they share the answers evenly", pageWeighted},
	routing.Secondary:  {"nothing before it is healthy, so a later tier is answered", pageFailover},
	routing.LaterTier:  {"nothing before it is healthy, so a later tier is answered", pageFailover},
	routing.ZoneOut:    {"healthy zones are answered, others are left out", pageBalancer},
	routing.LastResort: {"nothing is healthy, so everything counts as healthy: last resort", pageChoose},
	routing.NoData:     {"the name exists, but there is nothing of the type to answer", "RFC 2308, section 2.2"},
	routing.NameError:  {"the name does not exist", "RFC 2308, section 2.1"},
	routing.Referral:   {"the name is delegated: its servers are told", "RFC 1034, section 4.3.2"},
	routing.Minimal:    {"everything is asked for, and answered with a token", "RFC 8482, section 4.2"},
}

// What last resort means in a failover group, which answers the first tier, and in a load
// balancer.
var (
	lastTier = rule{"no tier is healthy, so the first is answered: last resort", pageChoose}
	failOpen = rule{"too few targets are healthy, so unhealthy zones or targets are answered as well: last resort", pageBalancer}
)

// endings are the steps at which a way ends.
var endings = map[stepKind]struct {
	kind, reason string
	rule
}{
	noData:   {"nodata", routing.NoData.String(), rules[routing.NoData]},
	noName:   {"nxdomain", routing.NameError.String(), rules[routing.NameError]},
	referral: {"referral", routing.Referral.String(), rules[routing.Referral]},
	minimal:  {"minimal", routing.Minimal.String(), rules[routing.Minimal]},
	outside:  {"next_plugin", "outside", rule{"the name is in none of the zones of this block: the next plugin answers", ""}},
	next:     {"next_plugin", "fallthrough", rule{"the name is not held here, and fallthrough is on: the next plugin answers", ""}},
	besides:  {"next_plugin", "fallthrough", rule{"the name exists but has nothing of the type, and fallthrough is on: the next plugin answers, and its NXDOMAIN becomes NODATA", "RFC 2308, section 2.2"}},
	through:  {"external", "redirected", rule{"the rest of the chain is held elsewhere: it is resolved through the server", "RFC 1034, section 3.6.2"}},
	refused:  {"refused", "refused", rule{"zone transfers are refused", "RFC 5936, section 5"}},
}
