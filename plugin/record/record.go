// Package record holds what the operator declared, and refuses what cannot be served.
//
// The words are Route 53's: a [RecordSet] is one ResourceRecordSet, a [Group] is all
// record sets of one name and type, a [Catalog] is everything one steer block holds.
// Nothing here knows how healthy anything is, nor what is answered.
package record

import (
	"fmt"

	"github.com/miekg/dns"
)

// Pos is where in the configuration something stands.
type Pos struct {
	File string
	Line int // from 1; 0 when there is none
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Key is a name and a type: what a query asks for and a [Group] answers.
type Key struct {
	Name string // canonical, see [Canonical]
	Type uint16
}

func (k Key) String() string { return k.Name + " " + dns.Type(k.Type).String() }

// Policy is how a group chooses among its record sets.
type Policy uint8

// The policies.
const (
	Simple Policy = iota
	Weighted
	Failover
	Multivalue
	Balanced // a load balancer's own name
)

func (p Policy) String() string {
	switch p {
	case Simple:
		return "simple"
	case Weighted:
		return "weighted"
	case Failover:
		return "failover"
	case Multivalue:
		return "multivalue"
	case Balanced:
		return "load_balancer"
	}
	return "unknown"
}

// MaxWeight is the largest weight of a weighted record set. Route 53 ends at 255;
// other sources of configuration go further.
const MaxWeight = 65535

// NoCheck is the [RecordSet.Check] of a record set without a health check.
const NoCheck = -1

// RecordSet is one answerable entry: values, or an alias to another name.
type RecordSet struct {
	Pos Pos

	// Values are complete RRs under the group's name, with their TTL; at least one
	// unless Alias is set. They are shared between answers and must never change.
	Values []dns.RR
	Alias  *AliasTarget

	SetID  string // set identifier, "" when none was given; unique within the group otherwise
	Check  int32  // index into [Catalog.Checks], or [NoCheck]
	Weight uint16 // of a weighted group, 0–65535
	Tier   uint16 // of a failover group: 1 is the primary, 2 the secondary, then further tiers

	// Imported record sets come from Route 53 JSON: what is wrong with one is reported
	// and the record set left out, where a Corefile's would be an error.
	Imported bool
}

// AliasTarget is the name that an alias answers with, for the alias's own type.
type AliasTarget struct {
	Name                 string // canonical
	EvaluateTargetHealth bool
}

// Group is all record sets of one name and type. It has exactly one policy.
type Group struct {
	Key
	Pos     Pos // of the stanza, or of the first record set
	Policy  Policy
	Records []RecordSet

	// Ordinal is the group's place in [Catalog.Order].
	Ordinal int32

	// Balancer is set for the Balanced policy, in place of Records.
	Balancer *LoadBalancer
}

// imported reports whether a group comes from Route 53's JSON.
func (g *Group) imported() bool { return g.Balancer == nil && g.Records[0].Imported }

// Label names a record set for people: its set identifier, else its place in the group.
func (g *Group) Label(i int) string {
	r := &g.Records[i]
	switch {
	case r.SetID != "":
		return fmt.Sprintf("%q", r.SetID)
	case g.Policy == Failover:
		return TierName(r.Tier)
	}
	return fmt.Sprintf("number %d", i+1)
}

// TierName is what the grammar calls a tier.
func TierName(tier uint16) string {
	switch tier {
	case 1:
		return "primary"
	case 2:
		return "secondary"
	}
	return fmt.Sprintf("tier %d", tier)
}
