package record

import (
	"fmt"
	"iter"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
)

// Catalog is everything that one steer block holds. It is built by one goroutine and
// read by many once [Catalog.Validate] has returned.
type Catalog struct {
	Zones    []string // canonical, in the order given, each once
	Groups   map[Key]*Group
	Checks   []healthcheck.Check // those that record sets name, and their children
	CheckPos []Pos               // where each of Checks is defined or, without a name, used first

	// SOA is the start of authority of each zone, for negative answers.
	SOA map[string]*dns.SOA

	// Fallthrough and FallthroughTypes report whether a name that is not held, or a
	// type that is not held at a name that is, goes to the next plugin. Nil is never.
	Fallthrough      func(name string) bool
	FallthroughTypes func(name string) bool

	// Names holds names that exist although they hold no group, because what they held
	// was left out; they answer NODATA. A wildcard among them answers for no other name.
	Names map[string]struct{}

	// LostTargets is set where imported files may have changed since the block was read. An
	// alias of a stanza whose target nothing holds is a warning then, as an imported one is,
	// and no error: a file held its target when the block was read.
	LostTargets bool

	// Judge has a say in whether an edit matters; nil has none.
	Judge Judge

	// Order holds all groups in the order in which they came, each at its Ordinal. What
	// goes leaves a nil, which [Catalog.All] leaves out, and what comes next takes its place.
	Order []*Group

	zones  map[string]struct{}
	exists map[string]int32 // made by countNames
	cuts   bool             // there may be a name that Cut finds
	free   []int32          // places in Order that groups have left, the last one last

	passedOver []string            // names that ResolveTarget would have taken, if they existed
	sensitive  map[string]struct{} // names whose types and existence decide where something leads; made by PrepareEdits

	unnamed map[uint16]struct{} // types without a name that groups have or had
	served  map[string]struct{} // made by serves

	cnames, wildCNAMEs, dnames bool // there may be such groups; wildCNAMEs are those of wildcards
}

// NewCatalog returns an empty Catalog of the given zones, which are canonical names.
func NewCatalog(zones []string) *Catalog {
	c := &Catalog{
		Groups: make(map[Key]*Group),
		SOA:    make(map[string]*dns.SOA),
		Names:  make(map[string]struct{}),
		zones:  make(map[string]struct{}, len(zones)),
	}
	for _, z := range zones {
		if _, ok := c.zones[z]; ok {
			continue
		}
		c.zones[z] = struct{}{}
		c.Zones = append(c.Zones, z)
	}
	return c
}

// CheckAt returns where a check of [Catalog.Checks] is defined, as far as that is known.
func (c *Catalog) CheckAt(i int) Pos {
	if i >= len(c.CheckPos) {
		return Pos{}
	}
	return c.CheckPos[i]
}

// Zone returns the closest enclosing zone of a canonical name, and false when the
// name is outside the zones.
func (c *Catalog) Zone(name string) (string, bool) {
	for {
		if _, ok := c.zones[name]; ok {
			return name, true
		}
		var ok bool
		if name, ok = Parent(name); !ok {
			return "", false
		}
	}
}

// Add puts a whole group into the catalog. It refuses a second group of the same name
// and type, and whatever is wrong with the group by itself; what takes the whole
// catalog to see, such as where aliases lead, is left to [Catalog.Validate], and until
// then [Catalog.ResolveTarget] may set the names of targets. Errors carry the position.
func (c *Catalog) Add(g *Group) error {
	if err := c.Allows(g.Key, g.Pos); err != nil {
		return err
	}
	if old := c.Groups[g.Key]; old != nil {
		if old.Balancer != nil || g.Balancer != nil {
			return ErrorAt(g.Pos, "%s is defined twice: %s here and %s at %s; a load_balancer defines both A and AAAA of its name", g.Key, g.Policy, old.Policy, old.Pos)
		}
		if old.Policy != g.Policy {
			return ErrorAt(g.Pos, "%s has two policies: %s here and %s at %s; a name has one policy for each type", g.Key, g.Policy, old.Policy, old.Pos)
		}
		return ErrorAt(g.Pos, "%s is defined twice: here and at %s; put all its records into one stanza", g.Key, old.Pos)
	}
	if err := g.check(); err != nil {
		return err
	}
	c.put(g)
	c.complete(g)
	return nil
}

