package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// matcher has checks of many kinds: two share a probe, one is inverted, one has an IPv6
// endpoint, one an endpoint given by name.
func matcher(t *testing.T) *Model {
	x := newExample(t)
	x.check("paris-too", "127.0.0.1", "/health?token=secret")
	add := func(name string, kind healthcheck.Kind, host string, port uint16, edit func(*healthcheck.Check)) {
		c := healthcheck.Check{Name: name, Spec: healthcheck.Defaults(kind)}
		c.Spec.Host, c.Spec.Port = host, port
		edit(&c)
		x.catalog.Checks = append(x.catalog.Checks, c)
	}
	none := func(*healthcheck.Check) {}
	add("closed", healthcheck.TCP, "192.0.2.7", 25, func(c *healthcheck.Check) { c.Invert = true })
	add("six", healthcheck.HTTPS, "2001:db8::1", 443, none)
	add("named", healthcheck.HTTPS, "web.example.net", 443, none)
	add("Named", healthcheck.TCP, "192.0.2.8", 25, none)
	add("paused", healthcheck.TCP, "192.0.2.9", 25, func(c *healthcheck.Check) { c.Disabled = true })
	return x.model()
}

func TestMatch(t *testing.T) {
	tests := []struct {
		word string
		kind Kind
		want string // what becomes unhealthy, or healthy with a !; external targets by name
	}{
		{"tokyo", CheckKind, "tokyo"},
		{"paris", CheckKind, "paris paris-too"}, // they share a probe
		{"majority", CheckKind, "majority"},
		{"paused", CheckKind, "paused"},
		{"closed", CheckKind, ""},                    // it is unhealthy while its probe passes
		{"tcp://192.0.2.7:25", CheckKind, "closed!"}, // nothing is there, which is what it wants
		{"192.0.2.7", AddressKind, "closed!"},
		{"named", CheckKind, "named"},
		{"Named", CheckKind, "Named"},
		{"TOKYO", CheckKind, "tokyo"},
		{"http://127.0.0.3/health", CheckKind, "tokyo"},
		{"http://127.0.0.3:80/health?token=other", CheckKind, "tokyo"},
		{"HTTP://127.0.0.3/health", CheckKind, "tokyo"},
		{"https://[2001:db8::1]/", CheckKind, "six"},
		{"https://web.example.net/", CheckKind, "named"},
		{"2001:DB8:0::1", AddressKind, "six"},
		{"web.example.net", AddressKind, "named"},
		{"127.0.0.3", AddressKind, "tokyo"},
		{"127.0.0.2/31", PatternKind, "london tokyo majority"},
		{"10.0.1.0/29", PatternKind, "http://10.0.1.1:80/ http://10.0.1.2:80/ http://10.0.1.3:80/ http://10.0.1.4:80/ http://10.0.1.5:80/ http://10.0.1.6:80/ http://10.0.1.7:80/"},
		{"2001:db8::/32", PatternKind, "six"},
		{"lb/a", ZoneKind, lines("http://10.0.1.%d:80/", 10)},
		{"lb.example.org/b", ZoneKind, lines("http://10.0.2.%d:80/", 10)},
		{"LB.example.org./b", ZoneKind, lines("http://10.0.2.%d:80/", 10)},
		{"lb/*", PatternKind, lines("http://10.0.1.%d:80/", 10) + " " + lines("http://10.0.2.%d:80/", 10)},
		{"lb.example.net", ExternalKind, "lb.example.net."},
		{"t*o", PatternKind, "tokyo"},
		{"*closed*", PatternKind, ""},
		{"*:25", PatternKind, "closed! Named"},
		{"*.0.2.?0", PatternKind, "http://10.0.2.10:80/"},
		{"nam??", PatternKind, "named Named"},
		{"http://127.0.0.?:80/*", PatternKind, "paris london tokyo majority paris-too"},
	}
	for _, tt := range tests {
		m := matcher(t)
		c, err := m.Match(tt.word)
		if err != nil {
			t.Errorf("%s: %v", tt.word, err)
			continue
		}
		before := slices.Clone(m.health.reports)
		_, back := m.turn(c.fails(m, true), ignore)
		var got []string
		for i, now := range m.health.reports {
			switch name := m.checks[i].Name; {
			case now == before[i]:
			case now == healthcheck.Healthy:
				got = append(got, name+"!")
			default:
				got = append(got, name)
			}
		}
		for i, e := range m.table.Externals() {
			if !m.table.ExternalHealthy(i) {
				got = append(got, e.Name)
			}
		}
		m.turn(back, ignore)
		if c.Kind != tt.kind || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %s %v, want %s %s", tt.word, c.Kind, got, tt.kind, tt.want)
		}
	}
}

