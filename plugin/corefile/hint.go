package corefile

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coredns/coredns/plugin/pkg/durations"
	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// hint is the end of an error message about words that are wrong: what was probably meant,
// and how to write it. It is empty when nothing can be told. It is a type of its own since
// errorf conceals what may be secret in a string: a hint has done so with its words.
type hint string

func hintf(format string, args ...any) hint { return hint(fmt.Sprintf(format, args...)) }

// secondsHint helps who wrote a duration such as "5m" where a number of seconds belongs.
func secondsHint(word string) hint {
	d, err := durations.NewDurationFromArg(word)
	if err != nil || d < 0 || d%time.Second != 0 || d > math.MaxInt32*time.Second {
		return ""
	}
	return hintf("; write %d", d/time.Second)
}

// keywordHint helps who began a line with something else than a keyword.
func (s *statement) keywordHint(rules []rule) hint {
	words := make([]string, len(rules))
	for i, r := range rules {
		words[i] = r.word
		if slices.Contains(r.also, strings.ToLower(s.keyword)) {
			return hintf("; did you mean %q?", r.word)
		}
	}
	if near := suggest(s.keyword, words); near != "" {
		return hint(near)
	}
	if isAddress(s.keyword) {
		for _, r := range rules {
			if before, _, ok := strings.Cut(r.usage, "VALUE"); ok {
				return hintf("; write: %s %s%s", r.word, before, s.keyword)
			}
			if before, _, ok := strings.Cut(r.usage, "ADDRESS"); ok {
				return hintf("; write: %s %s%s", r.word, strings.TrimSuffix(before, "["), s.keyword)
			}
		}
	}
	if slices.Contains(words, "interval") && slices.Contains([]string{"path", "port", "uri", "url"}, s.keyword) {
		return "; path and port are written in the URL of the check"
	}
	if slices.Contains(words, "simple") && len(s.args) > 1 {
		switch {
		case isType(s.args[0]): // www A 192.0.2.1
			return hint("; write: simple " + s.text(len(s.args)))
		case isType(s.keyword): // A www 192.0.2.1
			rest := statement{keyword: s.args[0], args: s.args[1:]}
			rest.args = slices.Insert(slices.Clone(rest.args), 0, strings.ToUpper(s.keyword))
			return hint("; write: simple " + rest.text(len(rest.args)))
		}
	}
	return hint("; known there: " + strings.Join(words, ", "))
}

// typeHint helps who wrote something else than a type behind the name of a stanza.
func (s *statement) typeHint(word string) hint {
	name := conceal(s.args[0])
	switch {
	case word == "":
		return "; a list of types has no blanks: A,AAAA"
	case isType(name) && !isAddress(word):
		return hintf("; the name comes before the type: %s %s %s", s.keyword, conceal(word), strings.ToUpper(name))
	case isAddress(word):
		return hintf("; the type comes before the value: %s %s %s %s", s.keyword, name, addressType(word), word)
	case strings.EqualFold(word, "IN"):
		return "; the class is always IN and is not written"
	case isNumber(word):
		return hintf("; a TTL is written after the values: ttl %s", word)
	}
	return ""
}

// lacking returns what a statement with too few arguments lacks, and how to write it.
func (s *statement) lacking(r rule, usage string) hint {
	if len(s.args) == 2 && strings.HasPrefix(r.usage, "NAME TYPE ") && !isType(s.args[1]) {
		return hintf("a type; write: %s %s %s", s.text(1), addressType(s.args[1]), conceal(s.args[1]))
	}
	return hint("arguments; write: " + usage)
}

// tooManyHint helps who put blanks into a list of types.
func (s *statement) tooManyHint(most int) hint {
	if most > 0 && isType(strings.TrimSuffix(s.args[most-1], ",")) && isType(s.args[most]) {
		return hintf("; a list of types has no blanks: %s,%s", strings.TrimSuffix(s.args[most-1], ","), s.args[most])
	}
	return ""
}

