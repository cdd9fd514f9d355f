package test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// list is a file of record sets or health checks as the AWS CLI writes it, but for its
// white space: the first one stands in line 2, the next in line 3.
func list(member string, elements ...string) string {
	return fmt.Sprintf("{%q: [\n%s\n]}\n", member, strings.Join(elements, ",\n"))
}

func recordSets(sets ...string) string { return list("ResourceRecordSets", sets...) }

// set is a record set of one address; more are further members.
func set(name, address string, more ...string) string {
	more = append([]string{fmt.Sprintf(`"Name": "%s.example.org.", "Type": "A", "TTL": 30, "ResourceRecords": [{"Value": %q}]`, name, address)}, more...)
	return "{" + strings.Join(more, ", ") + "}"
}

func weight(id string, n int) string { return fmt.Sprintf(`"SetIdentifier": %q, "Weight": %d`, id, n) }

func failover(role string) string {
	return fmt.Sprintf(`"SetIdentifier": "the %s", "Failover": %q`, role, role)
}

func checkedBy(id string) string { return fmt.Sprintf(`"HealthCheckId": %q`, id) }

// checksOf is a file of health checks, named web-1, web-2 and so on.
func checksOf(endpoints ...*endpoint) string {
	checks := make([]string, len(endpoints))
	for i, e := range endpoints {
		checks[i] = fmt.Sprintf(`{"Id": "web-%d", "CallerReference": "%[1]d", "HealthCheckConfig": {"Type": "HTTP", "IPAddress": "127.0.0.1", "Port": %d, "ResourcePath": "/", "RequestInterval": 1, "FailureThreshold": 2}}`, i+1, e.port)
	}
	return list("HealthChecks", checks...)
}

// imported is a server that imports files, and the directory of these.
type imported struct {
	*server
	dir, block string
	port       int
	from       mark // what it logs
}

// importing starts a server whose block has the stanzas; DIR in them is the directory, in
// which the files, given as names and texts in turn, are written first.
func importing(t *testing.T, stanzas string, files ...string) *imported {
	t.Helper()
	i := &imported{dir: t.TempDir(), port: freePort(t), from: logged.mark()}
	i.block = fmt.Sprintf("example.org.:%d", i.port)
	for file := range slices.Chunk(files, 2) {
		write(t, i.path(file[0]), file[1])
	}
	i.server = start(t, i.corefile(stanzas))
	return i
}

func (i *imported) path(name string) string { return filepath.Join(i.dir, name) }

func (i *imported) corefile(stanzas string) string {
	return block("example.org", i.port) + "\terrors\n\tsteer {\n" + strings.ReplaceAll(stanzas, "DIR", i.dir) + "\n\t}\n}\n"
}

// metric returns a metric of the block that has a label file or check; -1 if there is none.
func (i *imported) metric(name, label, value string) float64 {
	i.t.Helper()
	return metric(i.t, "coredns_steer_"+name, "block", i.block, label, value)
}

// both import a zone and its health checks.
const both = "\troute53 DIR/zone.json DIR/checks.json\n\troute53_reload 1s"

// changeTime is within what time a changed file is served: route53_reload, a moment for
// it to settle, and what a busy machine adds.
const changeTime = time.Second + 250*time.Millisecond + slack

// quiet is how long the tests watch for what must not happen: some two looks.
const quiet = 2500 * time.Millisecond

