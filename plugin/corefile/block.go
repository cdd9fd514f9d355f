package corefile

import (
	"errors"
	"slices"
	"strings"

	"github.com/steerdns/steer/plugin/record"
)

// statement is one line of a block: a keyword and its arguments.
type statement struct {
	pos     record.Pos
	keyword string
	args    []string
	open    bool // the line ends in '{'
}

// errorf returns an error at the statement. Words in it are shown without what may be
// secret.
func (s *statement) errorf(format string, args ...any) error {
	for i, arg := range args {
		if word, ok := arg.(string); ok {
			args[i] = conceal(word)
		}
	}
	return record.ErrorAt(s.pos, format, args...)
}

// secret reports whether no error may show the arguments of the statement.
func (s *statement) secret() bool { return strings.EqualFold(s.keyword, headerOption) }

// rule is what one keyword takes.
type rule struct {
	word     string
	usage    string // what follows the word, as the documentation writes it
	min, max int    // number of arguments
	block    blockRule
	once     bool     // at most once in a block
	also     []string // words of other systems for the same
	read     func(statement) error
}

// ttlRule reads a TTL.
func ttlRule(to **uint32) rule {
	return rule{word: "ttl", usage: "SECONDS", min: 1, max: 1, once: true, read: func(s statement) error {
		ttl, err := s.seconds(s.keyword, s.args[0])
		*to = &ttl
		return err
	}}
}

// flagRule reads a keyword without arguments.
func flagRule(word string, to *bool) rule {
	return rule{word: word, once: true, read: func(statement) error {
		*to = true
		return nil
	}}
}

// checkRule reads the check of all records or targets of a block.
func (p *parser) checkRule(to **checkRef) rule {
	return rule{word: "check", usage: useCheckUsage, min: 1, max: 1, block: optional, once: true, read: func(s statement) (err error) {
		*to, err = p.useCheck(s, s.args[0])
		return err
	}}
}

// many is the max of a rule without one.
const many = 1 << 30

// blockRule says whether a keyword opens a block. The read function of a rule that may
// have one reads it.
type blockRule uint8

const (
	forbidden blockRule = iota
	optional
	required
)

// block reads the statements of the block that opener opened, up to its brace. It records
// each error and goes on with the next statement; then it returns errRecorded.
//
// The Dispenser's own NextBlock is not used: nested, it takes the block of the next
// stanza for that of a stanza without one.
func (p *parser) block(opener statement, rules []rule) error {
	p.blocks = append(p.blocks, rules)
	defer func() { p.blocks = p.blocks[:len(p.blocks)-1] }()
	seen := make(map[string]record.Pos)
	var failed error
	blockless := false // the statement before lacks its '{'
	for p.tokens.Next() {
		switch p.tokens.Val() {
		case "}":
			p.depth--
			if p.tokens.NextArg() {
				return lostError{p.tokens.Errf("unexpected %q after '}': start a new line", conceal(p.tokens.Val()))}
			}
			return failed
		case "{":
			if blockless { // it stands on the next line
				p.depth++
				blockless = false
				if !p.skip(p.depth - 1) {
					return lostError{errRecorded}
				}
				continue
			}
			return lostError{p.tokens.Err("unexpected '{' at the start of a line: it belongs at the end of the line before")}
		}
		depth := p.depth
		s, err := p.line()
		if err == nil {
			err = p.follow(s, opener, rules, seen)
		}
		if err == nil {
			blockless = false
			continue
		}
		if _, lost := errors.AsType[lostError](err); lost {
			return err
		}
		p.failures.add(err)
		_, blockless = errors.AsType[blocklessError](err)
		p.lose(s)
		if !p.skip(depth) {
			return lostError{errRecorded}
		}
		failed = errRecorded
	}
	return lostError{opener.errorf("the block of %q is not closed: a '}' is missing", opener.keyword)}
}

// skip skips the rest of a statement and its block, to the depth that it stands at. It
// reports false at a '}' behind other words: which block that was to close is not known.
func (p *parser) skip(depth int) (ok bool) {
	for {
		behind := p.tokens.NextArg()
		if !behind && (p.depth <= depth || !p.tokens.Next()) {
			return true
		}
		switch p.tokens.Val() {
		case "{":
			p.depth++
		case "}":
			if behind {
				return false
			}
			p.depth--
		}
	}
}

