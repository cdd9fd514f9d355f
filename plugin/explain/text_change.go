package explain

import (
	"fmt"
	"strings"
)

// Text returns a change for people, in one line: the name and, by answer, the odds before
// and after.
func (c *Change) Text(style Style) string {
	return style.paint(TitleRole, c.Name+" "+c.Type) + "  " + moved(c.Before, c.After, style) + notes(c.LastResort, c.LastSpare, style)
}

// Text returns a difference for people, likewise.
func (d *Difference) Text(style Style) string {
	before, after := d.Before, d.After
	switch d.Status { // that there was or is no such name goes without saying
	case "new":
		before = nil
	case "gone":
		after = nil
	}
	s := style.paint(TitleRole, d.Name+" "+d.Type) + "  " + d.Status + ": " + moved(before, after, style) + notes(d.LastResort, false, style)
	if len(d.Under) > 0 {
		s += " (when " + strings.Join(d.Under, ", ") + " fails)"
	}
	return s
}

// notes says what is the matter with the answers after a change.
func notes(resort, spare bool, style Style) string {
	switch {
	case resort:
		return "; " + style.paint(WarningRole, "last resort")
	case spare:
		return "; " + style.paint(WarningRole, "the last spare is lost")
	}
	return ""
}

// moved lists answers with their odds before and after, those that stay as they are last
// and in brief.
func moved(before, after []Answer, style Style) string {
	type odds struct{ was, is string }
	at := make(map[string]*odds)
	var order []string
	enter := func(a *Answer) *odds {
		key := a.text()
		if a.TTL > 0 {
			key += fmt.Sprintf(" (ttl %d)", a.TTL)
		}
		if at[key] == nil {
			at[key] = &odds{"0", "0"}
			order = append(order, key)
		}
		return at[key]
	}
	for i := range before {
		enter(&before[i]).was = before[i].Odds
	}
	for i := range after {
		enter(&after[i]).is = after[i].Odds
	}
	var parts []string
	same := 0
	for _, key := range order {
		o := at[key]
		if o.was == o.is {
			same++
			continue
		}
		parts = append(parts, key+" "+style.paint(OddsRole, o.was+" "+style.Arrow+" "+o.is))
	}
	switch {
	case len(parts) == 0:
		return "answered as before"
	case same > 0:
		parts = append(parts, fmt.Sprintf("%d as before", same))
	}
	return strings.Join(parts, ", ")
}
