package main

import (
	"strings"
	"testing"

	"github.com/steerdns/steer/plugin/explain"
)

// TestStyle: characters and colours are those that the terminal shows and the operator wants.
func TestStyle(t *testing.T) {
	const utf8 = "LANG=en_GB.UTF-8"
	for _, tt := range []struct {
		name     string
		terminal bool
		env      string
		mark     string
		colours  bool
	}{
		{"a terminal", true, utf8, "✔", true},
		{"a file", false, utf8, "+", false},
		{"no locale", true, "", "+", true},
		{"another character set", true, "LANG=de_DE.ISO-8859-1", "+", true},
		{"LC_ALL comes before LANG", true, "LC_ALL=C " + utf8, "+", true},
		{"LC_CTYPE comes before LANG", true, "LC_CTYPE=C.utf8 LANG=C", "✔", true},
		{"NO_COLOR", true, utf8 + " NO_COLOR=1", "✔", false},
		{"a terminal without colours", true, utf8 + " TERM=dumb", "✔", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			getenv := func(name string) string {
				for word := range strings.FieldsSeq(tt.env) {
					if value, ok := strings.CutPrefix(word, name+"="); ok {
						return value
					}
				}
				return ""
			}
			style := styleOf(tt.terminal, getenv)
			if style.Healthy != tt.mark || (style.Paint != nil) != tt.colours {
				t.Errorf("mark %q, colours %v; want %q, %v", style.Healthy, style.Paint != nil, tt.mark, tt.colours)
			}
		})
	}
}

// TestColours: each role has one, and it ends where the text does.
func TestColours(t *testing.T) {
	for _, role := range []explain.Role{
		explain.TitleRole, explain.HealthyRole, explain.UnhealthyRole, explain.IdleRole,
		explain.OddsRole, explain.WarningRole, explain.QuietRole,
	} {
		got := paint(role, "x")
		if colours[role] == "" || !strings.HasSuffix(got, "mx\x1b[0m") {
			t.Errorf("%s: %q", role, got)
		}
	}
}
