package healthcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// statusRange is a range of HTTP status codes, both ends included.
type statusRange struct{ first, last int }

// ParseStatuses reads the status codes that a check accepts, such as
// "200-399,404", and returns them sorted and without overlaps, so that the same set
// of codes is always the same string in a [Spec]. Codes are 101 and 200 to 599: the
// other ones of 1xx announce a response and are none.
func ParseStatuses(s string) (canonical string, err error) {
	if s == "" {
		return "", fmt.Errorf(`status "" is empty, want codes and ranges such as "200-399,404"`)
	}
	var ranges []statusRange
	for word := range strings.SplitSeq(s, ",") {
		r, err := parseStatusRange(word)
		if err != nil {
			return "", err
		}
		if r.first < 200 && r != (statusRange{101, 101}) {
			return "", fmt.Errorf("status %q: a response with a code of 1xx, other than 101, is not the last one, so no check can pass with it; want codes from 200 to 599", word)
		}
		ranges = append(ranges, r)
	}
	slices.SortFunc(ranges, func(a, b statusRange) int { return cmp.Compare(a.first, b.first) })
	joined := ranges[:1]
	for _, r := range ranges[1:] {
		before := &joined[len(joined)-1]
		if r.first <= before.last+1 {
			before.last = max(before.last, r.last)
			continue
		}
		joined = append(joined, r)
	}
	var b strings.Builder
	for i, r := range joined {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(r.first))
		if r.last > r.first {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(r.last))
		}
	}
	return b.String(), nil
}

func parseStatusRange(word string) (statusRange, error) {
	from, to, isRange := strings.Cut(word, "-")
	first, ok := parseStatusCode(from)
	if !ok {
		return statusRange{}, fmt.Errorf(`status %q is not a code from 200 to 599 or a range such as "200-399"`, word)
	}
	if !isRange {
		return statusRange{first, first}, nil
	}
	last, ok := parseStatusCode(to)
	if !ok {
		return statusRange{}, fmt.Errorf(`status %q is not a code from 200 to 599 or a range such as "200-399"`, word)
	}
	if last < first {
		return statusRange{}, fmt.Errorf("status range %q runs backwards, want \"%d-%d\"", word, last, first)
	}
	return statusRange{first, last}, nil
}

func parseStatusCode(s string) (int, bool) {
	if len(s) != 3 {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && n >= 100 && n <= 599
}

// accepts reports whether canonical, which ParseStatuses returned, holds the code.
// It runs once for every HTTP probe and allocates nothing.
func accepts(canonical string, code int) bool {
	for word := range strings.SplitSeq(canonical, ",") {
		from, to, isRange := strings.Cut(word, "-")
		if !isRange {
			to = from
		}
		first, _ := strconv.Atoi(from)
		last, _ := strconv.Atoi(to)
		if first <= code && code <= last {
			return true
		}
	}
	return false
}
