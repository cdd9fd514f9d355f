package route53json_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

func TestAmendFiles(t *testing.T) {
	sets := func(sets ...string) string { return "[" + strings.Join(sets, ",\n") + "]" }
	a, b := set("a.example.com", "192.0.2.1"), set("b.example.com", "192.0.2.2")
	const (
		one = `"SetIdentifier": "1", "Weight": 1, "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]`
		two = `"SetIdentifier": "2", "Weight": 1, "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.2"}]`
	)
	guessed := func(name string) string {
		return strings.Replace(set(name+".example.com", "192.0.2.7"), `"TTL"`, `"HealthCheckId": "nobody", "TTL"`, 1)
	}
	tests := []struct {
		name          string
		before, after []string
		want          string
	}{
		{"a file more", []string{sets(a)}, []string{sets(a), sets()}, refused},
		{"a file less", []string{sets(a), sets()}, []string{sets(a)}, refused},
		{"broken", []string{sets(a, b)}, []string{sets(a)[:20]}, refused},
		{"broken behind what has changed", []string{sets(a, b)}, []string{sets(set("a.example.com", "192.0.2.3")) + "]"}, refused},
		{"empty", []string{sets(a)}, []string{""}, refused},
		{"other files", []string{sets(a), sets(b)}, []string{sets(b), sets(a)}, "a.example.com. A, b.example.com. A"},
		{"the last one gone, of its group", []string{of(`"Type": "A", `+one) + of(`"Type": "A", `+two)}, []string{of(`"Type": "A", ` + one)}, "a.example.com. A"},
		{"the last one gone, of its name", []string{a + b}, []string{a}, "b.example.com. A gone"},
		{"from a list to lines", []string{sets(a, b)}, []string{a + b}, ""},
		{"who names a check that nobody defines first", []string{sets(a, guessed("g")), sets(guessed("h"))}, []string{sets(a), sets(guessed("h"))}, refused},
		{"who names it first, by a change", []string{sets(guessed("g")), sets(guessed("h"))}, []string{sets(set("g.example.com", "192.0.2.7")), sets(guessed("h"))}, refused},
		{"beside those", []string{sets(a, guessed("g")), sets(guessed("h"))}, []string{sets(set("a.example.com", "192.0.2.3"), guessed("g")), sets(guessed("h"))}, "a.example.com. A"},
		{"into pages", []string{`{"ResourceRecordSets": [` + a + "," + b + "]}"}, []string{`{"ResourceRecordSets": [` + a + `]}{"ResourceRecordSets": [` + b + "]}"}, refused},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := amend(t, tc.before, tc.after, nil); got != tc.want {
				t.Errorf("amended %q, want %q", got, tc.want)
			}
		})
	}
	loaded := loadPaths(t, "example.com.", write(t, sets(a))...)
	if err := os.Remove("1.json"); err != nil {
		t.Fatal(err)
	}
	if loaded.im.Amend(context.Background(), []string{"1.json"}, amendOptions, loaded.catalog) != nil {
		t.Error("amended by a file that is not there")
	}
}

// Up to a thousand names and types are amended, all of them or some in between.
func TestAmendMany(t *testing.T) {
	names := func(n, address int, more func(i int) string) string {
		var sets []string
		for i := range n {
			sets = append(sets, set(fmt.Sprintf("n%d.example.com", i), fmt.Sprintf("192.0.2.%d", address)))
			if more != nil {
				sets = append(sets, more(i))
			}
		}
		return "[" + strings.Join(sets, ",\n") + "]"
	}
	// More than are looked for, side by side and then others that stay.
	rest := strings.ReplaceAll(names(500, 9, nil)[1:], `"n`, `"k`)
	for _, n := range []int{10, 70, 900} {
		before, after := names(n, 1, nil), names(n, 2, nil)
		got := amend(t, []string{before[:len(before)-1] + ",\n" + rest}, []string{after[:len(after)-1] + ",\n" + rest}, nil)
		if got := strings.Count(got, " A"); got != n {
			t.Errorf("%d of %d neighbours are amended", got, n)
		}
	}
	between := func(i int) string { return set(fmt.Sprintf("m%d.example.com", i), "192.0.2.9") }
	for n, want := range map[int]int{1000: 1000, 1001: 0} {
		for _, more := range []func(int) string{nil, between} {
			got := amend(t, []string{names(n, 1, more)}, []string{names(n, 2, more)}, nil)
			if got := strings.Count(got, " A"); got != want {
				t.Errorf("%d of %d names are amended, want %d", got, n, want)
			}
		}
	}
}

