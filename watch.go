package steer

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/steerdns/steer/plugin/route53json"
)

// watch looks at the imported files until the context ends, and serves what they hold
// when that has changed. A file is told by its content alone, so that a rename and the
// swap of a symbolic link (as a Kubernetes ConfigMap is updated) count and a mere touch
// does not.
func (in *instance) watch(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	seen := loaded(in.config.imported)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := in.look()
		if slices.Equal(now, seen) {
			continue
		}
		seen = now
		if im := in.reload(); im != nil {
			// What was loaded may be newer than what was seen before.
			seen = loaded(im)
		}
	}
}

// content is what stands in a file.
type content struct {
	path   string
	digest route53json.Digest
	err    string // why it cannot be read
}

// look returns what the imported files hold now.
func (in *instance) look() []content {
	paths, err := in.config.decl.files()
	if err != nil {
		return []content{{err: err.Error()}}
	}
	files := make([]content, len(paths))
	for i, path := range paths {
		files[i].path = path
		if files[i].digest, err = route53json.DigestFile(path); err != nil {
			files[i].err = err.Error()
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

// reload loads the files beside the running data and swaps it in whole. When something
// is wrong it says so, and the running data stays; it returns the import that is served
// from now on, or nil.
func (in *instance) reload() *route53json.Import {
	old := in.generation()
	next, err := old.config.rebuild(time.Now())
	if err != nil {
		log.Errorf("%v; the running data stays", err)
		in.mu.Lock()
		in.imports.fail(err, time.Now())
		in.mu.Unlock()
		return nil
	}
	next.log()
	in.serve(in.begin(next, compile(next), old.resolver))
	old.end()
	return next.imported
}

// log writes what an operator has to know of a configuration: traps, and the report on
// imported files.
func (c *config) log() {
	for _, w := range c.warnings {
		log.Warningf("%s: %v", w.Pos, w.Err)
	}
	if c.imported == nil {
		return
	}
	for _, p := range c.imported.Problems {
		log.Warningf("route53: %s", p)
	}
	log.Infof("route53: %s", c.imported.Summary())
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
