package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// mutate changes a catalog as an operator might: weights, checks, TTLs, groups that come and
// go.
func mutate(g *growth, rnd *rand.Rand) {
	old := g.catalog
	g.catalog = record.NewCatalog(old.Zones)
	g.catalog.SOA["example.org."] = record.DefaultSOA("example.org.", 2)
	g.catalog.Checks = slices.Clone(old.Checks)
	for i := range g.catalog.Checks {
		switch c := &g.catalog.Checks[i]; rnd.IntN(12) {
		case 0:
			c.Name += "-renamed"
		case 1:
			c.Spec.Port += 100
		}
	}
	for group := range old.All() {
		if group.Balancer == nil {
			if rnd.IntN(12) == 0 {
				continue
			}
			for i := range group.Records {
				r := &group.Records[i]
				switch rnd.IntN(12) {
				case 0:
					r.Weight = uint16(rnd.IntN(4))
				case 1:
					r.Check = g.check()
				case 2:
					for j := range r.Values {
						r.Values[j] = dns.Copy(r.Values[j])
						r.Values[j].Header().Ttl = 30
					}
				}
			}
		}
		if err := g.catalog.Add(group); err != nil {
			panic(err)
		}
	}
	if rnd.IntN(3) == 0 {
		g.group("new.example.org.")
	}
	if rnd.IntN(4) == 0 {
		g.group("*.example.org.") // answers in the place of what is gone
	}
}

// TestDiff compares the differences of random configurations with those of Models that are
// asked everything, without a failure and under each.
func TestDiff(t *testing.T) {
	catalogs := 150
	if testing.Short() {
		catalogs = 15
	}
	tally := map[string]int{}
	for seed := range catalogs {
		models := func() (before, after *Model) {
			before = New(grow(t, rand.New(rand.NewPCG(uint64(seed), 10))))
			rnd := rand.New(rand.NewPCG(uint64(seed), 11))
			after = New(growWith(t, rand.New(rand.NewPCG(uint64(seed), 10)), func(g *growth) { mutate(g, rnd) }))
			return before, after
		}
		before, after := models()
		var got []string
		for d := range Diff(before, after) {
			got = append(got, line(d))
			tally[d.Status]++
			if d.Under != nil {
				tally["under"]++
			}
		}
		differ := map[record.Key]bool{}
		want := asked(before, after, nil, differ)
		for _, p := range pairs(before, after) {
			b, a := models()
			b.Fail(Cause{probes: p.before})
			a.Fail(Cause{probes: p.after})
			want = append(want, asked(b, a, p.names, maps.Clone(differ))...)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("seed %d: differences\n%s\nwant\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for d := range Diff(before, before) {
			t.Fatalf("seed %d: a configuration differs from itself: %s", seed, line(d))
		}
	}
	for _, status := range []string{"new", "gone", "changed", "under"} {
		if tally[status] < catalogs/5 {
			t.Errorf("only %d are %s", tally[status], status)
		}
	}
}

// TestDiffOfWildcard: a name that comes takes the types that a wildcard answered for it.
func TestDiffOfWildcard(t *testing.T) {
	model := func(sets ...string) *Model {
		x := &example{t: t, catalog: record.NewCatalog([]string{"example.org."})}
		x.catalog.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
		for i := 0; i < len(sets); i += 2 {
			x.group(record.Simple, sets[i], sets[i+1])
		}
		return x.model()
	}
	old := model("* A", "192.0.2.1", "* TXT", "x")
	now := model("* A", "192.0.2.1", "* TXT", "x", "www A", "192.0.2.2")
	for _, tt := range []struct {
		before, after *Model
		want          string
	}{
		{old, now, `
www.example.org. A  changed: 192.0.2.1 (ttl 60) 1 -> 0, 192.0.2.2 (ttl 60) 0 -> 1
www.example.org. TXT  gone: "x" (ttl 60) 1 -> 0
`},
		{now, old, `
www.example.org. A  changed: 192.0.2.2 (ttl 60) 1 -> 0, 192.0.2.1 (ttl 60) 0 -> 1
www.example.org. TXT  new: "x" (ttl 60) 0 -> 1
`},
	} {
		var got strings.Builder
		for d := range Diff(tt.before, tt.after) {
			got.WriteString(d.Text(ASCII) + "\n")
		}
		if got.String() != strings.TrimPrefix(tt.want, "\n") {
			t.Errorf("%s\nwant%s", got.String(), tt.want)
		}
	}
}

// asked compares two Models by asking both everything, but for what differs already.
func asked(before, after *Model, under []string, differ map[record.Key]bool) []string {
	keys := map[record.Key]bool{}
	for _, m := range []*Model{before, after} {
		for k := range tell(m) {
			if k.Type != dns.TypeSOA {
				keys[k] = true
			}
		}
	}
	for g := range before.catalog.All() { // a wildcard may answer in the place of what is gone
		if g.Type != dns.TypeSOA && !after.catalog.Exists(g.Name) {
			keys[record.Key{Name: g.Name, Type: dns.TypeA}] = true
		}
	}
	var lines []string
	for _, k := range slices.SortedFunc(maps.Keys(keys), compareKeys) {
		was, is := before.answers(k.Name, k.Type), after.answers(k.Name, k.Type)
		if differ[k] || was.equal(is) || was.empty() && is.empty() {
			continue
		}
		differ[k] = true
		status := "changed"
		if was.empty() {
			status = "new"
		} else if is.empty() {
			status = "gone"
		}
		lines = append(lines, line(Difference{status, under, k.Name, dns.Type(k.Type).String(), answersOf(was), answersOf(is), is.resort()}))
	}
	return lines
}

func line(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestPairs: a check of one configuration is that of the other by what it probes, else by
// its name.
func TestPairs(t *testing.T) {
	model := func(checks string) *Model { // "name:port ..."
		c := record.NewCatalog([]string{"example.org."})
		for word := range strings.FieldsSeq(checks) {
			check := healthcheck.Check{Spec: healthcheck.Defaults(healthcheck.TCP)}
			name, port, _ := strings.Cut(word, ":")
			check.Name = name
			fmt.Sscan(port, &check.Spec.Port)
			c.Checks = append(c.Checks, check)
		}
		c.Validate()
		return New(c)
	}
	tests := []struct{ before, after, want string }{
		{"a:1 b:2", "a:1 b:2", "[a] 1=1 [b] 2=2"},
		{"a:1 b:2", "b:1 a:2", "[a] 1=1 [b] 2=2"}, // the names were exchanged
		{"a:1", "b:1", "[a] 1=1"},
		{"a:1", "a:3", "[a] 1=3"},
		{"a:1", "b:2", "[a] 1= [b] =2"},
		{"a:1 b:1", "a:1 b:2", "[a b] 1=1 [b] =2"},
		{"a:1 b:1", "a:3 b:2", "[a b] 1=3,2"},
		{"", "a:1", "[a] =1"},
	}
	for _, tt := range tests {
		before, after := model(tt.before), model(tt.after)
		ports := func(m *Model, probes []int32) string {
			var list []string
			for _, p := range probes {
				list = append(list, fmt.Sprint(m.checks[m.health.probes[p].checks[0]].Spec.Port))
			}
			return strings.Join(list, ",")
		}
		var got []string
		for _, p := range pairs(before, after) {
			got = append(got, fmt.Sprintf("%v %s=%s", p.names, ports(before, p.before), ports(after, p.after)))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q and %q: %s, want %s", tt.before, tt.after, s, tt.want)
		}
	}
}
