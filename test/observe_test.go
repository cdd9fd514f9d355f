package test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// get fetches a page and returns its status and text.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	c := http.Client{Timeout: 5 * time.Second}
	resp, err := c.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// series returns the lines of a metrics page that begin so.
func series(page, prefix string) []string {
	var list []string
	for line := range strings.SplitSeq(page, "\n") {
		if strings.HasPrefix(line, prefix) {
			list = append(list, line)
		}
	}
	return list
}

func TestMetrics(t *testing.T) {
	web, port, page := newEndpoint(t), freePort(t), freePort(t)
	head := block("example.org", port) + "\tprometheus " + loopback(page) + "\n"
	s := start(t, head+`	steer {
		check web-1 `+web.url()+` {
			interval 1s
			threshold 1
		}
		check web-2 tcp://`+loopback(web.port)+`
		check site calculated web-1 web-2 {
			healthy_threshold 1
		}
		weighted www A {
			weight 1 192.0.2.1 check web-1
			weight 1 192.0.2.2 check web-2
		}
		failover api A {
			primary   192.0.2.1 check web-1
			secondary 192.0.2.2 check site
		}
	}
}
`)
	owner := fmt.Sprintf(`block="example.org.:%d"`, port)
	url := "http://" + loopback(page) + "/metrics"
	read := func() string { _, text := get(t, url); return text }
	has := func(line string) bool { return slices.Contains(strings.Split(read(), "\n"), line) }
	waitFor := func(line string) {
		t.Helper()
		if !poll(3*time.Second+slack, func() bool { return has(line) }) {
			t.Errorf("no line %s in\n%s", line, strings.Join(series(read(), "coredns_steer_"), "\n"))
		}
	}
	waitFor(`coredns_steer_check_status{` + owner + `,check="web-1",kind="http"} 1`)
	waitFor(`coredns_steer_check_status{` + owner + `,check="site",kind="calculated"} 1`)
	waitFor(`coredns_steer_record_sets{` + owner + `} 5`) // the SOA is one
	waitFor(`coredns_steer_checks 3`)

	ask(t, port, "www.example.org", "A")
	ask(t, port, "none.example.org", "A")
	answers := func(reason string) string {
		return fmt.Sprintf(`coredns_steer_answers_total{reason="%s",server="dns://127.0.0.1:%d",zone="example.org."} `, reason, port)
	}
	waitFor(answers("weighted") + "1")
	waitFor(answers("nxdomain") + "1")

	web.kill()
	waitFor(`coredns_steer_check_status{` + owner + `,check="web-1",kind="http"} 0`)
	waitFor(`coredns_steer_transitions_total{` + owner + `,check="web-1"} 1`)
	ask(t, port, "api.example.org", "A")
	waitFor(answers("secondary") + "1")

	problems, err := promlint.New(strings.NewReader(strings.Join(steerOnly(read()), "\n") + "\n")).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v %v", problems, err)
	}

	// What a reload removes is gone.
	s.mustReload(head + "\tsteer {\n\t\tsimple www A 192.0.2.1 check tcp://" + loopback(web.port) + "\n\t}\n}\n")
	text := read()
	for _, gone := range []string{`check="web-1"`, `check="site"`} {
		if strings.Contains(text, gone) {
			t.Errorf("after the reload there still is %s", gone)
		}
	}
	waitFor(`coredns_steer_checks 1`)
	s.mustReload(head + "\twhoami\n}\n")
	if left := series(read(), "coredns_steer_answers_total"); len(left) > 0 {
		t.Errorf("after the reload there still are\n%s", strings.Join(left, "\n"))
	}
	waitFor(`coredns_steer_checks 0`)
}

// Blocks that share their keys, as those with views do, are told apart.
func TestMetricsOfBlocksWithTheSameKeys(t *testing.T) {
	web, port := newEndpoint(t), freePort(t)
	view := func(name, expr, address string) string {
		return block("example.org", port) + fmt.Sprintf("\tview %s {\n\t\texpr %s\n\t}\n\tsteer {\n\t\tcheck web %s\n\t\tsimple www A %s check web\n\t}\n}\n", name, expr, web.url(), address)
	}
	corefile := view("tcp", "proto() == 'tcp'", "192.0.2.1") + view("rest", "true", "192.0.2.2")
	s := start(t, corefile)
	for range 2 {
		if got := short(ask(t, port, "www.example.org", "A")); got != "192.0.2.2" {
			t.Errorf("www is %q, want 192.0.2.2", got)
		}
		for _, owner := range []string{"example.org.:%d", "example.org.:%d #2"} {
			if n := metric(t, "coredns_steer_check_status", "block", fmt.Sprintf(owner, port), "check", "web"); n != 1 {
				t.Errorf("the status in block "+owner+" is %v, want 1", port, n)
			}
		}
		if n := metric(t, "coredns_steer_distinct_probes"); n != 1 {
			t.Errorf("%v probes, want 1: both checks are the same", n)
		}
		s.mustReload(corefile)
	}
}

