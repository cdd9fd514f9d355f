package test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// following are blocks whose answers have to follow health just the same.
var following = []struct {
	name   string
	extra  string // plugins beside steer
	signed bool   // with dnssec among them
}{
	{name: "steer alone"},
	{name: "cache", extra: "cache"},
	{name: "dnssec", signed: true},
	{name: "cache and dnssec", extra: "cache", signed: true},
	{name: "loadbalance and minimal", extra: "loadbalance\n\tminimal"},
}

// newKey makes a DNSSEC key for a zone and returns the path of its files, without
// their endings.
func newKey(t *testing.T, zone string) string {
	t.Helper()
	key := &dns.DNSKEY{
		Hdr:   dns.RR_Header{Name: zone, Rrtype: dns.TypeDNSKEY, Class: dns.ClassINET, Ttl: 3600},
		Flags: 257, Protocol: 3, Algorithm: dns.ECDSAP256SHA256,
	}
	private, err := key.Generate(256)
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(t.TempDir(), fmt.Sprintf("K%s+%03d+%05d", zone, key.Algorithm, key.KeyTag()))
	write(t, base+".key", key.String()+"\n")
	write(t, base+".private", key.PrivateKeyString(private))
	return base
}

// followCorefile returns a block with an endpoint behind a weighted and a failover name.
func followCorefile(port int, extra, url string) string {
	return block("example.org", port) + "\t" + extra + `
	errors
	steer {
		ttl 30
		check web-1 ` + url + ` {
			interval 1s
			threshold 3
		}
		weighted www A {
			weight 1 192.0.2.1 check web-1
			weight 1 192.0.2.2
			weight 0 192.0.2.9
		}
		failover api A {
			primary   192.0.2.1 check web-1
			secondary 192.0.2.2
		}
	}
}
`
}

func TestAnswersFollowHealth(t *testing.T) {
	web, key := newEndpoint(t), newKey(t, "example.org.")
	corefile, at := "", make([]int, len(following))
	for i, f := range following {
		extra := f.extra
		if f.signed {
			extra += "\n\tdnssec {\n\t\tkey file " + key + "\n\t}"
		}
		at[i] = freePort(t)
		corefile += followCorefile(at[i], extra, web.url())
	}
	from := logged.mark()
	start(t, corefile)
	for i, f := range following {
		t.Run("healthy/"+f.name, func(t *testing.T) { follows(t, at[i], f.signed, "192.0.2.1", "192.0.2.1", "192.0.2.2") })
	}

	// The last probe may just be over: the first one to fail is a whole interval away,
	// the third one two more. A refused connection takes no time. Each start waits for
	// the next tenth of a second.
	const threshold, interval = 3, time.Second + 100*time.Millisecond
	began := time.Now()
	web.kill()
	took := waitShort(t, threshold*interval+slack, at[0], "api.example.org", "A", "192.0.2.2")
	t.Logf("the answer moved %v after the endpoint died", took)
	if took > threshold*interval+slack/3 {
		t.Errorf("the answer moved %v after the endpoint died, want %v at most", took, threshold*interval)
	}
	for i, f := range following {
		from.wait(t, slack, fmt.Sprintf(`[WARNING] plugin/steer: check "web-1" of example.org.:%d: healthy -> unhealthy: connect: connection refused`, at[i]))
		t.Run("unhealthy/"+f.name, func(t *testing.T) { follows(t, at[i], f.signed, "192.0.2.2", "192.0.2.2") })
	}
	t.Logf("all blocks moved %v after the endpoint died", time.Since(began))

	web.revive()
	took = waitShort(t, threshold*interval+slack, at[0], "api.example.org", "A", "192.0.2.1")
	t.Logf("the answer moved back %v after the endpoint came back", took)
	for i, f := range following {
		from.wait(t, slack, fmt.Sprintf(`[INFO] plugin/steer: check "web-1" of example.org.:%d: unhealthy -> healthy: passed 3 times in a row`, at[i]))
		t.Run("recovered/"+f.name, func(t *testing.T) { follows(t, at[i], f.signed, "192.0.2.1", "192.0.2.1", "192.0.2.2") })
	}
	for _, what := range []string{`check "web-1" of `, "api.example.org. A of "} {
		if n := from.count(what); n != 2*len(following) {
			t.Errorf("%d lines of %s, want %d: one for each block and change\n%s", n, what, 2*len(following), from.text())
		}
	}
	if n := from.count(" -> "); n != 4*len(following) {
		t.Errorf("%d lines of transitions, want %d\n%s", n, 4*len(following), from.text())
	}
}

// follows holds the answers of a block against what is wanted of both names at once.
func follows(t *testing.T, port int, signed bool, api string, www ...string) {
	t.Helper()
	waitShort(t, slack, port, "api.example.org", "A", api)
	waitSeen(t, slack, port, "www.example.org", "A", www...)
	m := ask(t, port, "www.example.org", "A")
	if ttl := m.Answer[0].Header().Ttl; ttl != 30 {
		t.Errorf("the TTL is %d, want 30", ttl)
	}
	if !signed {
		return
	}
	q := query("www.example.org", "A")
	q.SetEdns0(4096, true)
	m = exchange(t, port, q)
	var rrs []dns.RR
	var sig *dns.RRSIG
	for _, rr := range m.Answer {
		if s, ok := rr.(*dns.RRSIG); ok {
			sig = s
			continue
		}
		rrs = append(rrs, rr)
	}
	if sig == nil {
		t.Fatalf("the answer is not signed:\n%v", m)
	}
	keys := exchange(t, port, query("example.org", "DNSKEY"))
	if len(keys.Answer) == 0 {
		t.Fatalf("no DNSKEY:\n%v", keys)
	}
	if err := sig.Verify(keys.Answer[0].(*dns.DNSKEY), rrs); err != nil {
		t.Errorf("the signature does not fit: %v\n%v", err, m)
	}
}

// A dead endpoint is known within seconds of the start, whatever the interval.
func TestFreshServerKnowsTheTruthWithinSeconds(t *testing.T) {
	web, port := newEndpoint(t), freePort(t)
	web.kill()
	start(t, block("example.org", port)+`
	steer {
		failover api A {
			primary   192.0.2.1 check `+web.url()+`
			secondary 192.0.2.2
		}
	}
}`)
	waitShort(t, 4*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")
}
