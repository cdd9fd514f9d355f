// Package routing works out, purely, what each name answers under a given health, and
// why. It starts nothing, waits for nothing and reads no clock; the rules are those of
// Amazon Route 53 ("How Amazon Route 53 chooses records when health checking is
// configured").
//
// A [Table] holds the groups of a catalog with their current health. From them it
// compiles one [Selection] per group: all that a query needs, ready to be picked from.
// A change of health compiles anew just those Selections that it touches.
package routing

// Reason is the rule that chose an answer. Reasons are ordered: the later one tells
// more about the state of things, so an answer that went through several groups
// carries the greatest of their reasons.
type Reason uint8

// The reasons of answers, in order.
const (
	Simple     Reason = iota // the name has one record
	Multivalue               // up to eight healthy records
	Weighted                 // by weight among the healthy
	Balanced                 // a load balancer, all its zones healthy
	Primary                  // the first tier is healthy
	ZeroWeight               // only records of weight 0 are healthy
	Secondary                // the second tier, since the first is unhealthy
	LaterTier                // a tier after it, since those before are unhealthy
	ZoneOut                  // a load balancer, some of its zones left out
	LastResort               // nothing is healthy, so everything counts as healthy
	NoData                   // the name exists, but has nothing of the type
	NameError                // the name does not exist
	Referral                 // the name is delegated
	Minimal                  // everything was asked for, and a token given (RFC 8482)

	// Reasons is the number of reasons.
	Reasons = int(iota)
)

func (r Reason) String() string {
	switch r {
	case Simple:
		return "simple"
	case Multivalue:
		return "multivalue"
	case Weighted:
		return "weighted"
	case Balanced:
		return "load-balancer"
	case Primary:
		return "primary"
	case ZeroWeight:
		return "zero-weight"
	case Secondary:
		return "secondary"
	case LaterTier:
		return "later-tier"
	case ZoneOut:
		return "zone-out"
	case LastResort:
		return "last-resort"
	case NoData:
		return "nodata"
	case NameError:
		return "nxdomain"
	case Referral:
		return "referral"
	case Minimal:
		return "minimal"
	}
	return "unknown"
}
