package lint

import (
	"fmt"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// hidden finds a group at or below a delegation, which is never answered; only addresses
// may be of use there, as glue.
func (l *linter) hidden(g *record.Group) {
	cut := l.catalog.Cut(g.Name)
	if cut == "" || cut == g.Name && (g.Type == dns.TypeNS || g.Type == dns.TypeDS) || g.Type == dns.TypeA || g.Type == dns.TypeAAAA {
		return
	}
	l.find(HiddenByDelegation, g, nil, func() (string, string) {
		return fmt.Sprintf("%s is never answered: the NS at %s delegates the name away", g.Key, cut), ""
	})
}

// owner says whether a zone is another server block's.
type owner struct{ other bool }

// owners returns whose zones are, if zones of other server blocks lie in those of a catalog.
func owners(c *record.Catalog, o Options) map[string]owner {
	block := o.Block
	if len(block) == 0 {
		block = c.Zones
	}
	zones := make(map[string]owner, len(block)+len(o.Others))
	inside := false
	for _, zone := range o.Others {
		_, ours := c.Zone(zone)
		inside = inside || ours
		zones[zone] = owner{other: true}
	}
	if !inside {
		return nil
	}
	for _, zone := range block {
		zones[zone] = owner{} // of two blocks with one zone it is not said which gets a query
	}
	return zones
}

// inOtherBlock finds a group that another server block takes away: CoreDNS gives a query to
// the block with the closest enclosing zone, but one for the DS of a zone to the block above.
// What lies at or below a delegation is told there.
func (l *linter) inOtherBlock(g *record.Group) {
	if l.owners == nil || g.Pos == (record.Pos{}) {
		return
	}
	zone := g.Name
	owned, ok := l.owners[zone]
	for !ok || g.Type == dns.TypeDS && zone == g.Name {
		if zone, ok = record.Parent(zone); !ok {
			return
		}
		owned, ok = l.owners[zone]
	}
	if !owned.other || l.catalog.Cut(g.Name) != "" {
		return
	}
	l.find(NameInOtherBlock, g, nil, func() (string, string) {
		return fmt.Sprintf("%s is never answered: another server block has the zone %s", g.Key, zone), ""
	})
}

// loops finds CNAMEs and DNAMEs that lead back to themselves. They are no error: each of
// them is answered, and with weights or health there may be a way out.
func (l *linter) loops() {
	l.catalog.Loops(func(g *record.Group, r *record.RecordSet, path string) {
		l.find(CNAMELoop, g, r, func() (string, string) {
			return fmt.Sprintf("%s loop: %s; resolvers that follow it give up", dns.Type(g.Type), path), ""
		})
	})
}
