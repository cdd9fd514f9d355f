package route53json_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// with returns a record set of a.example.com A with further members and a value.
func with(members string) string {
	return `{"Name": "a.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}], ` + members + `}`
}

// of returns a record set with the members only.
func of(members string) string { return `{"Name": "a.example.com", ` + members + `}` }

// One record set in a list: what is held, and what is reported.
func TestRecordSets(t *testing.T) {
	tests := []struct{ name, json, held, problem string }{
		{"no TTL", of(`"Type": "A", "ResourceRecords": [{"Value": "192.0.2.1"}]`), "a.example.com. A simple = 192.0.2.1",
			"a.example.com. A (number 1): changed: has no TTL; answered with 60 s"},
		{"TTL in quotes", of(`"Type": "A", "TTL": "5", "ResourceRecords": [{"Value": "192.0.2.1"}]`), "a.example.com. A simple = 192.0.2.1",
			`a.example.com. A (number 1): changed: TTL is the string "5"; taken for 5`},
		{"negative TTL", of(`"Type": "A", "TTL": -1, "ResourceRecords": [{"Value": "192.0.2.1"}]`), "",
			`a.example.com. A (number 1): left out: TTL "-1" is not a whole number from 0 to 2147483647`},
		{"TTL of an odd form", with(`"TTL": [60]`), "",
			"a.example.com. A (number 1): left out: TTL is not in the form that Route 53 uses"},
		{"value of an odd form", of(`"Type": "A", "TTL": 60, "ResourceRecords": ["192.0.2.1"]`), "",
			"a.example.com. A (number 1): left out: ResourceRecords is not in the form that Route 53 uses"},
		{"white space around name and value", `{"Name": " A.Example.COM \n", "Type": "a", "TTL": 60, "ResourceRecords": [{"Value": " 192.0.2.1 "}]}`, "a.example.com. A simple = 192.0.2.1", ""},
		{"same value twice", of(`"Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}, {"Value": "192.0.2.1"}]`), "a.example.com. A simple = 192.0.2.1",
			`a.example.com. A (number 1): changed: has the value "192.0.2.1" twice; answered once`},
		{"one bad value of two", of(`"Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}, {"Value": "192.0.2.256"}]`), "",
			`a.example.com. A (number 1): left out: A value "192.0.2.256" is not an IPv4 address`},
		{"empty value", of(`"Type": "CNAME", "TTL": 60, "ResourceRecords": [{"Value": null}]`), "",
			`a.example.com. CNAME (number 1): left out: CNAME value "" is empty`},
		{"too many values", of(`"Type": "A", "TTL": 60, "ResourceRecords": [` + strings.Repeat(`{"Value": "192.0.2.1"},`, 1000) + `{"Value": "192.0.2.2"}]`), "",
			"a.example.com. A (number 1): left out: has 1001 values; 1000 are the most"},
		{"two CNAMEs", of(`"Type": "CNAME", "TTL": 60, "ResourceRecords": [{"Value": "b"}, {"Value": "c"}]`), "",
			"a.example.com. CNAME (number 1): left out: has 2 values; a name has one CNAME"},
		{"values and alias", with(`"AliasTarget": {"DNSName": "b.example.net"}`), "",
			"a.example.com. A (number 1): left out: has both ResourceRecords and AliasTarget, and can have only one of them"},
		{"alias of nothing", with(`"AliasTarget": {"DNSName": "", "HostedZoneId": null, "EvaluateTargetHealth": false}`), "a.example.com. A simple = 192.0.2.1", ""},
		{"alias without a target", of(`"Type": "A", "AliasTarget": {"HostedZoneId": "Z1"}`), "",
			"a.example.com. A (number 1): left out: AliasTarget has no DNSName"},
		{"alias of an odd form", of(`"Type": "A", "AliasTarget": "b.example.net"`), "",
			"a.example.com. A (number 1): left out: AliasTarget is not in the form that Route 53 uses"},
		{"alias of a bad name", of(`"Type": "A", "AliasTarget": {"DNSName": "b..example.net", "EvaluateTargetHealth": true}`), "",
			`a.example.com. A (number 1): left out: DNSName: "b..example.net" is not a domain name: labels have 1 to 63 bytes, names at most 255`},
		{"alias to an address", of(`"Type": "A", "AliasTarget": {"DNSName": "192.0.2.7.", "EvaluateTargetHealth": true}`), "",
			`a.example.com. A (number 1): left out: DNSName "192.0.2.7" is an address, and an alias leads to a name; give it as the Value of a ResourceRecord`},
		{"alias to an IPv6 address", of(`"Type": "AAAA", "AliasTarget": {"DNSName": "2001:DB8::7", "EvaluateTargetHealth": true}`), "",
			`a.example.com. AAAA (number 1): left out: DNSName "2001:db8::7" is an address, and an alias leads to a name; give it as the Value of a ResourceRecord`},
		{"multivalue alias", of(`"Type": "A", "SetIdentifier": "x", "MultiValueAnswer": true, "AliasTarget": {"DNSName": "b.example.net", "EvaluateTargetHealth": true}`), "",
			`a.example.com. A "x" (number 1): left out: an alias cannot be one of a multivalue answer`},
		{"alias for servers", of(`"Type": "NS", "AliasTarget": {"DNSName": "b.example.net", "EvaluateTargetHealth": true}`), "",
			"a.example.com. NS (number 1): left out: NS records cannot be an alias"},
		{"target health that is no boolean", of(`"Type": "A", "AliasTarget": {"DNSName": "b.example.net", "EvaluateTargetHealth": "yes"}`), "a.example.com. A simple -> b.example.net.",
			`a.example.com. A (number 1): changed: EvaluateTargetHealth "yes" is neither true nor false; taken for false`},
		{"weight", with(`"SetIdentifier": "x", "Weight": 70000`), "",
			`a.example.com. A "x" (number 1): left out: Weight "70000" is not a whole number from 0 to 65535`},
		{"no weight", with(`"SetIdentifier": null, "Weight": null, "Failover": "", "Region": "", "MultiValueAnswer": false, "GeoLocation": {"CountryCode": null}`), "a.example.com. A simple = 192.0.2.1", ""},
		{"failover", with(`"SetIdentifier": "x", "Failover": "TERTIARY"`), "",
			`a.example.com. A "x" (number 1): left out: Failover "TERTIARY" is neither PRIMARY nor SECONDARY`},
		{"several policies", with(`"SetIdentifier": "x", "Weight": 0, "Region": "us-east-1"`), "",
			`a.example.com. A "x" (number 1): left out: has several routing policies, Weight and Region; a record set has one`},
		{"proximity", with(`"SetIdentifier": "x", "GeoProximityLocation": {"AWSRegion": "us-east-1", "Bias": 0}`), "",
			`a.example.com. A "x" (number 1): left out: routing by GeoProximityLocation is not served yet`},
		{"no type", `{"Name": "a.example.com", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}`, "",
			`a.example.com. (number 1): left out: unknown type ""; write one such as A, AAAA, CNAME, TXT or TYPE65280`},
		{"no name", `{"Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}`, "",
			"A (number 1): left out: Name is empty"},
		{"bad name", set("a..example.com", "192.0.2.1"), "",
			`a..example.com A (number 1): left out: Name: "a..example.com" is not a domain name: labels have 1 to 63 bytes, names at most 255`},
		{"escape that is not octal", set(`\189.example.com`, "192.0.2.1"), "",
			`\189.example.com A (number 1): left out: Name: escape "\189" is not octal: Route 53 writes bytes as \000 to \377`},
		{"relative name", set("www", "192.0.2.1"), "",
			`www. A (number 1): left out: name "www." is outside the zones of this block (example.com.); names are absolute here, so write "www.example.com."`},
		{"another zone", set("www.example.org", "192.0.2.1"), "",
			`www.example.org. A (number 1): left out: name "www.example.org." is outside the zones of this block (example.com.)`},
		{"CNAME at the apex", `{"Name": "example.com", "Type": "CNAME", "TTL": 60, "ResourceRecords": [{"Value": "b.example.net"}]}`, "",
			"example.com. CNAME (number 1): left out: CNAME at the apex of example.com.: it would hide the zone's SOA; use an alias instead"},
		{"weighted servers", of(`"Type": "NS", "TTL": 60, "SetIdentifier": "x", "Weight": 1, "ResourceRecords": [{"Value": "ns.example.net"}]`), "",
			`a.example.com. NS "x" (number 1): left out: NS records cannot have a routing policy`},
		{"no set identifier", with(`"Weight": 5`), "a.example.com. A weighted = 192.0.2.1",
			"a.example.com. A (number 1): warning: has a routing policy but no SetIdentifier"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			b := loadPaths(t, "example.com.", write(t, "["+tc.json+"]")...)
			var wantHeld, wantProblems []string
			if tc.held != "" {
				wantHeld = []string{tc.held}
			}
			if tc.problem != "" {
				wantProblems = []string{"1.json:1: " + tc.problem}
			}
			check(t, "held", held(b.catalog), wantHeld)
			check(t, "problems", problems(b.im), wantProblems)
			if name, left := "a.example.com.", strings.HasPrefix(tc.problem, "a.example.com.") && tc.held == ""; left != b.catalog.Exists(name) && tc.held == "" {
				t.Errorf("%s exists: %v, want %v", name, !left, left)
			}
		})
	}
}

