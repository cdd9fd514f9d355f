package corefile

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// dump writes a config as text that a person can compare with the Corefile.
func dump(cfg *Config) string {
	var b strings.Builder
	c := cfg.Catalog
	for _, zone := range c.Zones {
		fmt.Fprintf(&b, "zone %s%s\n", zone, falls(c, zone))
		fmt.Fprintf(&b, "  %s\n", oneLine(c.SOA[zone]))
	}
	if as := cfg.decl.resolveAs; as.IsValid() {
		fmt.Fprintf(&b, "resolves as %s\n", as)
	}
	for i, check := range c.Checks {
		fmt.Fprintf(&b, "check %d %q%s\n", i, check.Name, dumpCheck(check))
	}
	keys := slices.SortedFunc(maps.Keys(c.Groups), func(x, y record.Key) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(x.Type, y.Type))
	})
	for _, k := range keys {
		g := c.Groups[k]
		if k.Type == dns.TypeSOA && g.Pos.Line == 0 {
			continue // made from the zone's
		}
		fmt.Fprintf(&b, "%s %s, %s\n", g.Policy, k, g.Pos)
		if g.Balancer != nil && k.Type == dns.TypeA {
			b.WriteString(dumpBalancer(g.Balancer))
		}
		for i := range g.Records {
			fmt.Fprintf(&b, "  %s\n", dumpRecord(g.Policy, &g.Records[i]))
		}
	}
	for _, f := range cfg.Findings {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Level, f.Pos, f)
	}
	if cfg.Import != nil {
		for _, p := range cfg.Import.Problems {
			fmt.Fprintf(&b, "problem (%s) %s\n", p.Kind, p)
		}
		fmt.Fprintf(&b, "imported %s\nlooked at every %s\n", cfg.Import.Summary(), cfg.decl.reload)
	}
	return b.String()
}

// falls probes the fallthrough functions at the apex.
func falls(c *record.Catalog, zone string) (s string) {
	if c.Fallthrough != nil && c.Fallthrough("x."+zone) {
		s += " fallthrough"
	}
	if c.FallthroughTypes != nil && c.FallthroughTypes("x."+zone) {
		s += " fallthrough_types"
	}
	return s
}

// dumpCheck writes the fields of a check that differ from the defaults of its kind.
func dumpCheck(check healthcheck.Check) (s string) {
	switch {
	case check.Fixed:
		s += fmt.Sprintf(" fixed at %s", check.FixedStatus)
	case check.Calculated:
		s += fmt.Sprintf(" calculated %d of %v", check.HealthyThreshold, check.Children)
	default:
		s += fmt.Sprintf(" %s %s port %d", check.Spec.Kind, check.Spec.Host, check.Spec.Port)
		got, def := reflect.ValueOf(check.Spec), reflect.ValueOf(healthcheck.Defaults(check.Spec.Kind))
		for i := range got.NumField() {
			switch name := got.Type().Field(i).Name; {
			case name == "Kind" || name == "Host" || name == "Port":
			case name == "CAs" && got.Field(i).String() != "":
				s += fmt.Sprintf(", CAs %d bytes", got.Field(i).Len())
			case !got.Field(i).Equal(def.Field(i)):
				s += fmt.Sprintf(", %s %s", name, dumpField(got.Field(i)))
			}
		}
	}
	if check.Invert {
		s += ", invert"
	}
	if check.Disabled {
		s += ", disabled"
	}
	return s
}

func dumpField(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(v.Interface())
}

func dumpRecord(policy record.Policy, r *record.RecordSet) string {
	var words []string
	switch policy {
	case record.Weighted:
		words = append(words, fmt.Sprint("weight ", r.Weight))
	case record.Failover:
		words = append(words, fmt.Sprint("tier ", r.Tier))
	}
	if r.Alias != nil {
		words = append(words, "alias "+r.Alias.Name)
		if r.Alias.EvaluateTargetHealth {
			words = append(words, "evaluated")
		}
	}
	for _, rr := range r.Values {
		words = append(words, oneLine(rr))
	}
	if r.SetID != "" {
		words = append(words, fmt.Sprintf("id %q", r.SetID))
	}
	if r.Check != record.NoCheck {
		words = append(words, fmt.Sprint("check ", r.Check))
	}
	return strings.Join(words, ", ")
}

func oneLine(rr dns.RR) string { return strings.ReplaceAll(rr.String(), "\t", " ") }
