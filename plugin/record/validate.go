package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/miekg/dns"
)

// Problem is something to tell the operator about a record set or a group.
type Problem struct {
	Pos   Pos
	Key   Key
	SetID string
	Level Level
	Kind  string // for metrics, and the id of its section in docs/lint.md
	Err   error
}

// The kinds of problems that [Catalog.Validate] finds.
const (
	CNAMEConflict = "cname-conflict" // a CNAME beside other types
	BelowDNAME    = "below-dname"    // a name below a DNAME
	BadTarget     = "alias-target"   // an alias to what nothing holds
	AliasCycle    = "alias-cycle"    // aliases that lead in a circle
	AliasChain    = "alias-chain"    // more than [MaxAliases] in a row
)

// Level is how bad a problem is.
type Level uint8

// The levels.
const (
	Warning Level = iota // served as it stands, which is perhaps not what was meant
	LeftOut              // the record set was removed from the catalog
	Refused              // the catalog must not be used
)

// Validate looks at the catalog as a whole. What is wrong with a Corefile's record set
// is Refused, what is wrong with an imported one is reported and left out. Problems are
// in the order of the configuration.
func (c *Catalog) Validate() []Problem {
	c.completeSOA()
	v := &validator{catalog: c}
	v.conflicts()
	v.occluded()
	v.cycles(v.aliases())
	slices.SortStableFunc(v.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), strings.Compare(a.Key.Name, b.Key.Name), cmp.Compare(a.Key.Type, b.Key.Type))
	})
	return v.problems
}

type validator struct {
	catalog  *Catalog
	problems []Problem
	gone     map[Key]bool // groups of which nothing is left
}

func (v *validator) warn(g *Group, r *RecordSet, kind string, err error) {
	v.report(g, r, Warning, kind, err)
}

func (v *validator) report(g *Group, r *RecordSet, level Level, kind string, err error) {
	p := Problem{Pos: g.Pos, Key: g.Key, Level: level, Kind: kind, Err: err}
	if r != nil {
		p.Pos, p.SetID = r.Pos, r.SetID
	}
	if len(v.problems) == cap(v.problems) {
		v.problems = slices.Grow(v.problems, max(16, len(v.problems))) // less often than append
	}
	v.problems = append(v.problems, p)
}

// refuse reports an error about a record set: in imported data it is left out.
func (v *validator) refuse(g *Group, r *RecordSet, kind string, err error) {
	if !r.Imported {
		v.report(g, r, Refused, kind, err)
		return
	}
	v.leaveOut(g, r, kind, err)
	v.catalog.keepName(g.Name)
}

// leaveOut takes a record set out of the catalog, and its group with the last one.
func (v *validator) leaveOut(g *Group, r *RecordSet, kind string, err error) {
	v.report(g, r, LeftOut, kind, err)
	i := slices.IndexFunc(g.Records, func(x RecordSet) bool { return x.Pos == r.Pos && x.SetID == r.SetID && x.Tier == r.Tier })
	g.Records = slices.Delete(g.Records, i, i+1)
	if len(g.Records) > 0 {
		return
	}
	v.catalog.remove(g)
	if v.gone == nil {
		v.gone = make(map[Key]bool)
	}
	v.gone[g.Key] = true
}

// conflicts finds CNAMEs beside other data (RFC 1034, section 3.6.2).
func (v *validator) conflicts() {
	cnames := make(map[string]bool)
	for g := range v.catalog.All() {
		if g.Type == dns.TypeCNAME {
			cnames[g.Name] = true
		}
	}
	if len(cnames) == 0 {
		return
	}
	beside := make(map[string][]uint16) // other types, by name
	for g := range v.catalog.All() {
		if g.Type != dns.TypeCNAME && cnames[g.Name] {
			beside[g.Name] = append(beside[g.Name], g.Type)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(beside)) {
		cname := v.catalog.Groups[Key{name, dns.TypeCNAME}]
		types := beside[name]
		slices.Sort(types)
		other := v.catalog.Groups[Key{name, types[0]}]
		err := fmt.Errorf("%s stands beside %s (at %s); a name with a CNAME can have no other type", cname.Key, typeNames(types), other.Pos)
		for len(cname.Records) > 0 {
			r := cname.Records[0]
			v.refuse(cname, &r, CNAMEConflict, err)
			if !r.Imported {
				break
			}
		}
	}
}

// occluded finds what stands below a DNAME, where nothing can be: the DNAME redirects all
// names there (RFC 6672, section 2.4). What is left out leaves no name behind, since that
// would not be redirected.
func (v *validator) occluded() {
	if !v.catalog.dnames {
		return
	}
	for g := range v.catalog.All() {
		dname := v.catalog.redirector(g.Name)
		if dname == nil || v.catalog.Groups[g.Key] != g { // just left out
			continue
		}
		err := fmt.Errorf("%s is below the DNAME at %s (%s), which redirects all names there", g.Key, dname.Name, dname.Pos)
		switch {
		case g.imported():
			for len(g.Records) > 0 {
				r := g.Records[0]
				v.leaveOut(g, &r, BelowDNAME, err)
			}
		case dname.imported():
			for len(dname.Records) > 0 {
				r := dname.Records[0]
				v.leaveOut(dname, &r, BelowDNAME, fmt.Errorf("%s would redirect all names below it, and %s (%s) is one of them", dname.Key, g.Key, g.Pos))
			}
		default:
			v.report(g, nil, Refused, BelowDNAME, err)
		}
	}
}

// aliases finds aliases whose target nothing holds. It returns the groups that can be on a cycle: those with an alias to a
// group that has aliases itself.
func (v *validator) aliases() (suspects []*Group) {
	for g := range v.catalog.All() {
		if v.aliasesOf(g) {
			suspects = append(suspects, g)
		}
	}
	return suspects
}

// aliasesOf looks at the aliases of one group, and reports whether it can be on a cycle.
func (v *validator) aliasesOf(g *Group) (suspect bool) {
	for i := range g.Records {
		r := &g.Records[i]
		if r.Alias == nil {
			continue
		}
		switch target, held := v.catalog.Target(r.Alias.Name, g.Type); held {
		case Here:
			suspect = suspect || target.hasAlias()
		case Nowhere:
			err := targetError(v.catalog, g, r)
			switch {
			case r.Imported:
				v.warn(g, r, BadTarget, err)
			case v.catalog.LostTargets:
				v.warn(g, r, BadTarget, fmt.Errorf("%w; until an imported file holds it again, the alias is answered with no records, and is unhealthy if it evaluates its target", err))
			default:
				v.report(g, r, Refused, BadTarget, err)
			}
		}
	}
	return suspect
}

func (g *Group) hasAlias() bool {
	for i := range g.Records {
		if g.Records[i].Alias != nil {
			return true
		}
	}
	return false
}
