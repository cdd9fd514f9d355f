package route53json

import (
	"errors"
	"io"

	"github.com/steerdns/steer/plugin/record"
)

// errUnknown is the error of a file that is JSON, and nothing that is known.
var errUnknown = errors.New("holds no Route 53 data: want the output of list-resource-record-sets or list-health-checks, a change batch, the configuration of a health check, or a list of such things")

// documents reads a file: one JSON value or several, such as the pages of a list, one
// after another.
func (l *loader) documents() error {
	err := l.begin()
	for first := true; ; first = false {
		if err == nil {
			_, err = l.peek()
		}
		switch {
		case errors.Is(err, io.EOF) && first:
			return l.errorf("the file is empty")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		unknown := l.errorf("%w", errUnknown)
		known, err := l.node()
		switch {
		case err != nil:
			return err
		case !known:
			return unknown
		}
	}
}

// node reads a value of any of the shapes and reports whether it was one.
func (l *loader) node() (known bool, err error) {
	c, err := l.next()
	switch {
	case err != nil:
		return false, err
	case c == '{':
		return l.element()
	case c == '[':
		return l.list()
	}
	return false, l.skip()
}

// list reads a list of values of any of the shapes. It is one of them when it is empty
// or when one of its elements is; those that are not are reported.
func (l *loader) list() (known bool, err error) {
	known, empty := false, true
	err = l.array(func() error {
		empty = false
		if _, err := l.next(); err != nil {
			return err
		}
		line := l.line
		ok, err := l.node()
		if err == nil && !ok {
			l.index++
			l.im.report(Problem{Pos: record.Pos{File: l.path, Line: line}, Index: l.index}, LeftOut, Shape, "is neither a record set nor a change nor a health check")
			err = l.accept(nil, nothing, 0)
		}
		known = known || ok
		return err
	})
	return known || empty, err
}

// element reads an object, takes what it describes, and reports whether it described
// anything.
func (l *loader) element() (known bool, err error) {
	it := l.push()
	defer l.pop()
	l.startDigest()
	if err := l.object(func(key []byte) error { return l.member(it, key) }); err != nil {
		return false, err
	}
	digest, whole := l.endDigest()
	what := it.what()
	switch {
	case what == nothing:
		return false, nil
	case what == aPage:
		digest = pageDigest(it)
	case !whole:
		digest = 0
	}
	if what != aPage {
		l.index++
	}
	return true, l.accept(it, what, digest)
}

// take takes what an object describes, and notes it in the ledger of the file.
func (l *loader) take(it *item, what kindOfItem, digest uint64) error {
	e := entry{digest: digest}
	switch what {
	case aChange:
		l.takeChange(it)
	case aCheck:
		l.takeCheck(it)
	case aPage:
		l.takePage(it)
	case aRecordSet:
		e.key = l.takeRecordSet(it, listed)
	}
	l.enter(e)
	return nil
}

// push returns the item of the object that is about to be read.
func (l *loader) push() *item {
	if l.nested == len(l.items) {
		l.items = append(l.items, new(item))
	}
	it := l.items[l.nested]
	l.nested++
	it.reset(l.line)
	return it
}

func (l *loader) pop() { l.nested-- }

// takePage warns of a list that goes on elsewhere.
func (l *loader) takePage(it *item) {
	if it.unfinished() {
		l.im.report(Problem{Pos: record.Pos{File: l.path, Line: it.line}}, Warning, Incomplete,
			"this is one page of a longer list: what the other pages hold is missing unless they are loaded too; list everything at once, without --max-items")
	}
}

// member reads one member of an object of any shape.
func (l *loader) member(it *item, key []byte) error {
	var err error
	switch string(key) {
	case "resourcerecordsets", "changes", "healthchecks", "changebatch", "healthcheck":
		it.list = true
		_, err = l.node()
	case "istruncated":
		it.truncated, err = l.keep(it, "IsTruncated")
	case "nexttoken", "nextmarker", "nextrecordname":
		var next scalar
		if next, err = l.keep(it, "NextToken"); len(next.text) > 0 {
			it.nextPage = next
		}
	case "action":
		it.action, err = l.keep(it, "Action")
	case "resourcerecordset":
		it.change = true
		err = l.inner(it, "ResourceRecordSet", l.setMember)
	case "id":
		it.id, err = l.keep(it, "Id")
	case "callerreference":
		it.reference, err = l.keep(it, "CallerReference")
	case "healthcheckconfig":
		it.config = true
		err = l.inner(it, "HealthCheckConfig", l.checkMember)
	default:
		return l.oneOf(it, key, l.setMember, l.checkMember)
	}
	return err
}

// inner reads an object inside an object. Anything else is recorded as malformed.
func (l *loader) inner(it *item, name string, member memberFunc) error {
	c, err := l.next()
	switch {
	case err != nil:
		return err
	case c != '{':
		it.malformed = name
		return l.skip()
	}
	it.line = l.line
	return l.object(func(key []byte) error { return l.oneOf(it, key, member) })
}

// memberFunc reads a member if it knows the key.
type memberFunc func(it *item, key []byte) (known bool, err error)

// oneOf reads a member with the first function that knows it, or skips it.
func (l *loader) oneOf(it *item, key []byte, functions ...memberFunc) error {
	for _, f := range functions {
		if known, err := f(it, key); known || err != nil {
			return err
		}
	}
	return l.skip()
}