// steerOnly returns the lines of a metrics page that concern steer, comments included.
func steerOnly(page string) []string {
	var list []string
	for line := range strings.SplitSeq(page, "\n") {
		if strings.HasPrefix(line, "coredns_steer_") || strings.Contains(line, " coredns_steer_") {
			list = append(list, line)
		}
	}
	return list
}

func TestMetadataInTheQueryLog(t *testing.T) {
	web, port := newEndpoint(t), freePort(t)
	from := logged.mark()
	start(t, block("example.org", port)+`	metadata
	log . "Q {name} {rcode} reason={/steer/reason} set={/steer/set-id} check={/steer/check} wildcard={/zone/wildcard}"
	steer {
		check web-1 `+web.url()+`
		weighted www A {
			weight 1 192.0.2.1 check web-1 id blue
		}
		weighted site A {
			weight 1 alias www id eu
		}
		failover *.wild A {
			primary   192.0.2.1
			secondary 192.0.2.2
		}
	}
}
`)
	ask(t, port, "www.example.org", "A")
	ask(t, port, "site.example.org", "A")
	ask(t, port, "x.wild.example.org", "A")
	ask(t, port, "none.example.org", "A")
	from.wait(t, slack, "[INFO] Q www.example.org. NOERROR reason=weighted set=blue check=web-1 wildcard=-")
	from.wait(t, slack, "[INFO] Q site.example.org. NOERROR reason=weighted set=eu>blue check=- wildcard=-")
	from.wait(t, slack, "[INFO] Q x.wild.example.org. NOERROR reason=primary set=- check=- wildcard=*.wild.example.org.")
	from.wait(t, slack, "[INFO] Q none.example.org. NXDOMAIN reason=")
}

// Ready is when every check knows its status, whatever that is.
func TestReady(t *testing.T) {
	web, port, page := newEndpoint(t), freePort(t), freePort(t)
	web.kill()
	start(t, block("example.org", port)+"\tready "+loopback(page)+`
	steer {
		failover api A {
			primary   192.0.2.1 check `+web.url()+`
			secondary 192.0.2.2
		}
	}
}
`)
	status, body := get(t, "http://"+loopback(page)+"/ready")
	if status != http.StatusServiceUnavailable || body != "steer" {
		t.Errorf("at the start, /ready says %d %q, want 503 \"steer\"", status, body)
	}
	if !poll(4*time.Second+slack, func() bool { status, _ = get(t, "http://"+loopback(page)+"/ready"); return status == http.StatusOK }) {
		t.Errorf("/ready says %d, want 200", status)
	}
	if got := short(ask(t, port, "api.example.org", "A")); got != "192.0.2.2" {
		t.Errorf("once ready, the answer is %q, want the secondary", got)
	}
}

// A block that moves to another port takes its counters with it; a reload in place
// leaves them as they are.
func TestCountersOfABlockThatMoves(t *testing.T) {
	old, moved := freePort(t), freePort(t)
	steer := "\tsteer {\n\t\tsimple www A 192.0.2.1\n\t}\n"
	s := start(t, block("example.org", old)+steer+"}\n")
	ask(t, old, "www.example.org", "A")
	at := func(port int) float64 {
		return metric(t, "coredns_steer_answers_total", "server", "dns://"+loopback(port), "zone", "example.org.", "reason", "simple")
	}
	s.mustReload(block("example.org", old) + steer + "# the same\n}\n")
	if got := at(old); got != 1 {
		t.Errorf("after a reload in place %v answers are counted, want the 1 of before", got)
	}
	s.mustReload(block("example.org", moved) + steer + "}\n")
	ask(t, moved, "www.example.org", "A")
	if got := at(moved); got != 1 {
		t.Errorf("%v answers are counted at the new port, want 1", got)
	}
	for _, m := range families(t)["coredns_steer_answers_total"].GetMetric() {
		if hasLabels(m, []string{"server", "dns://" + loopback(old), "zone", "example.org."}) {
			t.Errorf("still there: %v", m)
		}
	}
}
