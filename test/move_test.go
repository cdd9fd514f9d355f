package test

import (
	"fmt"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// moveCorefile returns a block of three tiers, of a weighted group and of an alias to it.
func moveCorefile(port int, web, other *endpoint) string {
	return block("example.org", port) + `	steer {
		check web ` + web.url() + ` {
			interval 1s
			threshold 1
		}
		check other ` + other.url() + ` {
			interval 1s
			threshold 1
		}
		failover api A {
			primary   192.0.2.1 check web
			secondary 192.0.2.2 check other
			tier 3    192.0.2.3
		}
		weighted pool A {
			weight 1 192.0.2.1 check web
			weight 1 192.0.2.2 check other
		}
		alias www A pool evaluate_target_health
		failover site A {
			primary   alias www evaluate_target_health
			secondary 192.0.2.9
		}
	}
}
`
}

// A check that dies writes its own line, and one for each group that answers by another
// rule or from another tier for it. The metrics say which groups those are.
func TestMovesAreLogged(t *testing.T) {
	web, other, port := newEndpoint(t), newEndpoint(t), freePort(t)
	from := logged.mark()
	s := start(t, moveCorefile(port, web, other))
	block := fmt.Sprintf("example.org.:%d", port)
	line := func(level, group, text string) {
		t.Helper()
		from.wait(t, 3*time.Second+slack, fmt.Sprintf("[%s] plugin/steer: %s.example.org. A of %s: %s", level, group, block, text))
	}
	states := func(name string, want float64) {
		t.Helper()
		if got := metric(t, "coredns_steer_groups", "block", block, "state", name); got != want {
			t.Errorf("%v groups are %s, want %v", got, name, want)
		}
	}
	degraded := func(group, state string) bool {
		return metric(t, "coredns_steer_group_degraded", "block", block, "name", group+".example.org.", "type", "A", "state", state) == 1
	}

	web.kill()
	line("WARNING", "api", `primary -> secondary: check "web" is unhealthy`)
	from.wait(t, slack, fmt.Sprintf(`[WARNING] plugin/steer: check "web" of %s: healthy -> unhealthy: connect: connection refused`, block))
	if n := metric(t, "coredns_steer_degraded_groups", "block", block); n != 1 || !degraded("api", "secondary") {
		t.Errorf("%v groups are degraded, want the one", n)
	}
	states("secondary", 1)
	states("primary", 1)
	states("weighted", 1)

	other.kill()
	line("WARNING", "api", `secondary -> tier 3: check "other" is unhealthy`)
	line("WARNING", "pool", `weighted -> last-resort: nothing healthy: check "other" is unhealthy`)
	line("WARNING", "site", `primary -> secondary: alias target www.example.org. is unhealthy: check "other" is unhealthy`)
	if n := from.count("www.example.org. A of"); n != 0 {
		t.Errorf("the alias, which answers as ever, has %d lines", n)
	}
	if n := metric(t, "coredns_steer_degraded_groups", "block", block); n != 3 || !degraded("api", "tier 3") || !degraded("pool", "last-resort") || !degraded("site", "secondary") {
		t.Errorf("%v groups are degraded, want three", n)
	}
	states("tier 3", 1)
	states("secondary", 1)
	states("last-resort", 1)
	if got := ask(t, port, "api.example.org", "A"); short(got) != "192.0.2.3" {
		t.Errorf("api is\n%v", got)
	}
	if n := metric(t, "coredns_steer_answers_total", "server", "dns://"+loopback(port), "reason", "later-tier"); n != 1 {
		t.Errorf("%v answers from a later tier are counted, want 1", n)
	}

	// The same after a reload is no news.
	again := logged.mark()
	s.mustReload("# the same\n" + moveCorefile(port, web, other))
	if n := again.count(" A of "); n != 0 {
		t.Errorf("%d lines are logged by a reload:\n%s", n, again.text())
	}

	web.revive()
	line("INFO", "api", `tier 3 -> primary: check "web" is healthy`)
	line("INFO", "pool", `last-resort -> weighted: check "web" is healthy`)
	line("INFO", "site", `secondary -> primary: alias target www.example.org. is healthy: check "web" is healthy`)
	if !poll(3*time.Second+slack, func() bool { return metric(t, "coredns_steer_degraded_groups", "block", block) == 0 }) {
		t.Errorf("groups are degraded still:\n%s", from.text())
	}
	states("last-resort", 0)
	if metric(t, "coredns_steer_group_degraded", "block", block) != -1 {
		t.Error("there still are series of single groups")
	}
}

// An external target whose name ceases to exist writes its own line and that of the group
// that it moves. A reload tells nothing again, and what it moves itself.
func TestExternalMovesAreLogged(t *testing.T) {
	const a = "service.example.net. 1 IN A 198.51.100.1"
	up, port := newUpstream(t, a), freePort(t)
	s := start(t, externalCorefile(port, up.port))
	waitShort(t, slack, port, "api.example.org", "A", "198.51.100.1")
	from := logged.mark()
	line := func(level, text string) {
		t.Helper()
		from.wait(t, 2*time.Second+slack, fmt.Sprintf("[%s] plugin/steer: api.example.org. A of example.org.:%d: %s", level, port, text))
	}
	up.set(dns.RcodeNameError)
	line("WARNING", "primary -> secondary: alias target service.example.net. has no A records")
	from.wait(t, slack, "[WARNING] plugin/steer: alias target service.example.net. A: healthy -> unhealthy: the name does not exist, or has no A records")

	again := logged.mark()
	s.mustReload("# the same\n" + externalCorefile(port, up.port))
	if n := again.count(" A of "); n != 0 {
		t.Errorf("%d lines are logged by a reload:\n%s", n, again.text())
	}
	up.set(dns.RcodeSuccess, a)
	line("INFO", "secondary -> primary: alias target service.example.net. has A records")
	from.wait(t, slack, "[INFO] plugin/steer: alias target service.example.net. A: unhealthy -> healthy: it has A records")

	up.set(dns.RcodeNameError)
	waitShort(t, 2*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")
	from = logged.mark()
	s.mustReload(block("example.org", port) + "\tsteer {\n\t\tfailover api A {\n\t\t\tprimary 192.0.2.1\n\t\t\tsecondary 192.0.2.2\n\t\t}\n\t}\n}\n")
	line("INFO", "secondary -> primary: its configuration changed")
}

// Changed files that move a group say so, whether the running data is edited or all of it
// loaded anew.
func TestImportMovesAreLogged(t *testing.T) {
	one, two := newEndpoint(t), newEndpoint(t)
	zone := func(check string, more ...string) string {
		return recordSets(append([]string{
			set("api", "192.0.2.1", failover("PRIMARY"), checkedBy(check)),
			set("api", "192.0.2.2", failover("SECONDARY")),
			set("www", "192.0.2.3", failover("PRIMARY"), checkedBy("web-1")),
			set("www", "192.0.2.4", failover("SECONDARY"), checkedBy("web-2")),
		}, more...)...)
	}
	i := importing(t, both, "zone.json", zone("web-2"), "checks.json", checksOf(one, two))
	waitShort(t, slack, i.port, "www.example.org", "A", "192.0.2.3")
	one.kill()
	moved := func(from mark, level, group, text string) {
		t.Helper()
		from.wait(t, 3*time.Second+slack, fmt.Sprintf("[%s] plugin/steer: %s.example.org. A of %s: %s", level, group, i.block, text))
	}
	moved(i.from, "WARNING", "www", `primary -> secondary: check "web-1" is unhealthy`)

	load := func(text, want string) mark {
		t.Helper()
		from := logged.mark()
		write(t, i.path("zone.json"), text)
		from.wait(t, changeTime, want)
		return from
	}
	from := load(zone("web-1"), "; 1 group changed")
	moved(from, "WARNING", "api", `primary -> secondary: check "web-1" is unhealthy`)
	from = load(zone("web-2", set("*", "192.0.2.8")), "5 record sets and 2 health checks loaded")
	moved(from, "INFO", "api", `secondary -> primary: check "web-2" is healthy`)
	if n := from.count("www.example.org. A of"); n != 0 {
		t.Errorf("what is as it was is told:\n%s", from.text())
	}
}