// firstHint helps who left out or moved the number that a line begins with.
func (s *statement) firstHint() hint {
	word, rest := s.args[0], s.args[1:]
	switch number, comma := strings.CutSuffix(word, ","); {
	case comma && isNumber(number):
		return "; write it without the comma"
	case strings.HasSuffix(word, "%") && s.keyword == "weight":
		return "; weights are not percentages: each record gets its weight divided by the sum of all weights"
	case isNumber(strings.TrimSuffix(word, "%")):
		return ""
	}
	what := 1 // words before the number that was perhaps written behind the value
	if word == "alias" {
		what = 2
	}
	n, behind := "N", what <= len(rest) && isNumber(rest[what-1])
	if behind {
		n = rest[what-1]
	} else if word != "alias" && !isAddress(word) {
		return ""
	}
	words := []string{s.keyword, n, conceal(word)}
	if word == "alias" && len(rest) > 0 {
		words = append(words, conceal(rest[0]))
	}
	return hintf("; the %s comes first: %s", s.keyword, strings.Join(words, " "))
}

// valueHint helps who wrote something else among a record's values.
func valueHint(value string, typ uint16) hint {
	if near := suggest(value, recordOptions); near != "" {
		return hint(near)
	}
	if typ != dns.TypeA && typ != dns.TypeAAAA {
		return ""
	}
	bare, comma := strings.CutSuffix(value, ",")
	_, cidr := netip.ParsePrefix(value)
	switch {
	case comma && isAddress(bare):
		return "; values are separated by blanks, without commas"
	case hasPort(value):
		return "; an answer is an address alone, and the port to probe is in the check's URL"
	case cidr == nil:
		return "; it is a network, so write each of its addresses that is to be answered"
	case isNumber(value):
		return hintf("; a TTL is written as: ttl %s", value)
	case isType(value):
		return "; the type is written once, after the name of the stanza"
	case slices.Contains([]string{"weight", "tier", "primary", "secondary"}, value):
		return hintf("; %q is a keyword of %s stanzas", value, map[bool]string{true: "weighted", false: "failover"}[value == "weight"])
	}
	return ""
}

// optionHint helps who wrote something else among a record's options. before is the
// option before it, or "".
func optionHint(word, before string) hint {
	if near := suggest(word, recordOptions); near != "" {
		return hint(near)
	}
	of := &checkOptions{check: new(healthcheck.Check), spec: new(healthcheck.Spec)}
	check := slices.ContainsFunc(of.rules(), func(r rule) bool { return r.word == word })
	switch {
	case before == optionEvaluate && slices.Contains([]string{"true", "false", "on", "off", "yes", "no"}, word):
		return hintf("; %q takes no argument", before)
	case check:
		return "; to give a check options, define it with a name: check NAME URL {"
	case before == "":
		return ""
	}
	return "; values come before the options"
}

// checkHint helps who wrote something else than the URL or the name of a check.
func checkHint(word string) hint {
	scheme, rest, ok := strings.Cut(word, ":")
	switch {
	case strings.ContainsAny(word, "@?"): // what follows may be secret
		return ""
	case ok && slices.Contains([]string{"http", "https", "tcp"}, strings.ToLower(scheme)):
		return hintf("; did you mean %q?", scheme+"://"+conceal(strings.TrimLeft(rest, "/")))
	case hasPort(word) || scheme == "" && isNumber(rest):
		return hintf("; did you mean %q?", "tcp://"+conceal(word))
	}
	return ""
}

// statusHint helps who wrote a class of status codes such as "2xx".
func statusHint(word string) hint {
	class, ok := strings.CutSuffix(strings.ToLower(word), "xx")
	if !ok || !slices.Contains([]string{"2", "3", "4", "5"}, class) {
		return ""
	}
	return hintf("; write %s00-%s99", class, class)
}

func isAddress(word string) bool {
	_, err := netip.ParseAddr(word)
	return err == nil
}

func isNumber(word string) bool {
	_, err := strconv.ParseUint(word, 10, 64)
	return err == nil
}

func isType(word string) bool {
	_, err := record.ParseType(word)
	return err == nil
}

// addressType returns the type of a record that holds an address.
func addressType(word string) dns.Type {
	if addr, err := netip.ParseAddr(word); err == nil && addr.Is6() { // of a name it may be either
		return dns.Type(dns.TypeAAAA)
	}
	return dns.Type(dns.TypeA)
}

// suggest returns the end of an error message about a word that is not known: the known
// word that it most resembles, or nothing when it resembles none.
func suggest(word string, known []string) string {
	best, least := "", 3
	if len(word) < 5 {
		least = 2
	}
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance counts the letters to insert, delete or replace, and the neighbours to
// exchange, that make b of a.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
