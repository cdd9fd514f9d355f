// Command steer reads a Corefile as CoreDNS does and says, without serving it, what is
// wrong with it, what its names answer and why, what a failure would change, and where two
// of them decide otherwise. docs/command.md is its manual.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/steerdns/steer/plugin/record"
)

// What the process exits with.
const (
	exitFine     = 0
	exitFound    = 1 // problems or changes, as they were told
	exitUnusable = 2 // usage, or input that cannot be read
)

// errFound says that problems or changes were found and told.
var errFound = errors.New("found")

func main() { os.Exit(run(context.Background(), os.Args[1:], standard())) }

// run runs one command and returns what to exit with.
func run(ctx context.Context, args []string, c *console) int {
	root := newRoot(c)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	c.progress.end()
	if flushed := c.out.Flush(); err == nil && flushed != nil {
		err = flushed
	}
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errFound):
		return exitFound
	}
	for _, line := range lines(err) {
		fmt.Fprintln(c.err, line)
	}
	return exitUnusable
}

// lines returns an error for people: one line for each thing that is wrong. Those that name
// a file and a line begin with them, as editors expect it.
func lines(err error) []string {
	if usage, ok := errors.AsType[usageError](err); ok {
		return []string{"steer: " + err.Error(), "See: " + usage.command + " --help"}
	}
	var list []string
	for _, p := range inOrder(problemsOf(err, record.Pos{})) {
		if p.at() == "" {
			list = append(list, "steer: "+p.Message)
		} else {
			list = append(list, p.at()+": "+p.Level+": "+p.Message)
		}
	}
	return list
}

// usageError is an error in the words of the command line.
type usageError struct {
	error
	command string
}

func (e usageError) Unwrap() error { return e.error }
