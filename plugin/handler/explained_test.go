package handler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/explain"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// explained is a catalog that is both served and explained.
type explained struct {
	*rand.Rand
	catalog *record.Catalog
	handler *handler.Handler
	server  *dnsserver.Server
	model   *explain.Model
	names   []string
}

// marked answers for what is held elsewhere, so that it can be told: with the question in
// a TXT record.
type marked struct{}

func (marked) Name() string { return "marked" }

func (marked) ServeDNS(_ context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	m := new(dns.Msg)
	m.SetReply(r)
	q := r.Question[0]
	m.Answer = []dns.RR{&dns.TXT{Hdr: dns.RR_Header{Name: "marked.", Rrtype: dns.TypeTXT, Class: dns.ClassINET}, Txt: []string{strings.ToLower(q.Name), dns.Type(q.Qtype).String()}}}
	w.WriteMsg(m)
	return dns.RcodeSuccess, nil
}

func newExplained(t *testing.T, rnd *rand.Rand) *explained {
	w := &explained{Rand: rnd, catalog: record.NewCatalog([]string{"example.org.", "in.a.example.org."}[:1+rnd.IntN(2)])}
	for i := range 5 {
		w.catalog.Checks = append(w.catalog.Checks, healthcheck.Check{Name: fmt.Sprint(i), Spec: healthcheck.Spec{Port: uint16(i + 1)}})
	}
	for _, z := range w.catalog.Zones {
		w.catalog.SOA[z] = record.DefaultSOA(z, 1)
		w.catalog.SOA[z].Minttl = uint32(10 + rnd.IntN(50))
	}
	if rnd.IntN(3) == 0 {
		in := w.name()
		w.catalog.Fallthrough = func(name string) bool { return dns.IsSubDomain(in, name) }
	}
	if rnd.IntN(3) == 0 {
		in := w.name()
		w.catalog.FallthroughTypes = func(name string) bool { return dns.IsSubDomain(in, name) }
	}
	for range 4 + rnd.IntN(14) {
		w.group()
	}
	if rnd.IntN(3) == 0 {
		w.balancer()
	}
	for _, p := range w.catalog.Validate() {
		if p.Level == record.Refused {
			t.Fatal(p.Err)
		}
	}
	statuses := make([]healthcheck.Status, len(w.catalog.Checks))
	for i := range statuses {
		statuses[i] = healthcheck.Status(rnd.IntN(2))
	}
	data, table := handler.NewSnapshot(w.catalog, statuses), routing.NewTable(w.catalog, statuses)
	var changes []routing.ExternalChange
	for i, e := range data.Externals() {
		r := routing.Resolution{}
		if rnd.IntN(3) > 0 {
			r.RRs = []dns.RR{w.value(e.Key.Name, e.Key.Type)}
		} else {
			changes = append(changes, routing.ExternalChange{External: i})
		}
		e.Set(r)
		table.Externals()[i].Set(r)
	}
	data.Update(nil, changes)
	table.Update(nil, changes, func(int, *routing.Selection) {})
	w.handler, w.model = handler.New(data), explain.Of(table)
	w.handler.Next, w.handler.Metadata = marked{}, true
	w.server = newServer(t, "dns://:53", map[string]plugin.Handler{".": marked{}})
	return w
}

var labels = []string{"a", "b", "c", "*", "in"}

// name is a name in the zone, which exists more often than not.
func (w *explained) name() string {
	if len(w.names) > 0 && w.IntN(3) == 0 {
		return w.names[w.IntN(len(w.names))]
	}
	name := "example.org."
	for range w.IntN(4) {
		name = labels[w.IntN(len(labels))] + "." + name
	}
	if w.IntN(20) == 0 {
		name = strings.Repeat(strings.Repeat("x", 60)+".", 3) + name // a DNAME makes it too long
	}
	w.names = append(w.names, name)
	return name
}

// target is a name that may lie elsewhere.
func (w *explained) target() string {
	name := w.name()
	switch w.IntN(12) {
	case 0:
		return "out.test."
	case 1:
		name = "x." + name
	case 2:
		name = strings.Repeat("y", 60) + "." + name
	}
	if _, ok := dns.IsDomainName(name); !ok {
		return "out.test."
	}
	return name
}

