package lint

import (
	"slices"

	"github.com/steerdns/steer/plugin/record"
)

// Trap is a kind of finding. Each has a section in docs/lint.md.
type Trap struct {
	ID     string // stable: metrics, the log and programs know it
	Level  Level
	Means  string // a sentence on what is the matter
	Remedy string // what mends it, without a full stop; a finding can have a better one
}

// What package record refuses in a Corefile and leaves out of imported data.
var (
	CNAMEConflict = &Trap{record.CNAMEConflict, Error,
		"A name has a CNAME and other types.",
		"remove the CNAME or the other types; an alias can stand beside them"}
	BelowDNAME = &Trap{record.BelowDNAME, Error,
		"A name lies below a DNAME, which redirects all names there.",
		"remove the name or the DNAME"}
	AliasTarget = &Trap{record.BadTarget, Error,
		"An alias points at a name of these zones that has no record of the type, and nothing else can have one.",
		"point it at a name that has records of the type, or add those"}
	AliasCycle = &Trap{record.AliasCycle, Error,
		"Aliases lead in a circle.",
		"point one of them at records"}
	AliasChain = &Trap{record.AliasChain, Error,
		"An alias leads through more than 32 others.",
		"point it at a name nearer to the records"}
)

// Names and values.
var (
	CNAMELoop = &Trap{"cname-loop", Warning,
		"CNAMEs or DNAMEs lead back to themselves.",
		"point one of them at a name that has records"}
	HiddenByDelegation = &Trap{"hidden-by-delegation", Warning,
		"A record lies at or below a delegation of this block, so it is never answered.",
		"move it to the servers that the zone is delegated to, or remove the NS"}
	NameInOtherBlock = &Trap{"name-in-other-block", Warning,
		"A name lies in the zone of another server block, which gets all queries for it.",
		"move it to the steer block of that server block"}
	UnreachableZone = &Trap{"unreachable-zone", Warning,
		"A zone of the block is not in the zones of its server block, so no query for it arrives.",
		"add the zone to the server block"}
	FallthroughZone = &Trap{"fallthrough-zone", Warning,
		"fallthrough or fallthrough_types names a zone that is not of the block.",
		"name a zone of the block or one below it"}
	RelativeName = &Trap{"relative-name", Warning,
		"A name looks absolute but has no final dot, so the zone is added to it.",
		"end it in a dot to mean it as it stands"}
	WildcardTarget = &Trap{"wildcard-target", Warning,
		"The target of an alias looks like a name outside of the zones, and a wildcard in them answers it.",
		"end it in a dot to mean a name outside"}
	OutsideTarget = &Trap{"outside-target", Warning,
		"The target of an alias is taken for a name outside of the zones, and the name above it is held here.",
		"end it in a dot to mean a name outside, or correct it"}
	AliasOfCNAME = &Trap{"alias-of-cname", Warning,
		"An alias of type CNAME leads outside, so it answers with the CNAME that the target itself has.",
		"write the name as a value to answer with a CNAME to it"}
	SplitText = &Trap{"split-text", Warning,
		"A text without quotes became one string for each word.",
		"write it in quotes to mean one text"}
)

// Groups.
var (
	FailoverOfOne = &Trap{"failover-of-one", Warning,
		"A failover group has one tier, so there is nothing to fail over to.",
		"add a secondary, or make it simple"}
	UncheckedTier = &Trap{"unchecked-tier", Warning,
		"A tier above others is always healthy, so those are never answered.",
		"give it a check, or evaluate_target_health if it is an alias"}
	TiersShareEndpoint = &Trap{"tiers-share-endpoint", Warning,
		"Two tiers of a failover group have the same endpoint, so they fail together.",
		"give the lower tier an endpoint of its own"}
	OneCheck = &Trap{"one-check", Warning,
		"All records of a group have the same check, and nothing else looks at it, so the answer is the same whatever it says.",
		"give each record a check of its own; a URL without a host probes each record's address"}
	AllWeightsZero = &Trap{"all-weights-zero", Warning,
		"All records of a weighted group have weight 0, so they are answered all the same.",
		"give those that are to be answered a weight, and remove the others"}
	ZeroWeight = &Trap{"zero-weight", Info,
		"A record of weight 0 is not drained: it gets all queries when the others are unhealthy.",
		"remove it to take it out of service"}
	UncheckedRecord = &Trap{"unchecked-record", Info,
		"A record has no check while others of its group do, so it is answered when it is dead.",
		"give it a check"}
	CheckWithoutEffect = &Trap{"check-without-effect", Info,
		"The only record of a group has a check, and no alias evaluates it, so it is answered all the same.",
		"add a second record, or a failover group above that evaluates this one"}
	SingleFailure = &Trap{"single-failure", Info,
		"One failure leaves nothing healthy in a group.",
		"add a record that does not depend on the same check"}
)