// Record sets of one name and type that do not go together.
func TestGroups(t *testing.T) {
	in := func(members, address string) string {
		return fmt.Sprintf(`{"Name": "a.example.com", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": %q}]%s}`, address, members)
	}
	const one, two, three = "192.0.2.1", "192.0.2.2", "192.0.2.3"
	tests := []struct {
		name                 string
		sets, held, problems []string
	}{
		{"a simple one among weighted ones",
			[]string{in("", one), in(`, "SetIdentifier": "x", "Weight": 1`, two), in(`, "SetIdentifier": "y", "Weight": 1`, three)},
			[]string{"a.example.com. A weighted x = " + two, "a.example.com. A weighted y = " + three},
			[]string{"1: a.example.com. A (number 1): left out: is simple, but the group is weighted (1.json:2)"}},
		{"a simple and a multivalue one",
			[]string{in("", one), in(`, "SetIdentifier": "x", "MultiValueAnswer": true`, two)},
			[]string{"a.example.com. A simple = " + one},
			[]string{`2: a.example.com. A "x" (number 2): left out: is multivalue, but the group is simple (1.json:1)`}},
		{"the same record set twice", []string{in("", one), in("", one)},
			[]string{"a.example.com. A simple = " + one},
			[]string{"2: a.example.com. A (number 2): left out: is a duplicate of an earlier record set (1.json:1), which is kept"}},
		{"two without a policy", []string{in(`, "SetIdentifier": "x"`, one), in(`, "SetIdentifier": "y"`, two)},
			[]string{"a.example.com. A simple x = " + one},
			[]string{
				`1: a.example.com. A "x" (number 1): warning: has a SetIdentifier but no routing policy; taken for a simple record set`,
				`2: a.example.com. A "y" (number 2): warning: has a SetIdentifier but no routing policy; taken for a simple record set`,
				`2: a.example.com. A "y" (number 2): left out: has no routing policy, and a name has one such record set for each type: 1.json:1`,
			}},
		{"two primaries",
			[]string{in(`, "SetIdentifier": "x", "Failover": "PRIMARY", "HealthCheckId": "hc"`, one), in(`, "SetIdentifier": "y", "Failover": "PRIMARY"`, two), in(`, "SetIdentifier": "z", "Failover": "SECONDARY"`, three)},
			[]string{"a.example.com. A failover x check hc = " + one, "a.example.com. A failover z = " + three},
			[]string{
				`1: health check "hc": changed: no file defines it; it counts as healthy`,
				`2: a.example.com. A "y" (number 2): left out: is a second primary; the first one is kept`,
			}},
		{"weighted ones without set identifiers", []string{in(`, "Weight": 1`, one), in(`, "Weight": 2`, two)},
			[]string{"a.example.com. A weighted = " + one, "a.example.com. A weighted = " + two},
			[]string{
				"1: a.example.com. A (number 1): warning: has a routing policy but no SetIdentifier",
				"2: a.example.com. A (number 2): warning: has a routing policy but no SetIdentifier",
			}},
		{"several values in a multivalue one",
			[]string{`{"Name": "a.example.com", "Type": "A", "TTL": 60, "SetIdentifier": "x", "MultiValueAnswer": true, "ResourceRecords": [{"Value": "192.0.2.1"}, {"Value": "192.0.2.2"}]}`},
			[]string{"a.example.com. A multivalue = " + two, "a.example.com. A multivalue x = " + one},
			[]string{`1: a.example.com. A "x" (number 1): changed: has 2 values, and multivalue record sets have one; taken for one record set each, with the same health check`}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			b := loadPaths(t, "example.com.", write(t, "["+strings.Join(tc.sets, ",\n")+"]")...)
			for i := range tc.problems {
				tc.problems[i] = "1.json:" + tc.problems[i]
			}
			check(t, "held", held(b.catalog), tc.held)
			check(t, "problems", problems(b.im), tc.problems)
		})
	}
}