// lose remembers what a statement with an error was to define.
func (p *parser) lose(s statement) {
	if len(p.blocks) > 1 || len(s.args) == 0 {
		return
	}
	switch s.keyword {
	case "check":
		p.failures.check(s.args[0])
	case "route53":
		p.failures.files = true
	default:
		names, _ := p.names(s, s.args[0])
		for _, at := range names {
			p.failures.name(at.name)
		}
	}
}

// line reads the rest of a line whose first word is the current token.
func (p *parser) line() (statement, error) {
	s := statement{pos: record.Pos{File: p.tokens.File(), Line: p.tokens.Line()}, keyword: p.tokens.Val()}
	if s.keyword == "" {
		return s, s.errorf("unexpected empty word: is an environment variable not set?")
	}
	for p.tokens.NextArg() {
		switch word := p.tokens.Val(); word {
		case "{":
			if p.tokens.NextArg() {
				if s.secret() {
					return s, lostError{s.errorf("unexpected '{': %q has no block", s.keyword)}
				}
				return s, lostError{s.errorf("unexpected %q after '{': start a new line", p.tokens.Val())}
			}
			s.open = true
			p.depth++
			return s, nil
		case "}":
			return s, lostError{s.errorf("unexpected '}' after %q: it must be on a line of its own", s.text(len(s.args)))}
		case "":
			return s, s.errorf("unexpected empty word after %q: is an environment variable not set?", s.text(len(s.args)))
		default:
			s.args = append(s.args, word)
		}
	}
	return s, nil
}

// text is the statement up to its nth argument, without what may be secret.
func (s *statement) text(n int) string {
	words := []string{s.keyword}
	if s.secret() {
		return strings.Join(append(words, "..."), " ")
	}
	for _, arg := range s.args[:n] {
		words = append(words, conceal(arg))
	}
	return strings.Join(words, " ")
}

// follow checks a statement against the rules of its block and reads it.
func (p *parser) follow(s, opener statement, rules []rule, seen map[string]record.Pos) error {
	i := slices.IndexFunc(rules, s.isFor)
	if i < 0 {
		return p.unknown(s, opener, rules)
	}
	r := rules[i]
	if at, ok := seen[r.word]; ok && r.once {
		return s.errorf("%q is given twice in the block of %q: here and at %s", r.word, opener.keyword, at)
	}
	seen[r.word] = s.pos
	usage := strings.TrimSpace(r.word + " " + r.usage)
	switch {
	case s.secret() && (len(s.args) < r.min || len(s.args) > r.max):
		return s.errorf("%q takes %d arguments, not %d; quote a value that has blanks; write: %s", r.word, r.min, len(s.args), usage)
	case len(s.args) < r.min:
		return s.errorf("%q lacks %s", s.text(len(s.args)), s.lacking(r, usage))
	case len(s.args) > r.max:
		return s.errorf("unexpected %q after %q; write: %s%s", s.args[r.max], s.text(r.max), usage, s.tooManyHint(r.max))
	case s.open && r.block == forbidden && slices.ContainsFunc(s.args, isURL):
		return s.errorf("unexpected '{': %q has no block; to give a check options, define it with a name: check NAME URL {", r.word)
	case s.open && r.block == forbidden:
		return s.errorf("unexpected '{': %q has no block; write: %s", r.word, usage)
	case !s.open && r.block == required:
		return blocklessError{s.errorf("%q needs a block: end the line with '{'", r.word)}
	}
	return r.read(s)
}

func (s *statement) isFor(r rule) bool { return r.word == s.keyword }

// unknown returns the error for a keyword without a rule, with the likeliest cause: a
// brace forgotten further up, or a typing error.
func (p *parser) unknown(s, opener statement, rules []rule) error {
	around := p.blocks[:len(p.blocks)-1]
	if slices.ContainsFunc(around, func(outer []rule) bool { return slices.ContainsFunc(outer, s.isFor) }) {
		return lostError{s.errorf("%q cannot stand in the block of %q at %s; is the '}' of that block missing?", s.keyword, opener.keyword, opener.pos)}
	}
	return s.errorf("unknown keyword %q in the block of %q%s", s.keyword, opener.keyword, s.keywordHint(rules))
}
