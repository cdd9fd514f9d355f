package main

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// version is set when the command is linked.
var version = ""

func newRoot(c *console) *cobra.Command {
	root := &cobra.Command{
		Use:   "steer",
		Short: "Try out a Corefile of the steer plugin without serving it",
		Long: `steer reads the steer blocks of a Corefile as CoreDNS does: with snippets, imported files
and environment variables. It starts no server and probes nothing.

It exits with 0 when all is fine, with 1 when there are problems or changes, and with 2 when
it is used wrongly or cannot read its input. Errors go to the standard error.`,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err) })
	root.SetVersionTemplate("steer {{.Version}}\n")
	root.AddCommand(newLint(c), newExplain(c), newSimulate(c), newDiff(c), newImport(c))
	root.DisableAutoGenTag = true // the date of a manual page would be that of its making
	for _, cmd := range root.Commands() {
		cmd.DisableAutoGenTag = true
	}
	return root
}

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// usage returns an error about how a command is used.
func usage(cmd *cobra.Command, err error) error { return usageError{err, cmd.CommandPath()} }

// arguments returns a check of how many arguments there are.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(cmd, fmt.Errorf("%s takes %s", cmd.Name(), what))
		case most >= 0 && len(args) > most:
			return usage(cmd, fmt.Errorf("unexpected %q: %s takes %s", args[most], cmd.Name(), what))
		}
		return nil
	}
}

// choice is a flag that takes one of a few words.
type choice struct {
	word  string
	words []string
}

func (f *choice) String() string { return f.word }
func (f *choice) Type() string   { return strings.Join(f.words, "|") }

func (f *choice) Set(word string) error {
	if !slices.Contains(f.words, word) {
		return fmt.Errorf("it is one of %s", strings.Join(f.words, ", "))
	}
	f.word = word
	return nil
}

func (f *choice) complete(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return f.words, cobra.ShellCompDirectiveNoFileComp
}

// addChoice adds a flag that takes one of a few words; the first is what it is
// without, and "" cannot be given.
func addChoice(cmd *cobra.Command, name, short, help string, words ...string) *choice {
	f := &choice{word: words[0], words: words}
	if f.word == "" {
		f.words = words[1:]
	}
	cmd.Flags().VarP(f, name, short, help)
	if err := cmd.RegisterFlagCompletionFunc(name, f.complete); err != nil {
		panic(err) // no such flag
	}
	return f
}

// addOutput adds the flag for how to print.
func addOutput(cmd *cobra.Command, more ...string) *choice {
	words := append([]string{text, inJSON}, more...)
	return addChoice(cmd, "output", "o", "how to print: "+strings.Join(words, ", "), words...)
}

// Ways to print.
const (
	text     = "text"
	inJSON   = "json"
	inGitHub = "github" // workflow commands, which annotate lines
)