// An exported zone and its health checks are served, and answers follow health.
func TestImport(t *testing.T) {
	none := settled()
	one, two := newEndpoint(t), newEndpoint(t)
	i := importing(t, both,
		"zone.json", recordSets(
			`{"Name": "example.org.", "Type": "SOA", "TTL": 900, "ResourceRecords": [{"Value": "ns.example.net. hostmaster.example.org. 7 7200 900 1209600 120"}]}`,
			set("\\\\052", "192.0.2.9"),
			set("www", "192.0.2.1", weight("blue", 10), checkedBy("web-1")),
			set("www", "192.0.2.2", weight("green", 10), checkedBy("web-2")),
			set("api", "192.0.2.1", failover("PRIMARY"), checkedBy("web-1")),
			set("api", "192.0.2.8", failover("SECONDARY")),
			`{"Name": "example.org.", "Type": "A", "AliasTarget": {"HostedZoneId": "Z3M3LMPEXAMPLE", "DNSName": "www.example.org.", "EvaluateTargetHealth": true}}`),
		"checks.json", checksOf(one, two))
	i.from.wait(t, slack, fmt.Sprintf("[INFO] plugin/steer: route53 of %s: %s, %s: 7 record sets and 2 health checks loaded", i.block, i.path("zone.json"), i.path("checks.json")))

	waitSeen(t, slack, i.port, "www.example.org", "A", "192.0.2.1", "192.0.2.2")
	waitSeen(t, slack, i.port, "example.org", "A", "192.0.2.1", "192.0.2.2")
	waitShort(t, slack, i.port, "anything.example.org", "A", "192.0.2.9")
	m := ask(t, i.port, "www.example.org", "MX")
	if m.Rcode != dns.RcodeSuccess || len(m.Answer) != 0 || len(m.Ns) != 1 || m.Ns[0].Header().Ttl != 120 {
		t.Errorf("the negative answer is\n%v\nwant the file's SOA with its minimum as TTL", m)
	}

	one.kill()
	waitSeen(t, 3*time.Second+slack, i.port, "www.example.org", "A", "192.0.2.2")
	waitSeen(t, slack, i.port, "example.org", "A", "192.0.2.2")
	waitShort(t, slack, i.port, "api.example.org", "A", "192.0.2.8")
	i.from.wait(t, slack, fmt.Sprintf(`[WARNING] plugin/steer: check "web-1" of %s: healthy -> unhealthy: connect: connection refused`, i.block))
	one.revive()
	waitSeen(t, 3*time.Second+slack, i.port, "www.example.org", "A", "192.0.2.1", "192.0.2.2")
	waitShort(t, slack, i.port, "api.example.org", "A", "192.0.2.1")

	now := float64(time.Now().Unix())
	for _, name := range []string{"zone.json", "checks.json"} {
		if at := i.metric("import_last_success_timestamp_seconds", "file", i.path(name)); at < now-60 || at > now+1 {
			t.Errorf("%s was loaded at %v, and it is %v", name, at, now)
		}
		if at := i.metric("import_last_error_timestamp_seconds", "file", i.path(name)); at >= 0 {
			t.Errorf("%s had an error at %v", name, at)
		}
	}
	one.kill()
	two.kill()
	i.stop()
	noLeaks(t, none)
}

// What cannot be served as it is written is told once, with its place, name, type, set
// identifier and reason, summed up, and counted.
func TestImportReport(t *testing.T) {
	sets := []string{
		set("www", "192.0.2.1"),
		set("near", "192.0.2.1", `"SetIdentifier": "eu", "Region": "eu-west-1"`),
		set("near", "192.0.2.2", `"SetIdentifier": "us", "Region": "us-east-1"`),
		set("bad", "192.0.2.257"),
		set("checked", "192.0.2.3", weight("blue", 1), checkedBy("nobody's")),
	}
	i := importing(t, "\troute53 DIR/zone.json\n\troute53_reload 1s", "zone.json", recordSets(sets...))
	file := i.path("zone.json")
	reported := []string{
		`:3: near.example.org. A "eu" (number 2): left out: routing by Region is not served yet`,
		`:4: near.example.org. A "us" (number 3): left out: routing by Region is not served yet`,
		`:5: bad.example.org. A (number 4): left out: `,
		`:6: health check "nobody's": changed: no file defines it; it counts as healthy`,
	}
	told := func() {
		t.Helper()
		for _, words := range reported {
			if n := i.from.count("[WARNING] plugin/steer: route53 of " + i.block + ": " + file + words); n != 1 {
				t.Errorf("%d lines, want one, with %s:\n%s", n, words, i.from.text())
			}
		}
	}
	i.from.wait(t, slack, ": 2 record sets and 0 health checks loaded, 3 left out, 1 changed")
	told()
	counted := func(kind string, want float64) {
		t.Helper()
		if got := metric(t, "coredns_steer_import_problems", "block", i.block, "file", file, "kind", kind); got != want {
			t.Errorf("%v problems of the kind %q, want %v", got, kind, want)
		}
	}
	counted("unserved-policy", 2)
	counted("value", 1)
	counted("unknown-check", 1)
	if got := i.metric("check_status", "check", "nobody's"); got != 1 {
		t.Errorf("the status of the unknown check is %v in the metrics, want 1", got)
	}
	if m := ask(t, i.port, "near.example.org", "A"); m.Rcode != dns.RcodeSuccess || len(m.Answer) != 0 {
		t.Errorf("what is left out exists:\n%v", m)
	}

	// Another load tells what is new, wherever the old stands now.
	sets = slices.Insert(sets, 1, set("new", "192.0.2.256"))
	write(t, file, recordSets(sets...))
	i.from.wait(t, changeTime, file+`:3: new.example.org. A (number 2): left out: `)
	i.from.wait(t, slack, ", 4 left out, 1 changed")
	told()
	if n := i.from.count("near.example.org"); n != 2 {
		t.Errorf("what was told is told again:\n%s", i.from.text())
	}
	counted("value", 2)
}

