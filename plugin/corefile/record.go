package corefile

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// recordDecl is one record as written: values, or the target of an alias.
type recordDecl struct {
	pos      record.Pos
	values   []string
	target   string // as written, of an alias
	evaluate bool
	check    *checkRef
	id       string
	ttl      *uint32 // nil is the block's
	weight   uint16
	tier     uint16
}

func (r *recordDecl) isAlias() bool { return r.target != "" }

// usage is what may follow the record's values or target.
func (r *recordDecl) usage() string {
	if r.isAlias() {
		return aliasUsage
	}
	return valueUsage
}

// The words that end a record's values. None of them can be a value: the lexer does not
// keep quotes.
const (
	optionCheck    = "check"
	optionID       = "id"
	optionTTL      = "ttl"
	optionEvaluate = "evaluate_target_health"
)

var recordOptions = []string{optionCheck, optionID, optionTTL, optionEvaluate}

const (
	recordUsage = "[check NAME|URL] [id SET-IDENTIFIER] [ttl SECONDS] [evaluate_target_health]"
	valueUsage  = "[check NAME|URL] [id SET-IDENTIFIER] [ttl SECONDS]"
	aliasUsage  = "[check NAME|URL] [id SET-IDENTIFIER] [evaluate_target_health]"
	whatUsage   = "VALUE...|alias TARGET " + recordUsage
)

// maxID is the greatest length of a set identifier in bytes.
// Source: Route 53 API Reference, ResourceRecordSet, SetIdentifier.
const maxID = 128

// record reads the values or the alias in words, and the options after them.
func (p *parser) record(s statement, words []string) (recordDecl, error) {
	if words[0] != "alias" {
		return p.values(s, words)
	}
	if len(words) < 2 || slices.Contains(recordOptions, words[1]) {
		return recordDecl{}, s.errorf("alias has no target; write: alias TARGET")
	}
	return p.aliasTo(s, words[1], words[2:])
}

func (p *parser) values(s statement, words []string) (recordDecl, error) {
	r := recordDecl{pos: s.pos}
	n := slices.IndexFunc(words, func(w string) bool { return slices.Contains(recordOptions, w) })
	if n < 0 {
		n = len(words)
	}
	if n == 0 {
		return r, s.errorf("no value before %q; write: %s", words[0], whatUsage)
	}
	r.values = words[:n]
	return r, p.options(s, &r, words[n:])
}

func (p *parser) aliasTo(s statement, target string, words []string) (recordDecl, error) {
	r := recordDecl{pos: s.pos, target: target}
	if addr, err := netip.ParseAddr(strings.Trim(target, "[].")); err == nil {
		return r, s.errorf("alias target %q is an address, and an alias leads to a name; write: %s", target, s.valueInstead(addr))
	}
	if isURL(target) {
		return r, s.errorf("alias target %q is a URL; write the domain name alone", target)
	}
	return r, p.options(s, &r, words)
}

// valueInstead returns the line with an address for a value in place of an alias to it.
func (s *statement) valueInstead(addr netip.Addr) string {
	if s.keyword != "alias" {
		return s.text(slices.Index(s.args, "alias")) + " " + addr.String()
	}
	typ := dns.TypeA
	if addr.Is6() {
		typ = dns.TypeAAAA
	}
	return "simple " + s.args[0] + " " + dns.Type(typ).String() + " " + addr.String()
}

// options reads the options of a record, each once, in any order.
func (p *parser) options(s statement, r *recordDecl, words []string) error {
	seen := make(map[string]bool)
	usage, before := r.usage(), ""
	for len(words) > 0 {
		option := words[0]
		words = words[1:]
		if !slices.Contains(recordOptions, option) {
			return s.errorf("unexpected %q%s", option, cmp.Or(optionHint(option, before), hint("; the options are: "+usage)))
		}
		before = option
		if seen[option] {
			return s.errorf("%q is given twice", option)
		}
		seen[option] = true
		if option == optionEvaluate {
			if !r.isAlias() {
				return s.errorf("%q is an option of aliases, and this record has values", option)
			}
			r.evaluate = true
			continue
		}
		if len(words) == 0 {
			return s.errorf("%q lacks its argument; write: %s", option, usage)
		}
		if err := p.option(s, r, option, words[0]); err != nil {
			return err
		}
		words = words[1:]
	}
	return nil
}

func (p *parser) option(s statement, r *recordDecl, option, arg string) (err error) {
	switch option {
	case optionCheck:
		r.check, err = p.useCheck(s, arg)
	case optionID:
		if r.id = arg; len(arg) > maxID {
			return s.errorf("id %q has %d bytes; %d is the most", arg, len(arg), maxID)
		}
	case optionTTL:
		if r.isAlias() {
			return s.errorf("an alias has no ttl: it answers with that of its target's record")
		}
		var ttl uint32
		ttl, err = s.seconds(option, arg)
		r.ttl = &ttl
	}
	return err
}
