package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns an explanation for people: the question, the answers with their odds, and
// the tree that they come from.
func (e *Explanation) Text(style Style) string {
	t := &writer{style: style}
	rcode := ""
	if e.Rcode != "" {
		rcode = ": " + e.Rcode
	}
	t.line(t.style.paint(TitleRole, e.Question.Name+" "+e.Question.Type) + rcode)
	t.line("  " + e.Reason + ": " + e.Why)
	if e.Source != "" {
		t.line("  " + t.style.paint(QuietRole, e.Source))
	}
	t.line("")
	t.answers(e.Answers)
	t.line("")
	if e.Tree != nil {
		t.node("", "", e.Tree)
		t.line("")
	}
	if s := e.outlook(); s != "" {
		t.line(t.style.paint(WarningRole, s))
	}
	return t.String()
}

// outlook says how near last resort is.
func (e *Explanation) outlook() string {
	switch {
	case e.LastResort && slices.ContainsFunc(e.Answers, func(a Answer) bool { return a.Reason != e.Reason }):
		return "nothing healthy where some of the answers come from: last resort"
	case e.LastResort:
		return "nothing healthy: last resort"
	case e.Next != nil:
		return e.Next.String()
	case e.Tree.checked():
		return "no single failure takes it to last resort or costs it its last spare"
	}
	return ""
}

// String says in a sentence what would fail and what that would do.
func (t *Threat) String() string {
	what := ""
	switch t.Kind {
	case ZoneKind:
		what = "in zone " + t.Cause[0]
	case AddressKind:
		what = "of the endpoint " + t.Cause[0]
	default:
		what = "of check " + strconv.Quote(t.Cause[0])
		if len(t.Cause) > 1 {
			what += fmt.Sprintf(" and %d that share its probe", len(t.Cause)-1)
		}
	}
	others := ""
	switch {
	case t.Others == 1:
		others = " (another one does the same)"
	case t.Others > 1:
		others = fmt.Sprintf(" (each of %d others does the same)", t.Others)
	}
	name := t.Name + " " + t.Type
	if t.Effect == ToLastResort {
		return fmt.Sprintf("one more failure %s takes %s to last resort%s", what, name, others)
	}
	return fmt.Sprintf("one more failure %s costs %s its last spare%s: the next takes it to last resort", what, name, others)
}

// checked reports whether a check decides anywhere in a tree.
func (n *Node) checked() bool {
	if n == nil {
		return false
	}
	if n.Balancer != nil {
		return true
	}
	for i := range n.Records {
		if n.Records[i].Check != nil || n.Records[i].Target.checked() {
			return true
		}
	}
	return false
}

// writer writes lines of text.
type writer struct {
	strings.Builder
	style Style
}

func (t *writer) line(s string) { t.WriteString(strings.TrimRight(s, " ") + "\n") }

// answers writes a table of answers.
func (t *writer) answers(list []Answer) {
	rows := [][]string{{"odds", "ttl", "answer"}}
	for _, a := range list {
		rows = append(rows, []string{a.Odds, strconv.FormatUint(uint64(a.TTL), 10), a.text()})
	}
	widths := columns(rows)
	for i, row := range rows {
		role := OddsRole
		if i == 0 {
			role = QuietRole
		}
		t.line("  " + t.style.paint(role, pad(row[0], widths[0])) + "  " + pad(row[1], widths[1]) + "  " + row[2])
	}
}

// text says what an answer is, in one line.
func (a *Answer) text() string {
	var parts []string
	if len(a.Values) > 0 {
		parts = append(parts, strings.Join(a.Values, ", "))
	}
	if a.Each {
		parts = append(parts, "(drawn, with others)")
	}
	if a.External != "" {
		parts = append(parts, a.External)
	}
	if a.Rcode != noError && a.Rcode != "" {
		parts = append(parts, a.Rcode)
	}
	if a.Note != "" {
		parts = append(parts, "("+a.Note+")")
	}
	return strings.Join(parts, " ")
}

// columns returns how wide the columns of a table are.
func columns(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
