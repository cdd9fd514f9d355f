package stanza_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/corefile/stanza"
	"github.com/steerdns/steer/plugin/record"
)

// TestRandomCatalogs writes random catalogs as stanzas, reads them and compares all that both
// decide. What was read is written again: then everything can be said, in the same words.
func TestRandomCatalogs(t *testing.T) {
	catalogs := 400
	if testing.Short() {
		catalogs = 100
	}
	for seed := range catalogs {
		rnd := rand.New(rand.NewPCG(uint64(seed), 2))
		c := randomCatalog(t, rnd)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			roundTrip(t, rnd, c)
			rewrite(t, c)
		})
	}
}

// rewrite writes what was read of a catalog's stanzas.
func rewrite(t *testing.T, c *record.Catalog) {
	t.Helper()
	first, _ := write(t, c, stanza.Options{TTL: 300})
	cfg, err := read(t, c.Zones, "ttl 300\n"+first)
	if err != nil {
		t.Fatal(err)
	}
	second, problems := write(t, cfg.Catalog, stanza.Options{TTL: 300})
	if len(problems) > 0 {
		t.Errorf("a catalog that was read from stanzas cannot be written: %q", problems)
	}
	if want := withoutComments(first); withoutComments(second) != want {
		t.Errorf("is written as\n%s, and when it was read as\n%s", want, second)
	}
}

// withoutComments leaves out comments and empty lines, and the alignment that depends on them.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 && words[0][0] != '#' {
			b.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	return b.String()
}

// growth makes a random catalog.
type growth struct {
	*rand.Rand
	catalog *record.Catalog
	zones   []string
	held    map[uint16][]string // names of groups, by type
	urls    map[string]int      // uses of the names of checks without one
}

func randomCatalog(t *testing.T, rnd *rand.Rand) *record.Catalog {
	t.Helper()
	zones := [][]string{{"example.org."}, {"example.org."}, {"."}, {"example.org.", "example.net."}, {"example.org.", "sub.example.org."}, {`dot\.ted.example.`}}
	g := &growth{Rand: rnd, zones: zones[rnd.IntN(len(zones))], held: make(map[uint16][]string), urls: make(map[string]int)}
	c := record.NewCatalog(g.zones)
	g.catalog = c
	for _, zone := range g.zones {
		c.SOA[zone] = record.DefaultSOA(zone, uint32(now.Unix()))
	}
	g.checks()
	for range 1 + rnd.IntN(14) {
		g.group()
	}
	if rnd.IntN(4) == 0 {
		g.balancer()
	}
	for range rnd.IntN(3) {
		c.Names[g.name()] = struct{}{}
	}
	c.Validate() // what is wrong is left out, since it counts as imported
	return c
}

// pick returns one of some values.
func pick[T any](rnd *rand.Rand, values ...T) T { return values[rnd.IntN(len(values))] }

// name returns a canonical name in a zone.
func (g *growth) name() string {
	zone := pick(g.Rand, g.zones...)
	name := strings.TrimPrefix(zone, ".")
	for n := range g.IntN(4) {
		label := pick(g.Rand, "www", "www", "a", "b", "sub", "check", "alias", "id", "example.org", "example", "1", "10.0.0.1", "_sip._tcp", "*",
			`sp\032ace`, `dot\.ted`, `qu\"ote`, `ha#sh`, `{`, `{$HOME}`, `{%HOME%}`, `\@`, `b\\`, `\255`, `x\010y`, "ttl", "evaluate_target_health", "}", "-", "0/25")
		if label == "*" && n > 0 && g.IntN(4) > 0 {
			label = "w"
		}
		name = label + "." + name
	}
	if g.IntN(6) == 0 {
		name = "*." + name
	}
	canonical, err := record.Canonical(cmp.Or(name, "."))
	if err != nil {
		panic(err)
	}
	return canonical
}

