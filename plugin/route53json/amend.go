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
	Changes []record.Change // of the catalog
	Import  *Import         // what the files hold now
}

// maxAmended is how many names and types an [Amendment] changes at most.
const maxAmended = 1000

// errMore is why there is no Amendment: it takes a Load to know what the files hold.
var errMore = errors.New("too much has changed")

// Amend reads the files of an import again, which the catalog holds, and finds what has
// changed since. It returns nil when only [Load] can tell: for health checks, NS and SOA,
// batches of changes, record sets that are left out, anything that would be reported
// otherwise than before, and more than a thousand names. Nothing is built for what did not
// change.
func (im *Import) Amend(ctx context.Context, paths []string, options Options, catalog *record.Catalog) *Amendment {
	if !slices.EqualFunc(im.Files, paths, func(f File, path string) bool { return f.Path == path }) {
		return nil
	}
	d := &differ{keys: make(keySet)}
	files := slices.Clone(im.Files)
	for i := range files {
		if err := d.compareFile(ctx, &files[i], options); err != nil {
			return nil
		}
	}
	d.loader = newLoader(ctx, options)
	d.accept = d.gather
	for _, f := range files {
		d.old = f.ledger
		if err := d.open(f.Path); err != nil || d.im.file(f.Path).Digest != f.Digest {
			return nil
		}
	}
	gathered, err := d.finish()
	if err != nil {
		return nil
	}
	changes, ok := im.changes(gathered, d.keys, catalog)
	if !ok || !im.reportsAs(gathered, changes) {
		return nil
	}
	now := *im
	now.Files = files
	return &Amendment{changes, &now}
}

// changes returns what becomes of the groups of some keys. It returns false when it takes a
// Load to know.
func (im *Import) changes(gathered *Import, keys keySet, catalog *record.Catalog) (changes []record.Change, ok bool) {
	for _, g := range gathered.groups {
		delete(keys, keyDigest(g.Key))
		for i := range g.Records {
			r := &g.Records[i]
			if r.Check == record.NoCheck {
				continue
			}
			at, known := im.byID[gathered.checks[r.Check].id]
			if !known || im.index[at] == record.NoCheck {
				return nil, false // nothing is checked by it so far
			}
			r.Check = im.index[at]
		}
		changes = append(changes, record.Change{Old: catalog.Groups[g.Key], New: g})
	}
	if len(keys) > 0 {
		for g := range catalog.All() {
			if key := keyDigest(g.Key); keys.has(key) {
				delete(keys, key)
				changes = append(changes, record.Change{Old: g})
			}
		}
	}
	for _, ch := range changes {
		typ := ch.Key().Type
		stanza := ch.Old != nil && (ch.Old.Balancer != nil || !ch.Old.Records[0].Imported)
		if typ == dns.TypeNS || typ == dns.TypeSOA || stanza || im.guesses(ch.Old, catalog) || im.guesses(ch.New, catalog) {
			return nil, false
		}
	}
	return changes, len(keys) == 0
}

// guesses reports whether a group, which may be nil, has a check that nobody defines, when
// there are several files. The first that names it is told of it, which a change can move.
func (im *Import) guesses(g *record.Group, catalog *record.Catalog) bool {
	return g != nil && len(im.Files) > 1 && slices.ContainsFunc(g.Records, func(r record.RecordSet) bool {
		if r.Check == record.NoCheck {
			return false
		}
		at, ok := im.byID[catalog.Checks[r.Check].Name]
		return ok && !im.checks[at].defined && im.checks[at].Fixed
	})
}

// entangled are the kinds of problems that a record set has because of others, which any
// change can end.
var entangled = []Kind{record.AliasCycle, record.AliasChain, "cname-loop", record.BelowDNAME}

// reportsAs reports whether all that is said of the changed groups' record sets, as they
// were read again, is what was said of them before. What is said of them in the catalog is
// left to that.
func (im *Import) reportsAs(gathered *Import, changes []record.Change) bool {
	changed := make(map[record.Key]bool, len(changes))
	for _, ch := range changes {
		changed[ch.Key()] = true
		if im.unlisted.has(keyDigest(ch.Key())) {
			return false
		}
	}
	var before, now []string
	for _, p := range im.Problems {
		if slices.Contains(entangled, p.Kind) {
			return false
		}
		if key, ok := p.key(); ok && changed[key] && !p.validated {
			before = append(before, p.Placeless())
		}
	}
	for _, p := range gathered.Problems {
		if p.Level == LeftOut {
			return false
		}
		now = append(now, p.Placeless())
	}
	slices.Sort(before)
	slices.Sort(now)
	return len(gathered.unlisted) == 0 && slices.Equal(before, now)
}

// differ finds the keys whose record sets differ between two states of files, and then
// takes the record sets of those.
type differ struct {
	*loader
	keys keySet
	old  ledger // of the file that is read, from where it is not matched yet
	now  ledger
}

// compareFile compares a file with what it held, and notes what it holds now.
func (d *differ) compareFile(ctx context.Context, f *File, options Options) error {
	d.loader = newLoader(ctx, options)
	d.accept = d.compare
	d.old, d.now = f.ledger, make(ledger, 0, len(f.ledger)+1)
	if err := d.open(f.Path); err != nil {
		return err
	}
	if err := d.gone(len(d.old)); err != nil {
		return err
	}
	f.RecordSets += len(d.now) - len(f.ledger) // nothing else can come or go
	f.Digest, f.ledger = d.im.file(f.Path).Digest, d.now
	return nil
}

// lookahead is among how many of the next items of the old state one is looked for. What
// lies beyond counts as new.
const lookahead = 4096

// compare matches an item with the first equal one that is left of the old state. Those
// before it are gone. Whatever is matched so, the items that are not are all that
// differs. A change stands for record sets elsewhere, too.
func (d *differ) compare(it *item, what kindOfItem, digest uint64) error {
	if what == aChange {
		return errMore
	}
	for i, e := range d.old[:min(lookahead, len(d.old))] {
		if e.digest == digest && digest != 0 {
			if err := d.gone(i); err != nil {
				return err
			}
			d.now = append(d.now, e)
			d.old = d.old[1:]
			return nil
		}
	}
	if what != aRecordSet {
		return errMore
	}
	fresh := &candidate{loader: d.loader, it: it}
	if !fresh.identify() {
		return errMore
	}
	e := entry{digest, keyDigest(fresh.key)}
	d.now = append(d.now, e)
	return d.differs(e.key)
}

// gone notes that the first n items of what is left are in the file no more.
func (d *differ) gone(n int) error {
	for _, e := range d.old[:n] {
		if err := d.differs(e.key); err != nil {
			return err
		}
	}
	d.old = d.old[n:]
	return nil
}

func (d *differ) differs(key uint64) error {
	d.keys.add(key)
	if key == 0 || len(d.keys) > maxAmended {
		return errMore
	}
	return nil
}

// gather takes an item if it is of the keys.
func (d *differ) gather(it *item, what kindOfItem, digest uint64) error {
	if len(d.old) == 0 || d.old[0].digest != digest {
		return errMore // the file has changed again
	}
	key := d.old[0].key
	d.old = d.old[1:]
	if d.keys.has(key) && what == aRecordSet {
		d.takeRecordSet(it, listed)
	}
	return nil
}