// Stanzas add to what files hold. What both define is an error that names both places, at
// the start and when a file changes.
func TestImportBesideStanzas(t *testing.T) {
	web := newEndpoint(t)
	stanzas := both + `
	check mine ` + web.url() + `
	simple mail A 192.0.2.5
	alias shop A www evaluate_target_health
	failover pay A {
		primary   alias shop evaluate_target_health
		secondary 192.0.2.7
	}`
	www := set("www", "192.0.2.1", weight("blue", 1), checkedBy("mine"))
	i := importing(t, stanzas, "zone.json", recordSets(www), "checks.json", checksOf())
	waitShort(t, slack, i.port, "mail.example.org", "A", "192.0.2.5")
	for _, name := range []string{"www", "shop", "pay"} {
		waitShort(t, slack, i.port, name+".example.org", "A", "192.0.2.1")
	}
	if strings.Contains(i.from.text(), "used by no record") {
		t.Errorf("the check is used by an imported record set:\n%s", i.from.text())
	}
	web.kill()
	waitShort(t, 4*time.Second+slack, i.port, "pay.example.org", "A", "192.0.2.7")

	twice := []struct {
		name, file, text, want string
	}{
		{"group", "zone.json", recordSets(www, set("mail", "192.0.2.6")),
			fmt.Sprintf("Corefile:8 - Error during parsing: mail.example.org. A is defined twice: here and at %s:3; keep it in one place", i.path("zone.json"))},
		{"check", "checks.json", strings.ReplaceAll(checksOf(web), "web-1", "mine"),
			fmt.Sprintf(`Corefile:7 - Error during parsing: check "mine" is defined twice: here and at %s:2; keep it in one place`, i.path("checks.json"))},
	}
	for _, tt := range twice {
		t.Run(tt.name, func(t *testing.T) {
			from, good := logged.mark(), readFile(t, i.path(tt.file))
			write(t, i.path(tt.file), tt.text)
			from.wait(t, changeTime, "[ERROR] plugin/steer: route53 of "+i.block+": "+tt.want+"; the running data stays")
			for _, a := range [][2]string{{"mail", "192.0.2.5"}, {"www", "192.0.2.1"}, {"pay", "192.0.2.7"}} {
				if got := short(ask(t, i.port, a[0]+".example.org", "A")); got != a[1] {
					t.Errorf("%s is %q, want %s", a[0], got, a[1])
				}
			}
			if at := i.metric("import_last_error_timestamp_seconds", "file", i.path("zone.json")); at <= 0 {
				t.Error("the metrics show no error")
			}
			if err := i.reload(i.corefile(stanzas)); err == nil || !strings.Contains(err.Error(), "plugin/steer: "+tt.want) {
				t.Errorf("a reload of the Corefile says %v, want %s", err, tt.want)
			}
			write(t, i.path(tt.file), good)
			from.wait(t, changeTime, "1 record set and 0 health checks loaded")
		})
	}

	// A target that goes away holds up nothing else.
	from := logged.mark()
	write(t, i.path("zone.json"), recordSets(set("other", "192.0.2.8")))
	waitShort(t, changeTime, i.port, "other.example.org", "A", "192.0.2.8")
	from.wait(t, slack, "[WARNING] plugin/steer: Corefile:9: alias shop.example.org. A: its target www.example.org. has no records in this block")
	if m := ask(t, i.port, "shop.example.org", "A"); m.Rcode != dns.RcodeSuccess || len(m.Answer) != 0 {
		t.Errorf("the alias without its target answers\n%v", m)
	}
	waitShort(t, slack, i.port, "pay.example.org", "A", "192.0.2.7")
	write(t, i.path("zone.json"), recordSets(www))
	waitShort(t, changeTime, i.port, "shop.example.org", "A", "192.0.2.1")
}

