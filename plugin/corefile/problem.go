package corefile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/steerdns/steer/plugin/record"
)

// Errors are all errors of a directive, at least one, in the order in which they were
// found. Each carries file and line.
type Errors []error

// Error returns the first error and how many more there are.
func (e Errors) Error() string {
	switch n := len(e) - 1; n {
	case 0:
		return e[0].Error()
	case 1:
		return e[0].Error() + " (and 1 more error)"
	default:
		return fmt.Sprintf("%v (and %d more errors)", e[0], n)
	}
}

// Unwrap returns the errors.
func (e Errors) Unwrap() []error { return e }

// failures collects errors, and remembers what could not be read, so that one mistake is
// not reported again wherever the name that it was to define is used.
type failures struct {
	errs   []error
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
	err = concealError(err)
	text := err.Error()
	if f.texts[text] {
		return
	}
	if f.texts == nil {
		f.texts = make(map[string]bool)
	}
	f.texts[text] = true
	f.errs = append(f.errs, err)
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
	return Errors(f.errs)
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