// Problems that are counted, but not listed.
func TestAmendUnlisted(t *testing.T) {
	sets := func(last, ttl string) []string {
		var sets []string
		for i := range 1005 {
			sets = append(sets, fmt.Sprintf(`{"Name": "n%d.example.com", "Type": "A", "TTL": "60", "ResourceRecords": [{"Value": "192.0.2.1"}]}`, i))
		}
		sets = append(sets, set("z.example.com", last), strings.Replace(sets[1004], `"60"`, ttl, 1))
		return []string{"[" + strings.Join(slices.Delete(sets, 1004, 1005), ",\n") + "]"}
	}
	before := sets("192.0.2.1", `"60"`)
	for _, tc := range []struct {
		name  string
		after []string
		want  string
	}{
		{"of other names", sets("192.0.2.2", `"60"`), "z.example.com. A"},
		{"of this name, one less", sets("192.0.2.1", `60`), refused},
		{"of this name, still", sets("192.0.2.1", `"50"`), refused},
		{"of this name, the last that is listed", edit{`"n999.example.com", "Type": "A", "TTL": "60"`, `"n999.example.com", "Type": "A", "TTL": 60`}.in(t, before), refused},
	} {
		if got := amend(t, before, tc.after, nil); got != tc.want {
			t.Errorf("%s: amended %q, want %q", tc.name, got, tc.want)
		}
	}
}

// Problems that were all listed, and of which there are more now.
func TestAmendMoreThanListed(t *testing.T) {
	file := func(address, last string) []string {
		var sets []string
		for i := range 999 {
			sets = append(sets, fmt.Sprintf(`{"Name": "n%d.example.com", "Type": "A", "TTL": "60", "ResourceRecords": [{"Value": %q}]}`, i, address))
		}
		for i, ttl := range []string{`"60"`, last} {
			sets = append(sets, of(fmt.Sprintf(`"Type": "A", "SetIdentifier": "%d", "Weight": 1, "TTL": %s, "ResourceRecords": [{"Value": %q}]`, i, ttl, address)))
		}
		return []string{"[" + strings.Join(sets, ",\n") + "]"}
	}
	before := file("192.0.2.1", `60`)
	if got := strings.Count(amend(t, before, file("192.0.2.2", `60`), nil), " A"); got != 1000 {
		t.Errorf("amended %d groups, want all", got)
	}
	if got := amend(t, before, file("192.0.2.2", `"60"`), nil); got != refused {
		t.Errorf("amended %.100q", got)
	}
}

