package route53json_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/steerdns/steer/plugin/record"
)

// amendZone is what the cases of TestAmend start from, with amendChecks in a second file.
const amendZone = `{"ResourceRecordSets": [
{"Name": "example.com.", "Type": "SOA", "TTL": 900, "ResourceRecords": [{"Value": "ns.example.net. host.example.net. 1 7200 900 1209600 60"}]},
{"Name": "example.com.", "Type": "NS", "TTL": 900, "ResourceRecords": [{"Value": "ns.example.net."}]},
{"Name": "w.example.com.", "Type": "A", "SetIdentifier": "blue", "Weight": 10, "TTL": 60, "HealthCheckId": "one", "ResourceRecords": [{"Value": "192.0.2.1"}]},
{"Name": "w.example.com.", "Type": "A", "SetIdentifier": "green", "Weight": 20, "TTL": 60, "HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.2"}]},
{"Name": "f.example.com.", "Type": "A", "SetIdentifier": "1", "Failover": "PRIMARY", "TTL": 60, "HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.3"}]},
{"Name": "f.example.com.", "Type": "A", "SetIdentifier": "2", "Failover": "SECONDARY", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.4"}]},
{"Name": "e.example.com.", "Type": "A", "AliasTarget": {"DNSName": "w.example.com.", "EvaluateTargetHealth": true}},
{"Name": "l.example.com.", "Type": "A", "AliasTarget": {"DNSName": "e.example.com.", "EvaluateTargetHealth": false}},
{"Name": "x.example.com.", "Type": "A", "AliasTarget": {"DNSName": "lb.example.net.", "EvaluateTargetHealth": false}},
{"Name": "*.example.com.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.9"}]},
{"Name": "s.example.com.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.5"}]},
{"Name": "s.example.com.", "Type": "AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::5"}]}
], "IsTruncated": false}
`

const amendChecks = `{"HealthChecks": [
{"Id": "one", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80}},
{"Id": "two", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "192.0.2.2", "Port": 80}},
{"Id": "three", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "192.0.2.3", "Port": 80}}
]}
`

// Lines of amendZone.
const (
	green     = `{"Name": "w.example.com.", "Type": "A", "SetIdentifier": "green", "Weight": 20, "TTL": 60, "HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.2"}]},` + "\n"
	secondary = `{"Name": "f.example.com.", "Type": "A", "SetIdentifier": "2", "Failover": "SECONDARY", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.4"}]},` + "\n"
	simple    = `{"Name": "s.example.com.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.5"}]}`
	further   = `{"Name": "w.example.com.", "Type": "A", "SetIdentifier": "red", "Weight": 5, "TTL": 60, "HealthCheckId": "one", "ResourceRecords": [{"Value": "192.0.2.7"}]}`
)

// refused stands for the keys that are amended when only a load will do.
const refused = "refused"

// edit is a list of texts and what they are replaced with.
type edit []string

// in applies an edit to the first of the files that have the text.
func (e edit) in(t *testing.T, files []string) []string {
	t.Helper()
	files = slices.Clone(files)
	for i := 0; i < len(e); i += 2 {
		at := slices.IndexFunc(files, func(text string) bool { return strings.Contains(text, e[i]) })
		if at < 0 {
			t.Fatalf("no file has %s", e[i])
		}
		files[at] = strings.Replace(files[at], e[i], e[i+1], 1)
	}
	return files
}

