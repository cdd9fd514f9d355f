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

// documents returns the paths of every Markdown file that users or developers read.
func documents(t *testing.T) []string {
	t.Helper()
	paths := []string{"../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md"}
	for _, pattern := range []string{"../docs/*.md", "../docs/*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil || len(more) == 0 {
			t.Fatalf("%s matches nothing: %v", pattern, err)
		}
		paths = append(paths, more...)
	}
	return paths
}

// fence is a fenced code block of a document.
type fence struct {
	language string
	text     string
	line     int // of the text's first line
}

// fences returns the code blocks of a Markdown text. A block ends with the mark that it
// began with, as indented as that.
func fences(text string) []fence {
	var all []fence
	open, indent := "", ""
	for i, line := range strings.Split(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		mark, language := bare, ""
		if len(bare) >= 3 {
			mark, language = bare[:3], strings.TrimSpace(bare[3:])
		}
		switch {
		case open == "" && (mark == "```" || mark == "~~~"):
			open, indent = mark, line[:len(line)-len(bare)]
			all = append(all, fence{language: language, line: i + 2})
		case open != "" && bare == open:
			open = ""
		case open != "":
			all[len(all)-1].text += strings.TrimPrefix(line, indent) + "\n"
		}
	}
	return all
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

// corefileOf returns the Corefile that a code block shows: all of it, or a part of what
// stands in a steer block.
func corefileOf(f fence) (corefile string, ok bool) {
	switch f.language {
	case "corefile":
		return f.text, true
	case "steer":
		return "example.org {\n    steer {\n        " + strings.ReplaceAll(f.text, "\n", "\n        ") + "\n    }\n}\n", true
	}
	return "", false
}

// steerBlock is how the directive is written in a Corefile.
var steerBlock = regexp.MustCompile(`(?m)^\s+steer(?: [^\[\n]*)?\{$`)

// Every Corefile in the documents starts a server and answers, and none is one that the
// plugin warns of.
func TestDocumentCorefiles(t *testing.T) {
	texts := map[string]string{}
	paths := documents(t)
	for _, path := range paths {
		texts[path] = readFile(t, path)
	}
	t.Setenv("STEER_PORT", "8080")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	write(t, "example.org.zone", zoneFile)
	booted := map[string]int{}
	for _, path := range paths {
		for _, f := range fences(texts[path]) {
			corefile, ok := corefileOf(f)
			if strings.HasSuffix(f.language, " trap") || strings.HasSuffix(f.language, " error") {
				continue // plugin/lint loads these
			}
			if !ok {
				if steerBlock.MatchString(f.text) {
					t.Errorf("%s:%d: a Corefile in a block of language %q; write corefile, so that it is tried", path, f.line, f.language)
				}
				continue
			}
			booted[filepath.Base(path)]++
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(path), f.line), func(t *testing.T) {
				corefile, port, _ := elsewhere(t, corefile)
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
	for page, least := range map[string]int{"README.md": 1, "corefile.md": 7, "route53.md": 1, "dns.md": 1, "lint.md": 30} {
		if booted[page] < least {
			t.Errorf("%s has %d Corefiles, want %d or more", page, booted[page], least)
		}
	}
}

// metricsPage is the document that lists the metrics.
const metricsPage = "../docs/operations.md"

// The documents list the metrics that there are, with their labels, and no others.
func TestDocumentMetrics(t *testing.T) {
	_, section, _ := strings.Cut(readFile(t, metricsPage), "\n## Metrics\n")
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
			t.Errorf("%s{%s} is exported, and %s lists it as %s{%s}: %v", name, labels, metricsPage, name, got, ok)
		}
	}
	for name := range listed {
		if _, ok := there[name]; !ok {
			t.Errorf("%s lists %s, which is not exported", metricsPage, name)
		}
	}
}

// The documents name every reason of the metric.
func TestDocumentReasons(t *testing.T) {
	port := freePort(t)
	start(t, block("example.org", port)+"\tsteer {\n\t\tsimple www A 192.0.2.1\n\t}\n}\n")
	ask(t, port, "www.example.org", "A")
	text := readFile(t, metricsPage)
	for _, m := range families(t)["coredns_steer_answers_total"].GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetName() == "reason" && !strings.Contains(text, "`"+l.GetValue()+"`") {
				t.Errorf("%s does not name the reason %q", metricsPage, l.GetValue())
			}
		}
	}
}

// Corefile.example starts with the binary and answers as the README's quick start says:
// without Tokyo first, with it once it has an endpoint. What the README shows of the log is
// what is logged.
func TestExample(t *testing.T) {
	corefile, port, ports := elsewhere(t, readFile(t, "../Corefile.example"))
	if len(ports) != 4 {
		t.Fatalf("the example has listeners on %v, want four", ports)
	}
	tokyo := freePort(t)
	corefile = strings.ReplaceAll(corefile, loopback(8093)+"/", loopback(tokyo)+"/")
	moved := strings.NewReplacer(":1053", ":"+fmt.Sprint(port), ":1054", ":"+fmt.Sprint(freePort(t)), loopback(8093), loopback(tokyo), "Corefile.example:", "Corefile:")
	readme := readFile(t, "../README.md")
	shown := func(words string) string {
		t.Helper()
		i := strings.Index(readme, words)
		if i < 0 {
			t.Fatalf("the README does not show %q", words)
		}
		begin := strings.LastIndexByte(readme[:i], '\n') + 1
		line, _, _ := strings.Cut(readme[begin:], "\n")
		return moved.Replace(line)
	}

	p, path := run(t, corefile)
	p.waitServes(port, "example.org")
	from := mark{p.log, 0}
	from.wait(t, 3*time.Second+slack, shown("healthy -> unhealthy"))

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

	_, second, _ := strings.Cut(shown("$ printf '"), "'")
	second, _, _ = strings.Cut(second, "'")
	if !strings.Contains(second, "bind 127.0.0.1") {
		t.Errorf("the second server of the quick start listens on all interfaces: %s", second)
	}
	other, _ := run(t, strings.ReplaceAll(second, `\n`, "\n"))
	from.wait(t, 10*time.Second+slack, shown("unhealthy -> healthy"))
	waitSeen(t, slack, port, "www.example.org", "A", "192.0.2.1", "192.0.2.2", "192.0.2.3")
	waitSeen(t, slack, port, "pool.example.org", "A", "192.0.2.1 192.0.2.2 192.0.2.3")
	waitSeen(t, slack, port, "api.example.org", "A", "192.0.2.3")

	other.cmd.Process.Kill()
	waitSeen(t, 5*time.Second+slack, port, "api.example.org", "A", "192.0.2.1", "192.0.2.2")

	// A mistake changes nothing.
	write(t, path, strings.Replace(corefile, "weight 30", "weight thirty", 1))
	from.wait(t, 10*time.Second, shown(`weight "thirty"`))

	// Without London's listener one site of three is left, and the shop closes.
	write(t, path, regexp.MustCompile(`(?m)^( *)(health .*:`+fmt.Sprint(ports[8092])+`)$`).ReplaceAllString(corefile, "$1#$2"))
	waitSeen(t, 20*time.Second, port, "shop.example.org", "A", "192.0.2.20")
}
