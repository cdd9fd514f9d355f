package test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fenced returns the blocks of a Markdown text in a language.
func fenced(text, language string) []string {
	var blocks []string
	for {
		_, rest, ok := strings.Cut(text, "\n```"+language+"\n")
		if !ok {
			return blocks
		}
		var block string
		block, text, _ = strings.Cut(rest, "\n```\n")
		blocks = append(blocks, block+"\n")
	}
}

var (
	serverBlock = regexp.MustCompile(`(?m)^([^\s#(}][^{\n]*?) *\{$`)
	listener    = regexp.MustCompile(`(?m)^(\s+(?:health|ready|prometheus))(?: +127\.0\.0\.1:(\d+))?( \{)?$`)
	bound       = regexp.MustCompile(`(?m)^\s+bind `)
)

// elsewhere moves a Corefile to free ports of loopback: DNS to the one that it returns,
// every listener of another plugin to one of its own. It also returns which port
// became which, 0 being the default.
func elsewhere(t *testing.T, corefile string) (moved string, port int, ports map[int]int) {
	t.Helper()
	port, ports = freePort(t), map[int]int{}
	moved = serverBlock.ReplaceAllStringFunc(corefile, func(head string) string {
		keys := strings.Fields(strings.TrimSuffix(head, "{"))
		for i, key := range keys {
			zone, _, _ := strings.Cut(key, ":")
			keys[i] = fmt.Sprintf("%s:%d", zone, port)
		}
		head = strings.Join(keys, " ") + " {"
		if !bound.MatchString(corefile) {
			head += "\n    bind 127.0.0.1"
		}
		return head
	})
	moved = listener.ReplaceAllStringFunc(moved, func(line string) string {
		m := listener.FindStringSubmatch(line)
		var old int
		fmt.Sscan(m[2], &old)
		ports[old] = freePort(t)
		return m[1] + " " + loopback(ports[old]) + m[3]
	})
	for old, new := range ports {
		moved = strings.ReplaceAll(moved, loopback(old)+"/", loopback(new)+"/") // in the URLs of checks
	}
	return moved, port, ports
}

// Every Corefile in the README starts a server.
func TestReadmeCorefiles(t *testing.T) {
	blocks := fenced(readFile(t, "../README.md"), "corefile")
	if len(blocks) < 5 {
		t.Fatalf("%d blocks found", len(blocks))
	}
	t.Setenv("STEER_PORT", "8080")
	examples := os.DirFS("../examples")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), examples); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	write(t, "example.org.zone", zoneFile)
	for i, block := range blocks {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			corefile, port, _ := elsewhere(t, block)
			from := logged.mark()
			s := start(t, corefile)
			m := ask(t, port, "www.example.org", "A")
			if len(m.Answer) == 0 || !m.Authoritative {
				t.Errorf("www.example.org is\n%v", m)
			}
			if strings.Contains(from.text(), "[WARNING] plugin/steer: Corefile") {
				t.Errorf("an example is a trap:\n%s", from.text())
			}
			s.stop()
		})
	}
}

// The README lists the metrics that there are, with their labels, and no others.
func TestReadmeMetrics(t *testing.T) {
	_, section, _ := strings.Cut(readFile(t, "../README.md"), "\n## Metrics\n")
	section, _, _ = strings.Cut(section, "\n## ")
	listed := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\* `(coredns_steer_[a-z_]+)\\{([a-z_, ]*)\\}`").FindAllStringSubmatch(section, -1) {
		labels := strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' || r == ' ' })
		slices.Sort(labels)
		listed[m[1]] = strings.Join(labels, ", ")
	}

	web, port := newEndpoint(t), freePort(t)
	start(t, block("example.org", port)+`	steer {
		simple www A 192.0.2.1 check `+web.url()+`
		alias far A www.example.net evaluate_target_health
		load_balancer lb {
			zone a 192.0.2.1
			target_group web {
				check `+web.url()+`
				target a 192.0.2.2
			}
		}
	}
}
`+block("example.net", port)+"\twhoami\n}\n")
	ask(t, port, "www.example.org", "A")
	importTrouble(t)
	there := map[string]string{}
	if !poll(2*time.Second+slack, func() bool {
		for name, f := range families(t) {
			if strings.HasPrefix(name, "coredns_steer_") {
				there[name] = strings.Join(labelNames(f), ", ")
			}
		}
		return there["coredns_steer_last_result_age_seconds"] != ""
	}) {
		t.Fatal("no probe had a result")
	}
	for name, labels := range there {
		if got, ok := listed[name]; !ok || got != labels {
			t.Errorf("%s{%s} is exported, and the README lists it as %s{%s}: %v", name, labels, name, got, ok)
		}
	}
	for name := range listed {
		if _, ok := there[name]; !ok {
			t.Errorf("the README lists %s, which is not exported", name)
		}
	}
}

