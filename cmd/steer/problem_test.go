package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// TestProblems: each error that has a place somewhere in it is a problem there, and no error
// is lost.
func TestProblems(t *testing.T) {
	t.Chdir(t.TempDir())
	block := record.Pos{File: "Corefile", Line: 7}
	absolute, err := filepath.Abs("more/zone.conf")
	if err != nil {
		t.Fatal(err)
	}
	at := func(line int, message string) error {
		return record.ErrorAt(record.Pos{File: "Corefile", Line: line}, "%s", message)
	}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"none", nil, ""},
		{"one", at(3, "wrong"), "Corefile:3 wrong"},
		{"wrapped", fmt.Errorf("block: %w", at(3, "wrong")), "Corefile:3 wrong"},
		{"several", errors.Join(at(3, "wrong"), errors.New("odd"), at(4, "bad")), "Corefile:3 wrong|Corefile:7 odd|Corefile:4 bad"},
		{"several of none", errors.Join(route53json.Errors{}), "Corefile:7 "},
		{"wrapped without a place", fmt.Errorf("block: %w", errors.New("odd")), "Corefile:7 block: odd"},
		{"caddy's own", errors.New("Corefile:9 - Error during parsing: Unexpected '}'"), "Corefile:9 Unexpected '}'"},
		{"caddy's other own", errors.New("Corefile:9 - Syntax error: Unexpected token"), "Corefile:9 Unexpected token"},
		{"of an imported file", record.ErrorAt(record.Pos{File: absolute, Line: 2}, "wrong"), filepath.Join("more", "zone.conf") + ":2 wrong"},
		{"files", route53json.Errors{{Path: "a.json", Line: 2, Column: 5, Err: errors.New("no JSON")}, {Path: "b.json", Err: errors.New("is a directory")}},
			"a.json:2 column 5: no JSON|b.json is a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for i, p := range problemsOf(tt.err, block) {
				if i > 0 {
					got += "|"
				}
				got += p.at() + " " + p.Message
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAnnotation: what the runner of GitHub Actions would take for syntax is escaped.
func TestAnnotation(t *testing.T) {
	p := problem{File: "a,b:c%.conf", Line: 3, Level: levelInfo, ID: "zero-weight", Name: "www.example.org.", Type: "A", Message: "100% wrong\r\n::error::", Remedy: "mend it"}
	const want = "::notice file=a%2Cb%3Ac%25.conf,line=3,title=steer%3A zero-weight::www.example.org. A: 100%25 wrong%0D%0A::error::%0Amend it"
	if got := p.annotation(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
