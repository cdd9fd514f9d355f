package handler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// editZone is what the cases of TestEdit start from, with editChecks in a second file.
const editZone = `{"ResourceRecordSets": [
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

const editChecks = `{"HealthChecks": [
{"Id": "one", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80}},
{"Id": "two", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "192.0.2.2", "Port": 80}},
{"Id": "three", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "192.0.2.3", "Port": 80}}
]}
`

// Lines of editZone.
const (
	greenSet     = `{"Name": "w.example.com.", "Type": "A", "SetIdentifier": "green", "Weight": 20, "TTL": 60, "HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.2"}]},` + "\n"
	primarySet   = `{"Name": "f.example.com.", "Type": "A", "SetIdentifier": "1", "Failover": "PRIMARY", "TTL": 60, "HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.3"}]},` + "\n"
	secondarySet = `{"Name": "f.example.com.", "Type": "A", "SetIdentifier": "2", "Failover": "SECONDARY", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.4"}]},` + "\n"
	sSet         = `{"Name": "s.example.com.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.5"}]}`
	multi        = `{"Name": "s.example.com.", "Type": "A", "SetIdentifier": "one", "MultiValueAnswer": true, "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.5"}]}`
	redSet       = `{"Name": "w.example.com.", "Type": "A", "SetIdentifier": "red", "Weight": 5, "TTL": 60, "HealthCheckId": "one", "ResourceRecords": [{"Value": "192.0.2.7"}]}`
)

// refused stands for the keys that changed when only a load will do.
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

