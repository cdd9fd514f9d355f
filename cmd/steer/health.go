package main

import (
	"github.com/spf13/cobra"

	"github.com/steerdns/steer/plugin/explain"
)

// whatHelp says what can fail.
const whatHelp = `WHAT is a check's name or its URL, the address or the name of an endpoint, a network such
as 192.0.2.0/24, LOAD-BALANCER/ZONE, the target of an alias that is held elsewhere, or any of
these with * for any text and ? for one character.`

// addWhat adds a flag that names what fails or recovers. A comma is part of a name.
func addWhat(cmd *cobra.Command, s *source, name, help string) *[]string {
	words := new([]string)
	cmd.Flags().StringArrayVar(words, name, nil, help)
	must(cmd.RegisterFlagCompletionFunc(name, s.completeCheck))
	return words
}

// match returns what some words mean in a block.
func match(m *explain.Model, words []string) ([]explain.Cause, error) {
	var causes []explain.Cause
	for _, word := range words {
		c, err := m.Match(word)
		if err != nil {
			return nil, err
		}
		causes = append(causes, c)
	}
	return causes, nil
}

// model returns a block's model, all of it healthy.
func (c *console) model(b *loaded) *explain.Model {
	c.progress.begin("working out "+b.Name, 0)
	return explain.New(b.config.Catalog)
}

// completeCheck completes the names of checks.
func (s *source) completeCheck(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, err := s.read()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	blocks, err := s.blocks(file)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var words []cobra.Completion
	for _, b := range blocks {
		config, err := s.load(cmd.Context(), b)
		if err != nil {
			continue
		}
		for i := range config.Catalog.Checks {
			words = append(words, config.Catalog.Checks[i].Name)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
