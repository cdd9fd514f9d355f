package corefile

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/plugin/test"
	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// importedSet is a record set as Route 53 writes it.
func importedSet(name, value string) string {
	return `{"Name": "` + name + `", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "` + value + `"}]}`
}

// TestLostTarget: what an alias of a stanza points at must be held when the block is read.
// When a change of a file takes it away, the change is taken: the alias is reported,
// answered with no records and unhealthy, and does not become a name elsewhere.
func TestLostTarget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "zone.json")
	targets := importedSet("www.example.org", "192.0.2.1") + "," + importedSet("eu.api.example.org", "192.0.2.2")
	other := importedSet("other.example.org", "192.0.2.9")
	write(t, file, "["+targets+","+other+"]")
	text := `steer example.org {
	route53 ` + file + `
	alias shop A www
	failover pay A {
		primary   alias eu.api evaluate_target_health
		secondary 192.0.2.7
	}
}`
	first, err := parseText(text)
	if err != nil {
		t.Fatal(err)
	}
	answers := func(cfg *Config, want map[string]string) {
		t.Helper()
		h := handler.New(handler.NewSnapshot(cfg.Catalog, healthy(cfg)))
		for name, value := range want {
			m := query(t, h, name+".example.org.")
			got := ""
			for _, rr := range m.Answer {
				got += rr.(*dns.A).A.String()
			}
			if m.Rcode != dns.RcodeSuccess || got != value {
				t.Errorf("%s: %s %q, want %q", name, dns.RcodeToString[m.Rcode], got, value)
			}
		}
	}
	answers(first, map[string]string{"shop": "192.0.2.1", "pay": "192.0.2.2", "other": "192.0.2.9"})

	write(t, file, "["+other+"]")
	lost, err := first.Reload(t.Context(), parsedAt)
	if err != nil {
		t.Fatalf("the change is refused: %v", err)
	}
	answers(lost, map[string]string{"shop": "", "pay": "192.0.2.7", "other": "192.0.2.9"})
	const end = "has no records in this block, and without fallthrough no other plugin is asked; until an imported file holds it again, the alias is answered with no records, and is unhealthy if it evaluates its target"
	want := []string{
		"Testfile:3: alias shop.example.org. A: its target www.example.org. " + end,
		"Testfile:5: alias pay.example.org. A: its target eu.api.example.org. " + end,
	}
	var got []string
	for _, w := range lost.Findings {
		got = append(got, w.Pos.String()+": "+w.Message())
	}
	if !slices.Equal(got, want) {
		t.Errorf("warns\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	again, err := lost.Reload(t.Context(), parsedAt)
	if err != nil {
		t.Fatalf("the next change is refused: %v", err)
	}
	answers(again, map[string]string{"shop": "", "pay": "192.0.2.7"})

	if _, err := parseText(text); err == nil || !strings.HasPrefix(err.Error(), "Testfile:3 - Error during parsing: alias shop.example.org. A: its target ") {
		t.Errorf("read anew, the block gives the error %v", err)
	}

	write(t, file, "["+targets+"]")
	back, err := again.Reload(t.Context(), parsedAt)
	if err != nil {
		t.Fatal(err)
	}
	answers(back, map[string]string{"shop": "192.0.2.1", "pay": "192.0.2.2"})
	for _, w := range back.Findings {
		if w.Trap == lint.AliasTarget {
			t.Errorf("with its target back, the alias is warned of: %s", w)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := back.Reload(t.Context(), parsedAt); err == nil {
		t.Error("a file that is gone is no error")
	}
}

// TestLostCheck: a health check that stanzas use and a change of a file takes away counts
// as healthy and is reported, and one that becomes a calculated one counts as healthy for
// the calculated check that counts it.
func TestLostCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checks.json")
	const web = `{"Id": "web", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80}}`
	const db = `{"Id": "db", "HealthCheckConfig": {"Type": "TCP", "IPAddress": "192.0.2.2", "Port": 80}}`
	write(t, file, "["+web+","+db+"]")
	text := `steer example.org {
	route53 ` + file + `
	check own tcp://192.0.2.3:80
	check sum calculated own db
	simple www A 192.0.2.1 check web
	simple sum A 192.0.2.1 check sum
}`
	first, err := parseText(text)
	if err != nil {
		t.Fatal(err)
	}
	statements := func(cfg *Config) []string {
		var lines []string
		for _, w := range cfg.Findings {
			lines = append(lines, w.Pos.String()+": "+w.Message())
		}
		for i, c := range cfg.Catalog.Checks {
			lines = append(lines, strconv.Itoa(i)+" "+c.Name+dumpCheck(c))
		}
		return lines
	}
	compare := func(cfg *Config, want ...string) {
		t.Helper()
		if got := statements(cfg); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	compare(first, "0 own tcp 192.0.2.3 port 80", "1 sum calculated 2 of [0 2]", "2 db tcp 192.0.2.2 port 80", "3 web tcp 192.0.2.1 port 80")

	write(t, file, "["+strings.Replace(db, `"TCP"`, `"CALCULATED", "HealthThreshold": 0`, 1)+"]")
	lost, err := first.Reload(t.Context(), parsedAt)
	if err != nil {
		t.Fatalf("the change is refused: %v", err)
	}
	compare(lost,
		`Testfile:2: check "web", which stanzas of this block use, is no longer defined by any imported file; it counts as healthy`,
		`Testfile:4: calculated check "sum" counts "db", which is calculated itself now (`+file+`:1); it counts as healthy`,
		"0 own tcp 192.0.2.3 port 80", "1 sum calculated 1 of [0]", "2 db calculated 0 of []", "3 web fixed at healthy")
	if _, err := parseText(text); err == nil {
		t.Error("read anew, the block gives no error")
	}

	write(t, file, "["+web+","+db+"]")
	back, err := lost.Reload(t.Context(), parsedAt)
	if err != nil {
		t.Fatal(err)
	}
	compare(back, statements(first)...)
}

// healthy returns the statuses of a configuration whose checks all pass.
func healthy(c *Config) []healthcheck.Status {
	statuses := make([]healthcheck.Status, len(c.Catalog.Checks))
	for i := range statuses {
		statuses[i] = healthcheck.Healthy
	}
	return statuses
}

// query returns what a handler answers to a query for A.
func query(t *testing.T, h *handler.Handler, name string) *dns.Msg {
	t.Helper()
	w := dnstest.NewRecorder(&test.ResponseWriter{})
	if _, err := h.ServeDNS(t.Context(), w, new(dns.Msg).SetQuestion(name, dns.TypeA)); err != nil || w.Msg == nil {
		t.Fatalf("%s is not answered: %v", name, err)
	}
	return w.Msg
}

// TestImportFiles: files are read as by a block, but for the line that would name them.
func TestImportFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "zone.json", `{"ResourceRecordSets": [
	{"Name": "www.example.org.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]},
	{"Name": "www.example.net.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}]}`)
	zones := []string{"example.org."}
	c, err := ImportFiles(t.Context(), zones, []string{"zone.json"}, Env{Now: parsedAt})
	if err != nil {
		t.Fatal(err)
	}
	if c.Catalog.Groups[record.Key{Name: "www.example.org.", Type: dns.TypeA}] == nil || len(c.Import.Problems) != 1 {
		t.Errorf("holds %v, problems %v", c.Catalog.Order, c.Import.Problems)
	}
	_, err = ImportFiles(t.Context(), zones, []string{"a.json", "b.json"}, Env{Now: parsedAt})
	const want = "a.json: no such file or directory; b.json: no such file or directory"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
