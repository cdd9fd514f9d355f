package route53json

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/internal/arena"
	"github.com/steerdns/steer/internal/regular"
	"github.com/steerdns/steer/plugin/record"
)

// maxFile is how many bytes a file may have: four times what a million record sets take
// as the AWS CLI writes them.
const maxFile = 1 << 30

// FileError is why a file was not loaded at all.
type FileError struct {
	Path         string
	Line, Column int // 0 when the file could not be opened or read
	Err          error
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.Path, e.Line, e.Column, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// Expand returns the files that match patterns, each once: in the order of the patterns,
// and in alphabetical order for each of them. A pattern without a wildcard is the name of a
// file that need not exist; one with a wildcard must match a file. As in a shell, it does
// not match hidden files, which editors and ConfigMaps leave.
func Expand(ctx context.Context, patterns []string) ([]string, error) {
	var paths []string
	for _, pattern := range patterns {
		matches := []string{pattern}
		if strings.ContainsAny(pattern, `*?[`) {
			var err error
			if matches, err = regular.Glob(ctx, pattern); err != nil {
				return nil, fmt.Errorf("file pattern %q: %w", pattern, err)
			}
			if !strings.HasPrefix(filepath.Base(pattern), ".") {
				matches = slices.DeleteFunc(matches, func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") })
			}
			if len(matches) == 0 {
				return nil, fmt.Errorf("file pattern %q matches no file", pattern)
			}
		}
		for _, path := range matches {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths, nil
}

// Load reads files, in this order, as one import. When some cannot be read as JSON that
// Route 53 knows, nothing is loaded and the error is an [Errors] of them. So it is when the
// context ends, whose error is among them then.
func Load(ctx context.Context, paths []string, options Options) (*Import, error) {
	l := newLoader(ctx, options)
	l.alloc = newAllocators()
	var errs Errors
	for _, path := range paths {
		err := l.open(path)
		if err == nil {
			continue
		}
		errs = append(errs, err)
		if ctx.Err() != nil || errors.Is(err, regular.ErrUnresponsive) {
			break // what lies on the same file system would be waited for as long, file by file
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return l.finish()
}

// Errors are the errors of the files that could not be loaded.
type Errors []*FileError

func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i := range e {
		texts[i] = e[i].Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors of the files.
func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i := range e {
		errs[i] = e[i]
	}
	return errs
}

func (l *loader) open(path string) *FileError {
	f, err := regular.Open(l.ctx, path, maxFile)
	if err != nil {
		return &FileError{Path: path, Err: err}
	}
	defer f.Close()
	l.size = f.Size()
	return l.read(path, f)
}

// read loads one file.
func (l *loader) read(path string, r io.Reader) *FileError {
	l.im.order[path] = len(l.im.Files)
	l.im.Files = append(l.im.Files, File{Path: path})
	var h maphash.Hash
	h.SetSeed(seed)
	l.path, l.index = path, 0
	l.scanner = newScanner(io.TeeReader(r, &h))
	if err := l.documents(); err != nil {
		if at, ok := errors.AsType[*syntaxError](err); ok {
			return &FileError{path, at.line, at.column, at.err}
		}
		return &FileError{Path: path, Err: err}
	}
	f := l.im.file(path)
	f.Digest = Digest(h.Sum64())
	if len(f.ledger) < cap(f.ledger)/2 {
		f.ledger = slices.Clone(f.ledger) // few record sets for its size
	}
	return nil
}

// Digest identifies the content of a file, within one process.
type Digest uint64

var seed = maphash.MakeSeed()

// DigestFile returns the Digest of a file as it is now. Its error does not name the path.
func DigestFile(ctx context.Context, path string) (Digest, error) {
	f, err := regular.Open(ctx, path, maxFile)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var h maphash.Hash
	h.SetSeed(seed)
	if _, err := io.Copy(&h, f); err != nil {
		return 0, err
	}
	return Digest(h.Sum64()), nil
}

// loader builds an Import.
type loader struct {
	*scanner
	ctx     context.Context // of the load: when it ends, so does the load
	options Options
	im      *Import
	zones   *record.Catalog // empty: knows what the zones allow
	path    string          // of the file that is read
	size    int64           // its size in bytes; 0 when it is not known
	index   int             // of the record set, change or health check that is read

	// accept is given what each element describes, and the digest of its ledger entry.
	accept func(it *item, what kindOfItem, digest uint64) error

	items  []*item // one for each object around the next byte, from the outside in
	nested int     // how many of them there are

	drafts       arena.List[draft]
	infos        arena.Of[memberInfo]
	byKey        map[record.Key]*record.Group // at their Ordinals in drafts
	intern       map[string]string
	targets      map[string]string // of aliases, as written and as they are held
	lastRaw      []byte            // the last owner name as written, and as it is held
	lastName     string
	foreignZones map[string]struct{} // names with an SOA record that are not zones of the block

	alloc allocators
}

// allocators allocate the parts of an import. The zero value allocates them one by one.
type allocators struct {
	groups  *arena.Of[record.Group]
	sets    *arena.Of[record.RecordSet]
	aliases *arena.Of[record.AliasTarget]
	rrs     *arena.Of[dns.RR]
	values  record.ValueParser
	names   *arena.Strings
}

// newAllocators returns allocators for parts that live as long as the import.
func newAllocators() allocators {
	return allocators{
		new(arena.Of[record.Group]), new(arena.Of[record.RecordSet]), new(arena.Of[record.AliasTarget]),
		new(arena.Of[dns.RR]), record.NewValueParser(), new(arena.Strings),
	}
}

func newLoader(ctx context.Context, options Options) *loader {
	l := &loader{
		ctx:     ctx,
		options: options,
		zones:   record.NewCatalog(options.Zones),
		im: &Import{
			names:   make(map[string]struct{}),
			byID:    make(map[string]int32),
			tallies: make(map[tally]int),
			order:   make(map[string]int),

			unlisted: make(keySet),
		},
		byKey:        make(map[record.Key]*record.Group),
		intern:       make(map[string]string),
		targets:      make(map[string]string),
		foreignZones: make(map[string]struct{}),
	}
	l.accept = l.take
	return l
}

// maxInterned is the largest number of strings that are shared.
const maxInterned = 1 << 16

// shared returns b as a string that is shared with equal ones.
func (l *loader) shared(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := l.intern[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(l.intern) < maxInterned {
		l.intern[s] = s
	}
	return s
}
