package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// problem is something that is wrong at a place, or perhaps not what was meant.
type problem struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1; 0 if it is about all of the file

	Level string `json:"level"` // "error", "warning" or "info"
	ID    string `json:"id"`

	Name  string `json:"name"` // of a record set or a check, or ""
	Type  string `json:"type,omitempty"`
	SetID string `json:"set_id,omitempty"`

	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// The levels of problems.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelInfo    = "info"
)

// The ids of errors that are no traps.
const (
	invalidCorefile = "invalid-corefile" // a stanza or the structure of the file
	invalidImport   = "invalid-import"   // a Route 53 file that cannot be loaded
)

// at returns where a problem is, as compilers write it.
func (p *problem) at() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// problemsOf returns the problems that an error tells of, or nil if it is another error.
func problemsOf(err error) []problem {
	if at, ok := err.(*record.Error); ok {
		return []problem{{File: relative(at.Pos.File), Line: at.Pos.Line, Level: levelError, ID: invalidCorefile, Message: at.Err.Error()}}
	}
	if at, ok := err.(*route53json.FileError); ok {
		p := problem{File: relative(at.Path), Line: at.Line, Level: levelError, ID: invalidImport, Message: at.Err.Error()}
		if at.Column > 0 {
			p.Message = "column " + strconv.Itoa(at.Column) + ": " + p.Message
		}
		return []problem{p}
	}
	var all []problem
	switch err := err.(type) {
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			all = append(all, problemsOf(e)...)
		}
	case interface{ Unwrap() error }:
		all = problemsOf(err.Unwrap())
	}
	if all == nil {
		return parseError(err)
	}
	return all
}

// caddyError is how caddy's parser writes an error: it has no type.
var caddyError = regexp.MustCompile(`(?s)^(.+):(\d+) - (?:Error during parsing|Syntax error): (.*)$`)

func parseError(err error) []problem {
	if err == nil {
		return nil
	}
	m := caddyError.FindStringSubmatch(err.Error())
	if m == nil {
		return nil
	}
	line, _ := strconv.Atoi(m[2]) // digits; one that is too large is no line
	return []problem{{File: relative(m[1]), Line: line, Level: levelError, ID: invalidCorefile, Message: m[3]}}
}

// relative returns a path as the operator would write it: the parser makes those of imported
// files absolute.
func relative(path string) string {
	dir, err := os.Getwd()
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	short, err := filepath.Rel(dir, path)
	if err != nil || short == ".." || strings.HasPrefix(short, ".."+string(filepath.Separator)) {
		return path
	}
	return short
}
