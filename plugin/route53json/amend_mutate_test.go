package route53json_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// mutate makes a change of the kinds that come up, most of them such as can be amended.
func (z *randomZone) mutate() {
	s := z.one()
	if s.members["Type"] == `"NS"` && z.IntN(10) > 0 {
		return
	}
	m := s.members
	switch n := z.IntN(100); {
	case n < 22:
		if m["DNSName"] != "" {
			m["DNSName"] = z.target(s)
		} else {
			m["ResourceRecords"] = "[" + z.value(s) + "]"
		}
	case n < 32:
		if m["Weight"] != "" {
			m["Weight"] = z.pick("0", "1", "3", "10", "255")
		}
	case n < 40:
		ttl := z.pick("30", "60", "120")
		for _, s := range z.siblings(s) {
			if s.members["TTL"] != "" {
				s.members["TTL"] = ttl
			}
		}
	case n < 42:
		m["TTL"] = z.pick("30", "60", "400")
	case n < 50:
		if m["SetIdentifier"] != "" {
			m["SetIdentifier"] = fmt.Sprintf(`"m%d"`, z.next())
		}
	case n < 60:
		if m["Weight"] != "" || m["MultiValueAnswer"] != "" {
			s := &zoneSet{members: maps.Clone(m)}
			s.members["SetIdentifier"] = fmt.Sprintf(`"m%d"`, z.next())
			z.answer(s)
			z.put(s)
		}
	case n < 66:
		if all := z.siblings(s); len(all) > 1 && z.IntN(len(all)) > 0 {
			z.drop(s)
		}
	case n < 71:
		policy := z.pick("Weight", "Failover", "MultiValueAnswer")
		for i, s := range z.siblings(s) {
			z.route(s, policy, i)
		}
	case n < 76:
		m["HealthCheckId"] = z.check()
	case n < 78:
		delete(m, "HealthCheckId")
	case n < 84:
		z.drop(s)
		z.put(s)
	case n < 89:
		s.gap = z.pick("", "\n", "  ", "\n\n\t")
	case n < 92:
		m["HostedZoneId"] = z.pick(`"Z1"`, `"Z2"`)
	case n < 93:
		z.answer(s)
	case n < 94:
		z.spoil(s)
	case n < 97:
		z.group(z.pick("b", "d", "f", "n1", "n2", "x.n1", "x.y.n2"), z.pick("A", "A", "AAAA", "TXT"), 2)
	default:
		z.rarity(s)
	}
}

// rarity makes a change that takes a load, or drops a group.
func (z *randomZone) rarity(s *zoneSet) {
	switch z.IntN(8) {
	case 0:
		z.group(z.pick("*.n1", "n3", "example.com"), z.pick("A", "CNAME"), 2)
	case 1:
		z.ports[z.IntN(len(z.ports))]++
	case 2:
		z.change = z.pick("", change("UPSERT", set("a.example.com", "192.0.2.1")), change("DELETE", set("b.example.com", "192.0.2.1")))
	case 3:
		s.members["Type"] = z.pick(`"A"`, `"AAAA"`)
	default:
		if !s.is("a") {
			for _, s := range z.siblings(s) {
				z.drop(s)
			}
		}
	}
}

// spoil makes something of a record set that is noted, as a rule.
func (z *randomZone) spoil(s *zoneSet) {
	m := s.members
	switch z.IntN(14) {
	case 0:
		m["TTL"] = `"60"`
	case 1:
		delete(m, "TTL")
	case 2:
		m["ResourceRecords"] = `[{"Value": "what is this"}]`
	case 3:
		v := z.value(s)
		m["ResourceRecords"] = "[" + v + ", " + v + "]"
	case 4:
		m["ResourceRecords"] = "[" + z.value(s) + ", " + z.value(s) + "]"
	case 5:
		m["Type"] = strings.NewReplacer(`"A`, `" a`).Replace(m["Type"])
	case 6:
		z.put(&zoneSet{members: maps.Clone(m)})
	case 7:
		m["Region"] = z.pick(`"eu-west-1"`, `""`)
	case 8:
		delete(m, "SetIdentifier")
	case 9:
		delete(m, "EvaluateTargetHealth")
	case 10:
		m["SetIdentifier"] = `"odd"`
	case 11:
		m["Weight"] = `"7"`
	case 12:
		if len(z.files) == 1 { // the place of what is said of it is where it is named first
			m["HealthCheckId"] = `"none"`
		}
	case 13:
		m["Name"] = strings.ToUpper(m["Name"])
	}
}

// write writes the files and returns their names.
func (z *randomZone) write(t *testing.T) []string {
	t.Helper()
	var paths []string
	for i, sets := range z.files {
		var b strings.Builder
		b.WriteString(`{"ResourceRecordSets": [`)
		for i, s := range sets {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString("\n" + s.gap)
			s.write(&b)
		}
		b.WriteString("\n]}\n")
		if i == len(z.files)-1 {
			z.writeChecks(&b)
			b.WriteString(z.change)
		}
		path := fmt.Sprintf("%d.json", i+1)
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func (s *zoneSet) write(b *strings.Builder) {
	var members, alias []string
	for _, k := range slices.Sorted(maps.Keys(s.members)) {
		member := fmt.Sprintf("%q: %s", k, s.members[k])
		switch k {
		case "DNSName", "EvaluateTargetHealth":
			alias = append(alias, member)
		default:
			members = append(members, member)
		}
	}
	if s.members["DNSName"] != "" {
		members = append(members, `"AliasTarget": {`+strings.Join(alias, ", ")+"}")
	}
	b.WriteString("{" + strings.Join(members, ", ") + "}")
}

// writeChecks writes the health checks. hc3 probes what the first name answers.
func (z *randomZone) writeChecks(b *strings.Builder) {
	hosts := []string{`"IPAddress": "192.0.2.1"`, `"IPAddress": "192.0.2.2"`, `"IPAddress": "192.0.2.3"`, `"FullyQualifiedDomainName": "a.example.com"`}
	checks := []string{config("sum", `"Type": "CALCULATED", "ChildHealthChecks": ["hc0", "hc2"], "HealthThreshold": 1`)}
	for i, port := range z.ports {
		checks = append(checks, config(fmt.Sprintf("hc%d", i), fmt.Sprintf(`"Type": "TCP", "Port": %d, %s`, port, hosts[i])))
	}
	fmt.Fprintf(b, `{"HealthChecks": [%s]}`+"\n", strings.Join(checks, ",\n"))
}

// stanzas adds what the block has beside its files.
func (z *randomZone) stanzas(c *record.Catalog) error {
	if !z.stanza {
		return nil
	}
	c.Checks = append(c.Checks, healthcheck.Check{Name: "own", Spec: spec(healthcheck.TCP, "192.0.2.9", 443, nil)})
	return c.Add(&record.Group{
		Key: record.Key{Name: "stanza.example.com.", Type: dns.TypeA}, Pos: record.Pos{File: "Corefile", Line: 4}, Policy: record.Weighted,
		Records: []record.RecordSet{
			{Weight: 1, Check: 0, Alias: &record.AliasTarget{Name: "a.example.com.", EvaluateTargetHealth: true}},
			{Weight: 2, Check: record.NoCheck, Alias: &record.AliasTarget{Name: "lb.example.net.", EvaluateTargetHealth: true}},
		},
	})
}
