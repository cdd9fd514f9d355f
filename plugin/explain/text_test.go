package explain

import (
	"strings"
	"testing"
)

// TestChangeText tells what Tokyo's failure changes, and what is the next to fail then.
func TestChangeText(t *testing.T) {
	m := newExample(t).model()
	down := func(words ...string) []Cause {
		var causes []Cause
		for _, word := range words {
			c, err := m.Match(word)
			if err != nil {
				t.Fatal(err)
			}
			causes = append(causes, c)
		}
		return causes
	}
	tests := []struct {
		down []string
		want string // without the names that CNAMEs lead on from
	}{
		{[]string{"tokyo"}, `
api.example.org. A  192.0.2.3 (ttl 60) 1 -> 0, 192.0.2.1 (ttl 60) 0 -> 1/2, 192.0.2.2 (ttl 60) 0 -> 1/2
pool.example.org. A  192.0.2.1, 192.0.2.2, 192.0.2.3 (ttl 60) 1 -> 0, 192.0.2.1, 192.0.2.2 (ttl 60) 0 -> 1
www.example.org. A  192.0.2.3 (ttl 60) 1/2 -> 0, 192.0.2.1 (ttl 60) 3/10 -> 3/5, 192.0.2.2 (ttl 60) 1/5 -> 2/5
`},
		{[]string{"tokyo", "paris"}, `
api.example.org. A  192.0.2.3 (ttl 60) 1 -> 0, 192.0.2.2 (ttl 60) 0 -> 1; the last spare is lost
europe.example.org. A  192.0.2.1 (ttl 60) 1/2 -> 0, 192.0.2.2 (ttl 60) 1/2 -> 1; the last spare is lost
pool.example.org. A  192.0.2.1, 192.0.2.2, 192.0.2.3 (ttl 60) 1 -> 0, 192.0.2.2 (ttl 60) 0 -> 1; the last spare is lost
shop.example.org. A  192.0.2.10 (ttl 60) 1 -> 0, 192.0.2.20 (ttl 60) 0 -> 1
www.example.org. A  192.0.2.3 (ttl 60) 1/2 -> 0, 192.0.2.1 (ttl 60) 3/10 -> 0, 192.0.2.2 (ttl 60) 1/5 -> 1; the last spare is lost
`},
		{[]string{"paris", "london"}, `
api.example.org. A  answered as before; the last spare is lost
europe.example.org. A  answered as before; last resort
pool.example.org. A  192.0.2.1, 192.0.2.2, 192.0.2.3 (ttl 60) 1 -> 0, 192.0.2.3 (ttl 60) 0 -> 1; the last spare is lost
shop.example.org. A  192.0.2.10 (ttl 60) 1 -> 0, 192.0.2.20 (ttl 60) 0 -> 1
www.example.org. A  192.0.2.3 (ttl 60) 1/2 -> 1, 192.0.2.1 (ttl 60) 3/10 -> 0, 192.0.2.2 (ttl 60) 1/5 -> 0; the last spare is lost
`},
		{[]string{"lb/b"}, `
app.example.org. A  198.51.100.1, 198.51.100.2 (ttl 60) 1 -> 0, 198.51.100.1 (ttl 60) 0 -> 1
lb.example.org. A  198.51.100.1, 198.51.100.2 (ttl 60) 1 -> 0, 198.51.100.1 (ttl 60) 0 -> 1
`},
	}
	for _, tt := range tests {
		var got strings.Builder
		for _, c := range m.WhatIf(down(tt.down...), nil) {
			if c.Name != "alias.example.org." && c.Name != "mixed.example.org." {
				got.WriteString(c.Text(ASCII) + "\n")
			}
		}
		if got.String() != strings.TrimPrefix(tt.want, "\n") {
			t.Errorf("%v:\n%s\nwant%s", tt.down, got.String(), tt.want)
		}
	}
}

// TestPaint: a style may paint, and only where it says so.
func TestPaint(t *testing.T) {
	e, err := newExample(t).model("tokyo").Explain("www.example.org.", 1)
	if err != nil {
		t.Fatal(err)
	}
	style := Unicode
	style.Paint = func(role Role, text string) string { return "<" + string(role) + ">" + text + "</>" }
	painted := e.Text(style)
	for _, want := range []string{"<title>www.example.org. A</>: NOERROR", "<healthy>✔</>", "<unhealthy>✘</>", "<odds>3/5 </>", "├─ ", "<warning>one more failure of check"} {
		if !strings.Contains(painted, want) {
			t.Errorf("there is no %q in\n%s", want, painted)
		}
	}
	plain := painted
	for _, role := range []Role{TitleRole, HealthyRole, UnhealthyRole, IdleRole, OddsRole, WarningRole, QuietRole} {
		plain = strings.ReplaceAll(plain, "<"+string(role)+">", "")
	}
	if got := strings.ReplaceAll(plain, "</>", ""); got != e.Text(Unicode) {
		t.Errorf("without its paint it is\n%s\nwant\n%s", got, e.Text(Unicode))
	}
}