// AddAll is [Catalog.Add] for many groups at once. byKey holds just these, and becomes the
// catalog's if that is empty. It calls refuse with each group that it leaves out.
func (c *Catalog) AddAll(groups []*Group, byKey map[Key]*Group, refuse func(g *Group, err error)) {
	if len(c.Groups) > 0 {
		for _, g := range groups {
			if err := c.Add(g); err != nil {
				refuse(g, err)
			}
		}
		return
	}
	c.Groups, c.exists = byKey, nil
	c.Order = make([]*Group, 0, len(groups))
	for _, g := range groups {
		err := c.Allows(g.Key, g.Pos)
		if err == nil {
			err = g.check()
		}
		if err != nil {
			delete(c.Groups, g.Key)
			refuse(g, err)
			continue
		}
		g.Ordinal = int32(len(c.Order))
		c.Order = append(c.Order, g)
		c.complete(g)
	}
}

// put enters a group, in the place of the one of its key if there is one.
func (c *Catalog) put(g *Group) {
	old := c.Groups[g.Key]
	switch n := len(c.free); {
	case old != nil:
		g.Ordinal = old.Ordinal
	case n > 0:
		g.Ordinal, c.free = c.free[n-1], c.free[:n-1]
	default:
		g.Ordinal = int32(len(c.Order))
		c.Order = append(c.Order, nil)
	}
	if old == nil && c.exists != nil {
		c.hold(g.Name)
	}
	c.Groups[g.Key], c.Order[g.Ordinal] = g, g
}

// remove takes a group out.
func (c *Catalog) remove(g *Group) {
	delete(c.Groups, g.Key)
	c.Order[g.Ordinal] = nil
	c.free = append(c.free, g.Ordinal)
	if c.exists != nil {
		c.release(g.Name)
	}
}

// complete does to a group that is entered what remains.
func (c *Catalog) complete(g *Group) {
	c.cuts = c.cuts || c.delegates(g.Key)
	c.noteType(g.Type)
	switch g.Type {
	case dns.TypeCNAME:
		c.cnames, c.wildCNAMEs = true, c.wildCNAMEs || Wildcard(g.Name)
	case dns.TypeDNAME:
		c.dnames = true
	}
	if g.Policy == Multivalue {
		g.levelTTL()
	}
}

// All yields every group, in the order of [Catalog.Order].
func (c *Catalog) All() iter.Seq[*Group] {
	return func(yield func(*Group) bool) {
		for _, g := range c.Order {
			if g != nil && !yield(g) {
				return
			}
		}
	}
}

// levelTTL gives the records of a group that are answered together one TTL, the smallest
// (RFC 2181, section 5.2).
func (g *Group) levelTTL() {
	ttl := g.Records[0].Values[0].Header().Ttl
	for i := range g.Records {
		ttl = min(ttl, g.Records[i].Values[0].Header().Ttl)
	}
	for i := range g.Records {
		g.Records[i].Values[0].Header().Ttl = ttl
	}
}

// Allows returns an error when a group cannot stand under the key whatever it holds:
// the name is outside the zones, or the type has no place at it.
func (c *Catalog) Allows(k Key, pos Pos) error {
	zone, ok := c.Zone(k.Name)
	if !ok {
		return ErrorAt(pos, "name %q is outside the zones of this block (%s)", k.Name, Enumerate(c.Zones))
	}
	switch {
	case k.Type == dns.TypeCNAME && k.Name == zone:
		return ErrorAt(pos, "CNAME at the apex of %s: it would hide the zone's SOA; use an alias instead", zone)
	case k.Type == dns.TypeSOA && k.Name != zone:
		return ErrorAt(pos, "SOA at %s, which is not the apex of a zone of this block (%s)", k.Name, Enumerate(c.Zones))
	case (k.Type == dns.TypeNS || k.Type == dns.TypeDNAME) && Wildcard(k.Name):
		return ErrorAt(pos, "%s at the wildcard %s: a wildcard cannot delegate; write the names that are delegated (RFC 4592, section 4.2)", dns.Type(k.Type), k.Name)
	case k.Type == dns.TypeDS && k.Name == zone && !c.Nested(zone):
		return ErrorAt(pos, "DS at the apex of %s belongs in the parent zone", zone)
	}
	return nil
}

// Nested reports whether a zone lies in another one of the block.
func (c *Catalog) Nested(zone string) bool {
	parent, ok := Parent(zone)
	if !ok {
		return false
	}
	_, ok = c.Zone(parent)
	return ok
}