// Imported health checks probe what the block allows. What they may not probe counts as
// healthy, and is told.
func TestImportChecksAllowed(t *testing.T) {
	dead := newEndpoint(t)
	dead.kill()
	i := importing(t, both+"\n\troute53_checks_allow 192.0.2.0/24 2001:db8::/32",
		"zone.json", recordSets(set("api", "192.0.2.1", failover("PRIMARY"), checkedBy("web-1")), set("api", "192.0.2.2", failover("SECONDARY"))),
		"checks.json", checksOf(dead))
	i.from.wait(t, slack, `health check "web-1" (number 1): changed: its endpoint 127.0.0.1 may not be probed: route53_checks_allow does not name it; it counts as healthy`)
	waitShort(t, slack, i.port, "api.example.org", "A", "192.0.2.1")
	if got := i.metric("check_status", "check", "web-1"); got != 1 {
		t.Errorf("the status of the check is %v in the metrics, want 1", got)
	}
	i.mustReload(i.corefile(both + "\n\troute53_checks_allow 192.0.2.0/24 127.0.0.0/8"))
	waitShort(t, 3*time.Second+slack, i.port, "api.example.org", "A", "192.0.2.2")
}

// Whatever is wrong with files at a reload of the Corefile, everything stays as it was.
func TestImportAtReload(t *testing.T) {
	web := newEndpoint(t)
	web.kill()
	none := settled()
	stanzas := both + "\n\tsimple round TXT 0"
	zone := recordSets(set("api", "192.0.2.1", failover("PRIMARY"), checkedBy("web-1")), set("api", "192.0.2.2", failover("SECONDARY")))
	i := importing(t, stanzas, "zone.json", zone, "checks.json", checksOf(web))
	waitShort(t, 3*time.Second+slack, i.port, "api.example.org", "A", "192.0.2.2")
	before, from := settled(), logged.mark()
	stopWatch := watch(t, i.port, "api.example.org", "192.0.2.2")
	for round := range 5 {
		write(t, i.path("zone.json"), strings.Replace(zone, "30,", "30,,", 1))
		if err := i.reload(i.corefile(stanzas)); err == nil || !strings.Contains(err.Error(), "plugin/steer: "+i.path("zone.json")+":2:") {
			t.Fatalf("round %d: the error is %v", round, err)
		}
		if got := short(ask(t, i.port, "round.example.org", "TXT")); got != fmt.Sprintf(`"%d"`, round) {
			t.Fatalf("round %d: the TXT is %s", round, got)
		}
		write(t, i.path("zone.json"), zone)
		stanzas = fmt.Sprintf("%s\n\tsimple round TXT %d", both, round+1)
		i.mustReload(i.corefile(stanzas))
	}
	stopWatch()
	if n := from.count(`check "web-1"`); n != 0 {
		t.Errorf("the check flapped:\n%s", from.text())
	}
	noLeaks(t, before)
	i.stop()
	noLeaks(t, none)
}

