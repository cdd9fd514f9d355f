package healthcheck

import (
	"errors"
	"strings"
	"testing"
)

func TestReasonsAreOneShortLine(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"as it is", "status 404, want 200-399", "status 404, want 200-399"},
		{"200 bytes", strings.Repeat("x", 200), strings.Repeat("x", 200)},
		{"201 bytes", strings.Repeat("x", 201), strings.Repeat("x", 197) + "..."},
		{"cut within a letter", strings.Repeat("x", 196) + "–" + strings.Repeat("x", 100), strings.Repeat("x", 196) + "..."},
		{"a line break and an escape", "a\nb\x1b[1m", "a\ufffdb\ufffd[1m"},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reason(&checker{}, errors.New(tt.text)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