var types = []uint16{
	dns.TypeA, dns.TypeA, dns.TypeA, dns.TypeAAAA, dns.TypeTXT, dns.TypeCNAME, dns.TypeCNAME, dns.TypeCNAME,
	dns.TypeDNAME, dns.TypeNS, dns.TypeDS, 65280,
}

func (w *explained) value(name string, typ uint16) dns.RR {
	data := ""
	switch typ {
	case dns.TypeA:
		data = fmt.Sprintf("192.0.2.%d", w.IntN(256))
	case dns.TypeAAAA:
		data = fmt.Sprintf("2001:db8::%x", 1+w.IntN(255))
	case dns.TypeTXT:
		data = fmt.Sprintf(`"%d"`, w.IntN(100))
	case dns.TypeDS:
		data = fmt.Sprintf("%d 8 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", w.IntN(100))
	case 65280:
		data = fmt.Sprintf(`\# 1 %02x`, w.IntN(256))
	default:
		data = w.target()
	}
	rr, err := dns.NewRR(fmt.Sprintf("%s %d %s %s", name, 1+w.IntN(3), dns.Type(typ), data))
	if err != nil {
		panic(err)
	}
	return rr
}

// group adds a group, unless it cannot stand beside the others.
func (w *explained) group() {
	g := &record.Group{Key: record.Key{Name: w.name(), Type: types[w.IntN(len(types))]}, Policy: record.Policy(w.IntN(4))}
	count := 1 + w.IntN(3)
	if g.Policy == record.Simple {
		count = 1
	}
	tiers := w.Perm(4)
	for i := range count {
		r := record.RecordSet{Imported: true, SetID: fmt.Sprint(i), Weight: uint16(w.IntN(3)), Tier: uint16(tiers[i] + 1), Check: int32(w.IntN(len(w.catalog.Checks)+3)) - 3}
		r.Check = max(r.Check, record.NoCheck)
		if w.IntN(3) == 0 && g.Policy != record.Multivalue {
			r.Alias = &record.AliasTarget{Name: w.target(), EvaluateTargetHealth: w.IntN(2) == 0}
		} else {
			r.Values = []dns.RR{w.value(g.Name, g.Type)}
			if other := w.value(g.Name, g.Type); w.IntN(3) == 0 && !dns.IsDuplicate(other, r.Values[0]) {
				r.Values = append(r.Values, other)
			}
		}
		g.Records = append(g.Records, r)
	}
	_ = w.catalog.Add(g) // what cannot stand there is left out
}

// balancer adds a load balancer of few addresses.
func (w *explained) balancer() {
	b := &record.LoadBalancer{Name: w.name(), TTL: uint32(1 + w.IntN(3)), CrossZone: w.IntN(2) == 0}
	group := record.TargetGroup{ID: "g", DNS: record.Minimum{Count: 1 + w.IntN(2)}, Routing: record.Minimum{Count: 1}}
	number := byte(1)
	for z := range 1 + w.IntN(2) {
		zone := record.BalancerZone{ID: fmt.Sprint(z)}
		if w.IntN(2) == 0 {
			zone.Nodes = append(zone.Nodes, netip.AddrFrom4([4]byte{198, 51, 100, number}))
			number++
		}
		b.Zones = append(b.Zones, zone)
		for range w.IntN(3) {
			group.Targets = append(group.Targets, record.Target{Zone: z, Addr: netip.AddrFrom4([4]byte{198, 51, 100, number}), Check: int32(w.IntN(5))})
			number++
		}
	}
	b.Groups = []record.TargetGroup{group}
	for _, g := range b.RRGroups() {
		if w.catalog.Allows(g.Key, g.Pos) != nil || w.catalog.Groups[g.Key] != nil {
			return
		}
	}
	for _, g := range b.RRGroups() {
		_ = w.catalog.Add(g)
	}
}

// question is a name that is held or near one that is, and a type.
func (w *explained) question() (string, uint16) {
	name := w.name()
	switch w.IntN(6) {
	case 0:
		name = "x." + name
	case 1:
		name = "x.y." + name
	case 2:
		name, _ = record.Parent(name)
	case 3:
		name = strings.ToUpper(name)
	}
	more := []uint16{dns.TypeANY, dns.TypeAXFR, dns.TypeSOA, dns.TypeMX, dns.TypeA}
	if i := w.IntN(len(types) + len(more)); i < len(more) {
		return name, more[i]
	} else {
		return name, types[i-len(more)]
	}
}
