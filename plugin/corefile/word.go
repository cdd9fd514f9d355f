package corefile

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coredns/coredns/plugin/pkg/durations"
)

// number reads a whole number from lo to hi; the statement's keyword names it.
func (s *statement) number(word string, lo, hi uint64) (uint64, error) {
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil || n < lo || n > hi {
		return 0, s.errorf("%s %q is not a whole number from %d to %d", s.keyword, word, lo, hi)
	}
	return n, nil
}

// firstNumber reads the whole number that the statement's arguments begin with.
func (s *statement) firstNumber(lo, hi uint64) (uint64, error) {
	n, err := strconv.ParseUint(s.args[0], 10, 64)
	if err != nil || n < lo || n > hi {
		return 0, s.errorf("%s %q is not a whole number from %d to %d%s", s.keyword, s.args[0], lo, hi, s.firstHint())
	}
	return n, nil
}

// identifier refuses a name for logs and metrics that nobody could read there.
func (s *statement) identifier(what, name string) error {
	// What is not UTF-8 comes as utf8.RuneError, and would fail every scrape.
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == utf8.RuneError }) {
		return s.errorf("%s %q contains a blank or a character that cannot be printed", what, name)
	}
	return nil
}

// conceal returns a word as errors may show it: a URL without its user name, password, path,
// query and fragment. A slash in a word without a scheme may mean something else, as in
// 192.0.2.0/24, so such a word only loses user name, password and query.
func conceal(s string) string { return concealURL(s, "/?#") }

// concealURL returns a URL without its user name and password, and without what follows the
// first of the characters in ends.
func concealURL(s, ends string) string {
	begin := 0
	if i := strings.Index(s, "://"); i >= 0 {
		begin = i + len("://")
	} else {
		ends = "?"
	}
	if at := strings.LastIndexByte(s, '@'); at > begin && (begin > 0 || strings.Contains(s[:at], ":")) {
		s = s[:begin] + hidden + s[at:]
	}
	scheme, rest := s[:begin], s[begin:]
	if i := strings.IndexAny(rest, ends); i >= 0 && i < len(rest)-1 && !strings.HasPrefix(rest[i+1:], hidden) {
		return scheme + rest[:i+1] + hidden
	}
	return s
}

// hidden stands for what was left out.
const hidden = "..."

// concealError leaves user names, passwords and queries out of an error whose words did not
// go through conceal one by one.
func concealError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if i := strings.Index(text, "://"); i >= 0 {
		if shown := text[:i] + concealURL(text[i:], "?#"); shown != text {
			return errors.New(shown)
		}
	}
	return err
}

// seconds reads a TTL, which messages call by its name. RFC 2181, section 8, leaves it 31
// bits.
func (s *statement) seconds(name, word string) (uint32, error) {
	n, err := strconv.ParseUint(word, 10, 31)
	if err != nil {
		return 0, s.errorf("%s %q is not a whole number of seconds from 0 to %d%s", name, word, math.MaxInt32, secondsHint(word))
	}
	return uint32(n), nil
}

// limits are the bounds of a duration, both included.
type limits struct {
	min, max time.Duration
	text     string
}

var (
	intervals = limits{time.Second, 24 * time.Hour, "1s to 24h"}
	timeouts  = limits{time.Millisecond, time.Minute, "1ms to 60s"}
)

// duration reads a duration such as "500ms"; a number alone is seconds.
func (s *statement) duration(word string, within limits) (time.Duration, error) {
	d, err := durations.NewDurationFromArg(word)
	if err != nil || d < within.min || d > within.max {
		return 0, s.errorf("%s %q is not a duration from %s", s.keyword, word, within.text)
	}
	return d, nil
}
