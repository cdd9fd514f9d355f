package main

import (
	"slices"

	"github.com/miekg/dns"
	"github.com/spf13/cobra"

	"github.com/steerdns/steer/plugin/explain"
	"github.com/steerdns/steer/plugin/record"
)

// explanation is what `steer explain -o json` prints.
type explanation struct {
	Block string   `json:"block"`
	Down  []string `json:"down,omitempty"` // as it was named
	Up    []string `json:"up,omitempty"`
	*explain.Explanation
}

func newExplain(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain NAME [TYPE]",
		Short: "Say what a name answers, with which odds, and why",
		Long: `explain says what a name answers, with which odds, and why: the rule that chose, each record
set with its check, whether it is healthy and eligible, and what the next failure would do.

Everything is healthy but for what --down names; --up excepts some of that again. TYPE is A
unless it is given. The name is a whole one, with a final dot or without. It is looked up in
the server block with the closest zone, as CoreDNS does.

` + whatHelp,
		Example: `  steer explain www.example.org
  steer explain www.example.org AAAA --down tokyo
  steer explain api.example.org --down 192.0.2.0/24 --up 192.0.2.7`,
		Args: arguments(1, 2, "a name and perhaps a type"),
	}
	s := addSource(cmd, c)
	down := addWhat(cmd, s, "down", "what has failed; can be given again")
	up := addWhat(cmd, s, "up", "what is healthy all the same; can be given again")
	output := addOutput(cmd)
	cmd.ValidArgsFunction = s.completeName
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		typ := dns.TypeA
		if len(args) > 1 {
			var err error
			if typ, err = record.ParseType(args[1]); err != nil {
				return usage(cmd, err)
			}
		}
		name, err := record.Canonical(args[0])
		if err != nil {
			return usage(cmd, err)
		}
		file, err := s.read()
		if err != nil {
			return err
		}
		b, err := s.blockOf(cmd.Context(), file, name)
		if err != nil {
			return err
		}
		m := c.model(b)
		fail, err := match(m, *down)
		if err != nil {
			return err
		}
		recover, err := match(m, *up)
		if err != nil {
			return err
		}
		m.Fail(fail...)
		m.Recover(recover...)
		e, err := m.Explain(name, typ)
		if err != nil {
			return err
		}
		if output.word == inJSON {
			return encode(c.out, explanation{b.Name, *down, *up, e}, "  ")
		}
		c.write(e.Text(c.style))
		return nil
	}
	return cmd
}

// completeName completes a name, and then a type that it has.
func (s *source) completeName(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, err := s.read()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	blocks, err := s.blocks(file)
	if err != nil || len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []cobra.Completion
	for _, b := range blocks {
		config, err := s.load(cmd.Context(), b)
		if err != nil {
			continue
		}
		for g := range config.Catalog.All() {
			if len(args) == 0 {
				words = append(words, g.Name)
			} else if name, err := record.Canonical(args[0]); err == nil && g.Name == name {
				words = append(words, dns.Type(g.Type).String())
			}
		}
	}
	slices.Sort(words)
	return slices.Compact(words), cobra.ShellCompDirectiveNoFileComp
}
