package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/explain"
	"github.com/steerdns/steer/plugin/record"
)

// difference is an element of what `steer diff -o json` prints.
type difference struct {
	Block string `json:"block"`
	explain.Difference
}

func newDiff(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say which names two configurations answer otherwise",
		Long: `diff says which names two configurations answer otherwise, with the odds in both: those that
are new, gone or changed while all is healthy, and then those that differ only when a single
check fails.

OLD and NEW are two Corefiles, or two Route 53 files of one zone. Which they are is told by
their content. Blocks of Corefiles are compared with those of the same name, or else of the
same zones.`,
		Example: `  steer diff Corefile Corefile.new
  git show HEAD:Corefile | steer diff - Corefile
  steer diff zone.json zone.new.json --checks checks.json`,
		Args: arguments(2, 2, "two files"),
	}
	d := &diff{console: c}
	cmd.Flags().StringVar(&d.block, "block", "", "of Corefiles: the block, by its first zone or its name in logs and metrics")
	zone := cmd.Flags().String("zone", "", "of Route 53 files: their zone")
	cmd.Flags().StringArrayVar(&d.checks, "checks", nil, "of Route 53 files: a file with health checks of both; can be given again")
	output := addOutput(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		if d.zone, err = parseZone(*zone); err != nil {
			return usage(cmd, err)
		}
		if args[0] == "-" && args[1] == "-" {
			return usage(cmd, errors.New("only one of the two can be the standard input"))
		}
		pairs, err := d.pairs(cmd, args[0], args[1])
		if err != nil {
			return err
		}
		if output.word == inJSON {
			d.list = newList(c.out, "changes")
		}
		return d.run(pairs)
	}
	return cmd
}

// diff compares two configurations.
type diff struct {
	*console
	block  string
	zone   string
	checks []string
	list   *list // nil for text

	counts map[string]int // differences without a failure, by their status
	under  int            // those under a failure alone
}

// compared is a block of two configurations.
type compared struct {
	name          string
	before, after *record.Catalog
}

// pairs reads both configurations.
func (d *diff) pairs(cmd *cobra.Command, before, after string) ([]compared, error) {
	was, err := d.open(before)
	if err != nil {
		return nil, err
	}
	is, err := d.open(after)
	if err != nil {
		return nil, err
	}
	switch {
	case was.json != is.json:
		kinds := map[bool]string{true: "Route 53 JSON", false: "a Corefile"}
		return nil, fmt.Errorf("%s is %s and %s is %s; compare two of a kind", was.path, kinds[was.json], is.path, kinds[is.json])
	case was.json && d.block != "":
		return nil, usage(cmd, errors.New("--block is for Corefiles"))
	case !was.json && (d.zone != "" || len(d.checks) > 0):
		return nil, usage(cmd, errors.New("--zone and --checks are for Route 53 files"))
	case was.json:
		old, now, err := d.importPair(cmd.Context(), before, after, d.checks, d.zone)
		if err != nil {
			return nil, err
		}
		return []compared{{record.Enumerate(old.zones), old.config.Catalog, now.config.Catalog}}, nil
	}
	return d.blocks(cmd.Context(), was, is)
}

// input is a file whose kind is told by its content.
type input struct {
	path string
	json bool
	text []byte // of the standard input, and of Corefiles
}

// open looks at a file.
func (d *diff) open(path string) (*input, error) {
	in := &input{path: path}
	var r io.Reader = d.in
	if path == "-" {
		in.path = "stdin"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		r = f
	}
	var start bytes.Buffer
	if _, err := io.CopyN(&start, r, sniffed); err != nil && err != io.EOF {
		return nil, err
	}
	if in.json = isJSON(start.Bytes()); in.json {
		if path == "-" {
			return nil, errors.New("the standard input holds Route 53 data, which is read from files only; name the file")
		}
		return in, nil
	}
	_, err := io.Copy(&start, r)
	in.text = start.Bytes()
	return in, err
}

// sniffed is how many bytes tell what a file is.
const sniffed = 4096

