package route53json

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

var fuzzOptions = Options{Zones: []string{"example.com.", "example.test.", "staging."}, DefaultTTL: 60}

// FuzzImport holds the scanner against encoding/json, and loads what it takes: a group
// that the catalog refuses would be a record set that this package should have left out.
func FuzzImport(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		f.Fatal("no test data: ", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{
		`[{"Name":"\u00e9.example.com","Type":"TXT","TTL":1e1,"ResourceRecords":[{"Value":"\"a\\344\"\"b\""}]}]`,
		`{"Changes":[{"Action":"DELETE","ResourceRecordSet":{"Name":"a.example.com","Type":"A"}}]}{"ResourceRecordSets":null}`,
		`{"HealthChecks":[{"Id":"a","HealthCheckConfig":{"Type":"CALCULATED","ChildHealthChecks":["a","b"],"HealthThreshold":-1}}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := newLoader(context.Background(), fuzzOptions)
		err := l.read("f.json", iotest.HalfReader(bytes.NewReader(data)))
		if err != nil {
			if err.Line < 1 || err.Column < 1 {
				t.Errorf("error without a position: %v", err)
			}
			return
		}
		data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		for dec := json.NewDecoder(bytes.NewReader(data)); dec.More(); {
			var v any
			if err := dec.Decode(&v); err != nil {
				t.Fatalf("taken, but encoding/json says: %v", err)
			}
		}
		im, unfinished := l.finish()
		if unfinished != nil {
			t.Fatal(unfinished)
		}
		c := record.NewCatalog(fuzzOptions.Zones)
		if err := im.AddTo(context.Background(), c); err != nil {
			t.Errorf("cannot be added: %v", err)
		}
		if others := im.Note(c.Validate()); len(others) > 0 {
			t.Errorf("validation finds %v outside the file", others)
		}
		if others := im.Warn(lint.Check(c, lint.Options{Strict: true})); len(others) > 0 {
			t.Errorf("there are traps outside the file: %v", others)
		}
		if im.Files[0].RecordSets < 0 {
			t.Errorf("%d record sets", im.Files[0].RecordSets)
		}
		for _, p := range im.Problems {
			if p.Kind == Refused {
				t.Errorf("the catalog refuses what was to be served: %s", p)
			}
			if strings.ContainsAny(p.String(), "\n\r\x00") {
				t.Errorf("%q has a line break", p)
			}
		}
	})
}

// FuzzScanner holds the scanner against encoding/json for what is valid.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e+3,"\u00e9\ud83d\ude00\n",true,false,null]}`, `[[[]]]`, `01`, `"\ud800"`, "\"\xff\"", `{"a":1,}`, `-`, `tru`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newScanner(iotest.OneByteReader(bytes.NewReader(data)))
		err := s.begin()
		if err == nil {
			err = s.skip()
		}
		if err == nil {
			if c, end := s.peek(); end == nil {
				err = s.errorf("%q follows", c)
			}
		}
		data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		switch valid := json.Valid(data); {
		case err == nil && !valid:
			t.Errorf("took what is not JSON: %q", data)
		case err != nil && valid && !stricter(err):
			t.Errorf("refused JSON: %v: %q", err, data)
		}
	})
}

// stricter reports whether an error is one of those that are meant to go further than
// encoding/json does.
func stricter(err error) bool {
	for _, part := range []string{"objects and lists are nested deeper than", "is not UTF-8", "half of a surrogate pair", "is not a character", "a string of more than", "a number of more than"} {
		if strings.Contains(err.Error(), part) {
			return true
		}
	}
	return false
}
