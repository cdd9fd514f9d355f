package route53json

import (
	"fmt"
	"strconv"
	"strings"
)

// maxNamed is how many files a summary names.
const maxNamed = 3

// Summary is the report in one line.
//
//	zone.json, checks.json: 1,204 record sets and 8 health checks loaded, 3 left out, 2 changed, 1 warning
func (im *Import) Summary() string {
	var sum File
	names := make([]string, 0, maxNamed)
	for i, f := range im.Files {
		sum.RecordSets += f.RecordSets
		sum.HealthChecks += f.HealthChecks
		sum.LeftOut += f.LeftOut
		sum.Changed += f.Changed
		sum.Warnings += f.Warnings
		if i < maxNamed {
			names = append(names, f.Path)
		}
	}
	if rest := len(im.Files) - len(names); rest > 0 {
		names = append(names, count(rest, "more file"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s and %s loaded", strings.Join(names, ", "), count(sum.RecordSets, "record set"), count(sum.HealthChecks, "health check"))
	if sum.LeftOut > 0 {
		fmt.Fprintf(&b, ", %s left out", thousands(sum.LeftOut))
	}
	if sum.Changed > 0 {
		fmt.Fprintf(&b, ", %s changed", thousands(sum.Changed))
	}
	if sum.Warnings > 0 {
		fmt.Fprintf(&b, ", %s", count(sum.Warnings, "warning"))
	}
	return b.String()
}

// Summary is the report in one line.
//
//	zone.json: 1,204 record sets and 8 health checks loaded, 1 warning; 1 group changed
func (a *Amendment) Summary() string {
	return a.Import.Summary() + "; " + count(len(a.Changes), "group") + " changed"
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(n) + " " + thing + "s"
}

// thousands writes a number with commas: 1,204.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
