package corefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// groupDecl is a stanza as written: the same records under each of its names and types.
type groupDecl struct {
	pos     record.Pos
	policy  record.Policy
	names   []placed
	types   []uint16
	records []recordDecl

	// What a policy's block says for all its records.
	ttl   *uint32
	check *checkRef
}

// group reads NAME and TYPE.
func (p *parser) group(s statement, policy record.Policy) (*groupDecl, error) {
	g := &groupDecl{pos: s.pos, policy: policy}
	var err error
	if g.names, err = p.names(s, s.args[0]); err != nil {
		return nil, err
	}
	g.types, err = s.types(s.args[1])
	return g, err
}

// types reads a type or a list of types such as A,AAAA.
func (s *statement) types(words string) ([]uint16, error) {
	var types []uint16
	for word := range strings.SplitSeq(words, ",") {
		t, err := record.ParseType(word)
		switch {
		case err != nil && s.typeHint(word) != "":
			return nil, s.errorf("unknown type %q%s", word, s.typeHint(word))
		case err != nil:
			return nil, s.errorf("%w", err)
		case slices.Contains(types, t):
			return nil, s.errorf("type %q is given twice in %q", word, words)
		}
		types = append(types, t)
	}
	return types, nil
}

// simple reads `simple NAME TYPE VALUE... [OPTIONS]`.
func (p *parser) simple(s statement) error {
	g, err := p.group(s, record.Simple)
	if err != nil {
		return err
	}
	if s.args[2] == "alias" {
		return s.errorf("a simple record has values; write: alias NAME TYPE TARGET")
	}
	r, err := p.values(s, s.args[2:])
	if err != nil {
		return err
	}
	return p.declare(s, g, r)
}

// alias reads `alias NAME TYPE TARGET [OPTIONS]`.
func (p *parser) alias(s statement) error {
	g, err := p.group(s, record.Simple)
	if err != nil {
		return err
	}
	r, err := p.aliasTo(s, s.args[2], s.args[3:])
	if err != nil {
		return err
	}
	return p.declare(s, g, r)
}

// weighted reads `weighted NAME TYPE { weight N WHAT [OPTIONS] ... }`.
func (p *parser) weighted(s statement) error {
	return p.policy(s, record.Weighted, func(g *groupDecl) []rule {
		return []rule{{word: "weight", usage: "N " + whatUsage, min: 2, max: many, read: func(s statement) error {
			weight, err := s.firstNumber(0, record.MaxWeight)
			if err != nil {
				return err
			}
			r, err := p.record(s, s.args[1:])
			r.weight = uint16(weight)
			return g.add(r, err)
		}}}
	})
}

// maxTier is the last tier that a failover group can have.
const maxTier = 255

// failover reads `failover NAME TYPE { primary WHAT ... secondary WHAT ... }`, or tiers.
func (p *parser) failover(s statement) error {
	return p.policy(s, record.Failover, func(g *groupDecl) []rule {
		add := func(s statement, tier uint64, words []string) error {
			r, err := p.record(s, words)
			r.tier = uint16(tier)
			return g.add(r, err)
		}
		return []rule{
			{word: "primary", usage: whatUsage, also: []string{"active", "main", "master"}, min: 1, max: many, read: func(s statement) error { return add(s, 1, s.args) }},
			{word: "secondary", usage: whatUsage, also: []string{"backup", "fallback", "passive", "slave", "standby"}, min: 1, max: many, read: func(s statement) error { return add(s, 2, s.args) }},
			{word: "tier", usage: "N " + whatUsage, min: 2, max: many, read: func(s statement) error {
				tier, err := s.firstNumber(1, maxTier)
				if err != nil {
					return err
				}
				return add(s, tier, s.args[1:])
			}},
		}
	})
}

// multivalue reads `multivalue NAME TYPE { value VALUE [OPTIONS] ... }`.
func (p *parser) multivalue(s statement) error {
	return p.policy(s, record.Multivalue, func(g *groupDecl) []rule {
		return []rule{{word: "value", also: []string{"address", "answer", "record", "server", "target"}, usage: "VALUE " + valueUsage, min: 1, max: many, read: func(s statement) error {
			r, err := p.record(s, s.args)
			return g.add(r, err)
		}}}
	})
}

// policy reads the block of a policy: what rules adds to ttl and check.
func (p *parser) policy(s statement, policy record.Policy, rules func(*groupDecl) []rule) error {
	g, err := p.group(s, policy)
	if err != nil {
		return err
	}
	if err := p.block(s, append([]rule{ttlRule(&g.ttl), p.checkRule(&g.check)}, rules(g)...)); err != nil {
		p.decl.broken = append(p.decl.broken, g)
		return err
	}
	return p.declare(s, g, g.records...)
}

// add adds a record to a group, unless it could not be read.
func (g *groupDecl) add(r recordDecl, err error) error {
	if err == nil {
		g.records = append(g.records, r)
	}
	return err
}

// declare completes a stanza: records take over what its block says, and are checked
// against its types.
func (p *parser) declare(s statement, g *groupDecl, records ...recordDecl) error {
	for i := range records {
		r := &records[i]
		if r.ttl == nil {
			r.ttl = g.ttl
		}
		if r.check == nil {
			r.check = g.check
		}
		if len(g.types) > 1 && !r.isAlias() {
			return record.ErrorAt(r.pos, "a list of types (%s) is for aliases, and this record has values; write a stanza for each type", s.args[1])
		}
		if r.check != nil && r.check.own != nil && r.check.own.hostless() {
			if err := r.probedAlone(g.types[0]); err != nil {
				return err
			}
		}
	}
	g.records = records
	p.decl.groups = append(p.decl.groups, g)
	return nil
}

// probedAlone returns an error unless a record is the one address that its check,
// which has no host, can probe.
func (r *recordDecl) probedAlone(typ uint16) error {
	rule := fmt.Sprintf("check %q has no host, so it probes the record's own address", specName(&r.check.own.check.Spec))
	switch {
	case r.isAlias():
		return record.ErrorAt(r.pos, "%s, and an alias has none; give the URL a host", rule)
	case typ != dns.TypeA && typ != dns.TypeAAAA:
		return record.ErrorAt(r.pos, "%s, and a record of type %s has none; give the URL a host", rule, dns.Type(typ))
	case len(r.values) > 1:
		return record.ErrorAt(r.pos, "%s, and this record has %d; write a record for each, or give the URL a host", rule, len(r.values))
	}
	return nil
}
