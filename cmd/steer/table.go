package main

import (
	"io"
	"strings"
	"unicode/utf8"
)

// writeTable writes rows in columns: the first one left-aligned, those of numbers right.
func writeTable(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line = cell + space
			} else {
				line += "  " + space + cell
			}
		}
		_, _ = io.WriteString(w, strings.TrimRight(line, " ")+"\n")
	}
}
