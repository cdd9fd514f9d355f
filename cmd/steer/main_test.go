package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steerdns/steer/plugin/explain"
)

var update = flag.Bool("update", false, "rewrite the golden files and the manual pages")

// result is what a command left behind.
type result struct {
	out, err string
	code     int
}

// steer runs a command as if its output went into files.
func steer(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	c := &console{in: strings.NewReader(stdin), out: bufio.NewWriter(&out), err: &errs, style: explain.ASCII, now: func() time.Time { return time.Unix(1700000000, 0) }, progress: &progress{}}
	code := run(t.Context(), args, c)
	return result{out.String(), errs.String(), code}
}

// workplace makes a directory with Corefile.example as its Corefile and the files of
// testdata, and works in it.
func workplace(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob("testdata/*.corefile")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, more...) {
		copyFile(t, path, filepath.Join(dir, filepath.Base(path)))
	}
	for _, name := range []string{"Corefile", "Corefile.example"} {
		copyFile(t, "../../Corefile.example", filepath.Join(dir, name))
	}
	t.Chdir(dir)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestGolden runs each command of testdata/golden, whose first line it is, and compares all
// that it leaves behind.
func TestGolden(t *testing.T) {
	golden, err := filepath.Abs("testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(golden + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	workplace(t)
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			line, _, _ := strings.Cut(string(data), "\n")
			args, ok := strings.CutPrefix(line, "$ steer ")
			if !ok {
				t.Fatalf("the first line is %q, want a command", line)
			}
			got := steer(t, "", fields(args)...)
			text := fmt.Sprintf("%s\n%s", line, got.out)
			if got.err != "" {
				text += "--- standard error\n" + got.err
			}
			text += fmt.Sprintf("--- exit %d\n", got.code)
			if *update {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if text != string(data) {
				t.Errorf("got\n%s\nwant\n%s", text, data)
			}
		})
	}
}

// fields splits a command line as a shell does, as far as the tests need it.
func fields(line string) []string {
	words := strings.Fields(line)
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	return words
}

// decode decodes JSON that must hold nothing but what a type has.
func decode(t *testing.T, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if d.More() {
		t.Fatalf("there is more after the value in\n%s", text)
	}
}