// C21: an alias to a name of the zone that nothing holds is answered with NODATA, and is
// unhealthy when it evaluates its target, so that a sibling takes over.
func TestMissingTarget(t *testing.T) {
	const name = "a.example.com."
	alias := `{"Name": "a.example.com", "Type": "A", "AliasTarget": {"DNSName": "gone.example.com", "EvaluateTargetHealth": true}%s}`
	b := loadPaths(t, "example.com.", write(t, "["+fmt.Sprintf(alias, "")+"]")...)
	check(t, "problems", problems(b.im), []string{
		"1.json:1: a.example.com. A: warning: alias a.example.com. A: its target gone.example.com. has no records in this block, and without fallthrough no other plugin is asked",
	})
	if got := odds(b.selection(name, "A"), name); !same(got, always("")) {
		t.Errorf("alone: %v, want NODATA", got)
	}
	b = loadPaths(t, "example.com.", write(t, "["+fmt.Sprintf(alias, `, "SetIdentifier": "x", "Failover": "PRIMARY"`)+`,`+
		with(`"SetIdentifier": "y", "Failover": "SECONDARY"`)+"]")...)
	if got := odds(b.selection(name, "A"), name); !same(got, always("192.0.2.1")) {
		t.Errorf("beside a secondary: %v, want that", got)
	}
}

