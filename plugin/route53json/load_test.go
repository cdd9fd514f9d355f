package route53json_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// write makes a directory of files 1.json, 2.json and so on, changes to it and returns
// their names.
func write(t *testing.T, texts ...string) []string {
	t.Helper()
	t.Chdir(t.TempDir())
	var paths []string
	for i, text := range texts {
		path := fmt.Sprintf("%d.json", i+1)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// held lists what a catalog holds, one record set a line, without the SOA that stands
// for a missing one.
func held(c *record.Catalog) []string {
	var lines []string
	for _, g := range c.Groups {
		for i := range g.Records {
			r := &g.Records[i]
			line := g.Key.String() + " " + g.Policy.String()
			if r.SetID != "" {
				line += " " + r.SetID
			}
			if r.Check != record.NoCheck {
				line += " check " + c.Checks[r.Check].Name
			}
			if r.Alias != nil {
				line += " -> " + r.Alias.Name
			}
			if len(r.Values) > 0 {
				line += " = " + values(r.Values)
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

func problems(im *route53json.Import) []string {
	var lines []string
	for _, p := range im.Problems {
		lines = append(lines, p.String())
	}
	return lines
}

func check(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n\t%s\nwant:\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// set is a simple record set as JSON.
func set(name, address string) string {
	return fmt.Sprintf(`{"Name": %q, "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": %q}]}`, name, address)
}

func change(action, set string) string {
	return fmt.Sprintf(`{"Action": %q, "ResourceRecordSet": %s}`, action, set)
}

func TestShapes(t *testing.T) {
	a, b := set("a.example.com", "192.0.2.1"), set("b.example.com.", "192.0.2.2")
	both := []string{"a.example.com. A simple = 192.0.2.1", "b.example.com. A simple = 192.0.2.2"}
	for _, tc := range []struct{ name, json string }{
		{"list", `{"ResourceRecordSets": [` + a + `,` + b + `], "IsTruncated": false, "MaxItems": "100"}`},
		{"list in a dump with lower-case members", strings.ToLower(`{"ResourceRecordSets": [` + a + `,` + b + `]}`)},
		{"list beside its zone", `{"HostedZone": {"Id": "/hostedzone/Z1", "Name": "example.com."}, "Name": "example.com.", "ResourceRecordSets": [` + a + `,` + b + `]}`},
		{"bare list", `[` + a + `,` + b + `]`},
		{"one record set", a + b},
		{"lines", a + "\n" + b + "\n"},
		{"pages", `{"ResourceRecordSets": [` + a + `]}` + "\n" + `{"ResourceRecordSets": [` + b + `]}`},
		{"list of pages", `[{"ResourceRecordSets": [` + a + `]}, {"ResourceRecordSets": [` + b + `]}]`},
		{"change batch", `{"Comment": "x", "Changes": [` + change("CREATE", a) + `,` + change("UPSERT", b) + `]}`},
		{"wrapper", `{"HostedZoneId": "Z1", "ChangeBatch": {"Changes": [` + change("CREATE", a) + `,` + change("upsert", b) + `]}}`},
		{"bare list of changes", `[` + change("CREATE", a) + `,` + change("CREATE", b) + `]`},
		{"byte order mark", "\xef\xbb\xbf[" + a + `,` + b + `]`},
		{"members twice", `[{"Type": "MX", "Name": "c", ` + a[1:] + `,` + b + `]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			im := loadPaths(t, "example.com.", write(t, tc.json)...)
			check(t, "held", held(im.catalog), both)
			check(t, "problems", problems(im.im), nil)
		})
	}
}

// Files are read in order; what one defines the others may use or change.
func TestSeveralFiles(t *testing.T) {
	b := loadPaths(t, "example.com.", write(t,
		`[`+set("a.example.com", "192.0.2.1")+`,`+set("b.example.com", "192.0.2.2")+`, {"Name": "c.example.com", "Type": "A", "TTL": 60, "HealthCheckId": "hc", "ResourceRecords": [{"Value": "192.0.2.3"}]}]`,
		`{"Changes": [`+change("DELETE", set("a.example.com", "192.0.2.1"))+`,`+change("UPSERT", set("b.example.com", "192.0.2.9"))+`,`+change("CREATE", set("d.example.com", "192.0.2.4"))+`]}`,
		`{"HealthChecks": [{"Id": "hc", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "192.0.2.3", "Port": 80}}]}`,
	)...)
	check(t, "held", held(b.catalog), []string{
		"b.example.com. A simple = 192.0.2.9",
		"c.example.com. A simple check hc = 192.0.2.3",
		"d.example.com. A simple = 192.0.2.4",
	})
	check(t, "problems", problems(b.im), nil)
	if got, want := b.im.Summary(), "1.json, 2.json, 3.json: 3 record sets and 1 health check loaded"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

func TestChanges(t *testing.T) {
	weighted := func(id, address string) string {
		return fmt.Sprintf(`{"Name": "w.example.com", "Type": "A", "TTL": 60, "SetIdentifier": %q, "Weight": 1, "ResourceRecords": [{"Value": %q}]}`, id, address)
	}
	routed := func(members, address string) string {
		return fmt.Sprintf(`{"Name": "w.example.com", "Type": "A", "TTL": 60, %s, "ResourceRecords": [{"Value": %q}]}`, members, address)
	}
	tests := []struct {
		name           string
		changes        []string
		held, problems []string
	}{
		{"from simple to weighted",
			[]string{change("CREATE", set("w.example.com", "192.0.2.9")), change("DELETE", set("w.example.com", "192.0.2.9")), change("CREATE", weighted("a", "192.0.2.1")), change("CREATE", weighted("b", "192.0.2.2"))},
			[]string{"w.example.com. A weighted a = 192.0.2.1", "w.example.com. A weighted b = 192.0.2.2"}, nil},
		{"UPSERT replaces its own record set only",
			[]string{change("CREATE", weighted("a", "192.0.2.1")), change("CREATE", weighted("b", "192.0.2.2")), change("UPSERT", weighted("a", "192.0.2.3"))},
			[]string{"w.example.com. A weighted a = 192.0.2.3", "w.example.com. A weighted b = 192.0.2.2"}, nil},
		{"CREATE does not replace",
			[]string{change("CREATE", weighted("a", "192.0.2.1")), change("CREATE", weighted("a", "192.0.2.3"))},
			[]string{"w.example.com. A weighted a = 192.0.2.1"},
			[]string{`1.json:1: w.example.com. A "a" (number 2): left out: is a duplicate of an earlier record set (1.json:1), which is kept`}},
		{"DELETE of nothing", []string{change("DELETE", weighted("a", "192.0.2.1"))}, nil,
			[]string{`1.json:1: w.example.com. A "a" (number 1): warning: DELETE matches no record set that was read before it`}},
		{"DELETE of another identifier", []string{change("CREATE", weighted("one", "192.0.2.1")), change("DELETE", weighted("two", "192.0.2.1"))},
			[]string{"w.example.com. A weighted one = 192.0.2.1"},
			[]string{`1.json:1: w.example.com. A "two" (number 2): warning: DELETE matches no record set that was read before it`}},
		{"DELETE of an identifier in other case", []string{change("CREATE", weighted("one", "192.0.2.1")), change("DELETE", weighted("One", "192.0.2.1"))},
			[]string{"w.example.com. A weighted one = 192.0.2.1"},
			[]string{`1.json:1: w.example.com. A "One" (number 2): warning: DELETE matches no record set that was read before it`}},
		{"DELETE of an identifier where there is a simple record set", []string{change("CREATE", set("w.example.com", "192.0.2.1")), change("DELETE", weighted("one", "192.0.2.1"))},
			[]string{"w.example.com. A simple = 192.0.2.1"},
			[]string{`1.json:1: w.example.com. A "one" (number 2): warning: DELETE matches no record set that was read before it`}},
		{"DELETE of SECONDARY twice", []string{
			change("CREATE", routed(`"SetIdentifier": "p", "Failover": "PRIMARY"`, "192.0.2.1")), change("CREATE", routed(`"SetIdentifier": "s", "Failover": "SECONDARY"`, "192.0.2.2")),
			change("DELETE", routed(`"SetIdentifier": "s", "Failover": "SECONDARY"`, "192.0.2.2")), change("DELETE", routed(`"SetIdentifier": "s", "Failover": "SECONDARY"`, "192.0.2.2"))},
			[]string{"w.example.com. A failover p = 192.0.2.1"},
			[]string{`1.json:1: w.example.com. A "s" (number 4): warning: DELETE matches no record set that was read before it`,
				`1.json:1: w.example.com. A "p": warning: failover w.example.com. A has a primary only; it is always answered; add a secondary, or make it simple [failover-of-one]`}},
		{"DELETE of SECONDARY twice, without identifiers", []string{
			change("CREATE", routed(`"SetIdentifier": "p", "Failover": "PRIMARY"`, "192.0.2.1")), change("CREATE", routed(`"SetIdentifier": "s", "Failover": "SECONDARY"`, "192.0.2.2")),
			change("DELETE", routed(`"SetIdentifier": "s", "Failover": "SECONDARY"`, "192.0.2.2")), change("DELETE", routed(`"Failover": "SECONDARY"`, "192.0.2.2"))},
			[]string{"w.example.com. A failover p = 192.0.2.1"},
			[]string{`1.json:1: w.example.com. A (number 4): warning: DELETE matches no record set that was read before it`,
				`1.json:1: w.example.com. A "p": warning: failover w.example.com. A has a primary only; it is always answered; add a secondary, or make it simple [failover-of-one]`}},
		{"DELETE without an identifier where there is one record set", []string{change("CREATE", weighted("one", "192.0.2.1")), change("DELETE", set("w.example.com", "192.0.2.1"))}, nil, nil},
		{"DELETE without an identifier where there are two", []string{change("CREATE", weighted("one", "192.0.2.1")), change("CREATE", weighted("two", "192.0.2.2")), change("DELETE", set("w.example.com", "192.0.2.1"))},
			[]string{"w.example.com. A weighted one = 192.0.2.1", "w.example.com. A weighted two = 192.0.2.2"},
			[]string{`1.json:1: w.example.com. A (number 3): warning: DELETE matches no record set that was read before it`}},
		{"DELETE among record sets without identifiers", []string{
			change("CREATE", routed(`"Weight": 1`, "192.0.2.1")), change("CREATE", routed(`"Weight": 1`, "192.0.2.2")), change("CREATE", routed(`"Weight": 1`, "192.0.2.3")),
			change("DELETE", routed(`"Weight": 1`, "192.0.2.2")), change("DELETE", routed(`"Weight": 1`, "192.0.2.9"))},
			[]string{"w.example.com. A weighted = 192.0.2.1", "w.example.com. A weighted = 192.0.2.3"},
			[]string{
				`1.json:1: w.example.com. A (number 1): warning: has a routing policy but no SetIdentifier`,
				`1.json:1: w.example.com. A (number 2): warning: has a routing policy but no SetIdentifier`,
				`1.json:1: w.example.com. A (number 3): warning: has a routing policy but no SetIdentifier`,
				`1.json:1: w.example.com. A (number 5): warning: DELETE has no SetIdentifier and matches 2 record sets without one; none has the same values, so none is removed`,
			}},
		{"what takes the place of one that was left out comes after those before it", []string{
			change("CREATE", weighted("x", "192.0.2")), change("CREATE", set("w.example.com", "192.0.2.1")), change("CREATE", weighted("x", "192.0.2.2"))},
			[]string{"w.example.com. A simple = 192.0.2.1"},
			[]string{
				`1.json:1: w.example.com. A "x" (number 1): left out: A value "192.0.2" is not an IPv4 address`,
				`1.json:1: w.example.com. A "x" (number 3): left out: is weighted, but the group is simple (1.json:1)`,
			}},
		{"DELETE twice", []string{change("CREATE", weighted("a", "192.0.2.1")), change("DELETE", weighted("a", "192.0.2.1")), change("DELETE", weighted("a", "192.0.2.1"))}, nil,
			[]string{`1.json:1: w.example.com. A "a" (number 3): warning: DELETE matches no record set that was read before it`}},
		{"a bad UPSERT leaves what was there",
			[]string{change("CREATE", weighted("a", "192.0.2.1")), change("UPSERT", weighted("a", "192.0.2"))},
			[]string{"w.example.com. A weighted a = 192.0.2.1"},
			[]string{`1.json:1: w.example.com. A "a" (number 2): left out: A value "192.0.2" is not an IPv4 address`}},
		{"a good UPSERT after a bad CREATE",
			[]string{change("CREATE", weighted("a", "192.0.2")), change("UPSERT", weighted("a", "192.0.2.1"))},
			[]string{"w.example.com. A weighted a = 192.0.2.1"},
			[]string{`1.json:1: w.example.com. A "a" (number 1): left out: A value "192.0.2" is not an IPv4 address`}},
		{"no Action", []string{`{"ResourceRecordSet": ` + set("a.example.com", "192.0.2.1") + `}`},
			[]string{"a.example.com. A simple = 192.0.2.1"},
			[]string{`1.json:1: a.example.com A (number 1): changed: the change has no Action; taken for UPSERT`}},
		{"unknown Action", []string{change("REPLACE", set("a.example.com", "192.0.2.1"))}, nil,
			[]string{`1.json:1: a.example.com A (number 1): left out: Action "REPLACE" is none of CREATE, UPSERT and DELETE`}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			b := loadPaths(t, "example.com.", write(t, `{"Changes": [`+strings.Join(tc.changes, ",")+`]}`)...)
			check(t, "held", held(b.catalog), tc.held)
			check(t, "problems", problems(b.im), tc.problems)
		})
	}
}

// A group of many record sets is changed as fast as a small one.
func TestManyChanges(t *testing.T) {
	const n = 5_000
	var changes []string
	for _, action := range []string{"CREATE", "UPSERT", "DELETE"} {
		for i := range n {
			if action == "DELETE" && i == 7 {
				continue
			}
			changes = append(changes, change(action, fmt.Sprintf(`{"Name": "w.example.com", "Type": "A", "TTL": 60, "SetIdentifier": "%d", "Weight": 1, "ResourceRecords": [{"Value": "192.0.2.1"}]}`, i)))
		}
	}
	b := loadPaths(t, "example.com.", write(t, "["+strings.Join(changes, ",")+"]")...)
	check(t, "held", held(b.catalog), []string{"w.example.com. A weighted 7 = 192.0.2.1"})
	check(t, "problems", problems(b.im), nil)
}

func TestLoadErrors(t *testing.T) {
	paths := write(t, "{", `{"ResourceRecordSets": []}`, `{"Changes": [}`)
	_, err := route53json.Load(context.Background(), append(paths, "4.json"), route53json.Options{Zones: []string{"example.com."}})
	want := "1.json:1:2: the file ends here, in the middle of a value; 3.json:1:14: '}' where a value belongs; 4.json: no such file or directory"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\n want %s", err, want)
	}
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.json", "a.json", "c.txt", ".#a.json", ".d.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	got, err := route53json.Expand(context.Background(), []string{"b.json", "*.json", "none.json"})
	if want := []string{"b.json", "a.json", "none.json"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err := route53json.Expand(context.Background(), []string{".d*"}); err != nil || !slices.Equal(got, []string{".d.json"}) {
		t.Errorf("%q, %v, want the hidden file that is asked for", got, err)
	}
	if _, err := route53json.Expand(context.Background(), []string{"*.yaml"}); err == nil || err.Error() != `file pattern "*.yaml" matches no file` {
		t.Errorf("error %v", err)
	}
	if _, err := route53json.Expand(context.Background(), []string{"[.json"}); err == nil || err.Error() != `file pattern "[.json": syntax error in pattern` {
		t.Errorf("error %v", err)
	}
}

func TestDigest(t *testing.T) {
	paths := write(t, `[]`)
	im := loadPaths(t, "example.com.", paths...).im
	if got, err := route53json.DigestFile(context.Background(), paths[0]); err != nil || got != im.Files[0].Digest {
		t.Errorf("digest %x, %v, want that of the load, %x", got, err, im.Files[0].Digest)
	}
	write(t, `[ ]`)
	if got, err := route53json.DigestFile(context.Background(), paths[0]); err != nil || got == im.Files[0].Digest {
		t.Errorf("digest %x, %v, want another than before the change", got, err)
	}
}

// A directory is no file, and a pipe is not opened: nobody may be at its other end.
func TestIrregularFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for path, why := range map[string]string{pipe: "is a FIFO and not a regular file", t.TempDir(): "is a directory"} {
		if _, err := route53json.Load(context.Background(), []string{path}, route53json.Options{}); err == nil || err.Error() != path+": "+why {
			t.Errorf("error %v, want %q", err, why)
		}
		if _, err := route53json.DigestFile(context.Background(), path); err == nil || err.Error() != why {
			t.Errorf("error %v, want %q", err, why)
		}
	}
}

// What a stanza defines as well is an error that names both places.
func TestAddToDefinedTwice(t *testing.T) {
	paths := write(t, `[`+set("a.example.com", "192.0.2.1")+`]`)
	options := route53json.Options{Zones: []string{"example.com."}}
	im, err := route53json.Load(context.Background(), paths, options)
	if err != nil {
		t.Fatal(err)
	}
	c := record.NewCatalog(options.Zones)
	k := record.Key{Name: "a.example.com.", Type: dns.TypeA}
	rr, _, err := record.ParseValue(k, 60, ".", "192.0.2.2")
	if err != nil {
		t.Fatal(err)
	}
	stanza := &record.Group{Key: k, Pos: record.Pos{File: "Corefile", Line: 4}, Records: []record.RecordSet{{Values: []dns.RR{rr}, Check: record.NoCheck}}}
	if err := c.Add(stanza); err != nil {
		t.Fatal(err)
	}
	want := "Corefile:4 - Error during parsing: a.example.com. A is defined twice: here and at 1.json:1; keep it in one place"
	if err := im.AddTo(context.Background(), c); err == nil || err.Error() != want {
		t.Errorf("error %v\n want %s", err, want)
	}
}
