package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/record"
)

// source is the Corefile that a command is about, and the block of it.
type source struct {
	*console
	corefile string
	block    string // the name of one, or "" for all
}

// addSource adds the flags for where to read from.
func addSource(cmd *cobra.Command, c *console) *source {
	s := &source{console: c}
	cmd.Flags().StringVarP(&s.corefile, "corefile", "c", "Corefile", "the Corefile to read, - is the standard input")
	cmd.Flags().StringVar(&s.block, "block", "", "the server block, by its first zone or its name in logs and metrics")
	must(cmd.RegisterFlagCompletionFunc("block", s.completeBlock))
	return s
}

// must is for what can only fail if a command is put together wrongly.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// read reads the Corefile.
func (s *source) read() (*corefile.File, error) { return s.readFile(s.corefile) }

func (c *console) readFile(path string) (file *corefile.File, err error) {
	c.progress.begin("reading "+path, 0)
	if path == "-" {
		file, err = corefile.Read("stdin", c.in)
	} else {
		file, err = corefile.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	if len(file.Blocks) == 0 && len(file.Problems) == 0 {
		return nil, fmt.Errorf("%s has no steer block", path)
	}
	return file, errors.Join(file.Problems...) // the file as well, for who looks for all problems
}

// load loads a block.
func (c *console) load(ctx context.Context, b *corefile.Block) (*corefile.Config, error) {
	c.progress.begin("loading "+b.Name, 0)
	return b.Load(ctx, c.now())
}

// blocks returns the blocks that are asked for.
func (s *source) blocks(file *corefile.File) ([]*corefile.Block, error) {
	var found []*corefile.Block
	for i := range file.Blocks {
		if b := &file.Blocks[i]; s.block == "" || b.Name == s.block {
			found = append(found, b)
		}
	}
	if s.block == "" || len(found) == 1 {
		return found, nil
	}
	zone, err := record.Canonical(s.block)
	for i := range file.Blocks {
		if b := &file.Blocks[i]; err == nil && b.Zones()[0] == zone {
			found = append(found, b)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("there is no block %q; there is %s", s.block, names(pointers(file.Blocks)))
	case 1:
		return found, nil
	}
	return nil, fmt.Errorf("several blocks are meant by %q: %s", s.block, names(found))
}

func pointers(blocks []corefile.Block) []*corefile.Block {
	list := make([]*corefile.Block, len(blocks))
	for i := range blocks {
		list[i] = &blocks[i]
	}
	return list
}

// names lists the names of blocks, up to a few of them.
func names(blocks []*corefile.Block) string {
	const few = 8
	var list []string
	for _, b := range blocks[:min(len(blocks), few)] {
		list = append(list, fmt.Sprintf("%q", b.Name))
	}
	if more := len(blocks) - few; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// loaded is a block with what it declares.
type loaded struct {
	*corefile.Block
	config *corefile.Config
}

// blockOf returns the block that answers a name: the one with the closest zone among the
// server blocks of its address. Of several, as with another transport or with views, it is
// the one whose directive serves a zone with the name.
func (s *source) blockOf(ctx context.Context, file *corefile.File, name string) (*loaded, error) {
	blocks, err := s.blocks(file)
	if err != nil {
		return nil, err
	}
	if s.block == "" {
		if blocks, err = closest(file, blocks, name); err != nil {
			return nil, err
		}
	}
	var found []*loaded
	for _, b := range blocks {
		config, err := s.load(ctx, b)
		if err != nil {
			return nil, err
		}
		if _, in := config.Catalog.Zone(name); in || len(blocks) == 1 {
			found = append(found, &loaded{b, config})
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("none of the blocks %s serves a zone with %s", names(blocks), name)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("several blocks have %s; pick one with --block: %s", name, names(blocks))
}

// closest returns the blocks that get queries for a name.
func closest(file *corefile.File, blocks []*corefile.Block, name string) ([]*corefile.Block, error) {
	var found []*corefile.Block
	best, other := -1, ""
	for _, b := range blocks {
		zone, in := closestZone(b.Zones(), name)
		if !in {
			continue
		}
		if rival, in := closestZone(file.Others(b), name); in && len(rival) > len(zone) {
			other = rival
			continue
		}
		if len(zone) > best {
			best, found = len(zone), nil
		}
		if len(zone) == best {
			found = append(found, b)
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case other != "":
		return nil, fmt.Errorf("%s belongs to another server block, of zone %s, which has no steer directive", name, other)
	}
	var zones []string
	for _, b := range blocks {
		zones = append(zones, b.Zones()...)
	}
	slices.Sort(zones)
	zones = slices.Compact(zones)
	return nil, fmt.Errorf("%s is in none of the zones %s%s", name, record.Enumerate(zones), hint(name, zones))
}

// closestZone returns the longest of some zones that a name is in.
func closestZone(zones []string, name string) (string, bool) {
	return record.NewCatalog(zones).Zone(name)
}

// hint helps who left the zone out.
func hint(name string, zones []string) string {
	if strings.Count(name, ".") > 1 || len(zones) == 0 || zones[0] == "." {
		return ""
	}
	return fmt.Sprintf("; did you mean %s%s?", name, zones[0])
}

func (s *source) completeBlock(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, err := s.read()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var words []cobra.Completion
	for i := range file.Blocks {
		words = append(words, file.Blocks[i].Name)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
