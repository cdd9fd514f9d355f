//go:build linux

package gauge

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Part is a measurement of its own, with a directory for its files and the server's
// program.
type Part func(ctx context.Context, dir, bin string) error

// Measure builds the server, keeps this process on the core of the load, and runs the
// parts that are named, separated by commas, in that order.
func Measure(ctx context.Context, names string, parts map[string]Part) error {
	for name := range strings.SplitSeq(names, ",") {
		if parts[name] == nil {
			return fmt.Errorf("no part %q", name)
		}
	}
	dir, err := os.MkdirTemp("", "steer-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin, err := BuildServer(dir)
	if err != nil {
		return err
	}
	_, loadCore := Cores()
	if err := PinSelf(loadCore); err != nil {
		return err
	}
	for name := range strings.SplitSeq(names, ",") {
		if err := parts[name](ctx, dir, bin); err != nil {
			return err
		}
	}
	return nil
}
