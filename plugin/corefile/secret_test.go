package corefile

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestErrorsHideSecrets puts a secret where it does not belong, between any two words of
// what parses: a URL with a query or a password anywhere, one with a path or without its
// scheme after the word check, a word anywhere in a header line. Errors go to logs, so none may show
// it.
func TestErrorsHideSecrets(t *testing.T) {
	const secret = "s3cr3t"
	urls := []string{
		"http://192.0.2.1/?token=" + secret,
		"tcp://192.0.2.1:1/#" + secret,
		"http://user:" + secret + "@192.0.2.1/",
	}
	checks := []string{
		"192.0.2.1/?token=" + secret, "user:" + secret + "@192.0.2.1/",
		"http://192.0.2.1/" + secret, "http://192.0.2.1/a/" + secret + "%", "http://192.0.2.1:0/" + secret,
		"tcp://192.0.2.1:1/" + secret,
	}
	inHeader := []string{secret, secret + " }", "{ " + secret, secret + ` ""`}
	for _, file := range corefiles(t, "ok") {
		lines := strings.SplitAfter(read(t, file), "\n")
		for i, line := range lines {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] == "#" || words[0] == "route53" {
				continue // nothing written, or files, which are shown
			}
			for at := 1; at <= len(words); at++ {
				inserted := slices.Clone(urls)
				if words[0] == headerOption {
					inserted = append(inserted, inHeader...)
				}
				if slices.Contains(words[:at], optionCheck) {
					inserted = append(inserted, checks...)
				}
				for _, word := range inserted {
					changed := slices.Clone(lines)
					changed[i] = strings.Join(slices.Insert(slices.Clone(words), at, word), " ") + "\n"
					_, err := parseText(strings.Join(changed, ""))
					if err != nil && strings.Contains(err.Error(), secret) {
						t.Errorf("%s, line %d: %s\nfails with: %v", filepath.Base(file), i+1, changed[i], err)
					}
				}
			}
		}
	}
}
