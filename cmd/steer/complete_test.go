package main

import (
	"strings"
	"testing"
)

// TestComplete: a shell completes what the Corefile holds and what flags take.
func TestComplete(t *testing.T) {
	workplace(t)
	for args, want := range map[string]string{
		"explain '":                         "api.example.org. asia.example.org. europe.example.org. example.org. pool.example.org. shop.example.org. www.example.org. :4",
		"explain www.example.org '":         "A :4",
		"explain www.example.org A '":       ":4",
		"simulate --down '":                 "paris london tokyo majority :4",
		"simulate --each '":                 "checks addresses zones :4",
		"lint -o '":                         "text json github :4",
		"lint --block '":                    "example.org.:1053 :4",
		"explain -c nowhere '":              ":1",
		"lint -c blocks.corefile --block '": "example.org.:53 example.net.:53 tls://example.net.:853 tls://example.com.:853 example.com.:53 :4",
		"import --to '":                     "corefile :4",
	} {
		r := steer(t, "", fields("__complete "+args)...)
		if got := strings.Join(strings.Fields(r.out), " "); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
