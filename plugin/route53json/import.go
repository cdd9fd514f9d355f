// Package route53json translates Route 53's JSON into record sets and health checks,
// and lists what it could not carry over.
//
// It takes the files that the AWS CLI writes and reads, told apart by their content:
// the output of list-resource-record-sets and list-health-checks, change batches,
// health check configurations, and the shapes that the same data takes in the wild.
// [Load] reads them in a stream, so that only what is kept takes memory.
package route53json

import (
	"cmp"
	"context"
	"slices"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// Options are what a block says about its imports.
type Options struct {
	Zones      []string // canonical names of the block's zones
	DefaultTTL uint32   // of record sets that give none, in seconds

	Networks healthcheck.Networks // what health checks may probe
}

// Import is what a list of files holds, and what had to be left out of it.
type Import struct {
	Files    []File
	Problems []Problem // by file and line

	groups  []*record.Group
	byKey   map[record.Key]*record.Group // groups
	names   map[string]struct{}          // exist, though what they held was left out
	checks  []*check
	byID    map[string]int32 // checks
	index   []int32          // of checks in the catalog
	tallies map[tally]int

	unlisted keySet         // have problems that are counted alone
	order    map[string]int // of Files, by path
}

// File is one file that was loaded.
type File struct {
	Path   string
	Digest Digest

	RecordSets   int // held after all files are read
	HealthChecks int // defined
	LeftOut      int // record sets and health checks that are not served
	Changed      int // things that are served otherwise than they are written
	Warnings     int // things served as they are written that are perhaps not meant

	ledger ledger
}

// AddTo puts what was imported into the catalog of a block, which holds the block's
// own stanzas already: it may be called once. Health checks are added as far as a
// record set uses them; one that no file defines is taken from the block's own checks
// of that name, or else counts as healthy.
//
// A group that the block defines as well is an error, which carries the position of both;
// a health check that it defines as well is a [CheckError]. When the context ends, its
// error is returned, and neither the import nor the catalog is of use.
func (im *Import) AddTo(ctx context.Context, c *record.Catalog) error {
	for i, g := range im.groups {
		if i%checkpoint == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if old := c.Groups[g.Key]; old != nil {
			return record.ErrorAt(old.Pos, "%s is defined twice: here and at %s; keep it in one place", g.Key, g.Pos)
		}
	}
	index, err := im.addChecks(c)
	if err != nil {
		return err
	}
	for n, g := range im.groups {
		if n%checkpoint == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for i := range g.Records {
			if r := &g.Records[i]; r.Check != record.NoCheck {
				r.Check = index[r.Check]
			}
		}
	}
	c.AddAll(im.groups, im.byKey, func(g *record.Group, err error) { im.leaveOut(c, g, err) })
	for name := range im.names {
		c.Names[name] = struct{}{}
	}
	im.groups, im.byKey, im.names, im.index = nil, nil, nil, index
	im.sortProblems()
	return nil
}

// leaveOut reports a group that the catalog refuses.
func (im *Import) leaveOut(c *record.Catalog, g *record.Group, err error) {
	c.Names[g.Name] = struct{}{}
	for i := range g.Records {
		r := &g.Records[i]
		im.file(r.Pos.File).RecordSets--
		im.report(about(g.Key, r.Pos, r.SetID), LeftOut, Refused, "%v", bare(err))
	}
}

// Note takes those problems of a catalog's validation that concern imported record
// sets into the report, and returns the others.
func (im *Import) Note(problems []record.Problem) (others []record.Problem) {
	for _, p := range problems {
		if _, ok := im.order[p.Pos.File]; !ok {
			others = append(others, p)
			continue
		}
		level := Warning
		if p.Level == record.LeftOut {
			level = LeftOut
			im.file(p.Pos.File).RecordSets--
		}
		q := about(p.Key, p.Pos, p.SetID)
		q.validated = true
		im.report(q, level, Kind(p.Kind), "%v", bare(p.Err))
	}
	im.sortProblems()
	return others
}

// Warn takes those findings that concern imported data into the report, and returns the
// others.
func (im *Import) Warn(findings []lint.Finding) (others []lint.Finding) {
	for _, f := range findings {
		if _, ok := im.order[f.Pos.File]; !ok {
			others = append(others, f)
			continue
		}
		p, level := about(f.Key, f.Pos, f.SetID), Warning
		if f.Check != "" {
			p = Problem{Pos: f.Pos, Name: f.Check, Type: checkType}
		}
		p.validated = true
		if f.Level == lint.Info {
			level = Info
		}
		listed := len(im.Problems)
		im.report(p, level, Kind(f.Trap.ID), "%s", message{f})
		if len(im.Problems) > listed {
			im.Problems[listed].Remedy = f.Remedy()
		}
	}
	im.sortProblems()
	return others
}

// message is made only of findings that are listed.
type message struct{ lint.Finding }

func (m message) String() string { return m.Message() }

// file returns the file of a path, which must be one of the import's.
func (im *Import) file(path string) *File { return &im.Files[im.order[path]] }

func (im *Import) sortProblems() {
	slices.SortStableFunc(im.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(im.order[a.Pos.File], im.order[b.Pos.File]), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
}
