package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

//go:generate go test -count=1 -run TestManPages . -update

const manPages = "../../docs/man"

// TestManPages: there is a manual page for each command, made of its help.
func TestManPages(t *testing.T) {
	want := make(map[string][]byte)
	root := newRoot(&console{})
	for _, cmd := range append([]*cobra.Command{root}, root.Commands()...) {
		want[strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"] = manPage(t, cmd)
	}
	if *update {
		if err := os.RemoveAll(manPages); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(manPages, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, page := range want {
			if err := os.WriteFile(filepath.Join(manPages, name), page, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := os.ReadDir(manPages)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join(manPages, f.Name()))
		switch {
		case err != nil:
			t.Error(err)
		case want[f.Name()] == nil:
			t.Errorf("%s is of no command; run make man", f.Name())
		case !bytes.Equal(got, want[f.Name()]):
			t.Errorf("%s is not what its command says; run make man", f.Name())
		}
		delete(want, f.Name())
	}
	for name := range want {
		t.Errorf("there is no %s; run make man", name)
	}
}

// manPage makes the manual page of a command. It has no date: the page is that of the
// version that it comes with.
func manPage(t *testing.T, cmd *cobra.Command) []byte {
	t.Helper()
	var page bytes.Buffer
	header := &doc.GenManHeader{Section: "1", Source: "steer", Manual: "steer", Date: new(time.Time)}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		t.Fatal(err)
	}
	dated := []byte(`"Jan 0001"`)
	if !bytes.Contains(page.Bytes(), dated) {
		t.Fatalf("there is no date in the first lines: %.200s", page.Bytes())
	}
	return bytes.Replace(page.Bytes(), dated, []byte(`""`), 1)
}
