package explain

// The types of this file are what the command prints as JSON, field by field.

// Explanation says what a question is answered with, and why.
type Explanation struct {
	Question Question `json:"question"`

	// Rcode is the response code of the likeliest answer, such as "NOERROR" or "NXDOMAIN";
	// "" when another plugin or server decides.
	Rcode string `json:"rcode"`

	// Reason is the rule that chose, as metrics and the log name it; of several on the way
	// of the answers that have records the one that tells most. What no metric counts is "outside" (the name
	// is in none of the zones), "fallthrough" (the next plugin answers), "redirected" (a
	// chain ends elsewhere) or "refused".
	Reason string `json:"reason"`
	Why    string `json:"why"`    // the rule in a sentence
	Source string `json:"source"` // the page of the guide, or the RFC, that the rule comes from

	Zone string `json:"zone,omitempty"` // that the name is in

	// Answers are all answers that a client may get, the likeliest first. Their odds add up
	// to 1 unless some are drawn one by one: see [Answer.Each].
	Answers []Answer `json:"answers"`

	Tree *Node `json:"tree,omitempty"` // where the answers come from

	// Next is the smallest single failure that would take the name to last resort or cost
	// it its last spare; absent when there is none.
	Next *Threat `json:"next,omitempty"`

	// LastResort is true when some answers are a last resort: nothing in their group is
	// healthy, so everything counts as healthy.
	LastResort bool `json:"last_resort"`
}

// Question is a name and a type.
type Question struct {
	Name string `json:"name"` // absolute, in lower case
	Type string `json:"type"`
}

// Answer is one answer that a client may get.
type Answer struct {
	// Values are the data of the records, in zone-file form, without those of CNAMEs that
	// lead to them. They are empty when there are none, or when they are not known here.
	Values []string `json:"values"`
	TTL    uint32   `json:"ttl"`  // seconds: of the values, or of a negative answer
	Odds   string   `json:"odds"` // an exact fraction in lowest terms, such as "3/5" or "1"

	// Each is true when the values are drawn one by one, together with others: the odds are
	// those that an answer holds them.
	Each bool `json:"each,omitempty"`

	Rcode  string `json:"rcode"`            // "" when another plugin or server decides
	Reason string `json:"reason,omitempty"` // the greatest rule on the way of this answer

	// External is the name and type that another plugin or server is asked for.
	External string `json:"external,omitempty"`
	Note     string `json:"note,omitempty"` // why there are no values
}

// Node is one place on the way of an answer.
type Node struct {
	// Kind is "group", "load_balancer", or where the way ends: "external" (a target that is
	// resolved through the server), "missing" (an alias to nothing), "referral", "nodata",
	// "nxdomain", "minimal", "next_plugin", "refused" or "end" (of a chain that is too
	// long).
	Kind string `json:"kind"`
	Name string `json:"name"` // that is looked up here
	Type string `json:"type"`

	// Holder is the name that holds the group when it is another one: a wildcard, the owner
	// of a DNAME, or a delegation.
	Holder   string `json:"holder,omitempty"`
	Position string `json:"position,omitempty"` // file and line of the group

	Policy string `json:"policy,omitempty"` // of a group
	Rule   string `json:"rule,omitempty"`   // by which the group chooses
	Why    string `json:"why"`              // the rule, or why the way ends, in a sentence
	Source string `json:"source,omitempty"` // the page or RFC that it comes from

	Healthy *bool  `json:"healthy,omitempty"` // what an alias above that evaluates it sees
	Sees    string `json:"sees,omitempty"`    // the same in a few words
	Odds    string `json:"odds"`              // that an answer to the question comes this way

	Records  []Record  `json:"records,omitempty"`
	Balancer *Balancer `json:"load_balancer,omitempty"`
	Draw     *Draw     `json:"draw,omitempty"` // of groups that answer several record sets
	Glue     []Glue    `json:"glue,omitempty"` // of a referral

	// Repeated is true when the group is shown above already; its records are left out.
	Repeated bool `json:"repeated,omitempty"`
}

