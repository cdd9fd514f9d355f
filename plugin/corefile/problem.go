package corefile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/steerdns/steer/plugin/record"
)

// Errors are all errors of a directive, at least one, by file and line. Each carries these.
type Errors []error

// maxShown is how many errors the text of Errors shows.
const maxShown = 10

// Error returns the error, or a line for each of the first ones.
func (e Errors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d errors:", len(e))
	for _, err := range e[:min(len(e), maxShown)] {
		fmt.Fprintf(&b, "\n%v", err)
	}
	if more := len(e) - maxShown; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}

// Unwrap returns the errors.
func (e Errors) Unwrap() []error { return e }

// failure is an error and its position; those of imported files have none.
type failure struct {
	at  record.Pos
	err error
}

// failures collects errors, and remembers what could not be read, so that one mistake is
// not reported again wherever the name that it was to define is used.
type failures struct {
	errs   []failure
	texts  map[string]bool // of errs
	checks map[string]bool // names of checks
	names  map[string]bool // canonical names that hold some record
	files  bool            // imported files
}

// add records an error. It ignores nil, and what was recorded already.
func (f *failures) add(err error) {
	if err == nil || errors.Is(err, errRecorded) {
		return
	}
	var at record.Pos
	if e, ok := errors.AsType[*record.Error](err); ok {
		at = e.Pos
	}
	err = concealError(err)
	text := err.Error()
	if f.texts[text] {
		return
	}
	if f.texts == nil {
		f.texts = make(map[string]bool)
	}
	f.texts[text] = true
	f.errs = append(f.errs, failure{at, err})
}

// check records that the check of a name could not be read.
func (f *failures) check(name string) {
	if f.checks == nil {
		f.checks = make(map[string]bool)
	}
	f.checks[name] = true
}

// name records that what a name holds could not be read.
func (f *failures) name(name string) {
	if f.names == nil {
		f.names = make(map[string]bool)
	}
	f.names[name] = true
}

// mayHold reports whether a name may hold what could not be read, or be above it.
func (f *failures) mayHold(name string) bool {
	if f.files || f.names[name] {
		return true
	}
	for failed := range f.names {
		if strings.HasSuffix(failed, "."+name) || record.Wildcard(failed) {
			return true
		}
	}
	return false
}

// err returns all errors, or nil.
func (f *failures) err() error {
	if len(f.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(f.errs, func(x, y failure) int {
		return cmp.Or(strings.Compare(x.at.File, y.at.File), cmp.Compare(x.at.Line, y.at.Line))
	})
	errs := make(Errors, len(f.errs))
	for i := range f.errs {
		errs[i] = f.errs[i].err
	}
	return errs
}

// errRecorded is returned by who has recorded an error already.
var errRecorded = errors.New("recorded")

// blocklessError is the error of a statement that needs a block and opens none.
type blocklessError struct{ error }

func (e blocklessError) Unwrap() error { return e.error }

// lostError is an error after which the reader does not know which block it is in, so that
// further errors would mean nothing.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }
