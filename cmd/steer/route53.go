package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// hosted is what Route 53 files hold.
type hosted struct {
	zones   []string // none of health checks alone
	guessed bool     // the zones, by the names
	config  *corefile.Config
}

// importFiles reads Route 53 files as a block of their zones would, or of the one that is
// given.
func (c *console) importFiles(ctx context.Context, patterns []string, zone string, o lint.Options) (*hosted, error) {
	files, err := route53json.Expand(ctx, patterns)
	if err != nil {
		return nil, err
	}
	h := &hosted{zones: []string{zone}}
	if zone == "" {
		c.progress.begin("looking for the zone", 0)
		h.zones, h.guessed, err = route53json.Zones(ctx, files)
		switch {
		case err != nil:
			return nil, err
		case len(h.zones) == 0 && h.guessed:
			return nil, fmt.Errorf("%s: there is no SOA, and too few names to tell the zone; give it with --zone", few(files))
		}
	}
	return h, c.importZones(ctx, h, files, o)
}

func (c *console) importZones(ctx context.Context, h *hosted, files []string, o lint.Options) (err error) {
	c.progress.begin("loading "+few(files), 0)
	zones := h.zones
	if len(zones) == 0 { // of health checks alone
		zones = []string{"."}
	}
	h.config, err = corefile.ImportFiles(ctx, zones, files, corefile.Env{Now: c.now(), Lint: o})
	return err
}

// parseZone reads the flag --zone, which may be "".
func parseZone(word string) (string, error) {
	if word == "" {
		return "", nil
	}
	return record.Canonical(word)
}

// importPair reads two states of Route 53 files of the same zones, each with the files that
// both share.
func (c *console) importPair(ctx context.Context, before, after string, shared []string, zone string) (was, is *hosted, err error) {
	files := [2][]string{}
	for i, path := range []string{before, after} {
		if files[i], err = route53json.Expand(ctx, append([]string{path}, shared...)); err != nil {
			return nil, nil, err
		}
	}
	zones := []string{zone}
	if zone == "" {
		if zones, err = commonZones(ctx, files[0], files[1]); err != nil {
			return nil, nil, err
		}
	}
	was, is = &hosted{zones: zones}, &hosted{zones: zones}
	if err := c.importZones(ctx, was, files[0], lint.Options{}); err != nil {
		return nil, nil, err
	}
	return was, is, c.importZones(ctx, is, files[1], lint.Options{})
}

// commonZones returns the zones that two lists of files are both of. What an SOA says counts
// more than a guess.
func commonZones(ctx context.Context, before, after []string) ([]string, error) {
	was, guessed, err := route53json.Zones(ctx, before)
	if err != nil {
		return nil, err
	}
	is, guessedToo, err := route53json.Zones(ctx, after)
	switch {
	case err != nil:
		return nil, err
	case guessed && !guessedToo && len(is) > 0, len(was) == 0 && !guessed:
		was = is
	case guessedToo && !guessed, len(is) == 0:
		is = was
	}
	if guessed && guessedToo && !slices.Equal(was, is) { // one has fewer names
		was, _, err = route53json.Zones(ctx, append(slices.Clip(before), after...))
		if err != nil {
			return nil, err
		}
		is = was
	}
	switch {
	case !slices.Equal(was, is):
		return nil, fmt.Errorf("the files are of different zones: %s and %s", record.Enumerate(was), record.Enumerate(is))
	case len(was) == 0:
		return nil, errors.New("the files have no SOA and too few names to tell the zone; give it with --zone")
	}
	return was, nil
}