// Record is a record set of a group.
type Record struct {
	Label    string `json:"label"` // its set identifier, tier or place, for people
	SetID    string `json:"set_id,omitempty"`
	Position string `json:"position,omitempty"` // file and line

	Values   []string `json:"values,omitempty"`
	TTL      *uint32  `json:"ttl,omitempty"`   // seconds; an alias has its target's
	Alias    string   `json:"alias,omitempty"` // the name that it points at
	Evaluate bool     `json:"evaluate_target_health,omitempty"`

	Weight *uint16 `json:"weight,omitempty"` // of a weighted group
	Tier   uint16  `json:"tier,omitempty"`   // of a failover group, from 1

	Check        *Check `json:"check,omitempty"`
	Healthy      bool   `json:"healthy"`
	Health       string `json:"health"`        // the rule that says whether it is
	HealthSource string `json:"health_source"` // the page of the guide that this rule comes from
	Eligible     bool   `json:"eligible"`      // may be chosen under this health
	Choice       string `json:"choice"`        // why it is eligible or not

	Odds  string `json:"odds"`  // within the group, once the way has come to it
	Total string `json:"total"` // that an answer to the question comes this way

	Target *Node `json:"target,omitempty"` // of an alias, or of a CNAME or DNAME that is followed
}

// Check is a health check and what it reports.
type Check struct {
	Name     string `json:"name"`
	Endpoint string `json:"endpoint,omitempty"` // the URL that is probed, without its query
	Status   string `json:"status"`             // "healthy" or "unhealthy"
	Note     string `json:"note,omitempty"`     // what else decides: inverted, disabled, calculated, fixed

	// Children are those that a calculated check counts.
	Children []Check `json:"children,omitempty"`
}

// Draw is how many of how many records are in an answer, drawn at random.
type Draw struct {
	Drawn int `json:"drawn"`
	Of    int `json:"of"`
}

// Balancer is a load balancer under the health of the moment.
type Balancer struct {
	CrossZone bool           `json:"cross_zone"`
	Zones     []BalancerZone `json:"zones"`
	Groups    []TargetGroup  `json:"target_groups"`
}

// BalancerZone is a zone of a load balancer.
type BalancerZone struct {
	ID      string   `json:"id"`
	Nodes   []string `json:"nodes,omitempty"` // none: the zone answers with its targets
	Healthy bool     `json:"healthy"`         // no target group is below its dns_failover here
	InDNS   bool     `json:"in_dns"`          // answered
	Why     string   `json:"why"`
}

// TargetGroup is a target group of a load balancer.
type TargetGroup struct {
	ID              string  `json:"id"`
	DNSFailover     string  `json:"dns_failover"` // such as "2", "50%", "2 and 50%" or "none"
	RoutingFailover string  `json:"routing_failover"`
	Scopes          []Scope `json:"scopes"` // by zone, or one for all of them across zones
}

// Scope is what the thresholds of a target group look at for a zone.
type Scope struct {
	Zone         string   `json:"zone,omitempty"` // "" across zones
	Registered   int      `json:"registered"`
	Healthy      int      `json:"healthy"`
	Percent      float64  `json:"percent"`                // healthy ones of those registered, 0–100
	BelowDNS     bool     `json:"below_dns_failover"`     // the zone leaves DNS
	BelowRouting bool     `json:"below_routing_failover"` // all targets are used, unhealthy ones too
	Text         string   `json:"text"`                   // the same, as the log has it
	Targets      []Target `json:"targets"`
}

// Target is a target of a load balancer.
type Target struct {
	Address string `json:"address"`
	Zone    string `json:"zone"`
	Check   Check  `json:"check"`
	Healthy bool   `json:"healthy"`
}

// Glue are addresses that go with a referral.
type Glue struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Values []string `json:"values"`
}