// A zone that is none of the block's: its records are names of the zone above, and its
// own servers no delegation. Other NS records below an apex are one.
func TestForeignZone(t *testing.T) {
	const soa = `{"Name": "sub.example.com", "Type": "SOA", "TTL": 900, "ResourceRecords": [{"Value": "ns.example.net. host.example.net. 1 7200 900 1209600 60"}]}`
	const ns = `{"Name": "sub.example.com", "Type": "NS", "TTL": 900, "ResourceRecords": [{"Value": "ns.example.net"}]}`
	www := set("www.sub.example.com", "192.0.2.1")
	b := loadPaths(t, "example.com.", write(t, "["+ns+"\n,"+soa+","+www+"]")...)
	check(t, "held", held(b.catalog), []string{"www.sub.example.com. A simple = 192.0.2.1"})
	check(t, "problems", problems(b.im), []string{
		"1.json:1: sub.example.com. NS (number 1): left out: are the name servers of the zone sub.example.com., which is not a zone of this block; as a delegation they would hide its records",
		"1.json:2: sub.example.com. SOA (number 2): left out: sub.example.com. is not a zone of this block (example.com.); its records are served as names of example.com.",
	})
	b = loadPaths(t, "example.com.", write(t, "["+ns+","+www+"]")...)
	check(t, "held", held(b.catalog), []string{"sub.example.com. NS simple = ns.example.net.", "www.sub.example.com. A simple = 192.0.2.1"})
}

