package route53json

import (
	"fmt"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// CheckError is why an import cannot be added to a block that defines one of its health
// checks as well.
type CheckError struct {
	Name string
	Pos  record.Pos // in the file
}

func (e *CheckError) Error() string {
	return fmt.Sprintf("check %q is defined twice: here and at %s; keep it in one place", e.Name, e.Pos)
}

// Lend returns the health check that the files define under an id, and its position, for
// stanzas of the block that use it: the block has to put it among the checks of its catalog
// before it calls AddTo, which gives it its children there. It returns false where no file
// defines it.
func (im *Import) Lend(id string) (check healthcheck.Check, at record.Pos, ok bool) {
	i, ok := im.byID[id]
	if !ok || !im.checks[i].defined {
		return healthcheck.Check{}, record.Pos{}, false
	}
	c := im.checks[i]
	c.lent = true
	return c.Check, c.pos, true
}

// addChecks adds the health checks that record sets use, and their children, to a
// catalog. It returns the catalog's index of each of the import's checks.
func (im *Import) addChecks(c *record.Catalog) ([]int32, error) {
	own := make(map[string]int32, len(c.Checks))
	for i := range c.Checks {
		own[c.Checks[i].Name] = int32(i)
	}
	index := make([]int32, len(im.checks))
	used := im.used()
	for i, from := range im.checks {
		at, inBlock := own[from.id]
		switch {
		case inBlock && from.defined && !from.lent:
			return nil, &CheckError{from.id, from.pos}
		case inBlock:
			index[i] = at
			continue
		case !from.defined:
			from.Fixed, from.FixedStatus = true, healthcheck.Healthy
			if used[i] || from.child {
				im.reportCheck(from, NoSuchCheck, "no file defines it; it counts as healthy")
			}
		}
		index[i] = record.NoCheck
		if used[i] {
			index[i] = int32(len(c.Checks))
			c.Checks, c.CheckPos = append(c.Checks, from.Check), append(c.CheckPos, from.pos)
		}
	}
	for i, from := range im.checks {
		if from.Calculated {
			im.addChildren(c, from, index, used[i])
			if used[i] {
				c.Checks[index[i]].HealthyThreshold = from.HealthyThreshold
				c.Checks[index[i]].Children = from.Children
			}
		}
	}
	return index, nil
}

// addChildren gives a calculated check its children. A calculated one among them counts
// as healthy, which is the same as to count without it and to want one less.
func (im *Import) addChildren(c *record.Catalog, parent *check, index []int32, used bool) {
	for _, child := range parent.children {
		calculated := im.checks[child].Calculated
		if i := index[child]; i != record.NoCheck {
			calculated = c.Checks[i].Calculated
		}
		if !calculated {
			if used {
				parent.Children = append(parent.Children, int(index[child]))
			}
			continue
		}
		parent.HealthyThreshold = max(parent.HealthyThreshold-1, 0)
		im.reportCheck(parent, BadCheck, "its child %q is calculated itself, which Route 53 does not allow; it counts as healthy", im.checks[child].id)
	}
}

// used reports which checks record sets or stanzas name, or are children of those.
func (im *Import) used() []bool {
	used := make([]bool, len(im.checks))
	for _, g := range im.groups {
		for i := range g.Records {
			if r := &g.Records[i]; r.Check != record.NoCheck {
				used[r.Check] = true
			}
		}
	}
	for i, c := range im.checks {
		used[i] = used[i] || c.lent
	}
	for i, c := range im.checks {
		for _, child := range c.children {
			used[child] = used[child] || used[i] && !im.checks[child].Calculated
		}
	}
	return used
}

func (im *Import) reportCheck(c *check, kind Kind, format string, args ...any) {
	im.report(Problem{Pos: c.pos, Index: c.index, Name: c.id, Type: checkType}, Changed, kind, format, args...)
}
