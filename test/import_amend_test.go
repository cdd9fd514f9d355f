package test

import (
	"testing"
	"time"

	"github.com/miekg/dns"
)

// A file in which record sets of a few names have changed is not loaded anew as a whole:
// the running data is changed where it differs. Health goes on to be followed, in the
// records that changed, in those that did not, and through aliases to them; and what only
// a whole load can do is done by one.
func TestImportAmended(t *testing.T) {
	none := settled()
	one, two := newEndpoint(t), newEndpoint(t)
	zone := func(api, www string, more ...string) string {
		return recordSets(append([]string{
			set("api", api, failover("PRIMARY"), checkedBy("web-1")),
			set("api", "192.0.2.2", failover("SECONDARY")),
			set("www", www, failover("PRIMARY"), checkedBy("web-2")),
			set("www", "192.0.2.4", failover("SECONDARY")),
			`{"Name": "alias.example.org.", "Type": "A", "AliasTarget": {"HostedZoneId": "Z1", "DNSName": "api.example.org.", "EvaluateTargetHealth": true}}`,
		}, more...)...)
	}
	i := importing(t, both, "zone.json", zone("192.0.2.1", "192.0.2.3"), "checks.json", checksOf(one, two))
	waitShort(t, slack, i.port, "www.example.org", "A", "192.0.2.3")
	stopScrapes := i.scrape()

	load := func(text, want string) {
		t.Helper()
		from, before := logged.mark(), i.metric("import_last_success_timestamp_seconds", "file", i.path("zone.json"))
		write(t, i.path("zone.json"), text)
		from.wait(t, changeTime, want)
		if after := i.metric("import_last_success_timestamp_seconds", "file", i.path("zone.json")); after <= before {
			t.Errorf("last loaded at %v, which is not after %v", after, before)
		}
	}
	becomes := func(within time.Duration, name, want string) {
		t.Helper()
		waitShort(t, within, i.port, name+".example.org", "A", want)
	}
	load(zone("192.0.2.11", "192.0.2.3"), "5 record sets and 2 health checks loaded; 1 group changed")
	becomes(slack, "api", "192.0.2.11")
	becomes(slack, "alias", "192.0.2.11")
	one.kill() // of the group that changed, and of the alias to it
	becomes(3*time.Second+slack, "api", "192.0.2.2")
	becomes(slack, "alias", "192.0.2.2")
	two.kill()
	becomes(3*time.Second+slack, "www", "192.0.2.4")

	load(zone("192.0.2.12", "192.0.2.13"), "; 2 groups changed") // under the health of the moment
	becomes(slack, "api", "192.0.2.2")
	becomes(slack, "www", "192.0.2.4")
	one.revive()
	two.revive()
	becomes(3*time.Second+slack, "api", "192.0.2.12")
	becomes(3*time.Second+slack, "alias", "192.0.2.12")
	becomes(3*time.Second+slack, "www", "192.0.2.13")

	load(zone("192.0.2.12", "192.0.2.13", set("very.new", "192.0.2.5", failover("PRIMARY"), checkedBy("web-2")), set("very.new", "192.0.2.6", failover("SECONDARY"))),
		"7 record sets and 2 health checks loaded; 1 group changed")
	becomes(slack, "very.new", "192.0.2.5")
	two.kill()
	becomes(3*time.Second+slack, "very.new", "192.0.2.6")
	two.revive()
	becomes(3*time.Second+slack, "very.new", "192.0.2.5")
	load(zone("192.0.2.12", "192.0.2.13", set("new", "192.0.2.7")), "; 2 groups changed")
	becomes(slack, "new", "192.0.2.7")
	for _, gone := range []string{"very.new", "other"} {
		if m := ask(t, i.port, gone+".example.org", "A"); m.Rcode != dns.RcodeNameError {
			t.Errorf("%s: %s, want NXDOMAIN", gone, dns.RcodeToString[m.Rcode])
		}
	}

	from := logged.mark()
	load(zone("192.0.2.12", "192.0.2.13", set("*", "192.0.2.8")), "6 record sets and 2 health checks loaded")
	becomes(slack, "any", "192.0.2.8")
	if n := from.count("changed"); n != 0 {
		t.Errorf("a wildcard that comes is told as a change of groups:\n%s", from.text())
	}
	load(zone("192.0.2.1", "192.0.2.13", set("*", "192.0.2.8"))+"\n", "; 1 group changed") // of what a whole load made
	becomes(slack, "alias", "192.0.2.1")
	load(zone("192.0.2.1", "192.0.2.13", set("*", "192.0.2.8")), "; 0 groups changed")

	if n := stopScrapes(); n < 10 {
		t.Errorf("only %d scrapes", n)
	}
	one.kill()
	two.kill()
	i.stop()
	noLeaks(t, none)
}

// scrape reads the metrics over and over until it is told to stop.
func (i *imported) scrape() (stop func() (scrapes int)) {
	end, ended := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-end:
				ended <- n
				return
			case <-time.After(20 * time.Millisecond):
			}
			if got := metric(i.t, "coredns_steer_record_sets", "block", i.block); got > 0 {
				n++
			}
		}
	}()
	return func() int { close(end); return <-ended }
}
