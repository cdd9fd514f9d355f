package explain

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// example makes the catalog of the examples, of zone example.org.: its first part is that of
// Corefile.example.
type example struct {
	t       testing.TB
	catalog *record.Catalog
	line    int
}

func newExample(t testing.TB) *example {
	x := &example{t: t, catalog: record.NewCatalog([]string{"example.org."})}
	x.catalog.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
	for i, name := range []string{"paris", "london", "tokyo"} {
		x.check(name, fmt.Sprintf("127.0.0.%d", i+1), "/health?token=secret")
	}
	x.catalog.Checks = append(x.catalog.Checks, healthcheck.Check{Name: "majority", Calculated: true, Children: []int{0, 1, 2}, HealthyThreshold: 2})
	x.group(record.Weighted, "www A", "weight=30 id=paris check=paris 192.0.2.1", "weight=20 id=london check=london 192.0.2.2", "weight=50 id=tokyo check=tokyo 192.0.2.3")
	x.group(record.Multivalue, "pool A", "check=paris 192.0.2.1", "check=london 192.0.2.2", "check=tokyo 192.0.2.3")
	x.group(record.Failover, "api A", "tier=1 alias=asia evaluate", "tier=2 alias=europe evaluate")
	x.group(record.Simple, "asia A", "check=tokyo 192.0.2.3")
	x.group(record.Weighted, "europe A", "weight=1 check=paris 192.0.2.1", "weight=1 check=london 192.0.2.2")
	x.group(record.Failover, "shop A", "tier=1 check=majority 192.0.2.10", "tier=2 192.0.2.20")

	x.group(record.Simple, "*.wild A", "192.0.2.40")
	x.group(record.Simple, "a.deep A", "192.0.2.41")
	x.group(record.Simple, "alias CNAME", "www.example.org.")
	x.group(record.Weighted, "mixed CNAME", "weight=1 api.example.org.", "weight=2 cdn.example.net.", "weight=1 nowhere.example.org.")
	x.group(record.Simple, "one CNAME", "two.example.org.")
	x.group(record.Simple, "two CNAME", "one.example.org.")
	x.group(record.Simple, "old DNAME", "example.org.")
	x.group(record.Simple, "sub NS", "ns.sub.example.org., ns.example.net.")
	x.group(record.Simple, "ns.sub A", "192.0.2.53")
	x.group(record.Failover, "site A", "tier=1 alias=lb.example.net. evaluate", "tier=2 alias=missing")
	x.balancer("lb")
	x.group(record.Simple, "app A", "alias=lb evaluate")
	return x
}

func (x *example) check(name, host, path string) {
	c := healthcheck.Check{Name: name, Spec: healthcheck.Defaults(healthcheck.HTTP)}
	c.Spec.Host, c.Spec.Port, c.Spec.Path = host, 80, path
	x.catalog.Checks = append(x.catalog.Checks, c)
}

// group adds a group of record sets such as "weight=1 check=paris 192.0.2.1".
func (x *example) group(policy record.Policy, key string, sets ...string) {
	x.t.Helper()
	x.line += 10
	name, typ, _ := strings.Cut(key, " ")
	g := &record.Group{Key: record.Key{Name: name + ".example.org.", Type: dns.StringToType[typ]}, Policy: policy, Pos: record.Pos{File: "Corefile", Line: x.line}}
	for i, set := range sets {
		r := record.RecordSet{Check: record.NoCheck, Imported: true, Pos: record.Pos{File: "Corefile", Line: x.line + 1 + i}}
		values := ""
		for word := range strings.FieldsSeq(set) {
			what, value, _ := strings.Cut(word, "=")
			switch what {
			case "weight":
				fmt.Sscan(value, &r.Weight)
			case "tier":
				fmt.Sscan(value, &r.Tier)
			case "id":
				r.SetID = value
			case "check":
				for j := range x.catalog.Checks {
					if x.catalog.Checks[j].Name == value {
						r.Check = int32(j)
					}
				}
			case "alias":
				if !strings.HasSuffix(value, ".") {
					value += ".example.org."
				}
				r.Alias = &record.AliasTarget{Name: value}
			case "evaluate":
				r.Alias.EvaluateTargetHealth = true
			default:
				values += word
			}
		}
		for value := range strings.SplitSeq(values, ",") {
			if value == "" {
				continue
			}
			rr, err := dns.NewRR(fmt.Sprintf("%s 60 %s %s", g.Name, typ, value))
			if err != nil {
				x.t.Fatal(err)
			}
			r.Values = append(r.Values, rr)
		}
		g.Records = append(g.Records, r)
	}
	if err := x.catalog.Add(g); err != nil {
		x.t.Fatal(err)
	}
}

// balancer adds the worked example of the guide: two zones with a node each and ten targets
// behind it, both thresholds 50 %.
func (x *example) balancer(name string) {
	half := record.Minimum{Count: 1, Percent: 50}
	b := &record.LoadBalancer{Name: name + ".example.org.", TTL: 60, Zones: []record.BalancerZone{
		{ID: "a", Nodes: []netip.Addr{netip.MustParseAddr("198.51.100.1")}},
		{ID: "b", Nodes: []netip.Addr{netip.MustParseAddr("198.51.100.2")}},
	}}
	g := record.TargetGroup{ID: "web", DNS: half, Routing: half}
	for z := range 2 {
		for i := range 10 {
			addr := netip.AddrFrom4([4]byte{10, 0, byte(z + 1), byte(i + 1)})
			g.Targets = append(g.Targets, record.Target{Zone: z, Addr: addr, Check: int32(len(x.catalog.Checks))})
			x.check("http://"+addr.String()+":80/", addr.String(), "/")
		}
	}
	b.Groups = []record.TargetGroup{g}
	for _, group := range b.RRGroups() {
		if err := x.catalog.Add(group); err != nil {
			x.t.Fatal(err)
		}
	}
}

// model returns a Model in which some words have failed.
func (x *example) model(down ...string) *Model {
	x.t.Helper()
	for _, p := range x.catalog.Validate() {
		if p.Level == record.Refused {
			x.t.Fatal(p.Err)
		}
	}
	m := New(x.catalog)
	for _, word := range down {
		c, err := m.Match(word)
		if err != nil {
			x.t.Fatal(err)
		}
		m.Fail(c)
	}
	return m
}