// Targets of imported aliases that are held elsewhere are resolved through the server.
// What is known of them outlives a change of the file.
func TestImportedExternalTarget(t *testing.T) {
	up, port := newUpstream(t, "lb.example.net. 1 IN A 198.51.100.1"), freePort(t)
	zone := func(ttl int) string {
		return recordSets(
			`{"Name": "api.example.org.", "Type": "A", "SetIdentifier": "1", "Failover": "PRIMARY", "AliasTarget": {"HostedZoneId": "Z35SXDOTRQ7X7K", "DNSName": "lb.example.net. ", "EvaluateTargetHealth": true}}`,
			set("api", "192.0.2.2", failover("SECONDARY")),
			fmt.Sprintf(`{"Name": "round.example.org.", "Type": "TXT", "TTL": 30, "ResourceRecords": [{"Value": "\"%d\""}]}`, ttl))
	}
	file := filepath.Join(t.TempDir(), "zone.json")
	write(t, file, zone(0))
	s := start(t, block("example.org", port)+"\terrors\n\tsteer {\n\t\troute53 "+file+"\n\t\troute53_reload 1s\n\t}\n}\n"+
		block("example.net", port)+fmt.Sprintf("\tforward . 127.0.0.1:%d\n}\n", up.port))
	state := func(name string) float64 {
		return metric(t, "coredns_steer_external_"+name, "block", fmt.Sprintf("example.org.:%d", port), "name", "lb.example.net.", "type", "A")
	}
	m := ask(t, port, "api.example.org", "A")
	if short(m) != "198.51.100.1" || m.Answer[0].Header().Name != "api.example.org." {
		t.Fatalf("the answer is\n%v", m)
	}
	before := settled()

	stopWatch := watch(t, port, "api.example.org", "198.51.100.1")
	write(t, file, zone(1))
	waitShort(t, changeTime, port, "round.example.org", "TXT", `"1"`)
	up.set(dns.RcodeServerFailure)
	if !poll(3*time.Second+slack, func() bool { return state("stale") == 1 && state("failures_total") >= 2 }) {
		t.Fatal("the metrics do not show the failure")
	}
	failed := state("failures_total")
	write(t, file, zone(2))
	waitShort(t, changeTime, port, "round.example.org", "TXT", `"2"`)
	if state("stale") != 1 || state("failures_total") < failed {
		t.Errorf("after the change the target is stale: %v, and failed %v times after %v", state("stale"), state("failures_total"), failed)
	}
	stopWatch()

	// What is unhealthy stays so.
	up.set(dns.RcodeNameError)
	waitShort(t, 15*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")
	stopWatch = watch(t, port, "api.example.org", "192.0.2.2")
	write(t, file, zone(3))
	waitShort(t, changeTime, port, "round.example.org", "TXT", `"3"`)
	stopWatch()
	up.set(dns.RcodeSuccess, "lb.example.net. 1 IN A 198.51.100.3")
	waitShort(t, 30*time.Second+slack, port, "api.example.org", "A", "198.51.100.3")
	noLeaks(t, before)
	s.stop()
	if left := ours(); len(left) > 0 {
		t.Errorf("after the end there still run:\n%s", strings.Join(left, "\n\n"))
	}
}

// Files are named relative to the directory of the process, or to that of root, for which
// the parser's own tests stand.
func TestImportOfRelativeFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "zone.json", recordSets(set("www", "192.0.2.1")))
	for _, words := range []string{"zone.json", "*.json"} {
		port := freePort(t)
		s := start(t, block("example.org", port)+"\tsteer {\n\t\troute53 "+words+"\n\t}\n}\n")
		waitShort(t, slack, port, "www.example.org", "A", "192.0.2.1")
		s.stop()
	}
}

// The files in examples are served as they are: there is nothing to report.
func TestImportExample(t *testing.T) {
	port, from := freePort(t), logged.mark()
	start(t, block("example.org", port)+"\tsteer {\n\t\troute53 ../examples/route53/*.json\n\t}\n}\n")
	waitSeen(t, slack, port, "example.org", "A", "192.0.2.1", "192.0.2.2")
	waitShort(t, slack, port, "api.example.org", "A", "192.0.2.11")
	from.wait(t, slack, ": 8 record sets and 3 health checks loaded")
	if n := from.count("route53 of "); n != 1 {
		t.Errorf("problems are reported:\n%s", from.text())
	}
}

// importTrouble starts a server that has all the metrics of imports: a problem in what it
// serves, and an error since.
func importTrouble(t *testing.T) {
	t.Helper()
	i := importing(t, "\troute53 DIR/zone.json\n\troute53_reload 1s", "zone.json", recordSets(set("www", "192.0.2.1", checkedBy("nobody's"))))
	write(t, i.path("zone.json"), "[")
	i.from.wait(t, changeTime, "; the running data stays")
}

// A file system may hold names that a label cannot.
func TestImportOfAFileWithAnOddName(t *testing.T) {
	i := importing(t, "\troute53 DIR/*.json", "z\xff.json", recordSets(set("www", "192.0.2.1")))
	waitShort(t, slack, i.port, "www.example.org", "A", "192.0.2.1")
	if at := i.metric("import_last_success_timestamp_seconds", "file", strconv.Quote(i.path("z\xff.json"))); at <= 0 {
		t.Error("the metrics do not show the file")
	}
}

func TestImportMetrics(t *testing.T) {
	importTrouble(t)
	for _, name := range []string{"problems", "last_success_timestamp_seconds", "last_error_timestamp_seconds"} {
		if metric(t, "coredns_steer_import_"+name) <= 0 {
			t.Errorf("import_%s is missing", name)
		}
	}
}
