package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steerdns/steer/plugin/explain"
)

// change is an element of what `steer simulate -o json` prints.
type change struct {
	Block string `json:"block"`
	explain.Change
}

// kinds are what each of which can fail by itself.
var kinds = map[string]explain.Kind{
	"checks":    explain.CheckKind,
	"addresses": explain.AddressKind,
	"zones":     explain.ZoneKind,
}

func newSimulate(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "simulate {--down WHAT... | --each checks|addresses|zones}",
		Short: "Say what a failure changes, or each single failure",
		Long: `simulate says which names answer otherwise when something fails, with the odds before and
after, which of them go to last resort, and which lose their last spare: before the failure
no other could have taken them to last resort, and after it one can.

What --down names fails all at once. With --each everything of a kind fails by itself, one
after the other: each probe, with the checks that share it; each endpoint's address; or each
zone of the load balancers. With both, --down is what has failed already.

` + whatHelp,
		Example: `  steer simulate --down tokyo
  steer simulate --down '10.1.*'
  steer simulate --each checks
  steer simulate --each addresses --down paris`,
		Args: arguments(0, 0, "no arguments"),
	}
	s := addSource(cmd, c)
	down := addWhat(cmd, s, "down", "what fails; can be given again")
	each := addChoice(cmd, "each", "", "what fails one by one: checks, addresses or zones", "", "checks", "addresses", "zones")
	output := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if len(*down) == 0 && each.word == "" {
			return usage(cmd, fmt.Errorf("nothing fails: give --down or --each"))
		}
		t := &tryout{source: s, down: *down, kind: kinds[each.word]}
		if output.word == inJSON {
			t.list = newList(c.out, "changes")
		}
		return t.run(cmd.Context())
	}
	return cmd
}

// tryout is one simulation.
type tryout struct {
	*source
	down []string
	kind explain.Kind // that fails one by one, or ""
	list *list        // nil for text

	blocks int // that are looked at
	causes int // that are tried
	told   struct {
		causes, changes, resorts, spares int
	}
}

// trial is a block, and what fails in it.
type trial struct {
	*loaded
	model *explain.Model
	down  []explain.Cause
}

func (t *tryout) run(ctx context.Context) error {
	trials, err := t.trials(ctx)
	if err != nil {
		return err
	}
	t.blocks = len(trials)
	for _, trial := range trials {
		t.try(trial)
	}
	if t.list == nil {
		t.summary()
	} else if err := t.list.end(); err != nil {
		return err
	}
	if t.told.changes > 0 {
		return errFound
	}
	return nil
}

// trials loads the blocks and finds in them what fails. What is named has to be in one of
// them at least.
func (t *tryout) trials(ctx context.Context) ([]trial, error) {
	file, err := t.read()
	if err != nil {
		return nil, err
	}
	blocks, err := t.source.blocks(file)
	if err != nil {
		return nil, err
	}
	trials := make([]trial, len(blocks))
	unmatched := make(map[string]error)
	matched := make(map[string]bool)
	for i, b := range blocks {
		config, err := t.load(ctx, b)
		if err != nil {
			return nil, err
		}
		at := &trials[i]
		at.loaded = &loaded{b, config}
		at.model = t.model(at.loaded)
		for _, word := range t.down {
			cause, err := at.model.Match(word)
			if err != nil {
				if len(blocks) > 1 {
					err = fmt.Errorf("block %q: %w", b.Name, err)
				}
				unmatched[word] = errors.Join(unmatched[word], err)
				continue
			}
			matched[word] = true
			at.down = append(at.down, cause)
		}
	}
	for _, word := range t.down {
		if !matched[word] {
			return nil, unmatched[word]
		}
	}
	return trials, nil
}

// try makes what fails fail in one block, and tells what that changes.
func (t *tryout) try(b trial) {
	if t.kind == "" {
		if len(b.down) > 0 {
			t.causes++
			t.tell(b, slices.Values(b.model.WhatIf(b.down, nil)))
		}
		return
	}
	b.model.Fail(b.down...)
	causes := b.model.Each(t.kind)
	t.causes += len(causes)
	t.progress.begin("trying "+b.Name, len(causes))
	for i := range causes {
		t.tell(b, b.model.EachFailure(causes[i:i+1]))
		t.progress.step()
	}
}

// tell prints the changes that one cause brings about.
func (t *tryout) tell(b trial, changes iter.Seq[explain.Change]) {
	first := true
	for c := range changes {
		t.told.changes++
		if c.LastResort {
			t.told.resorts++
		}
		if c.LastSpare {
			t.told.spares++
		}
		if first {
			t.told.causes++
		}
		if t.list != nil {
			t.list.add(change{b.Name, c})
		} else {
			if first {
				t.title(b, c.Cause)
			}
			t.write("  ", c.Text(t.style), "\n")
		}
		first = false
	}
}

// title begins the changes of one cause.
func (t *tryout) title(b trial, cause []string) {
	s := few(cause) + " fails"
	if t.kind == "" && len(cause) > 1 {
		s = few(cause) + " fail"
	}
	if t.kind != "" && len(b.down) > 0 {
		s += ", after " + few(t.down)
	}
	if t.blocks > 1 {
		s = b.Name + ": " + s
	}
	t.write(t.painted(explain.TitleRole, s), "\n")
}

// summary says in a sentence what has come of it.
func (t *tryout) summary() {
	switch {
	case t.kind != "" && t.causes == 0:
		t.write("nothing can fail: ", nothing[t.kind], "\n")
		return
	case t.told.changes == 0:
		t.write("nothing changes", t.tried(), "\n")
		return
	}
	s := fmt.Sprintf("%s: %d to last resort, %d to the loss of the last spare%s", count(t.told.changes, "change"), t.told.resorts, t.told.spares, t.tried())
	role := explain.QuietRole
	if t.told.resorts+t.told.spares > 0 {
		role = explain.WarningRole
	}
	t.write("\n", t.painted(role, s), "\n")
}

// nothing says why there is nothing of a kind.
var nothing = map[explain.Kind]string{
	explain.CheckKind:   "there are no checks that probe",
	explain.AddressKind: "there are no checks that probe",
	explain.ZoneKind:    "no load balancer has a zone with checks of its own",
}

// tried says how much of what was tried changed something.
func (t *tryout) tried() string {
	if t.kind == "" {
		return ""
	}
	return fmt.Sprintf(" (%d of %s changed something)", t.told.causes, count(t.causes, "failure"))
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// few lists some of the names of a cause.
func few(names []string) string {
	const most = 4
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