// check returns what is wrong with a group by itself.
func (g *Group) check() error {
	if g.Balancer != nil {
		return g.Balancer.check()
	}
	if len(g.Records) == 0 {
		return ErrorAt(g.Pos, "%s %s is empty: a group needs at least one record", g.Policy, g.Key)
	}
	if len(g.Records) == 1 && g.Policy != Failover {
		return g.checkRecord(0)
	}
	ids := make(map[string]Pos, len(g.Records))
	tiers := make(map[uint16]Pos)
	for i := range g.Records {
		r := &g.Records[i]
		if err := g.checkRecord(i); err != nil {
			return err
		}
		if r.SetID != "" {
			if at, ok := ids[r.SetID]; ok {
				return ErrorAt(r.Pos, "set identifier %q is used twice in %s: here and at %s", r.SetID, g.Key, at)
			}
			ids[r.SetID] = r.Pos
		}
		if g.Policy == Failover {
			if at, ok := tiers[r.Tier]; ok {
				return ErrorAt(r.Pos, "%s has two %s records: here and at %s", g.Key, TierName(r.Tier), at)
			}
			tiers[r.Tier] = r.Pos
		}
	}
	if g.Policy == Failover && !g.Records[0].Imported {
		return g.checkTiers(tiers)
	}
	return nil
}

// checkTiers refuses a failover group without a first tier or with a gap.
func (g *Group) checkTiers(tiers map[uint16]Pos) error {
	if _, ok := tiers[1]; !ok {
		return ErrorAt(g.Pos, "failover %s has no primary; it needs one", g.Key)
	}
	for i := range g.Records {
		r := &g.Records[i]
		if _, ok := tiers[r.Tier-1]; r.Tier > 1 && !ok {
			return ErrorAt(r.Pos, "failover %s has a tier %d but no tier %d", g.Key, r.Tier, r.Tier-1)
		}
	}
	return nil
}

// checkRecord returns what is wrong with one record set of a group by itself.
func (g *Group) checkRecord(i int) error {
	r := &g.Records[i]
	switch {
	case r.Alias == nil && len(r.Values) == 0:
		return ErrorAt(r.Pos, "%s: record %s has neither a value nor an alias", g.Key, g.Label(i))
	case r.Alias != nil && len(r.Values) > 0:
		return ErrorAt(r.Pos, "%s: record %s has both values and an alias", g.Key, g.Label(i))
	case g.Policy == Simple && len(g.Records) > 1:
		return ErrorAt(g.Records[1].Pos, "%s: a simple group has one record; give it all the values", g.Key)
	case g.Policy == Multivalue && r.Alias != nil:
		return ErrorAt(r.Pos, "%s: a multivalue record cannot be an alias; give it one value", g.Key)
	case g.Policy == Multivalue && len(r.Values) > 1:
		return ErrorAt(r.Pos, "%s: a multivalue record has one value, not %d; write a record for each", g.Key, len(r.Values))
	case (g.Type == dns.TypeCNAME || g.Type == dns.TypeDNAME) && len(r.Values) > 1:
		return ErrorAt(r.Pos, "%s: a %s has one value, not %d", g.Key, dns.Type(g.Type), len(r.Values))
	case g.Type == dns.TypeSOA && r.Alias != nil:
		return ErrorAt(r.Pos, "%s: a SOA cannot be an alias", g.Key)
	case g.Type == dns.TypeSOA && len(r.Values) > 1:
		return ErrorAt(r.Pos, "%s: a zone has one SOA, not %d", g.Key, len(r.Values))
	case (g.Type == dns.TypeCNAME || g.Type == dns.TypeDNAME) && g.Policy == Multivalue:
		return ErrorAt(r.Pos, "%s: a %[2]s group cannot be multivalue; a name has one %[2]s at a time", g.Key, dns.Type(g.Type))
	case r.Alias != nil && g.Type == dns.TypeNS:
		return ErrorAt(r.Pos, "%s: a delegation cannot be an alias; list the name servers", g.Key)
	case g.Type == dns.TypeSOA && g.Policy != Simple:
		return ErrorAt(r.Pos, "%s: a SOA cannot have a routing policy", g.Key)
	case g.Policy == Failover && r.Tier == 0:
		return ErrorAt(r.Pos, "%s: tiers count from 1", g.Key)
	}
	return nil
}

// Error is an error at a position.
type Error struct {
	Pos Pos
	Err error
}

// Error gives the position in the form that CoreDNS uses for its own parse errors.
func (e *Error) Error() string {
	return fmt.Sprintf("%s - Error during parsing: %v", e.Pos, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// ErrorAt returns an error at a position.
func ErrorAt(pos Pos, format string, args ...any) error {
	return &Error{Pos: pos, Err: fmt.Errorf(format, args...)}
}
