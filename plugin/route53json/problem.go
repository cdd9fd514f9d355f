package route53json

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// Problem is something in a file that is not served as it is written, or perhaps not
// meant as it is served.
type Problem struct {
	Pos   record.Pos
	Index int // which record set, change or health check of the file, from 1; 0 when it is not known

	Name  string // of the record set, or the health check's id; as written when it is no name
	Type  string // of the record set, or "health check"
	SetID string

	Level  Level
	Kind   Kind
	Reason string
	Remedy string // of a trap: what mends it

	validated bool // found by the catalog's validation, or a trap
}

// String is one line for the operator's log:
//
//	zone.json:17: www.example.org. A "blue" (number 3): left out: ResourceRecords is empty
func (p Problem) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", p.Pos)
	switch {
	case p.Type == checkType:
		fmt.Fprintf(&b, " %s %q", checkType, p.Name)
	case p.Name != "" || p.Type != "":
		fmt.Fprintf(&b, " %s", strings.TrimSpace(p.Name+" "+p.Type))
	}
	if p.SetID != "" {
		fmt.Fprintf(&b, " %q", p.SetID)
	}
	if p.Index != 0 {
		fmt.Fprintf(&b, " (number %d)", p.Index)
	}
	if b.Len() > len(p.Pos.String())+1 {
		b.WriteByte(':')
	}
	text := p.Reason
	if p.Remedy != "" {
		text = lint.Line(p.Reason, p.Remedy, string(p.Kind))
	}
	fmt.Fprintf(&b, " %s: %s", p.Level, text)
	return strings.Map(printable, b.String())
}

// Placeless returns the text of a problem without its place in the file: a record set
// more moves all those below it.
func (p Problem) Placeless() string {
	p.Pos.Line, p.Index = 0, 0
	return p.String()
}

// key returns the key of the record set that a problem is about.
func (p Problem) key() (record.Key, bool) {
	typ, err := record.ParseType(strings.TrimSpace(p.Type))
	return record.Key{Name: p.Name, Type: typ}, err == nil
}

// printable replaces what would break a line of a log.
func printable(r rune) rune {
	if unicode.IsControl(r) {
		return '?'
	}
	return r
}

// checkType is the [Problem.Type] of what concerns a health check.
const checkType = "health check"

// Level is what became of what a Problem is about.
type Level uint8

// The levels.
const (
	Warning Level = iota // served as it is written
	Changed              // served otherwise than it is written, or by a guess
	LeftOut              // not served
	Info                 // worth a thought; not counted in the summary
)

func (l Level) String() string {
	switch l {
	case Warning:
		return "warning"
	case Changed:
		return "changed"
	case LeftOut:
		return "left out"
	case Info:
		return "info"
	}
	return "unknown"
}

// Kind sorts problems for metrics. The kinds of [record.Problem] and the traps of package
// lint join these.
type Kind string

// The kinds of problems that the files themselves have.
const (
	Shape       Kind = "shape"           // a member is an object where a string belongs, and the like
	BadName     Kind = "name"            // no domain name
	BadType     Kind = "type"            // no record type
	OutsideZone Kind = "outside-zone"    // outside the zones of the block
	Misplaced   Kind = "misplaced"       // a type that has no place at the name
	BadValue    Kind = "value"           // a value of the wrong form
	BadTTL      Kind = "ttl"             // missing, out of range, or differing in a group
	Unserved    Kind = "unserved-policy" // a routing policy that is not served yet
	Conflict    Kind = "policy-conflict" // routing policies that do not go together
	BadPolicy   Kind = "policy"          // a weight, tier or set identifier that is wrong
	BadAlias    Kind = "alias"           // an alias without a target, or with values
	Empty       Kind = "empty"           // neither values nor an alias
	Duplicate   Kind = "duplicate"       // there already
	BadChange   Kind = "change"          // a change that cannot be made
	Incomplete  Kind = "incomplete"      // a page of a longer list
	BadCheck    Kind = "health-check"    // a health check that is wrong
	NoProbe     Kind = "unprobed-check"  // a health check that cannot or may not be probed from here
	NoSuchCheck Kind = "unknown-check"   // a health check that no file defines
	TextFlavour Kind = "unquoted-text"   // a TXT value without its quotes
	Refused     Kind = "refused"         // by the catalog, for what nobody has foreseen
	Loose       Kind = "wrong-json-type" // a number or boolean in quotes
)

// tally is what problems are counted by.
type tally struct {
	file string
	kind Kind
}

// maxDetails is how many problems of one kind are listed for each file. The rest is
// counted: a million lines help nobody.
const maxDetails = 1000

// Count is how many problems of a kind a file has.
type Count struct {
	File string
	Kind Kind
	N    int
}

// Counts returns how many problems there are, by file and kind.
func (im *Import) Counts() []Count {
	counts := make([]Count, 0, len(im.tallies))
	for t, n := range im.tallies {
		counts = append(counts, Count{t.file, t.kind, n})
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(im.order[a.File], im.order[b.File]), cmp.Compare(a.Kind, b.Kind))
	})
	return counts
}

// report adds a problem.
func (im *Import) report(p Problem, level Level, kind Kind, format string, args ...any) {
	f := im.file(p.Pos.File)
	switch level {
	case LeftOut:
		f.LeftOut++
	case Changed:
		f.Changed++
	case Warning:
		f.Warnings++
	}
	t := tally{p.Pos.File, kind}
	im.tallies[t]++
	if im.tallies[t] > maxDetails {
		if key, ok := p.key(); ok && !p.validated {
			im.unlisted.add(keyDigest(key))
		}
		return
	}
	p.Level, p.Kind, p.Reason = level, kind, fmt.Sprintf(format, args...)
	if im.tallies[t] == maxDetails {
		p.Reason += fmt.Sprintf(" (further problems of the kind %q in this file are counted, not listed)", kind)
	}
	im.Problems = append(im.Problems, p)
}

// about returns a Problem of a record set.
func about(k record.Key, pos record.Pos, setID string) Problem {
	return Problem{Pos: pos, Name: k.Name, Type: dns.Type(k.Type).String(), SetID: setID}
}

// bare returns an error without its position.
func bare(err error) error {
	if at, ok := errors.AsType[*record.Error](err); ok {
		return at.Err
	}
	return err
}

// reportFunc reports what is wrong with a record set or a health check.
type reportFunc func(level Level, kind Kind, format string, args ...any)

// boolean reads true or false, also where it is written as a string. Anything else is
// taken for false and reported.
func boolean(report reportFunc, name string, v scalar) bool {
	is := v.is("true")
	switch {
	case len(v.text) == 0:
		return false
	case !is && !v.is("false"):
		report(Changed, Loose, "%s %q is neither true nor false; taken for false", name, v.text)
		return false
	}
	reportQuoted(report, name, v)
	return is
}

// reportQuoted reports a number or boolean that is written as a string.
func reportQuoted(report reportFunc, name string, v scalar) {
	if v.quoted {
		report(Changed, Loose, "%s is the string %q; taken for %s", name, v.text, v.text)
	}
}