// group adds a group, unless the catalog refuses it.
func (g *growth) group() {
	typ := pick(g.Rand, dns.TypeA, dns.TypeA, dns.TypeA, dns.TypeAAAA, dns.TypeTXT, dns.TypeMX, dns.TypeCNAME, dns.TypeNS, dns.TypeSRV, dns.TypeCAA,
		dns.TypeNAPTR, dns.TypeHTTPS, dns.TypeSPF, dns.TypeTLSA, dns.TypeDS, dns.TypeURI, dns.TypeLOC, dns.TypeHINFO, 65280, dns.TypeDNAME, dns.TypeSOA, dns.TypePTR)
	grp := &record.Group{Key: record.Key{Name: g.name(), Type: typ}, Pos: record.Pos{File: "zone.json", Line: 1}, Policy: record.Policy(g.IntN(4))}
	count := 1
	if grp.Policy != record.Simple {
		count += g.IntN(4)
	}
	ttl := pick(g.Rand, uint32(60), 60, 300, 0, 1<<31-1)
	oneTTL := g.IntN(3) > 0
	aliases := grp.Policy != record.Multivalue && g.IntN(3) == 0
	tiers := g.Perm(5)
	for i := range count {
		r := record.RecordSet{Pos: grp.Pos, Imported: true, Weight: uint16(pick(g.Rand, 0, 1, 2, 100, 65535)), Tier: uint16(tiers[i] + 1), Check: record.NoCheck}
		if g.IntN(3) > 0 {
			r.SetID = pick(g.Rand, "", "s p a c e ", "#", `"quoted"`, "{", "{$HOME}", "check", "ttl", strings.Repeat("x", 129), "ünïcode", `\`, `"\`) + strconv.Itoa(i)
		}
		if n := len(g.catalog.Checks); n > 0 && g.IntN(2) == 0 {
			r.Check = int32(g.IntN(n))
		}
		if !oneTTL {
			ttl = uint32(g.IntN(4)) * 60
		}
		if aliases && g.IntN(5) > 0 {
			r.Alias = &record.AliasTarget{Name: g.target(typ), EvaluateTargetHealth: g.IntN(3) > 0}
		} else {
			values := 1
			if grp.Policy != record.Multivalue {
				values += g.IntN(3)
			}
			for range values {
				rr := g.value(grp.Key)
				rr.Header().Ttl = ttl
				r.Values = append(r.Values, rr)
			}
		}
		grp.Records = append(grp.Records, r)
	}
	if (typ == dns.TypeA || typ == dns.TypeAAAA) && g.IntN(3) == 0 {
		g.ownChecks(grp)
	}
	if g.catalog.Add(grp) != nil {
		return
	}
	g.held[typ] = append(g.held[typ], grp.Name)
	if typ == dns.TypeA && g.IntN(2) == 0 { // an IPv6 twin
		twin := *grp
		twin.Type, twin.Records = dns.TypeAAAA, slices.Clone(grp.Records)
		for i := range twin.Records {
			r := &twin.Records[i]
			if g.IntN(20) == 0 {
				r.Weight++
			}
			if r.Alias == nil {
				rr := g.value(twin.Key)
				rr.Header().Ttl = 60
				r.Values = []dns.RR{rr}
			}
		}
		if g.catalog.Add(&twin) == nil {
			g.held[dns.TypeAAAA] = append(g.held[dns.TypeAAAA], grp.Name)
		}
	}
}

// target returns a name for an alias to point at: one that is held, one outside, or none.
func (g *growth) target(typ uint16) string {
	switch held := g.held[typ]; {
	case len(held) > 0 && g.IntN(10) < 7:
		name := pick(g.Rand, held...)
		if rest, ok := strings.CutPrefix(name, "*."); ok && g.IntN(2) == 0 {
			return "below." + rest
		}
		return name
	case g.IntN(3) == 0:
		return g.name()
	}
	return pick(g.Rand, "lb.example.com.", "10.0.0.1.", "check.", ".", `ha#sh.test.`)
}

// ownChecks gives each record of a group a check of its own address, all alike.
func (g *growth) ownChecks(grp *record.Group) {
	check := healthcheck.Check{Spec: g.spec(), Invert: g.IntN(4) == 0, Disabled: g.IntN(6) == 0}
	check.Spec.Family, check.Spec.Networks = healthcheck.IPv4, ""
	for i := range grp.Records {
		r := &grp.Records[i]
		if r.Alias != nil || len(r.Values) != 1 {
			continue
		}
		one := check
		one.Spec.Host = data(r.Values[0])
		if one.Spec.HostHeader == "" {
			one.Spec.ServerName = ""
		}
		r.Check = g.unnamed(one)
	}
}

// unnamed adds a check that is called by its URL.
func (g *growth) unnamed(check healthcheck.Check) int32 {
	same := func(c healthcheck.Check) bool {
		return c.Spec == check.Spec && c.Invert == check.Invert && c.Disabled == check.Disabled
	}
	if i := slices.IndexFunc(g.catalog.Checks, same); i >= 0 {
		return int32(i)
	}
	path, _, _ := strings.Cut(check.Spec.Path, "?")
	check.Name = fmt.Sprintf("%s://%s:%d%s", check.Spec.Kind, check.Spec.Host, check.Spec.Port, path)
	if g.urls[check.Name]++; g.urls[check.Name] > 1 {
		check.Name += fmt.Sprintf(" (%d)", g.urls[check.Name])
	}
	g.catalog.Checks = append(g.catalog.Checks, check)
	return int32(len(g.catalog.Checks) - 1)
}

// checks adds checks of every kind.
func (g *growth) checks() {
	for i := range g.IntN(7) {
		name := pick(g.Rand, "web", "00000011-aaaa-4bbb-8ccc-000000000011", "a b", "{", "{$X}", "calculated", "ünï", "check", "#1", `"`, "") + strconv.Itoa(i)
		check := healthcheck.Check{Name: name, Spec: g.spec(), Invert: g.IntN(4) == 0, Disabled: g.IntN(6) == 0}
		switch g.IntN(8) {
		case 0:
			check.Spec, check.Fixed, check.FixedStatus = healthcheck.Spec{}, true, healthcheck.Status(g.IntN(2))
		case 1, 2:
			check.Spec, check.Calculated = healthcheck.Spec{}, true
			for child := range g.catalog.Checks {
				if !g.catalog.Checks[child].Calculated && g.IntN(2) == 0 {
					check.Children = append(check.Children, child)
				}
			}
			check.HealthyThreshold = g.IntN(4)
			if g.IntN(2) == 0 {
				check.HealthyThreshold = len(check.Children)
			}
		case 3, 4:
			g.unnamed(healthcheck.Check{Spec: check.Spec, Invert: check.Invert, Disabled: check.Disabled})
			continue
		}
		g.catalog.Checks = append(g.catalog.Checks, check)
	}
}

// spec returns what a check probes: mostly all but a few settings are the usual ones.
func (g *growth) spec() healthcheck.Spec {
	kind := healthcheck.Kind(g.IntN(3))
	s := healthcheck.Defaults(kind)
	s.Host = pick(g.Rand, "192.0.2.1", "192.0.2.2", "2001:db8::1", "www.example.com", "WWW.Example.com", "foo.123", "a_b.test", "st*r.test")
	s.Port = pick(g.Rand, uint16(80), 443, 8080, 1, 65535)
	odd := func() bool { return g.IntN(8) == 0 }
	if odd() {
		s.Interval = pick(g.Rand, time.Second, 10*time.Second, time.Minute, 90*time.Second, 24*time.Hour, 1500*time.Millisecond)
		s.Recheck = s.Interval
	}
	if odd() {
		s.Recheck = pick(g.Rand, s.Interval, time.Second, s.Interval-time.Millisecond)
	}
	if odd() {
		s.ConnectTimeout = pick(g.Rand, time.Millisecond, time.Minute, 10*time.Second)
	}
	if odd() {
		s.Rise = pick(g.Rand, uint8(1), 10)
	}
	if odd() {
		s.Fall = pick(g.Rand, uint8(1), 10, s.Rise)
	}
	if odd() {
		s.Networks = healthcheck.NotLinkLocal
	}
	if _, err := netip.ParseAddr(s.Host); err != nil && odd() {
		s.Family = healthcheck.Family(g.IntN(3))
	}
	if kind == healthcheck.TCP {
		return s
	}
	if odd() {
		s.Path = pick(g.Rand, "/healthz", "/a?b=c&d=%20", "/a@b", "/#x", "/{$HOME}", "/100%", `/"q"`, "/a?x@y", "/%ZZ", "//")
	}
	if odd() {
		s.ResponseTimeout = pick(g.Rand, time.Millisecond, time.Minute, 10*time.Second)
	}
	if odd() {
		s.HostHeader = pick(g.Rand, "www.example.org", "WWW.example.org", "www.example.org:8080", "192.0.2.9", "off", "foo.123")
	}
	if odd() {
		s.Search = pick(g.Rand, "ok", `{"status":"ok"}`, "{", "{$HOME}", `\"`, `a\"b c`, "two\nlines", " ", "#", `\`, `c:\ d\`, "ünï", strings.Repeat("x", 255))
	}
	if odd() && s.Search == "" {
		s.Method = "HEAD"
	}
	if odd() {
		s.Statuses = pick(g.Rand, "200", "200-299,404", "101,200-599")
	}
	if odd() {
		s.Headers = pick(g.Rand, "X-A: 1\r\n", "Authorization: Bearer \"a b\"\r\nX-B: #\r\n", "X-C: {\r\n", "X-C: \r\n")
	}
	if kind == healthcheck.HTTPS {
		if odd() {
			s.ServerName = pick(g.Rand, "www.example.org", "SNI.example.org", "off", "foo.123")
		}
		s.Verify = odd()
		if g.IntN(30) == 0 {
			s.CAs = "PEM"
		}
	}
	return s
}

// value returns an RR of the key.
func (g *growth) value(k record.Key) dns.RR {
	host := pick(g.Rand, "mail.example.org.", "x.", ".", `ha#sh.example.`, `sp\032ace.example.`, "MiXed.example.")
	text := ""
	switch k.Type {
	case dns.TypeA:
		text = fmt.Sprintf("192.0.2.%d", 1+g.IntN(40))
	case dns.TypeAAAA:
		text = fmt.Sprintf("2001:db8::%x", 1+g.IntN(40))
	case dns.TypeTXT, dns.TypeSPF:
		return g.text(k)
	case dns.TypeMX:
		text = fmt.Sprintf("%d %s", g.IntN(3)*10, host)
	case dns.TypeCNAME, dns.TypeNS, dns.TypeDNAME, dns.TypePTR:
		text = host
	case dns.TypeSRV:
		text = fmt.Sprintf("1 2 %d %s", g.IntN(4), host)
	case dns.TypeCAA:
		text = pick(g.Rand, `0 issue "ca.example.net"`, `0 issue ";"`, `128 tbs "a\"b c"`, `0 iodef "mailto:a@b"`, `0 x "{$HOME}"`)
	case dns.TypeNAPTR:
		text = pick(g.Rand, `100 10 "U" "E2U+sip" "!^.*$!sip:info@example.org!" .`, `1 1 "" "" "!^(\\+1)$!\\1!" `+host)
	case dns.TypeHTTPS:
		text = pick(g.Rand, "1 . alpn=h2,h3", `0 svc.example.`, `1 . alpn="h\\,2" port=8443 ipv4hint=192.0.2.1`, `1 . key65000="a#b {$HOME}\"x"`)
	case dns.TypeTLSA:
		text = pick(g.Rand, "3 1 1 0a0b", "3 1 1 ff")
	case dns.TypeDS:
		text = fmt.Sprintf("%d 8 2 0A0B", g.IntN(4))
	case dns.TypeURI:
		text = pick(g.Rand, `1 1 "ftp://x/#a"`, `1 1 "a\"b"`, `1 1 "{$HOME}"`)
	case dns.TypeLOC:
		text = "52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m"
	case dns.TypeHINFO:
		text = pick(g.Rand, `"a" "b c"`, `"#" "\""`)
	case dns.TypeSOA:
		text = "ns1.example.org. hostmaster.example.org. 7 7200 900 1209600 60"
	default:
		text = pick(g.Rand, `\# 4 0A000001`, `\# 0`, `\# 1 FF`)
	}
	rr, _, err := record.ParseValue(k, 0, ".", text)
	if err != nil {
		panic(fmt.Sprint(k, text, err))
	}
	return rr
}

// text returns a TXT record of strings that the lexer or the zone parser may trip over.
func (g *growth) text(k record.Key) dns.RR {
	var strs []string
	for range 1 + g.IntN(3) {
		strs = append(strs, pick(g.Rand, "", "id", "check", "alias", "{", "}", "v=spf1 -all", "a;b", "#", "{$HOME}", "{%HOME%}", `say "x"`, `\`, `a\b`, `\"`, "ünï", "\x00\xff\n",
			"$ORIGIN", "\\# 1 FF", " lead", "trail ", strings.Repeat("k", 255), strings.Repeat("ü", 127)+"k", "(", "@", "\u2028", "\t", "import"))
	}
	return textRR(k, strs)
}

// textRR returns a TXT or SPF record of strings of bytes.
func textRR(k record.Key, strs []string) dns.RR {
	value := ""
	for _, s := range strs {
		value += ` "`
		for i := range len(s) {
			value += fmt.Sprintf(`\%03d`, s[i])
		}
		value += `"`
	}
	rr, _, err := record.ParseValue(k, 0, ".", value)
	if err != nil {
		panic(fmt.Sprint(value, err))
	}
	return rr
}

// balancer adds a load balancer whose target groups have one check each, or one for each
// target.
func (g *growth) balancer() {
	minimums := []record.Minimum{{Count: 1}, {Count: 2}, {Count: 1, Percent: 50}, {Count: 2, Percent: 67}, {Percent: 50}, {}}
	for range 20 {
		b := &record.LoadBalancer{Name: g.name(), Pos: record.Pos{File: "Corefile", Line: 1}, TTL: pick(g.Rand, uint32(60), 10), CrossZone: g.IntN(2) == 0}
		number := 0
		addr := func() netip.Addr {
			if number++; g.IntN(4) == 0 {
				return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 15: byte(number)})
			}
			return netip.AddrFrom4([4]byte{198, 51, 100, byte(number)})
		}
		for z := range 1 + g.IntN(3) {
			zone := record.BalancerZone{ID: fmt.Sprint(pick(g.Rand, "z", "check", "#", `"`), z)}
			for range g.IntN(3) {
				zone.Nodes = append(zone.Nodes, addr())
			}
			b.Zones = append(b.Zones, zone)
		}
		for i := range g.IntN(3) {
			group := record.TargetGroup{ID: fmt.Sprint(i), DNS: pick(g.Rand, minimums...), Routing: pick(g.Rand, minimums[:5]...)}
			check := healthcheck.Check{Spec: g.spec()}
			check.Spec.Family, check.Spec.Networks = healthcheck.IPv4, ""
			named := len(g.catalog.Checks) > 0 && g.IntN(2) == 0
			index := 0
			if named {
				index = g.IntN(len(g.catalog.Checks))
			}
			for range g.IntN(5) {
				target := record.Target{Zone: g.IntN(len(b.Zones)), Addr: addr(), Check: int32(index)}
				if !named {
					one := check
					one.Spec.Host = target.Addr.String()
					if one.Spec.HostHeader == "" {
						one.Spec.ServerName = ""
					}
					target.Check = g.unnamed(one)
				}
				group.Targets = append(group.Targets, target)
			}
			b.Groups = append(b.Groups, group)
		}
		groups := b.RRGroups()
		if g.catalog.Groups[groups[1].Key] != nil || g.catalog.Add(groups[0]) != nil {
			continue
		}
		if err := g.catalog.Add(groups[1]); err != nil {
			panic(err)
		}
		return
	}
}