// TestEdit edits files in every way: what is edited is what a load makes of them.
func TestEdit(t *testing.T) {
	const broken = `"192.0.2.256"`
	toL := edit{`"DNSName": "w.example.com."`, `"DNSName": "l.example.com."`}
	tests := []struct {
		name          string
		before, after edit // of editZone and editChecks, and of what before makes of them
		want          string
	}{
		{"weight", nil, edit{`"Weight": 10`, `"Weight": 30`}, "w.example.com. A"},
		{"value", nil, edit{`"192.0.2.5"`, `"192.0.2.6"`}, "s.example.com. A"},
		{"one value more", nil, edit{`{"Value": "192.0.2.5"}`, `{"Value": "192.0.2.5"}, {"Value": "192.0.2.6"}`}, "s.example.com. A"},
		{"TTL", nil, edit{sSet, strings.Replace(sSet, "60", "30", 1)}, "s.example.com. A"},
		{"set identifier", nil, edit{`"blue"`, `"red"`}, "w.example.com. A"},
		{"a member more", nil, edit{greenSet, greenSet + redSet + ","}, "w.example.com. A"},
		{"a member less", edit{greenSet, greenSet + redSet + ","}, edit{redSet + ",", ""}, "w.example.com. A"},
		{"from weighted to failover", nil, edit{`"Weight": 10`, `"Failover": "PRIMARY"`, `"Weight": 20`, `"Failover": "SECONDARY"`}, "w.example.com. A"},
		{"from values to an alias", nil, edit{sSet, `{"Name": "s.example.com.", "Type": "A", "AliasTarget": {"DNSName": "l.example.com.", "EvaluateTargetHealth": false}}`}, "s.example.com. A"},

		{"alias of another name", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "f.example.com."`}, "l.example.com. A"},
		{"alias of what the wildcard answers", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "other.example.com."`}, "l.example.com. A"},
		{"alias with no target", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "gone.s.example.com."`}, refused},
		{"alias of itself", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "l.example.com."`}, refused},
		{"aliases in a cycle", nil, toL, refused},
		{"a wildcard that answers itself", nil, edit{`"TTL": 60, "ResourceRecords": [{"Value": "192.0.2.9"}]`, `"AliasTarget": {"DNSName": "other.example.com.", "EvaluateTargetHealth": false}`}, refused},
		{"a cycle no more", toL, edit{toL[1], toL[0]}, refused},
		{"a cycle no more, by what was not left out", edit{toL[0] + `, "EvaluateTargetHealth": true`, toL[1] + `, "EvaluateTargetHealth": false`}, edit{toL[1], toL[0]}, refused},
		{"a cycle no more, of which one of several was left out", edit{`{"Name": "l.example.com.", "Type": "A", `, strings.NewReplacer("s.example.com.", "l.example.com.", `"TTL"`, `"SetIdentifier": "2", "Weight": 1, "TTL"`).Replace(sSet) + `, {"Name": "l.example.com.", "Type": "A", "SetIdentifier": "1", "Weight": 1, `,
			toL[0] + `, "EvaluateTargetHealth": true`, toL[1] + `, "EvaluateTargetHealth": false`}, edit{toL[1], toL[0]}, refused},
		{"alias of a new external name", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "lb.example.org."`}, refused},
		{"alias of a known external name", nil, edit{`"DNSName": "e.example.com."`, `"DNSName": "lb.example.net."`}, "l.example.com. A"},
		{"the last alias of an external name", nil, edit{`"DNSName": "lb.example.net."`, `"DNSName": "f.example.com."`}, refused},

		{"check that is in use", nil, edit{`"PRIMARY", "TTL": 60, "HealthCheckId": "two"`, `"PRIMARY", "TTL": 60, "HealthCheckId": "/healthcheck/one"`}, "f.example.com. A"},
		{"check that the others of the group have", nil, edit{`20, "TTL": 60, "HealthCheckId": "two"`, `20, "TTL": 60, "HealthCheckId": "one"`}, refused},
		{"check that is not in use", nil, edit{`20, "TTL": 60, "HealthCheckId": "two"`, `20, "TTL": 60, "HealthCheckId": "three"`}, refused},
		{"check that nothing defines", nil, edit{`20, "TTL": 60, "HealthCheckId": "two"`, `20, "TTL": 60, "HealthCheckId": "four"`}, refused},
		{"the last user of a check", nil, edit{`"HealthCheckId": "one"`, `"HealthCheckId": "two"`}, refused},
		{"check of the group's own name", edit{`"IPAddress": "192.0.2.3"`, `"FullyQualifiedDomainName": "s.example.com"`, `"SECONDARY"`, `"SECONDARY", "HealthCheckId": "three"`}, edit{sSet, strings.Replace(sSet, `"TTL"`, `"HealthCheckId": "three", "TTL"`, 1)}, refused},
		{"definition of a check", nil, edit{`"Port": 80`, `"Port": 81`}, refused},
		{"definition of a check around another", edit{`{"Id": "one", `, `{"Id": "one", "HealthChecks": [{"Id": "four", "HealthCheckConfig": {"Type": "TCP"}}], `}, edit{`"Port": 80`, `"Port": 81`}, refused},

		{"new name", nil, edit{greenSet, greenSet + simpleSet("new.example.com", "192.0.2.7") + ","}, "new.example.com. A"},
		{"new name below new ones", nil, edit{greenSet, greenSet + simpleSet("a.new.deep.example.com", "192.0.2.7") + ","}, "a.new.deep.example.com. A"},
		{"new name that an alias leads to", nil, edit{greenSet, greenSet + simpleSet("new.example.com", "192.0.2.7") + ",", `"DNSName": "e.example.com."`, `"DNSName": "new.example.com."`}, "l.example.com. A, new.example.com. A"},
		{"new name in the place of the wildcard for an alias", edit{`"DNSName": "e.example.com."`, `"DNSName": "new.example.com."`}, edit{greenSet, greenSet + simpleSet("new.example.com", "192.0.2.7") + ","}, refused},
		{"new name that hides the wildcard from an alias", edit{`"DNSName": "e.example.com."`, `"DNSName": "new.deep.example.com."`}, edit{greenSet, greenSet + simpleSet("x.deep.example.com", "192.0.2.7") + ","}, refused},
		{"new name with a missing alias to it", edit{`"DNSName": "e.example.com."`, `"DNSName": "x.s.example.com."`}, edit{greenSet, greenSet + simpleSet("x.s.example.com", "192.0.2.7") + ","}, refused},
		{"new type with a missing alias to it", edit{`"DNSName": "e.example.com."`, `"DNSName": "s.example.com."`, sSet + ",\n", ""}, edit{greenSet, greenSet + sSet + ","}, refused},
		{"a name goes, and the wildcard answers an alias", edit{`"DNSName": "e.example.com."`, `"DNSName": "x.deep.example.com."`, greenSet, greenSet + simpleSet("y.deep.example.com", "192.0.2.7") + ","}, edit{simpleSet("y.deep.example.com", "192.0.2.7") + ",", ""}, refused},
		{"new name with a warning", nil, edit{greenSet, greenSet + strings.Replace(simpleSet("new.example.com", "192.0.2.7"), "60", `"60"`, 1) + ","}, refused},
		{"new type beside a CNAME", edit{sSet + ",", "", `"AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::5"}]`, `"CNAME", "TTL": 60, "ResourceRecords": [{"Value": "x.example.net"}]`}, edit{greenSet, greenSet + sSet + ","}, refused},
		{"what a CNAME was left out for is gone", edit{`"AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::5"}]`, `"CNAME", "TTL": 60, "ResourceRecords": [{"Value": "x.example.net"}]`}, edit{sSet + ",\n", ""}, refused},
		{"new type above a wildcard", edit{greenSet, greenSet + simpleSet("*.s.example.com", "192.0.2.7") + ","}, edit{sSet, sSet + "," + `{"Name": "s.example.com.", "Type": "TXT", "TTL": 60, "ResourceRecords": [{"Value": "\"x\""}]}`}, "s.example.com. TXT"},
		{"new type", nil, edit{sSet, sSet + "," + `{"Name": "s.example.com.", "Type": "TXT", "TTL": 60, "ResourceRecords": [{"Value": "\"x\""}]}`}, "s.example.com. TXT"},
		{"name gone", edit{sSet + ",\n", ""}, edit{"}]},\n" + `{"Name": "s.example.com.", "Type": "AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::5"}]}`, "}]}"}, "s.example.com. AAAA gone"},
		{"name gone with an alias to it", nil, edit{secondarySet, "", primarySet, "", `"DNSName": "e.`, `"DNSName": "w.`}, "f.example.com. A gone, l.example.com. A"},
		{"name gone, but not the alias to it", edit{`"DNSName": "e.`, `"DNSName": "s.`}, edit{sSet + ",\n", ""}, refused},
		{"type gone", nil, edit{sSet + ",\n", ""}, "s.example.com. A gone"},
		{"type changed", nil, edit{`"AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::5"}]`, `"TXT", "TTL": 60, "ResourceRecords": [{"Value": "\"x\""}]`}, "s.example.com. AAAA gone, s.example.com. TXT"},
		{"NS", nil, edit{`"ns.example.net."`, `"ns.example.org."`}, refused},
		{"SOA", nil, edit{"host.example.net. 1 ", "host.example.net. 2 "}, refused},
		{"truncated list", nil, edit{`"IsTruncated": false`, `"IsTruncated": true`}, refused},
		{"what is said of a list beside that", nil, edit{`"IsTruncated": false`, `"IsTruncated": false, "MaxItems": "100"`}, ""},
		{"a change batch more", nil, edit{"false}\n", "false}\n" + upsert(simpleSet("s.example.com", "192.0.2.6"))}, refused},
		{"beside changes", edit{"false}\n", "false}\n" + upsert(simpleSet("s.example.com", "192.0.2.6"))}, edit{`"192.0.2.5"`, `"192.0.2.7"`}, refused},
		{"what is nothing", nil, edit{sSet, sSet + ", {}"}, refused},

		{"no change", nil, nil, ""},
		{"white space between items", nil, edit{greenSet, "\n\n  " + greenSet, "{", " {"}, ""},
		{"moved up", nil, edit{secondarySet, "", `{"Name": "w.`, secondarySet + `{"Name": "w.`}, "f.example.com. A, w.example.com. A"},
		{"order of a group", nil, edit{greenSet, "", `{"Name": "w.`, greenSet + `{"Name": "w.`}, "w.example.com. A"},
		{"moved to another file", nil, edit{secondarySet, "", `{"Id": "two"`, secondarySet + `{"Id": "two"`}, "f.example.com. A"},
		{"group in two files", edit{greenSet, "", `{"Id": "two"`, greenSet + `{"Id": "two"`}, edit{`"Weight": 20`, `"Weight": 0`}, "w.example.com. A"},
		{"further than a window", nil, edit{`{"Name": "s.`, strings.Repeat(" ", 64<<10-200) + `{"Name": "s.`, `"192.0.2.5"`, `"192.0.2.6"`}, "s.example.com. A"},

		{"broken", nil, edit{`"192.0.2.5"`, broken}, refused},
		{"mended", edit{`"192.0.2.5"`, broken}, edit{broken, `"192.0.2.5"`}, refused},
		{"good beside a broken one", edit{`"192.0.2.2"`, broken}, edit{`"Weight": 10`, `"Weight": 30`}, refused},
		{"something else is broken", edit{`"192.0.2.5"`, broken}, edit{`"Weight": 10`, `"Weight": 30`}, "w.example.com. A"},
		{"two policies", nil, edit{`"SetIdentifier": "green", "Weight": 20`, `"SetIdentifier": "green", "Failover": "SECONDARY"`}, refused},

		{"a warning", nil, edit{`10, "TTL": 60`, `10, "TTL": 30`}, refused},
		{"a warning less", edit{`10, "TTL": 60`, `10, "TTL": 30`}, edit{`10, "TTL": 30`, `10, "TTL": 60`}, refused},
		{"a standing warning", edit{`10, "TTL": 60`, `10, "TTL": 30`}, edit{`"192.0.2.1"`, `"192.0.2.7"`}, "w.example.com. A"},
		{"a standing warning of the TTL that a multivalue answer has", edit{sSet, strings.ReplaceAll(multi, "one", "two") + "," + strings.Replace(multi, "60", "30", 1)}, edit{`"192.0.2.5"`, `"192.0.2.6"`}, "s.example.com. A"},
		{"a standing warning of the catalog", edit{secondarySet, ""}, edit{`"192.0.2.3"`, `"192.0.2.7"`}, "f.example.com. A"},
		{"a standing warning of the catalog, of another file", edit{secondarySet, ""}, edit{primarySet, "", `{"Id": "two"`, primarySet + `{"Id": "two"`}, refused},
		{"a warning of the catalog", nil, edit{secondarySet, ""}, refused},
		{"a guess", nil, edit{sSet, strings.Replace(sSet, "60", `"60"`, 1)}, refused},
		{"a standing guess", edit{sSet, strings.Replace(sSet, "60", `"60"`, 1)}, edit{`"192.0.2.5"`, `"192.0.2.6"`}, "s.example.com. A"},
		{"a guess less with an odd type", edit{sSet, strings.Replace(sSet, `"A", "TTL": 60`, `" a ", "TTL": "60"`, 1)}, edit{`"60"`, `60`}, refused},
		{"a warning of an alias to the group", nil, edit{`"HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.2"}]`, `"ResourceRecords": [{"Value": "192.0.2.2"}]`}, refused},
		{"a standing warning of an alias to the group", edit{`"HealthCheckId": "two", "ResourceRecords": [{"Value": "192.0.2.2"}]`, `"ResourceRecords": [{"Value": "192.0.2.2"}]`},
			edit{`"Weight": 10`, `"Weight": 30`, `{"Name": "w.`, "\n" + `{"Name": "w.`}, "w.example.com. A"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			before := tc.before.in(t, []string{editZone, editChecks})
			s, err := load(writeFiles(t, before...), nil)
			if err != nil {
				t.Fatal(err)
			}
			paths := writeFiles(t, tc.after.in(t, before)...)
			fresh, err := load(paths, nil)
			if err != nil {
				fresh = nil
			}
			keys, done, err := s.edit(t, paths, fresh)
			if err != nil {
				t.Error(err)
			}
			got := strings.Join(keys, ", ")
			if !done {
				got = refused
			}
			if got != tc.want {
				t.Errorf("edited %q, want %q", got, tc.want)
			}
		})
	}
}

// simpleSet is a sSet record set as JSON.
func simpleSet(name, address string) string {
	return fmt.Sprintf(`{"Name": %q, "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": %q}]}`, name, address)
}

// upsert is a change of a record set as JSON.
func upsert(set string) string { return `{"Action": "UPSERT", "ResourceRecordSet": ` + set + `}` }