// The names of reasons in the README are those of the metric.
func TestReadmeReasons(t *testing.T) {
	port := freePort(t)
	start(t, block("example.org", port)+"\tsteer {\n\t\tsimple www A 192.0.2.1\n\t}\n}\n")
	ask(t, port, "www.example.org", "A")
	text := readFile(t, "../README.md")
	for _, m := range families(t)["coredns_steer_answers_total"].GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetName() == "reason" && !strings.Contains(text, "`"+l.GetValue()+"`") {
				t.Errorf("the README does not name the reason %q", l.GetValue())
			}
		}
	}
}

// Corefile.example starts with the binary and answers as the README's quick start says:
// without Tokyo first, with it once it has an endpoint.
func TestExample(t *testing.T) {
	corefile, port, ports := elsewhere(t, readFile(t, "../Corefile.example"))
	if len(ports) != 4 {
		t.Fatalf("the example has listeners on %v, want four", ports)
	}
	corefile = strings.ReplaceAll(corefile, "127.0.0.1:8093/", loopback(freePort(t))+"/")
	tokyoPort := regexp.MustCompile(`check tokyo http://127\.0\.0\.1:(\d+)/`).FindStringSubmatch(corefile)[1]
	p, path := run(t, corefile)
	p.waitServes(port, "example.org")
	from := mark{p.log, 0}
	from.wait(t, 3*time.Second+slack, `check "tokyo" of example.org.:`+fmt.Sprint(port)+`: healthy -> unhealthy: connect: connection refused`)

	waitSeen(t, slack, port, "www.example.org", "A", "192.0.2.1", "192.0.2.2")
	waitSeen(t, slack, port, "pool.example.org", "A", "192.0.2.1 192.0.2.2")
	waitSeen(t, slack, port, "api.example.org", "A", "192.0.2.1", "192.0.2.2")
	waitSeen(t, slack, port, "shop.example.org", "A", "192.0.2.10")
	from.wait(t, slack, "[INFO] api.example.org. A NOERROR: secondary")
	if !poll(slack, func() bool { status, _ := get(t, "http://"+loopback(ports[8181])+"/ready"); return status == 200 }) {
		t.Error("the example does not get ready")
	}
	if _, page := get(t, "http://"+loopback(ports[9153])+"/metrics"); !strings.Contains(page, `check="tokyo",kind="http"} 0`) {
		t.Error("the metrics do not show Tokyo as unhealthy")
	}

	tokyo, _ := run(t, fmt.Sprintf(".:%d {\n    health 127.0.0.1:%s\n}\n", freePort(t), tokyoPort))
	from.wait(t, 10*time.Second+slack, `unhealthy -> healthy: passed 2 times in a row`)
	waitSeen(t, slack, port, "www.example.org", "A", "192.0.2.1", "192.0.2.2", "192.0.2.3")
	waitSeen(t, slack, port, "pool.example.org", "A", "192.0.2.1 192.0.2.2 192.0.2.3")
	waitSeen(t, slack, port, "api.example.org", "A", "192.0.2.3")

	tokyo.cmd.Process.Kill()
	waitSeen(t, 5*time.Second+slack, port, "api.example.org", "A", "192.0.2.1", "192.0.2.2")

	// A mistake changes nothing, and the line in the README is the one to see.
	write(t, path, strings.Replace(corefile, "weight 30", "weight thirty", 1))
	from.wait(t, 10*time.Second, "[ERROR] Restart failed: plugin/steer: Corefile:40 - Error during parsing: weight \"thirty\" is not a whole number from 0 to 65535")
	if readme := readFile(t, "../README.md"); !strings.Contains(readme, `Corefile.example:40 - Error during parsing: weight "thirty"`) {
		t.Error("the README shows another line of the example")
	}

	// Without London's listener one site of three is left, and the shop closes.
	write(t, path, regexp.MustCompile(`(?m)^( *)(health .*:`+fmt.Sprint(ports[8092])+`)$`).ReplaceAllString(corefile, "$1#$2"))
	waitSeen(t, 20*time.Second, port, "shop.example.org", "A", "192.0.2.20")
}

// Files that the documents point at exist.
func TestDocumentLinks(t *testing.T) {
	documents := []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md"}
	for _, dir := range []string{"../docs/*.md", "../docs/*/*.md"} {
		more, _ := filepath.Glob(dir)
		documents = append(documents, more...)
	}
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	for _, document := range documents {
		for _, m := range link.FindAllStringSubmatch(readFile(t, document), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), m[1])); err != nil {
				t.Errorf("%s points at %s: %v", document, m[1], err)
			}
		}
	}
}
