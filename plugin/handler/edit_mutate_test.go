package handler_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// mutate makes a change of the kinds that come up, most of them such as can be edited.
func (z *randomZone) mutate() {
	s := z.one()
	m := s.members
	if m["Type"] == `"NS"` && z.IntN(10) > 0 {
		return
	}
	switch n := z.IntN(100); {
	case n < 24:
		if m["AliasTarget"] != "" {
			m["AliasTarget"] = z.target(s)
		} else {
			m["ResourceRecords"] = "[" + z.value(s) + "]"
		}
	case n < 32:
		if m["Weight"] != "" {
			m["Weight"] = z.pick("0", "1", "3", "10", "255")
		}
	case n < 40:
		ttl := z.pick("30", "60", "400")
		for _, s := range z.siblings(s) {
			if s.members["TTL"] != "" {
				s.members["TTL"] = ttl
			}
		}
	case n < 50:
		if m["Weight"] != "" || m["MultiValueAnswer"] != "" {
			s := &zoneSet{members: maps.Clone(m)}
			s.members["SetIdentifier"] = fmt.Sprintf(`"m%d"`, z.next())
			z.answer(s)
			z.put(s)
		}
	case n < 56:
		if all := z.siblings(s); len(all) > 1 && z.IntN(len(all)) > 0 {
			z.drop(s)
		}
	case n < 61:
		policy := z.pick("Weight", "Failover", "MultiValueAnswer")
		for i, s := range z.siblings(s) {
			z.route(s, policy, i)
		}
	case n < 67:
		m["HealthCheckId"] = z.check()
	case n < 69:
		delete(m, "HealthCheckId")
	case n < 75:
		z.drop(s)
		z.put(s)
	case n < 80:
		z.answer(s)
	case n < 83:
		z.spoil(s)
	case n < 92:
		z.group(z.pick("b", "d", "f", "w", "n1", "n2", "x.n1", "x.y.n2", "n4", "x.n4", "x.y.n5"), z.pick("A", "A", "AAAA", "TXT"), 2)
	case n < 97:
		if m["Name"] != `"a.example.com."` {
			for _, s := range z.siblings(s) {
				z.drop(s)
			}
		}
	default:
		z.rarity(s)
	}
}

// rarity makes a change that takes a load.
func (z *randomZone) rarity(s *zoneSet) {
	switch z.IntN(4) {
	case 0:
		z.group(z.pick("*.n1", "n3", "example.com"), z.pick("A", "CNAME"), 2)
	case 1:
		z.ports[z.IntN(len(z.ports))]++
	case 2:
		z.change = z.pick("", upsert(simpleSet("a.example.com", "192.0.2.1")), upsert(simpleSet("n1.example.com", "192.0.2.1")))
	case 3:
		s.members["Type"] = z.pick(`"A"`, `"AAAA"`)
	}
}

// spoil makes something of a record set that is reported, mostly.
func (z *randomZone) spoil(s *zoneSet) {
	m := s.members
	switch z.IntN(9) {
	case 8:
		m["HealthCheckId"] = `"none"`
	case 0:
		m["TTL"] = `"60"`
	case 1:
		delete(m, "TTL")
	case 2:
		m["ResourceRecords"] = `[{"Value": "what is this"}]`
	case 3:
		m["ResourceRecords"] = "[" + z.value(s) + ", " + z.value(s) + "]"
	case 4:
		z.put(&zoneSet{members: maps.Clone(m)})
	case 5:
		m["Region"] = z.pick(`"eu-west-1"`, `""`)
	case 6:
		delete(m, "SetIdentifier")
	case 7:
		m["Name"] = strings.ToUpper(m["Name"])
	}
}

// write writes the files and returns their names.
func (z *randomZone) write(t *testing.T) []string {
	t.Helper()
	texts := make([]string, len(z.files))
	for i, sets := range z.files {
		lines := make([]string, len(sets))
		for j, s := range sets {
			lines[j] = "\n" + s.json()
		}
		texts[i] = `{"ResourceRecordSets": [` + strings.Join(lines, ",") + "\n]}\n"
	}
	texts[len(texts)-1] += z.checks() + z.change
	return writeFiles(t, texts...)
}

func (s *zoneSet) json() string {
	var members []string
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		members = append(members, fmt.Sprintf("%q: %s", name, s.members[name]))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// checks returns the health checks. hc3 probes what the first name answers.
func (z *randomZone) checks() string {
	list := []string{`{"Id": "sum", "HealthCheckConfig": {"Type": "CALCULATED", "ChildHealthChecks": ["hc0", "hc2"], "HealthThreshold": 1}}`}
	for i, host := range []string{`"IPAddress": "192.0.2.1"`, `"IPAddress": "192.0.2.2"`, `"IPAddress": "192.0.2.3"`, `"FullyQualifiedDomainName": "a.example.com"`} {
		list = append(list, fmt.Sprintf(`{"Id": "hc%d", "HealthCheckConfig": {"Type": "TCP", "Port": %d, %s}}`, i, z.ports[i], host))
	}
	return `{"HealthChecks": [` + strings.Join(list, ",\n") + "]}\n"
}
