package test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// External targets are resolved from the start, without a query of anybody: CoreDNS tells
// of a server when it begins to serve. Another plugin that hears of it the same way goes on
// to do so, in whichever block it is.
func TestServing(t *testing.T) {
	const steer = "\tsteer {\n\t\talias api A service.example.net.\n\t}\n"
	tests := []struct {
		name     string
		corefile func(port, other, upstream int) string
		shed     bool
	}{
		{"one block", func(port, _, up int) string {
			return block("example.org", port) + "\tlog\n" + steer + "}\n" + block("example.net", port) + fmt.Sprintf("\tlog\n\tforward . 127.0.0.1:%d\n}\n", up)
		}, false},
		{"several sockets", func(port, _, up int) string {
			return block("example.org", port) + "\tlog\n\tmultisocket 3\n" + steer + "}\n" + block("example.net", port) + fmt.Sprintf("\tlog\n\tmultisocket 3\n\tforward . 127.0.0.1:%d\n}\n", up)
		}, false},
		{"the second of two keys", func(port, other, up int) string {
			return fmt.Sprintf("example.com:%d example.org:%d {\n\tbind 127.0.0.1\n\tlog\n", other, port) + steer + "}\n" + block("example.net", other) + fmt.Sprintf("\tlog\n\tforward . 127.0.0.1:%d\n}\n", up)
		}, false},
		{"shed in the block", func(port, _, up int) string {
			return block("example.org", port) + "\tlog\n\tshed\n" + steer + "}\n" + block("example.net", port) + fmt.Sprintf("\tlog\n\tforward . 127.0.0.1:%d\n}\n", up)
		}, true},
		{"shed in an earlier block", func(port, _, up int) string {
			return block("example.net", port) + fmt.Sprintf("\tlog\n\tshed\n\tforward . 127.0.0.1:%d\n}\n", up) + block("example.org", port) + "\tlog\n" + steer + "}\n"
		}, true},
		{"shed between two blocks", func(port, _, up int) string {
			return block("example.com", port) + "\tlog\n" + steer + "}\n" + block("example.net", port) + fmt.Sprintf("\tlog\n\tshed\n\tforward . 127.0.0.1:%d\n}\n", up) + block("example.org", port) + "\tlog\n" + steer + "}\n"
		}, true},
		{"shed at another address", func(port, other, up int) string {
			return block("example.com", other) + "\tlog\n\tshed\n\twhoami\n}\n" + block("example.net", port) + fmt.Sprintf("\tlog\n\tforward . 127.0.0.1:%d\n}\n", up) + block("example.org", port) + "\tlog\n" + steer + "}\n"
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up, port, other := newUpstream(t, "service.example.net. 60 IN A 198.51.100.1"), freePort(t), freePort(t)
			corefile, from := tt.corefile(port, other, up.port), logged.mark()
			var s *server
			for _, reload := range []bool{false, true} {
				n := up.asked()
				if reload {
					s.mustReload(corefile + "# again\n")
				} else {
					s = start(t, corefile)
				}
				if !poll(slack, func() bool { return up.asked() > n }) {
					t.Fatal("the target is not resolved though nobody asks")
				}
				if got := metric(t, "coredns_shed_dropped_total", "server", "dns://"+loopback(port)) >= 0; got != tt.shed {
					t.Errorf("shed has the socket: %t, want %t", got, tt.shed)
				}
				if got := short(ask(t, port, "api.example.org", "A")); got != "198.51.100.1" {
					t.Errorf("the answer is %q", got)
				}
			}
			if n := from.count("SOA"); n > 0 {
				t.Errorf("%d queries for a SOA that nobody sent:\n%s", n, from.text())
			}
		})
	}
}

// A plugin of a block further down has the last word at CoreDNS. The first query shows the
// server then.
func TestServingHidden(t *testing.T) {
	up, port := newUpstream(t, "service.example.net. 60 IN A 198.51.100.1"), freePort(t)
	start(t, block("example.org", port)+"\tsteer {\n\t\talias api A service.example.net.\n\t}\n}\n"+
		block("example.net", port)+fmt.Sprintf("\tshed\n\tforward . 127.0.0.1:%d\n}\n", up.port))
	if got := short(ask(t, port, "api.example.org", "A")); got != "198.51.100.1" {
		t.Errorf("the answer is %q", got)
	}
}