func TestAmend(t *testing.T) {
	const broken = `"192.0.2.256"`
	toL := edit{`"DNSName": "w.example.com."`, `"DNSName": "l.example.com."`}
	tests := []struct {
		name          string
		before, after edit // of amendZone and amendChecks, and of what before makes of them
		want          string
	}{
		{"weight", nil, edit{`"Weight": 10`, `"Weight": 30`}, "w.example.com. A"},
		{"value", nil, edit{`"192.0.2.5"`, `"192.0.2.6"`}, "s.example.com. A"},
		{"one value more", nil, edit{`{"Value": "192.0.2.5"}`, `{"Value": "192.0.2.5"}, {"Value": "192.0.2.6"}`}, "s.example.com. A"},
		{"TTL", nil, edit{simple, strings.Replace(simple, "60", "30", 1)}, "s.example.com. A"},
		{"set identifier", nil, edit{`"blue"`, `"red"`}, "w.example.com. A"},
		{"two names", nil, edit{`"192.0.2.5"`, `"192.0.2.6"`, `"192.0.2.1"`, `"192.0.2.8"`}, "s.example.com. A, w.example.com. A"},
		{"both types of a name", nil, edit{`"192.0.2.5"`, `"192.0.2.6"`, `::5`, `::6`}, "s.example.com. A, s.example.com. AAAA"},
		{"a wildcard", nil, edit{`"192.0.2.9"`, `"192.0.2.8"`}, "*.example.com. A"},
		{"a member more", nil, edit{green, green + further + ","}, "w.example.com. A"},
		{"a member less", edit{green, green + further + ","}, edit{further + ",", ""}, "w.example.com. A"},
		{"from weighted to failover", nil, edit{`"Weight": 10`, `"Failover": "PRIMARY"`, `"Weight": 20`, `"Failover": "SECONDARY"`}, "w.example.com. A"},
		{"from values to an alias", nil, edit{simple, `{"Name": "s.example.com.", "Type": "A", "AliasTarget": {"DNSName": "l.example.com.", "EvaluateTargetHealth": false}}`}, "s.example.com. A"},
		{"from an alias to values", nil, edit{`"AliasTarget": {"DNSName": "e.example.com.", "EvaluateTargetHealth": false}`, `"TTL": 60, "ResourceRecords": [{"Value": "192.0.2.7"}]`}, "l.example.com. A"},
		{"in other words", nil, edit{`{"Name": "s.example.com.", "Type": "A"`, `{"Type": "a", "Name": "S.example.com"`}, "s.example.com. A"},

		{"alias of another name", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "f.example.com."`}, "l.example.com. A"},
		{"alias of what the wildcard answers", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "other.example.com."`}, "l.example.com. A"},
		{"alias that evaluates", nil, edit{`"DNSName": "e.example.com.", "EvaluateTargetHealth": false`, `"DNSName": "e.example.com.", "EvaluateTargetHealth": true`}, "l.example.com. A"},
		{"alias with no target", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "gone.s.example.com."`}, refused},
		{"alias of itself", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "l.example.com."`}, refused},
		{"aliases in a cycle", nil, toL, refused},
		{"a wildcard that answers itself", nil, edit{`"TTL": 60, "ResourceRecords": [{"Value": "192.0.2.9"}]`, `"AliasTarget": {"DNSName": "other.example.com.", "EvaluateTargetHealth": false}`}, refused},
		{"a cycle no more", toL, edit{toL[1], toL[0]}, refused},
		{"a cycle no more, by what was not left out", edit{toL[0] + `, "EvaluateTargetHealth": true`, toL[1] + `, "EvaluateTargetHealth": false`}, edit{toL[1], toL[0]}, refused},
		{"alias of a new external name", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "lb.example.org."`}, refused},
		{"alias of a known external name", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "lb.example.net."`}, "l.example.com. A"},
		{"the last alias of an external name", nil, edit{`"DNSName": "lb.example.net."`, `"DNSName": "f.example.com."`}, refused},

		{"check that is in use", nil, edit{`20, "TTL": 60, "HealthCheckId": "two"`, `20, "TTL": 60, "HealthCheckId": "/healthcheck/one"`}, "w.example.com. A"},
		{"check that is not in use", nil, edit{`20, "TTL": 60, "HealthCheckId": "two"`, `20, "TTL": 60, "HealthCheckId": "three"`}, refused},
		{"check that nothing defines", nil, edit{`20, "TTL": 60, "HealthCheckId": "two"`, `20, "TTL": 60, "HealthCheckId": "four"`}, refused},
		{"the last user of a check", nil, edit{`"HealthCheckId": "one"`, `"HealthCheckId": "two"`}, refused},
		{"check of the group's own name", edit{`"IPAddress": "192.0.2.3"`, `"FullyQualifiedDomainName": "s.example.com"`, `"SECONDARY"`, `"SECONDARY", "HealthCheckId": "three"`}, edit{simple, strings.Replace(simple, `"TTL"`, `"HealthCheckId": "three", "TTL"`, 1)}, refused},
		{"definition of a check", nil, edit{`"Port": 80`, `"Port": 81`}, refused},
		{"definition of a check that is not in use", nil, edit{`"192.0.2.3", "Port": 80`, `"192.0.2.3", "Port": 81`}, refused},
		{"definition of a check around another", edit{`{"Id": "one", `, `{"Id": "one", "HealthChecks": [{"Id": "four", "HealthCheckConfig": {"Type": "TCP"}}], `}, edit{`"Port": 80`, `"Port": 81`}, refused},

		{"new name", nil, edit{green, green + set("new.example.com", "192.0.2.7") + ","}, "new.example.com. A"},
		{"new name below new ones", nil, edit{green, green + set("a.new.deep.example.com", "192.0.2.7") + ","}, "a.new.deep.example.com. A"},
		{"new name that an alias leads to", nil, edit{green, green + set("new.example.com", "192.0.2.7") + ",", `"DNSName": "e.example.com."`, `"DNSName": "new.example.com."`}, "l.example.com. A, new.example.com. A"},
		{"new name in the place of the wildcard for an alias", edit{`"DNSName": "e.example.com."`, `"DNSName": "new.example.com."`}, edit{green, green + set("new.example.com", "192.0.2.7") + ","}, refused},
		{"new name that hides the wildcard from an alias", edit{`"DNSName": "e.example.com."`, `"DNSName": "new.deep.example.com."`}, edit{green, green + set("x.deep.example.com", "192.0.2.7") + ","}, refused},
		{"new name with a missing alias to it", edit{`"DNSName": "e.example.com."`, `"DNSName": "x.s.example.com."`}, edit{green, green + set("x.s.example.com", "192.0.2.7") + ","}, refused},
		{"new name with a warning", nil, edit{green, green + strings.Replace(set("new.example.com", "192.0.2.7"), "60", `"60"`, 1) + ","}, refused},
		{"new wildcard", nil, edit{green, green + set("*.w.example.com", "192.0.2.7") + ","}, refused},
		{"new CNAME", nil, edit{green, green + `{"Name": "new.example.com", "Type": "CNAME", "TTL": 60, "ResourceRecords": [{"Value": "x.example.net"}]},`}, refused},
		{"new type beside a CNAME", edit{simple + ",", "", `"AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::5"}]`, `"CNAME", "TTL": 60, "ResourceRecords": [{"Value": "x.example.net"}]`}, edit{green, green + simple + ","}, refused},
		{"what a CNAME was left out for is gone", edit{`"AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::5"}]`, `"CNAME", "TTL": 60, "ResourceRecords": [{"Value": "x.example.net"}]`}, edit{simple + ",\n", ""}, refused},
		{"new delegation", nil, edit{green, green + `{"Name": "new.example.com", "Type": "NS", "TTL": 60, "ResourceRecords": [{"Value": "x.example.net"}]},`}, refused},
		{"new type", nil, edit{simple, simple + "," + `{"Name": "s.example.com.", "Type": "TXT", "TTL": 60, "ResourceRecords": [{"Value": "\"x\""}]}`}, "s.example.com. TXT"},
		{"new type of the zone's own name", nil, edit{simple, simple + "," + set("example.com.", "192.0.2.7")}, refused},
		{"name gone", edit{simple + ",\n", ""}, edit{"}]},\n" + `{"Name": "s.example.com.", "Type": "AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::5"}]}`, "}]}"}, "s.example.com. AAAA gone"},
		{"name gone with an alias to it", nil, edit{secondary, "", `{"Name": "f.example.com.", "Type": "A", "SetIdentifier": "1", "Failover": "PRIMARY", "TTL": 60, "HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.3"}]},`, "", `"DNSName": "e.`, `"DNSName": "w.`}, "f.example.com. A gone, l.example.com. A"},
		{"name gone, but not the alias to it", edit{`"DNSName": "e.`, `"DNSName": "s.`}, edit{simple + ",\n", ""}, refused},
		{"wildcard gone", nil, edit{`{"Name": "*.example.com.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.9"}]},`, ""}, refused},
		{"name gone for another", nil, edit{`"s.example.com.", "Type": "A"`, `"new.example.com.", "Type": "A"`}, "new.example.com. A, s.example.com. A gone"},
		{"type gone", nil, edit{simple + ",\n", ""}, "s.example.com. A gone"},
		{"type changed", nil, edit{`"AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::5"}]`, `"TXT", "TTL": 60, "ResourceRecords": [{"Value": "\"x\""}]`}, "s.example.com. AAAA gone, s.example.com. TXT"},
		{"NS", nil, edit{`"ns.example.net."`, `"ns.example.org."`}, refused},
		{"SOA", nil, edit{"host.example.net. 1 ", "host.example.net. 2 "}, refused},
		{"name outside the zones", nil, edit{green, green + set("a.example.org", "192.0.2.7") + ","}, refused},
		{"truncated list", nil, edit{`"IsTruncated": false`, `"IsTruncated": true`}, refused},
		{"whole list", edit{`"IsTruncated": false`, `"IsTruncated": true`}, edit{`"IsTruncated": true`, `"IsTruncated": false`}, refused},
		{"what is said of a list beside that", nil, edit{`"IsTruncated": false`, `"IsTruncated": false, "MaxItems": "100"`}, ""},
		{"a change batch more", nil, edit{"false}\n", "false}\n" + change("UPSERT", set("s.example.com", "192.0.2.6"))}, refused},
		{"beside changes", edit{"false}\n", "false}\n" + change("UPSERT", set("s.example.com", "192.0.2.6"))}, edit{`"192.0.2.5"`, `"192.0.2.7"`}, refused},
		{"what is nothing", nil, edit{simple, simple + ", {}"}, refused},

		{"no change", nil, nil, ""},
		{"white space between items", nil, edit{green, "\n\n  " + green, "{", " {"}, ""},
		{"white space in an item", nil, edit{`"192.0.2.5"`, ` "192.0.2.5"`}, "s.example.com. A"},
		{"moved down", nil, edit{simple + ",\n", "", "\n]", ",\n" + simple + "\n]"}, "s.example.com. A"},
		{"moved up", nil, edit{secondary, "", `{"Name": "w.`, secondary + `{"Name": "w.`}, "f.example.com. A, w.example.com. A"},
		{"order of a group", nil, edit{green, "", `{"Name": "w.`, green + `{"Name": "w.`}, "w.example.com. A"},
		{"moved to another file", nil, edit{secondary, "", `{"Id": "two"`, secondary + `{"Id": "two"`}, "f.example.com. A"},
		{"group in two files", edit{green, "", `{"Id": "two"`, green + `{"Id": "two"`}, edit{`"Weight": 20`, `"Weight": 0`}, "w.example.com. A"},
		{"group in two files that is whole again", edit{green, "", `{"Id": "two"`, green + `{"Id": "two"`}, edit{green, "", `{"Name": "w.`, green + `{"Name": "w.`}, "w.example.com. A"},
		{"further than a window", nil, edit{`{"Name": "s.`, strings.Repeat(" ", 64<<10-200) + `{"Name": "s.`, `"192.0.2.5"`, `"192.0.2.6"`}, "s.example.com. A"},

		{"broken", nil, edit{`"192.0.2.5"`, broken}, refused},
		{"broken beside a good one", nil, edit{`"192.0.2.2"`, broken}, refused},
		{"mended", edit{`"192.0.2.5"`, broken}, edit{broken, `"192.0.2.5"`}, refused},
		{"mended beside a good one", edit{`"192.0.2.2"`, broken}, edit{broken, `"192.0.2.2"`}, refused},
		{"good beside a broken one", edit{`"192.0.2.2"`, broken}, edit{`"Weight": 10`, `"Weight": 30`}, refused},
		{"something else is broken", edit{`"192.0.2.5"`, broken}, edit{`"Weight": 10`, `"Weight": 30`}, "w.example.com. A"},
		{"the same member twice", nil, edit{green, green + green}, refused},
		{"two policies", nil, edit{`"SetIdentifier": "green", "Weight": 20`, `"SetIdentifier": "green", "Failover": "SECONDARY"`}, refused},

		{"a warning", nil, edit{`10, "TTL": 60`, `10, "TTL": 30`}, refused},
		{"a warning less", edit{`10, "TTL": 60`, `10, "TTL": 30`}, edit{`10, "TTL": 30`, `10, "TTL": 60`}, refused},
		{"a standing warning", edit{`10, "TTL": 60`, `10, "TTL": 30`}, edit{`"192.0.2.1"`, `"192.0.2.7"`}, "w.example.com. A"},
		{"a standing warning of the catalog", edit{secondary, ""}, edit{`"192.0.2.3"`, `"192.0.2.7"`}, "f.example.com. A"},
		{"a warning of the catalog", nil, edit{secondary, ""}, refused},
		{"a guess", nil, edit{simple, strings.Replace(simple, "60", `"60"`, 1)}, refused},
		{"a standing guess", edit{simple, strings.Replace(simple, "60", `"60"`, 1)}, edit{`"192.0.2.5"`, `"192.0.2.6"`}, "s.example.com. A"},
		{"a guess less", edit{simple, strings.Replace(simple, "60", `"60"`, 1)}, edit{`"60"`, `60`}, refused},
		{"a guess less with an odd type", edit{simple, strings.Replace(simple, `"A", "TTL": 60`, `" a ", "TTL": "60"`, 1)}, edit{`"60"`, `60`}, refused},
		{"a warning of an alias to the group", nil, edit{`"HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.2"}]`, `"ResourceRecords": [{"Value": "192.0.2.2"}]`}, refused},
		{"a warning less of an alias to the group", edit{`"HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.2"}]`, `"ResourceRecords": [{"Value": "192.0.2.2"}]`},
			edit{`"ResourceRecords": [{"Value": "192.0.2.2"}]`, `"HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.2"}]`}, refused},
		{"a standing warning of an alias to the group", edit{`"HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.2"}]`, `"ResourceRecords": [{"Value": "192.0.2.2"}]`},
			edit{`"Weight": 10`, `"Weight": 30`}, "w.example.com. A"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			before := tc.before.in(t, []string{amendZone, amendChecks})
			if got := amend(t, before, tc.after.in(t, before), nil); got != tc.want {
				t.Errorf("amended %q, want %q", got, tc.want)
			}
		})
	}
}

// amend loads files, changes them and returns the keys that are amended. What comes of it
// has to be as good as a load.
func amend(t *testing.T, before, after []string, stanzas func(*record.Catalog) error) string {
	t.Helper()
	paths := write(t, before...)
	s, err := begin(paths, healthy(), stanzas)
	if err != nil {
		t.Fatal(err)
	}
	if again := s.im.Amend(context.Background(), paths, amendOptions, s.catalog); again != nil && len(again.Put)+len(again.Drop) > 0 {
		t.Errorf("%+v differs before anything has changed", again)
	}
	paths = write(t, after...)
	fresh, err := begin(paths, healthy(), stanzas)
	if err != nil {
		fresh = nil
	}
	keys, amended, err := s.attempt(paths, fresh)
	if err != nil {
		t.Error(err)
	}
	if !amended {
		return refused
	}
	return strings.Join(keys, ", ")
}