// Trees of aliases.
var (
	UncheckedLeaf = &Trap{"unchecked-leaf", Warning,
		"An alias evaluates a target that is always healthy, since a record there has no check, so traffic never moves on from it.",
		"give that record a check"}
	SecondaryWithoutCheck = &Trap{"secondary-without-check", Warning,
		"An alias evaluates a failover group whose last tier has no check, so the group is always healthy and traffic never moves on from it.",
		"give that tier a check, or move it into the failover group above as the last tier"}
	AliasWithoutEvaluation = &Trap{"alias-without-evaluation", Warning,
		"An alias inside a tree does not evaluate its target, so it is used while all of the target is unhealthy.",
		"add evaluate_target_health"}
	BalancerAlwaysHealthy = &Trap{"balancer-always-healthy", Warning,
		"An alias evaluates a load balancer that is always healthy, since dns_failover is off in all its target groups.",
		"set dns_failover in one of its target groups"}
)

// Health checks.
var (
	CircularCheck = &Trap{"circular-check", Warning,
		"A check probes a name that the record it decides on answers.",
		"probe an address instead"}
	UnusedCheck = &Trap{"unused-check", Warning,
		"No record has the check, and no other check counts it.",
		"use it, or remove it"}
	ThresholdNeverMet = &Trap{"threshold-never-met", Warning,
		"A threshold asks for more than there is.",
		"lower the threshold"}
	SlowDetection = &Trap{"slow-detection", Warning,
		"A check takes more than five minutes to find a failure.",
		"lower interval, recheck or threshold"}
	LongTTL = &Trap{"long-ttl", Warning,
		"The TTL is above a minute and above the time that the checks take to find a failure, so clients are the slower part of a failover.",
		"set a ttl of 60 or less"}
	OneCheckForAll = &Trap{"one-check-for-all", Info,
		"All health checks of the block probe one endpoint, so one failure there concerns every name.",
		"probe each endpoint by itself"}
	UnencryptedHeader = &Trap{"unencrypted-header", Warning,
		"A check sends a header that looks secret without TLS.",
		"use https://"}
	UnverifiedHeader = &Trap{"unverified-header", Warning,
		"A check sends a header over TLS to whoever answers, since no certificate is verified.",
		"name the CA: tls_verify CA-FILE"}
	UnknownCheck = &Trap{"unknown-check", Warning,
		"No imported file defines a check any more that stanzas use.",
		"define it, or take it from the stanzas"}
	CalculatedChild = &Trap{"calculated-child", Warning,
		"A calculated check counts a check of an imported file that is calculated itself by now.",
		"count the checks that it counts"}
)

// Load balancers.
var (
	EmptyZone = &Trap{"empty-zone", Warning,
		"A zone of a load balancer has neither nodes nor targets, so it is never answered.",
		"give it nodes or targets, or remove it"}
	EmptyTargetGroup = &Trap{"empty-target-group", Warning,
		"A target group, or a load balancer, has no targets.",
		"add targets, or remove it"}
	ZoneWithoutTargets = &Trap{"zone-without-targets", Warning,
		"A zone of a load balancer has no target of a target group, so without cross_zone it is never healthy.",
		"add a target in the zone, or set cross_zone on"}
	ThresholdOfOneFailure = &Trap{"threshold-of-one-failure", Warning,
		"The failure of one target of several breaches a threshold.",
		"lower the threshold, or add targets"}
	CountForPercentage = &Trap{"count-for-percentage", Warning,
		"A threshold is a count above the number of targets, which would make sense as a percentage.",
		"write it with a percent sign to mean a percentage, such as 50%"}
	SharedCheck = &Trap{"shared-check", Warning,
		"The URL of a target group's check has a host, so one probe decides on all targets.",
		"leave the host out to probe each target's own address"}
)

// Traps returns all traps, in the order of docs/lint.md.
func Traps() []*Trap {
	return []*Trap{
		CNAMEConflict, BelowDNAME, AliasTarget, AliasCycle, AliasChain,
		CNAMELoop, HiddenByDelegation, NameInOtherBlock, UnreachableZone, FallthroughZone, RelativeName, WildcardTarget, OutsideTarget, AliasOfCNAME, SplitText,
		FailoverOfOne, UncheckedTier, TiersShareEndpoint, OneCheck, AllWeightsZero, ZeroWeight, UncheckedRecord, CheckWithoutEffect, SingleFailure,
		UncheckedLeaf, SecondaryWithoutCheck, AliasWithoutEvaluation, BalancerAlwaysHealthy,
		CircularCheck, UnusedCheck, ThresholdNeverMet, SlowDetection, LongTTL, OneCheckForAll, UnencryptedHeader, UnverifiedHeader, UnknownCheck, CalculatedChild,
		EmptyZone, EmptyTargetGroup, ZoneWithoutTargets, ThresholdOfOneFailure, CountForPercentage, SharedCheck,
	}
}

// Whole reports whether it takes all of a block to find the trap. Where some of it could not
// be read, what is missing may be all that is the matter.
func (t *Trap) Whole() bool {
	return slices.Contains([]*Trap{
		WildcardTarget, OutsideTarget, AliasOfCNAME, OneCheck, CheckWithoutEffect, SingleFailure,
		UncheckedLeaf, SecondaryWithoutCheck, AliasWithoutEvaluation, UnusedCheck, OneCheckForAll,
	}, t)
}

// refusals are the traps of what package record reports, by its kinds.
var refusals = map[string]*Trap{
	record.CNAMEConflict: CNAMEConflict,
	record.BelowDNAME:    BelowDNAME,
	record.BadTarget:     AliasTarget,
	record.AliasCycle:    AliasCycle,
	record.AliasChain:    AliasChain,
}
