package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/explain"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

func newLint(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Say what is wrong with the steer blocks, all of it at once",
		Long: `lint says all that is wrong with the steer blocks of a Corefile and the files that they import,
and what is legal in them but seldom meant. It prints nothing if there is nothing to say.

With --strict it finds what is worth a thought, too, such as names that a single failure takes
to last resort. docs/lint.md explains each id.

With -o github it prints workflow commands, which make annotations of GitHub Actions.`,
		Example: `  steer lint
  steer lint -c /etc/coredns/Corefile --strict
  steer lint -o github`,
		Args: arguments(0, 0, "no arguments"),
	}
	s := addSource(cmd, c)
	strict := cmd.Flags().Bool("strict", false, "find what is worth a thought, too")
	output := addOutput(cmd, inGitHub)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		problems, err := s.lint(cmd.Context(), *strict)
		if err != nil {
			return err
		}
		return c.tellProblems(problems, output.word)
	}
	return cmd
}

// lint returns the problems of the blocks, in the order of files and lines.
func (s *source) lint(ctx context.Context, strict bool) ([]problem, error) {
	file, err := s.read()
	problems := problemsOf(err, record.Pos{})
	if file == nil {
		if problems[0].Line == 0 { // there is nothing to look at
			return nil, err
		}
		return problems, nil
	}
	blocks, err := s.blocks(file)
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		b.Lint = lint.Options{Strict: strict, Block: b.Zones(), Others: file.Others(b)}
		config, err := s.load(ctx, b)
		if _, invalid := errors.AsType[corefile.Errors](err); err != nil && !invalid {
			return nil, err
		}
		problems = append(problems, problemsOf(err, b.Pos)...)
		problems = append(problems, configProblems(config)...)
	}
	return inOrder(once(problems)), nil
}

// once drops what is said again, as of snippets and files that several blocks import.
func once(problems []problem) []problem {
	seen := make(map[problem]bool, len(problems))
	return slices.DeleteFunc(problems, func(p problem) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}

// inOrder sorts problems by file and line.
func inOrder(problems []problem) []problem {
	slices.SortStableFunc(problems, func(a, b problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return problems
}

// configProblems returns the problems of a block that need not keep it from being served.
// There is no Config of one that could not be read at all.
func configProblems(c *corefile.Config) []problem {
	if c == nil {
		return nil
	}
	var problems []problem
	for _, f := range c.Findings {
		problems = append(problems, findingProblem(f))
	}
	if c.Import == nil {
		return problems
	}
	for _, p := range c.Import.Problems {
		problems = append(problems, importedProblem(p))
	}
	return problems
}

// importedProblem returns a problem of imported data: the server serves the rest.
func importedProblem(p route53json.Problem) problem {
	q := newProblem(p.Pos, levelWarning, string(p.Kind), p.Reason)
	q.Name, q.Type, q.SetID, q.Remedy = p.Name, p.Type, p.SetID, p.Remedy
	switch p.Level {
	case route53json.Info:
		q.Level = levelInfo
	case route53json.LeftOut, route53json.Changed:
		q.Message = p.Level.String() + ": " + q.Message
	}
	return q
}

// tellProblems prints problems.
func (c *console) tellProblems(problems []problem, output string) error {
	switch output {
	case inJSON:
		l := newList(c.out, "problems")
		for i := range problems {
			l.add(&problems[i])
		}
		if err := l.end(); err != nil {
			return err
		}
	case inGitHub:
		for i := range problems {
			c.write(problems[i].annotation(), "\n")
		}
	default:
		for i := range problems {
			c.write(c.problemText(&problems[i]))
		}
		if len(problems) > 0 {
			c.write("\n", summaryOf(problems), "\n")
		}
	}
	if len(problems) > 0 {
		return errFound
	}
	return nil
}

// roles are how levels are shown.
var roles = map[string]explain.Role{
	levelError:   explain.UnhealthyRole,
	"left out":   explain.UnhealthyRole,
	"changed":    explain.WarningRole,
	levelWarning: explain.WarningRole,
	levelInfo:    explain.OddsRole,
}

// problemText returns a problem for people: a line as compilers write it, and its remedy.
func (c *console) problemText(p *problem) string {
	s := c.painted(explain.TitleRole, p.at()) + ": " + c.painted(roles[p.Level], p.Level) + ": "
	if about := p.about(); about != "" {
		s += about + ": "
	}
	s += p.Message + " " + c.painted(explain.QuietRole, "["+p.ID+"]") + "\n"
	if p.Remedy != "" {
		s += "    " + p.Remedy + "\n"
	}
	return s
}

// about returns what a problem is about, unless the message says it.
func (p *problem) about() string {
	if p.Name == "" || strings.Contains(p.Message, p.Name) {
		return ""
	}
	if p.Type == checkType {
		return fmt.Sprintf("%s %q", p.Type, p.Name)
	}
	about := strings.TrimSpace(p.Name + " " + p.Type)
	if p.SetID != "" {
		about += fmt.Sprintf(" %q", p.SetID)
	}
	return about
}

// summaryOf counts problems by their levels.
func summaryOf(problems []problem) string {
	counts := make(map[string]int)
	for i := range problems {
		counts[problems[i].Level]++
	}
	var parts []string
	for _, level := range []string{levelError, levelWarning} {
		if counts[level] > 0 {
			parts = append(parts, count(counts[level], level))
		}
	}
	if counts[levelInfo] > 0 {
		parts = append(parts, fmt.Sprintf("%d info", counts[levelInfo]))
	}
	return strings.Join(parts, ", ")
}

// annotation returns a problem as a workflow command of GitHub Actions.
//
// Source: GitHub Docs, "Workflow commands for GitHub Actions", "Setting a warning message".
func (p *problem) annotation() string {
	command := map[string]string{levelError: "error", levelWarning: "warning", levelInfo: "notice"}[p.Level]
	message := p.Message
	if about := p.about(); about != "" {
		message = about + ": " + message
	}
	if p.Remedy != "" {
		message += "\n" + p.Remedy
	}
	at := "file=" + property.Replace(p.File)
	if p.Line > 0 {
		at += fmt.Sprintf(",line=%d", p.Line)
	}
	return fmt.Sprintf("::%s %s,title=%s::%s", command, at, property.Replace("steer: "+p.ID), data.Replace(message))
}

// What the runner of GitHub Actions reads back, in messages and in properties.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