// TestMatchRecovers: what failed is healthy again when it recovers, whatever it reports.
func TestMatchRecovers(t *testing.T) {
	m := matcher(t)
	for _, word := range []string{"closed", "majority", "paris", "paused"} {
		c, err := m.Match(word)
		if err != nil {
			t.Fatal(err)
		}
		m.Fail(c)
		i := slices.IndexFunc(m.checks, func(c healthcheck.Check) bool { return c.Name == word })
		if m.health.reports[i] != healthcheck.Unhealthy {
			t.Errorf("%s is healthy although it failed", word)
		}
		m.Recover(c)
		if m.health.reports[i] != healthcheck.Healthy {
			t.Errorf("%s is unhealthy although it recovered", word)
		}
	}
}

func lines(format string, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(format, i+1))
	}
	return strings.Join(list, " ")
}

func TestMatchErrors(t *testing.T) {
	tests := []struct{ word, want string }{
		{"", `"" names nothing; write a check, an address, a CIDR or LOAD-BALANCER/ZONE`},
		{"tokio", `"tokio" names no check, endpoint, zone of a load balancer or target held elsewhere; the closest are "tokyo", "paris", "london"`},
		{"lb/c", `"lb/c" names no check, endpoint, zone of a load balancer or target held elsewhere; the closest are "lb.example.org./a", "lb.example.org./b", "six"`},
		{"toronto*", `"toronto*" matches no check, endpoint, zone of a load balancer or target held elsewhere; the closest are "london", "tokyo", "paris-too"`},
		{"172.16.0.0/12", `no check probes an address in 172.16.0.0/12; the closest are "127.0.0.1", "127.0.0.2", "127.0.0.3"`},
		{"192.0.2.40", `no check probes 192.0.2.40, which *.wild.example.org. A answers with: its failure would go unnoticed; the closest are "192.0.2.7", "192.0.2.8", "10.0.2.4"`},
	}
	for _, tt := range tests {
		if c, err := matcher(t).Match(tt.word); err == nil || err.Error() != tt.want {
			t.Errorf("%q: %v and %v, want error\n%s", tt.word, c, err, tt.want)
		}
	}
	c := record.NewCatalog([]string{"example.org."})
	c.Validate()
	if _, err := New(c).Match("x"); err == nil || !strings.HasSuffix(err.Error(), "; this block has none of them") {
		t.Errorf("a block without checks: %v", err)
	}
}

// TestZoneWithoutProbesOfItsOwn: a zone whose targets share their check with other zones
// cannot be told to fail.
func TestZoneWithoutProbesOfItsOwn(t *testing.T) {
	x := newExample(t)
	g := x.catalog.Groups[record.Key{Name: "lb.example.org.", Type: dns.TypeA}]
	for i := range g.Balancer.Groups[0].Targets {
		g.Balancer.Groups[0].Targets[i].Check = 0
	}
	m := x.model()
	if c, err := m.Match("lb/a"); err == nil {
		t.Errorf("%v, want an error", c)
	}
	if causes := m.Each(ZoneKind); len(causes) > 0 {
		t.Errorf("zones %v, want none", causes)
	}
}

func TestEach(t *testing.T) {
	m := matcher(t)
	names := func(kind Kind) string {
		var list []string
		for _, c := range m.Each(kind) {
			if !strings.Contains(c.Names[0], "10.0.") {
				list = append(list, strings.Join(c.Names, "+"))
			}
		}
		return strings.Join(list, " ")
	}
	for _, tt := range []struct {
		kind Kind
		want string
	}{
		{CheckKind, "Named closed london named paris+paris-too six tokyo"},
		{AddressKind, "127.0.0.1 127.0.0.2 127.0.0.3 192.0.2.7 192.0.2.8 2001:db8::1 web.example.net"},
		{ZoneKind, "lb.example.org./a lb.example.org./b"},
	} {
		if got := names(tt.kind); got != tt.want {
			t.Errorf("%ss: %s, want %s", tt.kind, got, tt.want)
		}
	}
}

func TestGlob(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"*", "", true},
		{"a*", "a", true},
		{"a*c", "abbbc", true},
		{"a*c", "abbb", false},
		{"*b*", "abc", true},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"*ab", "aab", true},
		{"*a*b*c", "xaybzcac", true},
		{"", "", true},
		{"", "a", false},
		{"a**", "abc", true},
	}
	for _, tt := range tests {
		if got := glob(tt.pattern, tt.name); got != tt.want {
			t.Errorf("%q and %q: %t", tt.pattern, tt.name, got)
		}
	}
}