// One amendment after another: what checks are used by, and how deep aliases are, is known
// after each.
func TestAmendSteps(t *testing.T) {
	const (
		e = `{"Name": "e.example.com.", "Type": "A", "AliasTarget": {"DNSName": "w.example.com."`
		l = `"DNSName": "e.example.com.", "EvaluateTargetHealth": `
		x = `{"Name": "x.example.com.", "Type": "A", "AliasTarget": {"DNSName": "lb.example.net.", "EvaluateTargetHealth": false}},`
		u = `{"Name": "u.example.com.", "Type": "A", "AliasTarget": {"DNSName": "w.example.com.", "EvaluateTargetHealth": true}},`
	)
	another, under := set("n.example.com", "192.0.2.7")+",", set("y.deep.example.com", "192.0.2.7")+","
	deep := strings.Replace(l, "e.", "x.deep.", 1)
	files := edit{x, x + u, green, strings.Replace(green, "two", "three", 1)}.in(t, []string{amendZone, amendChecks})
	h := healthy()
	s, err := begin(write(t, files...), h, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		edit
		want string
	}{
		{edit{x, x + another}, "n.example.com. A"},
		{edit{l, deep}, "l.example.com. A"},
		{edit{another, another + under}, refused},                        // hides the wildcard from l
		{edit{under, "", deep, l}, refused},                              // a warning less
		{edit{l + "false", l + "true"}, "l.example.com. A"},              // l, e, w
		{edit{u, strings.Replace(u, "w.", "l.", 1)}, "u.example.com. A"}, // u, l, e, w
		{edit{`"1", "Failover": "PRIMARY", "TTL": 60, "HealthCheckId": "two"`, `"1", "Failover": "PRIMARY", "TTL": 60, "HealthCheckId": "one"`}, refused},
		{edit{`"SECONDARY"`, `"SECONDARY", "HealthCheckId": "three"`}, "f.example.com. A"},
		{edit{e, strings.Replace(e, "w.", "f.", 1)}, "e.example.com. A"}, // u, l, e, f
		{edit{`20, "TTL": 60, "HealthCheckId": "three"`, `20, "TTL": 60, "HealthCheckId": "one"`}, "w.example.com. A"},
		{edit{`"SECONDARY", "HealthCheckId": "three"`, `"SECONDARY", "HealthCheckId": "one"`}, refused}, // the last user of three
	} {
		files = step.in(t, files)
		paths := write(t, files...)
		fresh, err := begin(paths, h, nil)
		if err != nil {
			t.Fatal(err)
		}
		keys, amended, err := s.attempt(paths, fresh)
		if err != nil {
			t.Fatalf("%q: %v", step.edit, err)
		}
		if got := strings.Join(keys, ", "); amended != (step.want != refused) || amended && got != step.want {
			t.Errorf("%q: amended %t, %q, want %q", step.edit, amended, got, step.want)
		}
		if !amended {
			s = fresh
			continue
		}
		for _, down := range []string{"one", "two", "three", "one", "two", "three"} {
			h.checks[down] = !h.checks[down]
			s.update(h)
			fresh.update(h)
			if err := s.answersDiffer(fresh); err != nil {
				t.Errorf("%q: checks %v: %v", step.edit, h.checks, err)
			}
		}
	}
}

// A name and type that a stanza has: the file's own was left out.
func TestAmendBesideStanza(t *testing.T) {
	stanzas := func(c *record.Catalog) error {
		k := record.Key{Name: "a.example.com.", Type: dns.TypeA}
		rr, _, err := record.ParseValue(k, 60, ".", "192.0.2.7")
		if err != nil {
			return err
		}
		return c.Add(&record.Group{Key: k, Pos: record.Pos{File: "Corefile", Line: 4}, Records: []record.RecordSet{{Values: []dns.RR{rr}, Check: record.NoCheck}}})
	}
	file := func(a, b string) []string {
		return []string{"[" + set("a.example.com", a) + "," + set("b.example.com", b) + "]"}
	}
	before := file("192.0.2.256", "192.0.2.1")
	if got := amend(t, before, file("192.0.2.1", "192.0.2.1"), stanzas); got != refused {
		t.Errorf("amended %q, which the stanza has", got)
	}
	if got := amend(t, before, file("192.0.2.256", "192.0.2.2"), stanzas); got != "b.example.com. A" {
		t.Errorf("amended %q, want the other name", got)
	}
}

// What queries are answered from takes an amendment, or says that it does not.
func TestAmendData(t *testing.T) {
	files := []string{amendZone, amendChecks}
	b := loadPaths(t, "example.com.", write(t, files...)...)
	d := handler.NewSnapshot(b.catalog, make([]healthcheck.Status, len(b.catalog.Checks)))
	im := b.im
	for _, step := range []struct {
		edit
		want bool
	}{
		{edit{`"192.0.2.5"`, `"192.0.2.6"`}, true},
		{edit{`"DNSName": "w.example.com."`, `"DNSName": "l.example.com."`}, false},
		{edit{`"DNSName": "l.example.com."`, `"DNSName": "f.example.com."`, secondary, ""}, false},
		{edit{`"DNSName": "f.example.com."`, `"DNSName": "w.example.com."`, green, green + secondary}, true},
		{edit{green, ""}, true},
	} {
		files = step.in(t, files)
		paths := write(t, files...)
		a := im.Amend(context.Background(), paths, amendOptions, d.Catalog)
		if a == nil {
			t.Fatalf("%q: no amendment", step.edit)
		}
		before := held(d.Catalog)
		if got := d.Edit(a.Put, a.Drop, 2, a.Agrees); got != step.want {
			t.Errorf("%q: replaced: %t, want %t", step.edit, got, step.want)
		}
		want := before
		if step.want {
			im, want = a.Import, held(loadPaths(t, "example.com.", paths...).catalog)
		}
		check(t, "held", held(d.Catalog), want)
	}
}