// isJSON reports whether a text begins as a list or an object of JSON does. A Corefile never
// does: what begins it is a zone, a word or "(".
func isJSON(start []byte) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\ufeff")))
	if len(text) == 0 {
		return false
	}
	rest := bytes.TrimSpace(text[1:])
	switch text[0] {
	case '{':
		return len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
	case '[':
		return len(rest) > 0 && bytes.IndexByte([]byte(`{["]`), rest[0]) >= 0
	}
	return false
}

// blocks pairs the blocks of two Corefiles: those of the same name, and of the others those
// of the same zones. What one has alone is compared with nothing.
func (d *diff) blocks(ctx context.Context, was, is *input) ([]compared, error) {
	before, err := d.load(ctx, was)
	if err != nil {
		return nil, err
	}
	after, err := d.load(ctx, is)
	if err != nil {
		return nil, err
	}
	taken := make(map[*loaded]bool)
	partner := make(map[*loaded]*loaded)
	for _, same := range []func(a, b *loaded) bool{
		func(a, b *loaded) bool { return a.Name == b.Name },
		func(a, b *loaded) bool { return slices.Equal(a.Zones(), b.Zones()) },
	} {
		for _, a := range before {
			i := slices.IndexFunc(after, func(b *loaded) bool { return !taken[b] && same(a, b) })
			if partner[a] == nil && i >= 0 {
				partner[a], taken[after[i]] = after[i], true
			}
		}
	}
	var all []compared
	for _, a := range before {
		if b := partner[a]; b != nil {
			all = append(all, compared{b.Name, a.config.Catalog, b.config.Catalog})
		} else {
			all = append(all, compared{a.Name, a.config.Catalog, emptied(a.config.Catalog)})
		}
	}
	for _, b := range after {
		if !taken[b] {
			all = append(all, compared{b.Name, emptied(b.config.Catalog), b.config.Catalog})
		}
	}
	return all, nil
}

// emptied returns a catalog of the same zones that holds nothing.
func emptied(c *record.Catalog) *record.Catalog {
	empty := record.NewCatalog(c.Zones)
	empty.SOA = c.SOA
	return empty
}

// load loads the blocks of a Corefile that are asked for.
func (d *diff) load(ctx context.Context, in *input) ([]*loaded, error) {
	d.progress.begin("reading "+in.path, 0)
	file, err := corefile.Read(in.path, bytes.NewReader(in.text))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(file.Problems...); err != nil {
		return nil, err
	}
	blocks, err := (&source{console: d.console, block: d.block}).blocks(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.path, err)
	}
	var all []*loaded
	for _, b := range blocks {
		config, err := d.console.load(ctx, b)
		if err != nil {
			return nil, err
		}
		all = append(all, &loaded{b, config})
	}
	return all, nil
}

// run compares pairs of blocks and tells how they differ.
func (d *diff) run(pairs []compared) error {
	d.counts = make(map[string]int)
	for _, p := range pairs {
		d.progress.begin("comparing "+p.name, 0)
		first := true
		for difference := range explain.Diff(explain.New(p.before), explain.New(p.after)) {
			d.tell(p.name, difference, first && len(pairs) > 1)
			first = false
		}
	}
	total := d.under
	for _, n := range d.counts {
		total += n
	}
	switch {
	case d.list != nil:
		if err := d.list.end(); err != nil {
			return err
		}
	case total == 0:
		d.write("nothing differs\n")
	default:
		d.write("\n", d.summary(), "\n")
	}
	if total > 0 {
		return errFound
	}
	return nil
}

func (d *diff) tell(block string, is explain.Difference, title bool) {
	if len(is.Under) > 0 {
		d.under++
	} else {
		d.counts[is.Status]++
	}
	if d.list != nil {
		d.list.add(difference{block, is})
		return
	}
	if title {
		d.write(d.painted(explain.TitleRole, block), "\n")
	}
	d.write("  ", is.Text(d.style), "\n")
}

// summary counts the differences.
func (d *diff) summary() string {
	var parts []string
	for _, status := range []string{"changed", "new", "gone"} {
		if n := d.counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if d.under > 0 {
		parts = append(parts, fmt.Sprintf("%d only under a failure", d.under))
	}
	return strings.Join(parts, ", ")
}
