package lint_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy/caddyfile"

	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// load returns what stanzas in a steer block for example.org declare. The first is in line 2.
func load(t testing.TB, stanzas string) *corefile.Config {
	t.Helper()
	tokens := caddyfile.NewDispenser("Corefile", strings.NewReader("steer {\n"+stanzas+"\n}\n"))
	cfg, err := corefile.Load(context.Background(), &tokens, corefile.Env{Keys: []string{"dns://example.org.:53"}, Now: time.Unix(1700000000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// lines writes findings as "LINE LEVEL ID: MESSAGE".
func lines(findings []lint.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%d %s %s: %s\n", f.Pos.Line, f.Level, f.Trap.ID, f.Message())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A case is stanzas, the first of which is in line 2, and all that there is to say of them.
type testCase struct {
	name, stanzas, want string
}

func (tt testCase) run(t *testing.T, o lint.Options) {
	t.Run(tt.name, func(t *testing.T) {
		if got := lines(lint.Check(load(t, tt.stanzas).Catalog, o)); got != tt.want {
			t.Errorf("finds\n%s\nwant\n%s", got, tt.want)
		}
	})
}

// What is sane is not remarked upon, even for the strict.
func TestSilence(t *testing.T) {
	for _, tt := range []testCase{
		{"records without checks", `simple www A 192.0.2.1
			weighted api A {
				weight 1 192.0.2.1
				weight 1 192.0.2.2
			}
			multivalue pool A {
				value 192.0.2.1
				value 192.0.2.2
			}`, ""},
		{"a check for each record", `weighted www A {
				check tcp://:80
				weight 1 192.0.2.1
				weight 1 192.0.2.2
			}
			multivalue pool A {
				check tcp://:80
				value 192.0.2.1
				value 192.0.2.2
			}
			failover api A {
				check tcp://:80
				primary 192.0.2.1
				secondary 192.0.2.2
			}`, ""},
		{"a tree whose last tier is a page that is always there", `failover www A {
				primary alias east evaluate_target_health
				secondary alias west evaluate_target_health
				tier 3 alias sorry
			}
			weighted east A {
				check tcp://:80
				weight 1 192.0.2.1
				weight 1 192.0.2.2
			}
			weighted west A {
				check tcp://:80
				weight 1 192.0.2.3
				weight 1 192.0.2.4
			}
			simple sorry A 192.0.2.9`, ""},
		{"an alias of its own has nothing to choose from, whatever it evaluates", `alias @ A www evaluate_target_health
			simple www A 192.0.2.1`, ""},
		{"one check decides between blue and green together, and an alias looks at it", `failover www A {
				primary alias east evaluate_target_health
				secondary 192.0.2.9
			}
			weighted east A {
				check tcp://192.0.2.80:80
				weight 90 192.0.2.1
				weight 10 192.0.2.2
			}`, ""},
		{"a switch", `check switch tcp://192.0.2.1:1 {
				disabled
			}
			weighted www A {
				check switch
				weight 1 192.0.2.1
				weight 1 192.0.2.2
			}`, ""},
		{"half of the targets may fail", `load_balancer lb {
				zone a 192.0.2.1
				zone b 192.0.2.2
				target_group web {
					check tcp://:80
					minimum_healthy 50%
					target a 198.51.100.1 198.51.100.2
					target b 198.51.100.3 198.51.100.4
				}
			}`, ""},
	} {
		tt.run(t, lint.Options{Strict: true})
	}
}

// Names and CNAMEs.
func TestNames(t *testing.T) {
	for _, tt := range []testCase{
		{"what a delegation hides: all but addresses, its own NS and DS", `simple sub NS ns1.example.net.
			simple sub DS "1 8 2 0000000000000000000000000000000000000000000000000000000000000000"
			simple ns1.sub A 192.0.2.1
			simple sub TXT x
			simple a.b.sub NS ns1.example.net.`,
			`5 warning hidden-by-delegation: sub.example.org. TXT is never answered: the NS at sub.example.org. delegates the name away
6 warning hidden-by-delegation: a.b.sub.example.org. NS is never answered: the NS at sub.example.org. delegates the name away`},
		{"CNAMEs in a loop", `simple a CNAME b
			weighted b CNAME {
				weight 1 a
				weight 1 www.example.net.
			}
			simple c CNAME a`,
			`4 warning cname-loop: CNAME loop: a.example.org. -> b.example.org. -> a.example.org.; resolvers that follow it give up`},
	} {
		tt.run(t, lint.Options{})
	}
}

// CoreDNS gives a query to the server block with the closest enclosing zone.
func TestOtherBlocks(t *testing.T) {
	const stanzas = `simple @ A 192.0.2.1
		simple sub A 192.0.2.1
		simple a.sub TXT x
		simple asub TXT x
		simple sub DS "1 8 2 0000000000000000000000000000000000000000000000000000000000000000"
		simple cut NS ns1.example.net.
		simple a.cut A 192.0.2.1
		load_balancer lb.sub {
			zone a 192.0.2.1
			target_group web {
				check tcp://192.0.2.1:80
				target a 192.0.2.2
			}
		}`
	const sub = `3 warning name-in-other-block: sub.example.org. A is never answered: another server block has the zone sub.example.org.
4 warning name-in-other-block: a.sub.example.org. TXT is never answered: another server block has the zone sub.example.org.
9 warning name-in-other-block: lb.sub.example.org. A is never answered: another server block has the zone sub.example.org.
9 warning name-in-other-block: lb.sub.example.org. AAAA is never answered: another server block has the zone sub.example.org.`
	tests := []struct {
		name          string
		block, others []string
		want          string
	}{
		{"zones beside and above", nil, []string{"example.net.", "org.", ".", "example.org."}, ""},
		{"a zone below", nil, []string{"example.net.", "sub.example.org."}, sub},
		{"a zone below that this block has, too", []string{"example.org.", "sub.example.org."}, []string{"sub.example.org."}, ""},
		{"a zone below that, which this block has back", []string{"example.org.", "a.sub.example.org."}, []string{"sub.example.org."}, strings.Replace(sub, strings.Split(sub, "\n")[1]+"\n", "", 1)},
		{"a zone that is delegated", nil, []string{"cut.example.org."}, ""},
	}
	for _, tt := range tests {
		o := lint.Options{Block: tt.block, Others: tt.others}
		testCase{tt.name, stanzas, tt.want}.run(t, o)
	}
}

// Groups by themselves.
func TestGroups(t *testing.T) {
	for _, tt := range []testCase{
		{"a failover group of one", `failover www A {
				primary 192.0.2.1 check tcp://192.0.2.1:80
			}`,
			`3 warning failover-of-one: failover www.example.org. A has a primary only; it is always answered`},
		{"tiers above others without a check", `failover www A {
				tier 3 192.0.2.3
				tier 1 192.0.2.1
				tier 2 alias www.example.net.
			}`,
			`4 warning unchecked-tier: failover www.example.org. A: the primary has no health check, so nothing below it is ever answered
5 warning unchecked-tier: failover www.example.org. A: the secondary has no health check, so nothing below it is ever answered`},
		{"tiers of the same values", `failover www A {
				check tcp://:80
				primary 192.0.2.1
				secondary 192.0.2.1
			}
			failover two A {
				primary 192.0.2.2 192.0.2.1 check tcp://192.0.2.1:80
				secondary 192.0.2.1 192.0.2.2
			}
			failover some A {
				primary 192.0.2.2 192.0.2.1 check tcp://192.0.2.1:80
				secondary 192.0.2.1
			}
			failover more A {
				primary 192.0.2.1 check tcp://192.0.2.1:80
				secondary 192.0.2.1 192.0.2.2
			}`,
			`5 warning tiers-share-endpoint: failover www.example.org. A: the secondary has the same values as the primary, so both fail at once
9 warning tiers-share-endpoint: failover two.example.org. A: the secondary has the same values as the primary, so both fail at once
13 warning tiers-share-endpoint: failover some.example.org. A: the secondary has only values of the primary, so both fail at once`},
		{"tiers that point at the same name", `failover www A {
				primary alias www.example.net. evaluate_target_health
				secondary alias WWW.example.net.
			}`,
			`4 warning tiers-share-endpoint: failover www.example.org. A: the secondary points at the same name as the primary, so both fail at once`},
		{"tiers with the same check", `check web http://192.0.2.80/
			check slow http://192.0.2.80/ {
				interval 60s
				threshold 2
			}
			check other http://192.0.2.80/other
			check not http://192.0.2.80/ {
				invert
			}
			failover www A {
				tier 1 192.0.2.1 check web
				tier 2 192.0.2.2 check other
				tier 3 192.0.2.3 check slow
				tier 4 192.0.2.4 check not
			}`,
			`14 warning tiers-share-endpoint: failover www.example.org. A: the tier 3 has the same check as the primary, so both fail at once`},
		{"one check for all", `check web http://192.0.2.80/
			check again http://192.0.2.80/ {
				interval 10s
			}
			weighted www A {
				weight 1 192.0.2.1 check web
				weight 1 192.0.2.2 check again
			}
			multivalue pool A {
				check http://192.0.2.80/pool
				value 192.0.2.1
				value 192.0.2.2
			}
			weighted not A {
				weight 1 192.0.2.1 check web
				weight 1 alias www.example.net. check web evaluate_target_health
			}`,
			`6 warning one-check: all 2 records of www.example.org. A have the check "web", so they are answered alike whatever it says
10 warning one-check: all 2 records of pool.example.org. A have the check "http://192.0.2.80:80/pool", so they are answered alike whatever it says`},
		{"weights of 0 alone", `weighted www A {
				weight 0 192.0.2.1
			}
			weighted api A {
				weight 0 192.0.2.1
				weight 0 192.0.2.2
			}`,
			`3 warning all-weights-zero: the only record of www.example.org. A has weight 0 and is always answered
5 warning all-weights-zero: all 2 records of api.example.org. A have weight 0, so each gets the same share of the queries`},
	} {
		tt.run(t, lint.Options{})
	}
}

// Trees of aliases. What keeps a branch open is told once, at the alias that would move on.
func TestTrees(t *testing.T) {
	const web = `weighted web A {
				check tcp://:80
				weight 1 192.0.2.1
				weight 1 192.0.2.2
			}
`
	for _, tt := range []testCase{
		{"an unchecked leaf", `failover www A {
				primary alias a evaluate_target_health
				secondary 192.0.2.9
			}
			weighted a A {
				weight 1 192.0.2.1 check tcp://192.0.2.1:80
				weight 1 192.0.2.2 id blue
			}`,
			`3 warning unchecked-leaf: alias www.example.org. A evaluates the health of a.example.org., which is always healthy: record "blue" there has no check (Corefile:8)`},
		{"an unchecked leaf below aliases that have no choice", `weighted www A {
				weight 1 alias a evaluate_target_health
				weight 1 192.0.2.9 check tcp://192.0.2.9:80
			}
			alias a A b evaluate_target_health
			alias b A c evaluate_target_health
			simple c A 192.0.2.1`,
			`3 warning unchecked-leaf: alias www.example.org. A evaluates the health of a.example.org., which is always healthy: record number 1 of c.example.org. has no check (Corefile:8)`},
		{"a leaf is told at the lowest alias with a choice", `failover www A {
				primary alias a evaluate_target_health
				secondary 192.0.2.9
			}
			weighted a A {
				weight 1 alias b evaluate_target_health
				weight 1 192.0.2.2 check tcp://192.0.2.2:80
			}
			simple b A 192.0.2.1`,
			`7 warning unchecked-leaf: alias a.example.org. A evaluates the health of b.example.org., which is always healthy: record number 1 there has no check (Corefile:10)`},
		{"another leaf of the same group is told above", `failover www A {
				primary alias a evaluate_target_health
				secondary 192.0.2.9
			}
			weighted a A {
				weight 1 alias b evaluate_target_health
				weight 1 192.0.2.2
			}
			simple b A 192.0.2.1`,
			`3 warning unchecked-leaf: alias www.example.org. A evaluates the health of a.example.org., which is always healthy: record number 2 there has no check (Corefile:8)
7 warning unchecked-leaf: alias a.example.org. A evaluates the health of b.example.org., which is always healthy: record number 1 there has no check (Corefile:10)`},
		{"a record of weight 0 counts", `failover www A {
				primary alias a evaluate_target_health
				secondary 192.0.2.9
			}
			weighted a A {
				weight 1 192.0.2.1 check tcp://192.0.2.1:80
				weight 0 192.0.2.2
			}`,
			`3 warning unchecked-leaf: alias www.example.org. A evaluates the health of a.example.org., which is always healthy: record number 2 there has no check, and counts although its weight is 0 (Corefile:8)`},
		{"an alias of weight 0 is for when all else is gone", `weighted www A {
				weight 1 192.0.2.1 check tcp://192.0.2.1:80
				weight 0 alias sorry evaluate_target_health
			}
			simple sorry A 192.0.2.9`, ""},
		{"an alias with a check of its own", `failover www A {
				primary alias a evaluate_target_health check tcp://192.0.2.80:80
				secondary 192.0.2.9
			}
			simple a A 192.0.2.1`, ""},
		{"a secondary without a check", `weighted www A {
				weight 1 alias a evaluate_target_health
				weight 1 alias web evaluate_target_health
			}
			failover a A {
				primary 192.0.2.3 check tcp://192.0.2.3:80
				secondary 192.0.2.9
			}
` + web,
			`3 warning secondary-without-check: alias www.example.org. A evaluates the health of a.example.org., which is always healthy: record secondary there has no check (Corefile:8)`},
		{"a secondary that is an alias to what is always healthy", `weighted www A {
				weight 1 alias a evaluate_target_health
				weight 1 alias web evaluate_target_health
			}
			failover a A {
				primary 192.0.2.3 check tcp://192.0.2.3:80
				secondary alias sorry evaluate_target_health
			}
			simple sorry A 192.0.2.9
` + web,
			`3 warning unchecked-leaf: alias www.example.org. A evaluates the health of a.example.org., which is always healthy: record number 1 of sorry.example.org. has no check (Corefile:10)`},
		{"an unchecked tier is told by itself", `weighted www A {
				weight 1 alias a evaluate_target_health
				weight 1 alias web evaluate_target_health
			}
			failover a A {
				primary 192.0.2.3
				secondary 192.0.2.4 check tcp://192.0.2.4:80
			}
` + web,
			`7 warning unchecked-tier: failover a.example.org. A: the primary has no health check, so nothing below it is ever answered`},
		{"an alias in a weighted group that does not evaluate", `weighted www A {
				weight 1 alias web
				weight 1 alias sorry
				weight 0 alias web
				weight 1 alias www.example.net.
			}
			simple sorry A 192.0.2.9
` + web,
			`3 warning alias-without-evaluation: alias web.example.org. in www.example.org. A does not evaluate its target, so it gets its share of the queries while nothing there is healthy`},
		{"an alias in the middle that does not evaluate", `failover www A {
				primary alias a evaluate_target_health
				secondary 192.0.2.9
			}
			alias a A web
` + web,
			`3 warning alias-without-evaluation: alias www.example.org. A evaluates the health of a.example.org., which is always healthy: record number 1 there is an alias that does not evaluate its target (Corefile:6)`},
		{"an alias in the middle to a name outside", `failover www A {
				primary alias a evaluate_target_health
				secondary 192.0.2.9
			}
			alias a A www.example.net.`,
			`3 warning alias-without-evaluation: alias www.example.org. A evaluates the health of a.example.org., which is always healthy: record number 1 there is an alias that does not evaluate its target (Corefile:6)`},
		{"an alias in the middle to nothing that could be evaluated", `failover www A {
				primary alias a evaluate_target_health
				secondary 192.0.2.9
			}
			alias a A b
			simple b A 192.0.2.1`,
			`3 warning unchecked-leaf: alias www.example.org. A evaluates the health of a.example.org., which is always healthy: record number 1 there has no check (Corefile:6)`},
		{"a load balancer that is always healthy", `failover www A {
				primary alias lb evaluate_target_health
				secondary 192.0.2.9
			}
			load_balancer lb {
				zone a 192.0.2.1
				target_group web {
					check tcp://192.0.2.1:80
					dns_failover off
					target a 192.0.2.2
				}
			}`,
			`3 warning balancer-always-healthy: alias www.example.org. A evaluates the health of lb.example.org., which is always healthy: dns_failover is off in all target groups of load_balancer lb.example.org. (Corefile:6)`},
	} {
		tt.run(t, lint.Options{})
	}
}

// Checks and TTLs.
func TestChecks(t *testing.T) {
	for _, tt := range []testCase{
		{"a check of the group's own name", `check self http://www.example.org/
			check sum calculated self other
			check other http://192.0.2.1/
			simple www A 192.0.2.1 check sum
			simple www TXT x check self
			simple *.apps A 192.0.2.2 check https://one.apps.example.org/`,
			`5 warning circular-check: www.example.org. A: check "self" probes the name that this group itself answers, so it depends on its own answer
7 warning circular-check: *.apps.example.org. A: check "https://one.apps.example.org:443/" probes the name that this group itself answers, so it depends on its own answer`},
		{"a check that nothing uses", `check counted tcp://192.0.2.1:80
			check sum calculated counted
			check alone tcp://192.0.2.2:80 {
				interval 1h
			}`,
			`3 warning unused-check: check "sum" is used by no record and counted by no other check
4 warning unused-check: check "alone" is used by no record and counted by no other check`},
		{"a calculated check that wants too many", `check one tcp://192.0.2.1:80
			check most calculated one {
				healthy_threshold 2
			}
			check least calculated one {
				healthy_threshold 2
				invert
			}
			check off calculated one {
				healthy_threshold 2
				disabled
			}
			simple a A 192.0.2.1 check most
			simple b A 192.0.2.1 check least
			simple c A 192.0.2.1 check off`,
			`3 warning threshold-never-met: calculated check "most" wants 2 healthy of 1 checks, so it is never healthy
6 warning threshold-never-met: calculated check "least" wants 2 healthy of 1 checks, so it is never unhealthy`},
		{"five minutes are not above five minutes", `check www tcp://192.0.2.1:80 {
				interval 30s
				threshold 10
			}
			check api tcp://192.0.2.2:80 {
				interval 31s
				threshold 10
			}
			check one tcp://192.0.2.3:80 {
				interval 10m
				fall 1
			}
			check quick tcp://192.0.2.4:80 {
				interval 4m
				recheck 5s
				threshold 10
			}
			check off tcp://192.0.2.5:80 {
				interval 1h
				disabled
			}
			check not tcp://192.0.2.6:80 {
				interval 2m
				rise 2
				fall 9
				invert
			}
			check all calculated www api one quick off not
			simple www A 192.0.2.1 check all`,
			`6 warning slow-detection: check "api" takes 5m10s to find a failure, at an interval of 31s and with 10 results in a row that it takes, 31s apart
10 warning slow-detection: check "one" takes 10m0s to find a failure, at an interval of 10m0s and with one result that it takes`},
		{"a TTL above what the checks take, which is 102 s", `ttl 102
			weighted www A {
				check http://:80/
				weight 1 192.0.2.1 ttl 103
				weight 1 192.0.2.2
			}
			weighted api A {
				check http://:80/
				weight 1 192.0.2.1
				weight 1 192.0.2.2
			}
			simple unchecked A 192.0.2.1 ttl 86400
			check switch tcp://192.0.2.1:1 {
				disabled
			}
			simple switch A 192.0.2.1 ttl 86400 check switch`,
			`3 warning long-ttl: www.example.org. A has health checks, which find a failure in 1m42s, and a TTL of 103 s: clients keep a dead address that much longer`},
		{"a minute is usual", `check quick tcp://192.0.2.1:80 {
				interval 1s
				threshold 1
				connect_timeout 1s
			}
			check sum calculated quick
			simple www A 192.0.2.1 ttl 60 check quick
			simple api A 192.0.2.1 ttl 61 check sum`,
			`9 warning long-ttl: api.example.org. A has health checks, which find a failure in 2s, and a TTL of 61 s: clients keep a dead address that much longer`},
		{"an alias with a check has the TTL of its target", `failover www A {
				primary alias a check tcp://192.0.2.1:80
				secondary alias b check tcp://192.0.2.2:80
			}
			alias a A c
			simple c A 192.0.2.1 ttl 3600
			simple b A 192.0.2.2 ttl 3601 check tcp://192.0.2.3:80`,
			`2 warning long-ttl: www.example.org. A has health checks, which find a failure in 2m0s, and a TTL of 3600 s: clients keep a dead address that much longer
8 warning long-ttl: b.example.org. A has health checks, which find a failure in 2m0s, and a TTL of 3601 s: clients keep a dead address that much longer`},
	} {
		tt.run(t, lint.Options{})
	}
}

// Load balancers.
func TestBalancers(t *testing.T) {
	for _, tt := range []testCase{
		{"nothing in it", `load_balancer lb {
				zone a 192.0.2.1
				zone b
			}`,
			`2 warning empty-target-group: load_balancer lb.example.org. has no targets: its zones are always answered, and an alias that evaluates its health never is healthy
4 warning empty-zone: zone "b" of load_balancer lb.example.org. has neither node addresses nor targets, so it is never answered`},
		{"a group without targets, and a zone without one of the other", `load_balancer lb {
				ttl 600
				zone a 192.0.2.1
				zone b 192.0.2.2
				target_group web {
					check tcp://:80
					target a 198.51.100.1
				}
				target_group none {
					check tcp://:80
				}
			}`,
			`2 warning long-ttl: load_balancer lb.example.org. has health checks, which find a failure in 2m0s, and a TTL of 600 s: clients keep a dead address that much longer
5 warning zone-without-targets: zone "b" of load_balancer lb.example.org. has no target of target_group "web", so without cross_zone it is never healthy
10 warning empty-target-group: target_group "none" of load_balancer lb.example.org. has no targets, so it is ignored`},
		{"counts above what is registered", `load_balancer lb {
				zone a 192.0.2.1
				zone b 192.0.2.2
				target_group dns {
					check tcp://:80
					dns_failover 2
					target a 198.51.100.1
					target b 198.51.100.2 198.51.100.3 198.51.100.4
				}
				target_group routing {
					check tcp://:80
					dns_failover off
					routing_failover 2
					target a 198.51.100.1
					target b 198.51.100.2 198.51.100.3 198.51.100.4
				}
			}
			load_balancer cross {
				cross_zone on
				zone a 192.0.2.1
				target_group web {
					check tcp://:80
					dns_failover 2
					target a 198.51.100.1
				}
			}`,
			`7 warning threshold-never-met: target_group "dns": dns_failover wants 2 healthy targets, and zone "a" of load_balancer lb.example.org. has 1, so zone "a" is never healthy
14 warning threshold-never-met: target_group "routing": routing_failover wants 2 healthy targets, and zone "a" of load_balancer lb.example.org. has 1, so unhealthy ones are always used as well
24 warning threshold-never-met: target_group "web": dns_failover wants 2 healthy targets, and load_balancer cross.example.org. has 1, so no zone is ever healthy`},
		{"thresholds that one failure breaches", `load_balancer lb {
				zone a 192.0.2.1
				zone b 192.0.2.2
				zone c 192.0.2.3
				zone d 192.0.2.4
				zone e 192.0.2.5
				target_group all {
					check tcp://:80
					minimum_healthy 100%
					target a 198.51.100.1 198.51.100.2
					target b 198.51.100.3 198.51.100.4 198.51.100.5
					target c 198.51.100.6
					target d 198.51.100.7 198.51.100.8
					target e 198.51.100.9 198.51.100.10
				}
			}
			load_balancer routing {
				zone a 192.0.2.1
				zone b 192.0.2.2
				target_group web {
					check tcp://:80
					dns_failover off
					routing_failover 51%
					target a 198.51.100.1 198.51.100.2
					target b 198.51.100.3 198.51.100.4 198.51.100.5
				}
			}
			load_balancer cross {
				cross_zone on
				zone a 192.0.2.1
				zone b 192.0.2.2
				target_group web {
					check tcp://:80
					dns_failover 3
					target a 198.51.100.1 198.51.100.2
					target b 198.51.100.3
				}
			}`,
			`10 warning threshold-of-one-failure: target_group "all": dns_failover wants 100% of 2 targets healthy, so one failure in zone "a", zone "b", zone "d" and 1 more of load_balancer lb.example.org. takes the zone out of DNS
24 warning threshold-of-one-failure: target_group "web": routing_failover wants 51% of 2 targets healthy, so one failure in zone "a" of load_balancer routing.example.org. has unhealthy targets used as well
35 warning threshold-of-one-failure: target_group "web": dns_failover wants 3 of 3 targets healthy, so one failure in load_balancer cross.example.org. makes every zone unhealthy`},
		{"a check of its own name", `load_balancer lb {
				zone a 2001:db8::1
				target_group web {
					check tcp://lb.example.org:80
					target a 2001:db8::2
				}
			}`,
			`4 warning circular-check: target_group "web": check "tcp://lb.example.org:80" probes the name that load_balancer lb.example.org. itself answers, so it depends on its own answer`},
	} {
		tt.run(t, lint.Options{})
	}
}

// What only the strict want to hear.
func TestStrict(t *testing.T) {
	for _, tt := range []testCase{
		{"weight 0 among checked records", `weighted www A {
				weight 1 192.0.2.1 check tcp://192.0.2.1:80
				weight 0 192.0.2.2
			}
			weighted api A {
				weight 1 192.0.2.1
				weight 0 192.0.2.2
			}`,
			`4 info zero-weight: record number 2 of www.example.org. A has weight 0, and gets all queries when no record with a weight is healthy`},
		{"a record without a check among others", `weighted www A {
				weight 1 192.0.2.1 check tcp://192.0.2.1:80
				weight 1 192.0.2.2 id blue
			}
			failover api A {
				primary alias a evaluate_target_health
				secondary 192.0.2.9
			}
			multivalue a A {
				value 192.0.2.1 check tcp://192.0.2.3:80
				value 192.0.2.2
			}`,
			`4 info unchecked-record: record "blue" of www.example.org. A has no check while others of the group have one
7 warning unchecked-leaf: alias api.example.org. A evaluates the health of a.example.org., which is always healthy: record number 2 there has no check (Corefile:12)`},
		{"the check of a record that is alone", `check web tcp://192.0.2.1:80
			check two tcp://192.0.2.2:80
			simple www A 192.0.2.1 check web
			simple a A 192.0.2.1 check two
			failover api A {
				primary alias a evaluate_target_health
				secondary 192.0.2.9
			}`,
			`4 info check-without-effect: www.example.org. A has one record, which is answered whatever check "web" says`},
		{"one endpoint behind all checks", `check web tcp://192.0.2.1:80
			check again tcp://192.0.2.1:80 {
				interval 10s
			}
			failover www A {
				primary 192.0.2.1 check web
				secondary 192.0.2.9
			}
			failover api A {
				primary 192.0.2.1 check again
				secondary 192.0.2.9
			}`,
			`2 info one-check-for-all: all health checks of the block, of 2 names, depend on one endpoint: when check "web" fails, so do all`},
		{"one endpoint behind one name", `failover www A,AAAA {
				primary alias a check tcp://192.0.2.1:80
				secondary alias b
			}
			simple a A 192.0.2.1
			simple a AAAA 2001:db8::1
			simple b A 192.0.2.2
			simple b AAAA 2001:db8::2`, ""},
		{"a single failure", `check a tcp://192.0.2.1:80
			check b tcp://192.0.2.2:80
			check both calculated a b
			check any calculated a b {
				healthy_threshold 1
			}
			weighted www A {
				weight 1 192.0.2.1 check both
				weight 1 192.0.2.2 check a
			}
			weighted api A {
				weight 1 192.0.2.1 check any
				weight 1 192.0.2.2 check both
			}
			failover all A {
				primary alias www evaluate_target_health
				secondary alias www.example.net. evaluate_target_health check a
			}
			alias far A www.example.net. evaluate_target_health
			load_balancer lb {
				zone a 192.0.2.1
				zone b 192.0.2.2
				target_group web {
					check both
					target a 198.51.100.1
					target b 198.51.100.2
				}
			}`,
			`16 info single-failure: nothing in all.example.org. A is healthy when check "a" fails
20 info single-failure: nothing in far.example.org. A is healthy when www.example.net. A has no records
21 info single-failure: nothing in lb.example.org. A is healthy when one of these happens: check "a" fails, check "b" fails`},
	} {
		tt.run(t, lint.Options{Strict: true})
	}
}

// Stanzas and imported record sets are judged alike.
func TestImportedAlike(t *testing.T) {
	stanzas := load(t, `check c tcp://192.0.2.1:80
		failover www A {
			ttl 600
			primary 192.0.2.1 check c
			secondary 192.0.2.1 id x
		}`).Catalog
	want := lint.Check(stanzas, lint.Options{})
	for g := range stanzas.All() {
		for i := range g.Records {
			g.Records[i].Imported = g.Pos != record.Pos{}
		}
	}
	if got := lint.Check(stanzas, lint.Options{}); lines(got) != lines(want) || len(got) != 2 {
		t.Errorf("of imported record sets it finds\n%s\nof stanzas\n%s", lines(got), lines(want))
	}
}
