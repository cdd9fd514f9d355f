package route53json

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestScannerErrors(t *testing.T) {
	tests := []struct{ name, json, want string }{
		{"empty", "", "1:1: the file is empty"},
		{"white space", " \n\n ", "3:2: the file is empty"},
		{"comma behind the last member", "{\n \"a\": 1,\n}", `3:1: '}' after a comma: JSON allows none after the last element`},
		{"comma behind the last element", "[1,]", `1:4: ']' after a comma: JSON allows none after the last element`},
		{"no comma", "{\"a\": 1 \"b\": 2}", `1:9: '"' where ',' or '}' belongs`},
		{"no colon", `{"a" 1}`, `1:6: '1' where the ':' after a key belongs`},
		{"key without quotes", "{a: 1}", `1:2: 'a' where a key in double quotes belongs`},
		{"single quotes", "['a']", `1:2: '\'' where a value belongs`},
		{"wrong bracket", "[1}", `1:3: '}' where ',' or ']' belongs`},
		{"truncated list", "[1,\n2", "2:2: the file ends here, in the middle of a value"},
		{"truncated string", `["abc`, "1:6: the file ends here, in the middle of a value"},
		{"truncated escape", `["\u00`, "1:7: the file ends here, in the middle of a value"},
		{"truncated word", "[tru", "1:5: the file ends here, in the middle of a value"},
		{"wrong word", "[trve]", `1:4: 'v' in the middle of "true"`},
		{"leading zero", "[01]", `1:4: "01" is not a number`},
		{"lone minus", "[-]", `1:3: "-" is not a number`},
		{"line break in a string", "[\"a\nb\"]", `1:4: '\n' in a string; JSON writes it as an escape`},
		{"unknown escape", `["\q"]`, `1:4: 'q' after a backslash; JSON knows no such escape`},
		{"no hexadecimal digit", `["\u00g0"]`, `1:7: 'g' where a hexadecimal digit belongs`},
		{"half of a surrogate pair", `["\ud83d."]`, `1:9: \uD83D is half of a surrogate pair; its other half is missing`},
		{"two halves that do not match", `["\ud83dA"]`, `1:9: \uD83D is half of a surrogate pair; its other half is missing`},
		{"not UTF-8", "[\"a\xff\"]", "1:6: the string that ends here is not UTF-8"},
		{"UTF-16", "\xff\xfe[\x00", "1:1: the file is in UTF-16, as PowerShell redirects output; save it as UTF-8"},
		{"deep", strings.Repeat("[", 65), "1:65: objects and lists are nested deeper than 64 levels"},
		{"something behind", "{\"Changes\": []} x", "1:17: 'x' where a value belongs"},
		{"a number", "1", "1:1: " + errUnknown.Error()},
		{"an object of something else", "\n {\"HostedZones\": [{\"Name\": \"example.com.\"}]}", "2:2: " + errUnknown.Error()},
		{"a list of something else", "[{}, 1]", "1:1: " + errUnknown.Error()},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tc.json), iotest.OneByteReader(strings.NewReader(tc.json))} {
				err := newLoader(context.Background(), fuzzOptions).read("f.json", r)
				if err == nil || err.Error() != "f.json:"+tc.want {
					t.Errorf("error %v\n want f.json:%s", err, tc.want)
				}
			}
		})
	}
}

func TestScannerReadError(t *testing.T) {
	err := newLoader(context.Background(), fuzzOptions).read("f.json", iotest.ErrReader(errors.New("disk on fire")))
	if want := "f.json: disk on fire"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Input of any size ends in bounded memory: here of a string and of a list that never
// end.
func TestScannerBounds(t *testing.T) {
	endless := func(begin, more string) io.Reader {
		return io.MultiReader(strings.NewReader(begin), &repeat{text: more, left: 16 << 20})
	}
	for _, tc := range []struct {
		name string
		r    io.Reader
		want string
	}{
		{"string", endless(`[{"Name": "`, `\\0`), "f.json:1:98317: a string of more than 65536 bytes"},
		{"key", endless(`{"`, "k"), "f.json:1:65540: a string of more than 65536 bytes"},
		{"number", endless(`[`, "1"), "f.json:1:65538: a number of more than 65536 digits"},
		{"values", endless(`[{"Name": "a.example.com", "Type": "A", "ResourceRecords": [`, `{"Value": "192.0.2.1"},`), "the file ends here, in the middle of a value"},
		{"unknown members", endless(`{"a": [`, `{"b": [1, null]},`), "the file ends here, in the middle of a value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLoader(context.Background(), fuzzOptions)
			err := l.read("f.json", tc.r)
			if err == nil || !strings.HasSuffix(err.Error(), tc.want) {
				t.Errorf("error %v, want %s", err, tc.want)
			}
			kept := cap(l.text) + cap(l.window)
			for _, it := range l.items {
				kept += cap(it.arena)
			}
			if kept > 4*maxKept {
				t.Errorf("%d bytes of buffers", kept)
			}
		})
	}
}

// repeat is a text over and over.
type repeat struct {
	text string
	left int
}

func (r *repeat) Read(b []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n+len(r.text) <= len(b) {
		n += copy(b[n:], r.text)
	}
	if n == 0 {
		n = copy(b, r.text)
	}
	r.left -= n
	return n, nil
}
