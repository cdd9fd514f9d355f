package route53json

import (
	"context"
	"errors"
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// Amendment is how files differ from an import of an earlier state of them, when it is in
// a few record sets.
type Amendment struct {
	Put    []*record.Group // take the place of those of their keys, or are new; checks are the catalog's
	Drop   []record.Key    // of groups that the files hold no more
	Import *Import         // what the files hold now

	problems []string // of the new record sets by themselves, see [Problem.Placeless]
	before   []string // of the old ones, in all
}

// maxAmended is how many names and types an [Amendment] changes at most.
const maxAmended = 1000

// errMore is why there is no Amendment: it takes a Load to know what the files hold.
var errMore = errors.New("too much has changed")

// Amend reads the files of an import again, which the catalog holds, and finds what has
// changed since. It returns nil when only [Load] can tell: for health checks, NS and SOA,
// batches of changes, record sets that are left out, and for more than a thousand names.
//
// Nothing is built for what did not change. A load of a million record sets takes memory
// by the gigabyte, and the collector takes all processors to look through it.
func (im *Import) Amend(ctx context.Context, paths []string, options Options, catalog *record.Catalog) *Amendment {
	if !slices.EqualFunc(im.Files, paths, func(f File, path string) bool { return f.Path == path }) {
		return nil
	}
	c := &comparison{keys: make(map[uint64]struct{})}
	for _, f := range im.Files {
		if err := c.read(ctx, f, options); err != nil {
			return nil
		}
	}
	g := &gathering{loader: newLoader(ctx, options), keys: c.keys}
	g.accept = g.one
	for _, f := range c.files {
		g.ledger = f.ledger
		if err := g.open(f.Path); err != nil || g.im.file(f.Path).Digest != f.Digest {
			return nil
		}
	}
	gathered, err := g.finish()
	if err != nil {
		return nil
	}
	a := im.amended(c, gathered)
	if a == nil || !a.findDropped(c.keys, catalog) || !a.findBefore(im) || len(paths) > 1 && a.guesses(im, catalog) {
		return nil
	}
	return a
}

// amended makes an Amendment of what has been read, or returns nil if that is not enough.
func (im *Import) amended(c *comparison, gathered *Import) *Amendment {
	now := *im
	now.Files = c.files
	for i := range now.Files {
		now.Files[i].RecordSets += c.files[i].ledger.count(c.keys) - im.Files[i].ledger.count(c.keys)
	}
	a := &Amendment{Put: gathered.groups, Import: &now}
	if len(gathered.unlisted) > 0 {
		return nil
	}
	for _, g := range a.Put {
		if g.Type == dns.TypeNS || g.Type == dns.TypeSOA {
			return nil
		}
		for i := range g.Records {
			r := &g.Records[i]
			if r.Check == record.NoCheck {
				continue
			}
			at, ok := im.byID[gathered.checks[r.Check].id]
			if !ok || im.index[at] == record.NoCheck {
				return nil
			}
			r.Check = im.index[at]
		}
	}
	for _, p := range gathered.Problems {
		if p.Level == LeftOut {
			return nil
		}
		a.problems = append(a.problems, p.Placeless())
	}
	return a
}

// findDropped finds the groups that are of the keys and not put: the files hold no more
// of them. It reports whether there is one for each key.
func (a *Amendment) findDropped(keys map[uint64]struct{}, catalog *record.Catalog) bool {
	for _, g := range a.Put {
		delete(keys, keyDigest(g.Key))
	}
	if len(keys) == 0 {
		return true
	}
	for g := range catalog.All() {
		if _, ok := keys[keyDigest(g.Key)]; ok {
			a.Drop = append(a.Drop, g.Key)
		}
	}
	return len(a.Drop) == len(keys)
}

// findBefore finds what was wrong with the groups that change, and reports whether that is
// all which can matter.
func (a *Amendment) findBefore(im *Import) bool {
	changed, names := a.keys(), make(map[string]bool)
	for k := range changed {
		names[k.Name] = true
		for _, key := range []record.Key{k, {Name: k.Name, Type: dns.TypeCNAME}} {
			if _, ok := im.unlisted[keyDigest(key)]; ok {
				return false
			}
		}
	}
	for _, p := range im.Problems {
		switch key, ok := p.key(); {
		case slices.Contains(entangled, p.Kind): // which may be none now
			return false
		case p.Level == LeftOut && names[p.Name]: // for what stood beside it, perhaps
			return false
		case ok && changed[key]:
			a.before = append(a.before, p.Placeless())
		}
	}
	return true
}

// entangled are the kinds of problems that a record set has because of others, which any
// change can end.
var entangled = []Kind{"alias cycle", "alias chain", "cname loop", "below dname"}

// guesses reports whether the record sets that change name, or named, a check that nobody
// defines. The first file that names it is told of it, which may be another one now.
func (a *Amendment) guesses(im *Import, catalog *record.Catalog) bool {
	guessed := func(g *record.Group) bool {
		return g != nil && slices.ContainsFunc(g.Records, func(r record.RecordSet) bool {
			if r.Check == record.NoCheck {
				return false
			}
			at, ok := im.byID[catalog.Checks[r.Check].Name]
			return ok && !im.checks[at].defined && im.checks[at].Fixed
		})
	}
	if slices.ContainsFunc(a.Put, guessed) {
		return true
	}
	for k := range a.keys() {
		if guessed(catalog.Groups[k]) {
			return true
		}
	}
	return false
}

// keys returns the keys of the groups that are put or dropped.
func (a *Amendment) keys() map[record.Key]bool {
	keys := make(map[record.Key]bool, len(a.Put)+len(a.Drop))
	for _, g := range a.Put {
		keys[g.Key] = true
	}
	for _, k := range a.Drop {
		keys[k] = true
	}
	return keys
}

// Agrees reports whether what is wrong with the record sets is the same as it was. before
// and after are what the catalog says of the groups and of those with aliases to them.
func (a *Amendment) Agrees(before, after []record.Problem) bool {
	changed := a.keys()
	now := slices.Clone(a.problems)
	texts := func(problems []record.Problem, own bool) (others []string) {
		for _, p := range problems {
			q := noted(p)
			q.Reason = bare(p.Err).Error()
			text := q.Placeless()
			switch {
			case !changed[p.Key]:
				others = append(others, text)
			case own:
				now = append(now, text)
			}
		}
		return others
	}
	return equalSets(texts(before, false), texts(after, true)) && equalSets(a.before, now) &&
		!slices.ContainsFunc(after, func(p record.Problem) bool { return p.Level != record.Warning })
}

// equalSets reports whether two lists hold the same, in any order.
func equalSets(a, b []string) bool {
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// comparison finds the keys whose record sets differ between two states of files.
type comparison struct {
	*loader
	files []File // as they are now
	keys  map[uint64]struct{}

	old, now ledger // of the file that is read; old from where it is not matched yet
}

// read compares a file with what it held.
func (c *comparison) read(ctx context.Context, f File, options Options) error {
	c.loader = newLoader(ctx, options)
	c.accept = c.compare
	c.old, c.now = f.ledger, make(ledger, 0, len(f.ledger)+1)
	if err := c.open(f.Path); err != nil {
		return err
	}
	if err := c.gone(len(c.old)); err != nil {
		return err
	}
	f.Digest, f.ledger = c.im.file(f.Path).Digest, c.now
	c.files = append(c.files, f)
	return nil
}

// lookahead is among how many of the next items of the old state one is looked for. What
// lies beyond counts as new.
const lookahead = 4096

// compare matches an item with the first equal one that is left of the old state. Those
// before it are gone. Whatever is matched so, the items that are not are all that
// differs. A change stands for record sets elsewhere, too.
func (c *comparison) compare(it *item, what kindOfItem, digest uint64) error {
	if what == aChange {
		return errMore
	}
	for i, e := range c.old[:min(lookahead, len(c.old))] {
		if e.digest == digest && digest != 0 {
			if err := c.gone(i); err != nil {
				return err
			}
			c.now = append(c.now, e)
			c.old = c.old[1:]
			return nil
		}
	}
	if what != aRecordSet {
		return errMore
	}
	fresh := &candidate{loader: c.loader, it: it}
	if !fresh.identify() {
		return errMore
	}
	e := entry{digest, keyDigest(fresh.key)}
	c.now = append(c.now, e)
	return c.differs(e.key)
}

// gone notes that the first n items of what is left are in the file no more.
func (c *comparison) gone(n int) error {
	for _, e := range c.old[:n] {
		if err := c.differs(e.key); err != nil {
			return err
		}
	}
	c.old = c.old[n:]
	return nil
}

func (c *comparison) differs(key uint64) error {
	c.keys[key] = struct{}{}
	if key == 0 || len(c.keys) > maxAmended {
		return errMore
	}
	return nil
}

// gathering takes the record sets of some keys.
type gathering struct {
	*loader
	keys   map[uint64]struct{}
	ledger ledger // of the file that is read, from the next item on
}

// one takes an item if it is of the keys.
func (g *gathering) one(it *item, what kindOfItem, digest uint64) error {
	if len(g.ledger) == 0 || g.ledger[0].digest != digest {
		return errMore // the file has changed again
	}
	key := g.ledger[0].key
	g.ledger = g.ledger[1:]
	if _, ok := g.keys[key]; ok && what == aRecordSet {
		g.takeRecordSet(it, listed)
	}
	return nil
}
