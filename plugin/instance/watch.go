package instance

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/steerdns/steer/internal/regular"
	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/route53json"
)

// settleTime is how long files have to stay as they are before a change of them counts:
// longer than it takes to write one file after another, shorter than any route53_reload,
// which it is a part of.
const settleTime = 250 * time.Millisecond

// watch looks at the imported files until the context ends, and serves what they hold
// when that has changed. A file is told by its content alone, so that a rename and the
// swap of a symbolic link (as a Kubernetes ConfigMap is updated) count and a mere touch
// does not. The first look is at once: the files may have changed since they were loaded.
func (in *Instance) watch(ctx context.Context, every time.Duration) {
	seen := loaded(in.config.Import) // is served, or has been reported
	last := seen                     // at the last look
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		now, wait := in.look(ctx), settleTime
		switch {
		case ctx.Err() != nil:
			return
		case slices.Equal(now, seen):
			wait = every - settleTime
		case !slices.Equal(now, last): // perhaps somebody is still writing
		case in.reload(ctx, now):
			seen, wait = now, every-settleTime
		}
		last = now
		timer.Reset(wait)
	}
}

// content is what stands in a file.
type content struct {
	path   string
	digest route53json.Digest
	err    string // why it cannot be read
}

// look returns what the imported files hold now. It ends at a file whose file system does
// not answer: nothing can be loaded without it, and the next file may be on the same one.
func (in *Instance) look(ctx context.Context) []content {
	paths, err := in.config.Files(ctx)
	if err != nil {
		return []content{{err: err.Error()}}
	}
	files := make([]content, len(paths))
	for i, path := range paths {
		files[i].path = path
		if files[i].digest, err = route53json.DigestFile(ctx, path); err != nil {
			files[i].err = err.Error()
		}
		if ctx.Err() != nil || errors.Is(err, regular.ErrUnresponsive) {
			return files[:i+1]
		}
	}
	return files
}

// loaded returns what the files of an import held.
func loaded(im *route53json.Import) []content {
	files := make([]content, len(im.Files))
	for i, f := range im.Files {
		files[i] = content{path: f.Path, digest: f.Digest}
	}
	return files
}

// reload makes the files, which hold what is given, what is served: by a change of the
// running data where that will do, or else as a whole. It reports false and does nothing
// when the context has ended, or when the files changed while they were read: what was
// loaded may be a half of each state.
func (in *Instance) reload(ctx context.Context, files []content) (done bool) {
	if in.amend(ctx, in.generation(), files) {
		return true
	}
	select {
	case loading <- struct{}{}:
		defer func() { <-loading }()
		return in.replace(ctx, files)
	case <-ctx.Done():
		return false
	}
}

// replace loads the files beside the running data and swaps it in whole. When something is
// wrong it says so, and the running data stays. What it returns is what reload does.
func (in *Instance) replace(ctx context.Context, files []content) (done bool) {
	old := in.generation()
	next, err := old.config.Reload(ctx, time.Now())
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil && !slices.Equal(in.look(ctx), files), err == nil && !slices.Equal(loaded(next.Import), files):
		return false
	case err != nil:
		log.Errorf("route53 of %s: %v; the running data stays", in.owner, err)
		in.mu.Lock()
		in.imports.fail(err, time.Now())
		in.mu.Unlock()
		return true
	}
	logConfig(in.owner, next, old.config)
	in.serve(in.begin(next, compile(next), old))
	old.end()
	return true
}

// amend changes the running data where files differ from it in the records of a few names
// alone, which is how large files change mostly. It reports whether it did: the files held
// what is given.
func (in *Instance) amend(ctx context.Context, g *generation, files []content) bool {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	a := g.config.Amend(ctx, paths)
	if a == nil || !slices.Equal(loaded(a.Import), files) || !g.data.Edit(a.Changes, uint32(time.Now().Unix())) {
		return false
	}
	next := g.config.WithImport(a.Import)
	in.mu.Lock()
	g.config, in.config = next, next
	in.imports.succeed(a.Import, time.Now())
	in.mu.Unlock()
	log.Infof("route53 of %s: %s", in.owner, a.Summary())
	return true
}

// logConfig writes what an operator has to know of a configuration: traps, and the report on
// imported files of the server block, its owner. What was said of the configuration before it (nil: there is none) is not
// said again.
func logConfig(owner string, c, before *corefile.Config) {
	said := said(before)
	for _, f := range c.Findings {
		if text := f.String(); !said[text] {
			log.Warningf("%s: %s", f.Pos, text)
		}
	}
	if c.Import == nil {
		return
	}
	for _, p := range c.Import.Problems {
		if !said[p.Placeless()] {
			log.Warningf("route53 of %s: %s", owner, p)
		}
	}
	log.Infof("route53 of %s: %s", owner, c.Import.Summary())
}

// said returns what log has written, but for the lines of files.
func said(c *corefile.Config) map[string]bool {
	said := make(map[string]bool)
	if c == nil {
		return said
	}
	for _, f := range c.Findings {
		said[f.String()] = true
	}
	for _, p := range c.Import.Problems {
		said[p.Placeless()] = true
	}
	return said
}

// importTimes says when each imported file was loaded last, and when that last failed.
type importTimes struct {
	loaded, failed map[string]time.Time
}

// succeed notes that files were loaded.
func (t *importTimes) succeed(im *route53json.Import, now time.Time) {
	if im == nil {
		return
	}
	before := t.failed
	t.loaded, t.failed = make(map[string]time.Time), make(map[string]time.Time)
	for _, f := range im.Files {
		t.loaded[f.Path] = now
		if at, ok := before[f.Path]; ok {
			t.failed[f.Path] = at
		}
	}
}

// fail notes which files an error is about: those that it names, or else all of them,
// since none could be used.
func (t *importTimes) fail(err error, now time.Time) {
	if t.failed == nil {
		t.failed = make(map[string]time.Time)
	}
	if errs, ok := errors.AsType[route53json.Errors](err); ok {
		for _, e := range errs {
			t.failed[e.Path] = now
		}
		return
	}
	for path := range t.loaded {
		t.failed[path] = now
	}
}
