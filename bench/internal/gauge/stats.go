//go:build linux

package gauge

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Sample is a row of measurements of one thing.
type Sample []float64

// Median returns the middle of a sample, NaN of an empty one.
func (s Sample) Median() float64 { return s.Quantile(0.5) }

// Quantile returns the value that a part q of the sample, 0 to 1, does not exceed.
func (s Sample) Quantile(q float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Over returns the ratios of two samples that were taken in the same rounds.
func (s Sample) Over(base Sample) Sample {
	n := min(len(s), len(base))
	out := make(Sample, n)
	for i := range out {
		out[i] = s[i] / base[i]
	}
	return out
}

// Format returns the median and the range: "10.2 (9.8–11.0)".
func (s Sample) Format(format string) string {
	if len(s) == 0 {
		return "–"
	}
	if len(s) == 1 {
		return fmt.Sprintf(format, s[0])
	}
	return fmt.Sprintf(format+" ("+format+"–"+format+")", s.Median(), slices.Min(s), slices.Max(s))
}

// Table is a table in Markdown.
type Table struct {
	rows [][]string
}

// NewTable returns a table with a head.
func NewTable(head ...string) *Table { return &Table{rows: [][]string{head}} }

// Row adds a row.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Print writes the table. Columns but the first are set to the right.
func (t *Table) Print(w io.Writer) {
	widths := make([]int, len(t.rows[0]))
	for _, r := range t.rows {
		for i, c := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(c), 3)
		}
	}
	for n, r := range t.rows {
		for i, c := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if i == 0 {
				fmt.Fprint(w, "| ", c, pad)
			} else {
				fmt.Fprint(w, " | ", pad, c)
			}
		}
		fmt.Fprintln(w, " |")
		if n > 0 {
			continue
		}
		for i, width := range widths {
			if i == 0 {
				fmt.Fprint(w, "| ", strings.Repeat("-", width))
			} else {
				fmt.Fprint(w, " | ", strings.Repeat("-", width-1), ":")
			}
		}
		fmt.Fprintln(w, " |")
	}
	fmt.Fprintln(w)
}
