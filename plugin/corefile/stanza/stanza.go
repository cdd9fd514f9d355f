// Package stanza writes a [record.Catalog] as the stanzas of a steer block that mean the same.
//
// What Route 53's JSON or another catalog holds and no stanza can say is told in a comment at
// its place, and in a list of problems: it is never dropped in silence. The package
// plugin/corefile reads what is written here.
package stanza

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// Options say how a catalog is written.
type Options struct {
	// Block writes a whole server block, with a ttl line for the TTL that most records have.
	// Otherwise stanzas are written that can be put into a block of the same zones.
	Block bool

	// TTL is what the block that the stanzas are put into gives records that have none of
	// their own, in seconds. 0 stands for the default, 60. A whole Block has its own.
	TTL uint32

	// Notes are comments on checks and names, such as why a check cannot be probed and which
	// record sets of a name an import left out. The keys are names of checks, and canonical
	// names, which end in a dot.
	Notes map[string][]string
}

// defaultTTL is the TTL in seconds of records in a block without a ttl line.
const defaultTTL = 60

// Write writes the checks, groups and load balancers of a catalog, in its order. The catalog
// has to be validated. It returns a line for everything that the stanzas do not say, or say
// otherwise; each is a comment in what was written, too. An error is that of out, or says why
// the zones cannot be those of a server block.
//
// The options of the block, such as fallthrough and soa, are no part of it. Where a SOA
// record was made from them it is not written.
func Write(out io.Writer, c *record.Catalog, options Options) (problems []string, err error) {
	w := &writer{
		out: bufio.NewWriter(out), catalog: c, options: options,
		ttl:  cmp.Or(options.TTL, defaultTTL),
		left: make(map[*record.Group]string), dropped: make(map[*record.Group]map[int]string),
		noted: make(map[string]bool),
	}
	if len(c.Zones) == 1 {
		w.zone = c.Zones[0]
	}
	w.leaveOut()
	if options.Block {
		if err := w.openBlock(); err != nil {
			return nil, err
		}
	}
	w.nameChecks()
	w.writeChecks()
	w.gap()
	for g := range c.All() {
		if g.Type != dns.TypeSOA || g.Pos != (record.Pos{}) {
			w.group(g)
		}
	}
	w.flushRun()
	w.gap()
	w.lostNames()
	w.flushComments()
	for w.depth > 0 {
		w.close()
	}
	return w.problems, w.out.Flush()
}

// writer writes the stanzas of one catalog.
type writer struct {
	out     *bufio.Writer // keeps its first error
	catalog *record.Catalog
	options Options
	zone    string // the only one of the block; "" if there are several
	ttl     uint32 // of records that give none

	left    map[*record.Group]string         // why groups have no stanza
	dropped map[*record.Group]map[int]string // why records are left out of theirs
	outside bool                             // an alias leads to a name that is held elsewhere

	names []string // of checks; "" for one that is written where it is used

	problems []string
	noted    map[string]bool // the notes that are written

	depth    int
	comments []string   // for what is written next
	run      [][]string // stanzas of one line for one name, to be aligned
	runName  string
	begun    bool // something stands above in the block
	gapDue   bool // an empty line belongs before what is written next
}

// openBlock begins a server block of the catalog's zones.
func (w *writer) openBlock() error {
	keys := make([]string, len(w.catalog.Zones))
	for i, zone := range w.catalog.Zones {
		if strings.ContainsFunc(zone, func(r rune) bool { return !isPlain(r) || r == '/' || r == '*' || r == '+' || r == '=' }) {
			return fmt.Errorf("zone %q cannot be the zone of a server block", zone)
		}
		if keys[i] = strings.TrimSuffix(zone, "."); zone == "." {
			keys[i] = zone
		}
	}
	if len(keys) == 0 {
		return fmt.Errorf("a catalog without zones has no server block")
	}
	w.open(strings.Join(keys, " "))
	w.open("steer")
	if w.outside {
		w.comment("Some aliases lead to names outside. The server resolves them, and needs a block that can, such as one with forward.")
	}
	if w.ttl = w.usualTTL(); w.ttl != defaultTTL {
		w.line(fmt.Sprintf("ttl %d", w.ttl))
	}
	return nil
}

// usualTTL returns the TTL that most records have: of several the default, or the smallest.
func (w *writer) usualTTL() uint32 {
	counts := make(map[uint32]int)
	for g := range w.catalog.All() {
		if g.Balancer != nil {
			counts[g.Balancer.TTL]++
		}
		for i := range g.Records {
			if values := g.Records[i].Values; len(values) > 0 && g.Type != dns.TypeSOA {
				counts[min(values[0].Header().Ttl, math.MaxInt32)]++
			}
		}
	}
	if len(counts) == 0 || counts[defaultTTL] == slices.Max(slices.Collect(maps.Values(counts))) {
		return defaultTTL
	}
	return slices.MaxFunc(slices.Collect(maps.Keys(counts)), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(b, a))
	})
}

// problem notes what stanzas do not say, for the list and as a comment.
func (w *writer) problem(format string, args ...any) {
	text := strings.Map(printable, fmt.Sprintf(format, args...))
	w.problems = append(w.problems, text)
	w.comment(text)
}

// comment puts a comment above what is written next.
func (w *writer) comment(text string) {
	w.comments = append(w.comments, strings.Map(printable, text))
}

// note puts the notes on a check or a name above what is written next, once.
func (w *writer) note(name string) {
	if len(w.options.Notes) == 0 || w.noted[name] {
		return
	}
	w.noted[name] = true
	for _, text := range w.options.Notes[name] {
		w.comment(text)
	}
}

// printable replaces what would end a comment or break its line.
func printable(r rune) rune {
	if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
		return '?'
	}
	return r
}

// row adds a stanza of one line to those of the same name.
func (w *writer) row(name string, cells []string) {
	if name != w.runName || len(w.comments) > 0 {
		w.flushRun()
		w.runName = name
	}
	w.flushComments()
	w.run = append(w.run, cells)
}

// flushRun writes the stanzas of one line that wait for others of their name.
func (w *writer) flushRun() {
	run := w.run
	w.run = w.run[:0]
	for _, line := range table(run) {
		w.print(line)
	}
}

func (w *writer) flushComments() {
	for _, text := range w.comments {
		w.print("# " + text)
	}
	w.comments = w.comments[:0]
}

// line writes a line, after what has to stand above it.
func (w *writer) line(text string) {
	w.flushRun()
	w.flushComments()
	w.print(text)
}

// gap separates what was written from what comes next, if there is any.
func (w *writer) gap() { w.gapDue = w.begun }

const indent = "    "

func (w *writer) print(text string) {
	if w.gapDue {
		w.out.WriteByte('\n')
		w.gapDue = false
	}
	w.begun = true
	for range w.depth {
		w.out.WriteString(indent)
	}
	w.out.WriteString(text)
	w.out.WriteByte('\n')
}

// open begins a block.
func (w *writer) open(head string) {
	w.line(head + " {")
	w.depth++
	w.begun = false
}

// close ends a block.
func (w *writer) close() {
	w.flushRun()
	w.gapDue = false
	w.depth--
	w.print("}")
}

// block writes a line, and its options in a block if there are any.
func (w *writer) block(head string, options []string) {
	if len(options) == 0 {
		w.line(head)
		return
	}
	w.open(head)
	for _, option := range options {
		w.line(option)
	}
	w.close()
}
