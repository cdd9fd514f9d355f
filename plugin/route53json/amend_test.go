package route53json_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// What becomes of an Amendment is tested with the handler, see TestEdit there.

// refused stands for the keys that are amended when only a load will do.
const refused = "refused"

// amend loads files, changes them and returns the keys that are amended.
func amend(t *testing.T, before, after []string) string {
	t.Helper()
	b := loadPaths(t, "example.com.", write(t, before...)...)
	paths := write(t, after...)
	a := b.im.Amend(context.Background(), paths, route53json.Options{Zones: []string{"example.com."}, DefaultTTL: 60}, b.catalog)
	if a == nil {
		return refused
	}
	var keys []string
	for _, ch := range a.Changes {
		key := ch.Key().String()
		if ch.New == nil {
			key += " gone"
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(keys, ", ")
}

func TestAmend(t *testing.T) {
	list := func(sets ...string) string { return "[" + strings.Join(sets, ",\n") + "]" }
	a, b := set("a.example.com", "192.0.2.1"), set("b.example.com", "192.0.2.2")
	undefined := func(name string) string {
		return strings.Replace(set(name+".example.com", "192.0.2.7"), `"TTL"`, `"HealthCheckId": "nobody", "TTL"`, 1)
	}
	weighted := func(n int) string {
		return of(fmt.Sprintf(`"Type": "A", "SetIdentifier": "%d", "Weight": 1, "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.%[1]d"}]`, n))
	}
	tests := []struct {
		name          string
		before, after []string
		want          string
	}{
		{"a file more", []string{list(a)}, []string{list(a), list()}, refused},
		{"a file less", []string{list(a), list()}, []string{list(a)}, refused},
		{"broken", []string{list(a, b)}, []string{list(a)[:20]}, refused},
		{"broken behind what has changed", []string{list(a, b)}, []string{list(set("a.example.com", "192.0.2.3")) + "]"}, refused},
		{"empty", []string{list(a)}, []string{""}, refused},
		{"other files", []string{list(a), list(b)}, []string{list(b), list(a)}, "a.example.com. A, b.example.com. A"},
		{"the last one of a group gone", []string{weighted(1) + weighted(2)}, []string{weighted(1)}, "a.example.com. A"},
		{"the last one of a name gone", []string{a + b}, []string{a}, "b.example.com. A gone"},
		{"from a list to lines", []string{list(a, b)}, []string{a + b}, ""},
		{"into pages", []string{`{"ResourceRecordSets": [` + a + "," + b + "]}"}, []string{`{"ResourceRecordSets": [` + a + `]}{"ResourceRecordSets": [` + b + "]}"}, refused},
		{"which file names an undefined check first", []string{list(a, undefined("g")), list(undefined("h"))}, []string{list(a), list(undefined("h"))}, refused},
		{"the same, by a change", []string{list(undefined("g")), list(undefined("h"))}, []string{list(set("g.example.com", "192.0.2.7")), list(undefined("h"))}, refused},
		{"beside that", []string{list(a, undefined("g")), list(undefined("h"))}, []string{list(set("a.example.com", "192.0.2.3"), undefined("g")), list(undefined("h"))}, "a.example.com. A"},
		{"an undefined check in one file", []string{list(undefined("g"), undefined("h"))}, []string{list(strings.Replace(undefined("g"), "60", "30", 1), undefined("h"))}, "g.example.com. A"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := amend(t, tc.before, tc.after); got != tc.want {
				t.Errorf("amended %q, want %q", got, tc.want)
			}
		})
	}
	loaded := loadPaths(t, "example.com.", write(t, list(a))...)
	if err := os.Remove("1.json"); err != nil {
		t.Fatal(err)
	}
	if loaded.im.Amend(context.Background(), []string{"1.json"}, route53json.Options{Zones: []string{"example.com."}}, loaded.catalog) != nil {
		t.Error("amended by a file that is not there")
	}
}

// Up to a thousand names and types are amended: all of them, some in between, and more than
// are looked for side by side before others that stay.
func TestAmendMany(t *testing.T) {
	names := func(prefix string, n, address int) (sets []string) {
		for i := range n {
			sets = append(sets, set(fmt.Sprintf("%s%d.example.com", prefix, i), fmt.Sprintf("192.0.2.%d", address)))
		}
		return sets
	}
	for _, tc := range []struct{ changed, stay, want int }{
		{10, 500, 10}, {900, 500, 900}, {1000, 0, 1000}, {1000, 1000, 1000}, {1001, 0, 0}, {1001, 1000, 0},
	} {
		file := func(address int) []string {
			sets := append(names("n", tc.changed, address), names("k", tc.stay, 9)...)
			return []string{"[" + strings.Join(sets, ",\n") + "]"}
		}
		if got := strings.Count(amend(t, file(1), file(2)), " A"); got != tc.want {
			t.Errorf("%d of %d that changed beside %d are amended, want %d", got, tc.changed, tc.stay, tc.want)
		}
	}
}

// Problems of which more are counted than are listed: only a load knows whether there are
// more or fewer now.
func TestAmendUnlisted(t *testing.T) {
	file := func(n int, last, ttl string) []string {
		var sets []string
		for i := range n {
			sets = append(sets, fmt.Sprintf(`{"Name": "n%d.example.com", "Type": "A", "TTL": "60", "ResourceRecords": [{"Value": "192.0.2.1"}]}`, i))
		}
		sets = append(sets, set("z.example.com", last), strings.Replace(set("y.example.com", "192.0.2.1"), "60", ttl, 1))
		return []string{"[" + strings.Join(sets, ",\n") + "]"}
	}
	for _, tc := range []struct {
		name          string
		before, after []string
		want          string
	}{
		{"of other names", file(1004, "192.0.2.1", `"60"`), file(1004, "192.0.2.2", `"60"`), "z.example.com. A"},
		{"of this name, one less", file(1004, "192.0.2.1", `"60"`), file(1004, "192.0.2.1", `60`), refused},
		{"of this name, still", file(1004, "192.0.2.1", `"60"`), file(1004, "192.0.2.1", `"50"`), refused},
		{"of this name, the last that is listed", file(999, "192.0.2.1", `"60"`), file(999, "192.0.2.1", `"50"`), refused},
	} {
		if got := amend(t, tc.before, tc.after); got != tc.want {
			t.Errorf("%s: amended %q, want %q", tc.name, got, tc.want)
		}
	}
}

// A name and type that a stanza has: a load says so.
func TestAmendBesideStanza(t *testing.T) {
	key := record.Key{Name: "a.example.com.", Type: dns.TypeA}
	rr, _, err := record.ParseValue(key, 60, ".", "192.0.2.7")
	if err != nil {
		t.Fatal(err)
	}
	b := loadPaths(t, "example.com.", write(t, set("b.example.com", "192.0.2.1"))...)
	if err := b.catalog.Add(&record.Group{Key: key, Records: []record.RecordSet{{Values: []dns.RR{rr}, Check: record.NoCheck}}}); err != nil {
		t.Fatal(err)
	}
	paths := write(t, set("a.example.com", "192.0.2.1")+set("b.example.com", "192.0.2.1"))
	if a := b.im.Amend(context.Background(), paths, route53json.Options{Zones: []string{"example.com."}, DefaultTTL: 60}, b.catalog); a != nil {
		t.Errorf("amended %v, which the stanza has", a.Changes)
	}
}
