package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// problem is something that is wrong at a place, or perhaps not what was meant.
type problem struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1; 0 if it is about all of the file

	Level string `json:"level"` // "error", "warning" or "info"
	ID    string `json:"id"`

	Name  string `json:"name"`           // of a record set or a check, or ""
	Type  string `json:"type,omitempty"` // of a record set, or "health check"
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

// checkType is the type of a problem that is about a health check, as in the report of an
// import.
const checkType = "health check"

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

// problemsOf returns the problems that an error tells of, those without a place at the one
// that is given.
func problemsOf(err error, at record.Pos) []problem {
	switch e := err.(type) {
	case nil:
		return nil
	case *record.Error:
		p := newProblem(e.Pos, levelError, invalidCorefile, e.Err.Error())
		if refusal, ok := errors.AsType[lint.Refusal](e); ok {
			p = findingProblem(refusal.Finding)
		}
		return []problem{p}
	case *corefile.ImportError:
		var all []problem
		for i, file := range e.Files {
			all = append(all, fileProblem(file, e.At[i]))
		}
		return all
	case *route53json.FileError:
		return []problem{fileProblem(e, record.Pos{})}
	case interface{ Unwrap() []error }:
		var all []problem
		for _, part := range e.Unwrap() {
			all = append(all, problemsOf(part, at)...)
		}
		if len(all) > 0 {
			return all
		}
	}
	if inner := errors.Unwrap(err); inner != nil {
		if all := problemsOf(inner, record.Pos{}); all[0].at() != "" {
			return all
		}
	}
	// caddy's parser has no type for its errors.
	if m := parseError.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[2]) // digits
		return []problem{newProblem(record.Pos{File: m[1], Line: line}, levelError, invalidCorefile, m[3])}
	}
	return []problem{newProblem(at, levelError, invalidCorefile, err.Error())}
}

// parseError is how caddy's parser writes an error.
var parseError = regexp.MustCompile(`(?s)^(.+?):(\d+) - (?:Error during parsing|Syntax error): (.*)$`)

func newProblem(pos record.Pos, level, id, message string) problem {
	return problem{File: relative(pos.File), Line: pos.Line, Level: level, ID: id, Message: message}
}

// findingProblem returns the problem that a finding is.
func findingProblem(f lint.Finding) problem {
	p := newProblem(f.Pos, f.Level.String(), f.Trap.ID, f.Message())
	p.Name, p.SetID, p.Remedy = f.Name(), f.SetID, f.Remedy()
	switch {
	case f.Check != "":
		p.Type = checkType
	case f.Key.Type != 0:
		p.Type = dns.Type(f.Key.Type).String()
	}
	return p
}

// fileProblem returns the problem of a file that cannot be loaded: in the file, or where
// the file is named if it cannot be read at all.
func fileProblem(e *route53json.FileError, named record.Pos) problem {
	if e.Line == 0 && named != (record.Pos{}) {
		return newProblem(named, levelError, invalidImport, e.Error())
	}
	p := newProblem(record.Pos{File: e.Path, Line: e.Line}, levelError, invalidImport, e.Err.Error())
	if e.Column > 0 {
		p.Message = fmt.Sprintf("column %d: %s", e.Column, p.Message)
	}
	return p
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