// Problems beyond a thousand of a kind are counted.
func TestManyProblems(t *testing.T) {
	sets := make([]string, 1500)
	for i := range sets {
		sets[i] = set(fmt.Sprintf("n%d.example.org", i), "192.0.2.1")
	}
	im := loadPaths(t, "example.com.", write(t, "["+strings.Join(sets, ",")+"]")...).im
	if got, want := im.Summary(), "1.json: 0 record sets and 0 health checks loaded, 1,500 left out"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	counts := im.Counts()
	if len(im.Problems) != 1000 || len(counts) != 1 || counts[0].N != 1500 || counts[0].Kind != "outside-zone" {
		t.Errorf("%d problems, counts %v, want 1000 of 1500", len(im.Problems), counts)
	}
	want := `1.json:1: n999.example.org. A (number 1000): left out: name "n999.example.org." is outside the zones of this block (example.com.) (further problems of the kind "outside-zone" in this file are counted, not listed)`
	if got := im.Problems[999].String(); got != want {
		t.Errorf("the last problem is %s\nwant %s", got, want)
	}
}

// Values in Route 53's spelling.
func TestValues(t *testing.T) {
	tests := []struct{ typ, value, want string }{
		{"CNAME", "b.example.net", "b.example.net."},
		{"CNAME", `\052.b\134\100.example.net`, `*.b\\\@.example.net.`},
		{"MX", "10  mail", "10 mail."},
		{"TXT", `"a\344\"b"`, `"a\228\"b"`},
		{"TXT", `"first""second"`, `"first" "second"`},
		{"TXT", `"\"""x"`, `"\"" "x"`},
		{"TXT", `""`, `""`},
		{"TXT", `a \040b\`, `"a  b\\"`},
		{"TXT", `"` + strings.Repeat("x", 255) + `" "y"`, `"` + strings.Repeat("x", 255) + `" "y"`},
		{"TXT", strings.Repeat("x", 300), `"` + strings.Repeat("x", 255) + `" "` + strings.Repeat("x", 45) + `"`},
		{"NAPTR", `100 10 "U" "E2U+sip" "!^(.*)$!sip:\\1@example.com!" .`, `100 10 "U" "E2U+sip" "!^(.*)$!sip:\\1@example.com!" .`},
		{"NAPTR", `100 50 "a" "z3950+N2L+N2C" "" "cidserver.example.com."`, `100 50 "a" "z3950+N2L+N2C" "" cidserver.example.com.`},
		{"NAPTR", `100 50 "s" "http\"x" "" "\052.example.com"`, `100 50 "s" "http\"x" "" *.example.com.`},
		{"NAPTR", `100 50 "u" "" "" "."`, `100 50 "u" "" "" .`},
		{"HTTPS", `1 . alpn="h2,h3"`, `1 . alpn="h2,h3"`},
	}
	for _, tc := range tests {
		b := loadPaths(t, "example.com.", write(t, fmt.Sprintf(`[{"Name": "a.example.com", "Type": %q, "TTL": 60, "ResourceRecords": [{"Value": %s}]}]`, tc.typ, quoted(tc.value)))...)
		g := b.catalog.Groups[record.Key{Name: "a.example.com.", Type: dns.StringToType[tc.typ]}]
		if g == nil {
			t.Errorf("%s %s: %v", tc.typ, tc.value, b.im.Problems)
			continue
		}
		table := routing.NewTable(b.catalog, []healthcheck.Status{})
		i := int(g.Ordinal)
		_, s, _ := table.Group(i)
		if got := odds(s, g.Name); !same(got, always(tc.want)) {
			t.Errorf("%s %s: %v, want %s", tc.typ, tc.value, got, tc.want)
		}
	}
}

// quoted writes a string as JSON.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
