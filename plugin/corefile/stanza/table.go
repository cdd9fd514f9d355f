package stanza

import (
	"strings"
	"unicode/utf8"
)

// widest is the width of the widest cell that others are aligned to: a check whose name is a
// UUID. Longer ones, such as keys in TXT records, would push the rest out of sight.
const widest = 48

// table returns lines whose cells are aligned. Columns without any cell take no room.
func table(rows [][]string) []string {
	widths := make([]int, 0, 8)
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if n := utf8.RuneCountInString(cell); n <= widest {
				widths[i] = max(widths[i], n)
			}
		}
	}
	lines := make([]string, len(rows))
	var b strings.Builder
	for n, row := range rows {
		b.Reset()
		aligned := true // until a cell is too wide
		for i, cell := range row {
			n := utf8.RuneCountInString(cell)
			aligned = aligned && n <= widest
			switch {
			case aligned && widths[i] > 0:
				b.WriteString(cell + strings.Repeat(" ", widths[i]-n+1))
			case cell != "":
				b.WriteString(cell + " ")
			}
		}
		lines[n] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