// A block may need a server only when a file changes.
func TestServingLater(t *testing.T) {
	up, port, file := newUpstream(t, "service.example.net. 60 IN A 198.51.100.1"), freePort(t), filepath.Join(t.TempDir(), "zone.json")
	write(t, file, recordSets(set("www", "192.0.2.1")))
	start(t, block("example.org", port)+"\tsteer {\n\t\troute53 "+file+"\n\t\troute53_reload 1s\n\t}\n}\n"+
		block("example.net", port)+fmt.Sprintf("\tforward . 127.0.0.1:%d\n}\n", up.port))
	write(t, file, recordSets(`{"Name": "www.example.org.", "Type": "A", "AliasTarget": {"HostedZoneId": "Z1", "DNSName": "service.example.net.", "EvaluateTargetHealth": true}}`))
	if !poll(changeTime, func() bool { return up.asked() > 0 }) {
		t.Fatal("the target is not resolved though nobody asks")
	}
	waitShort(t, slack, port, "www.example.org", "A", "198.51.100.1")
}

// A target whose server is down from the start does not keep the secondary from being
// answered, and is answered once it is there.
func TestExternalTargetDown(t *testing.T) {
	up, port := newUpstream(t), freePort(t)
	up.set(dns.RcodeServerFailure)
	s := start(t, externalCorefile(port, up.port))
	state := func(name string) float64 {
		return metric(t, "coredns_steer_external_"+name, "name", "service.example.net.", "type", "A")
	}
	waitShort(t, slack, port, "api.example.org", "A", "192.0.2.2")
	if state("healthy") != 0 {
		t.Error("the metric says healthy")
	}
	if m := ask(t, port, "blind.example.org", "A"); m.Rcode != dns.RcodeServerFailure {
		t.Errorf("an alias that does not evaluate its target answers\n%v\nwant SERVFAIL", m)
	}
	s.mustReload(externalCorefile(port, up.port) + "# again\n")
	if got := short(ask(t, port, "api.example.org", "A")); got != "192.0.2.2" {
		t.Errorf("after a reload the answer is %q", got)
	}
	up.set(dns.RcodeSuccess, "service.example.net. 30 IN A 198.51.100.1")
	waitShort(t, 10*time.Second+slack, port, "api.example.org", "A", "198.51.100.1")
	if state("healthy") != 1 {
		t.Error("the metric says unhealthy")
	}
}

// Targets are resolved as a client at the address that the block says: acl keeps from it
// what it keeps from clients there.
func TestResolveAs(t *testing.T) {
	up := newUpstream(t, "service.example.net. 60 IN A 198.51.100.1")
	for as, want := range map[string]string{"": "192.0.2.2", "resolve_as 192.0.2.77": "198.51.100.1", "resolve_as 198.51.100.7": "192.0.2.2"} {
		t.Run(as, func(t *testing.T) {
			port := freePort(t)
			start(t, block("example.org", port)+`	steer {
		`+as+`
		failover api A {
			primary   alias service.example.net. evaluate_target_health
			secondary 192.0.2.2
		}
	}
}
`+block("example.net", port)+fmt.Sprintf(`	acl {
		allow net 192.0.2.0/24
		block
	}
	forward . 127.0.0.1:%d
}
`, up.port))
			waitShort(t, slack, port, "api.example.org", "A", want)
		})
	}
}

// An NS at the apex is the server of the soa line; the minimum is the TTL of negative
// answers.
func TestSOALine(t *testing.T) {
	port := freePort(t)
	start(t, block("example.org", port)+"\tsteer {\n\t\tttl 90\n\t\tsoa ns1 hostmaster 45\n\t\tsimple ns1 A 192.0.2.53\n\t}\n}\n")
	m := ask(t, port, "example.org", "NS")
	if len(m.Answer) != 1 || m.Answer[0].(*dns.NS).Ns != "ns1.example.org." || m.Answer[0].Header().Ttl != 90 {
		t.Errorf("NS:\n%v", m)
	}
	if m := ask(t, port, "nowhere.example.org", "A"); m.Rcode != dns.RcodeNameError || len(m.Ns) != 1 || m.Ns[0].Header().Ttl != 45 {
		t.Errorf("a name that does not exist:\n%v", m)
	}
	if m := ask(t, port, "example.org", "AXFR"); m.Rcode != dns.RcodeRefused {
		t.Errorf("a transfer:\n%v", m)
	}
}
