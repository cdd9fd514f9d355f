package main

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/steerdns/steer/plugin/explain"
)

const manual = "../../docs/command.md"

// documented are the types of the JSON, by their headings in the manual.
var documented = map[string]any{
	"problem":      problem{},
	"explanation":  explanation{},
	"question":     explain.Question{},
	"answer":       explain.Answer{},
	"node":         explain.Node{},
	"record":       explain.Record{},
	"check":        explain.Check{},
	"draw":         explain.Draw{},
	"balancer":     explain.Balancer{},
	"zone":         explain.BalancerZone{},
	"target group": explain.TargetGroup{},
	"scope":        explain.Scope{},
	"target":       explain.Target{},
	"glue":         explain.Glue{},
	"threat":       explain.Threat{},
	"change":       change{},
	"difference":   difference{},
	"report":       report{},
	"file":         importedFile{},
	"count":        problemCount{},
}

var (
	section = regexp.MustCompile(`(?m)^### (.*)$`)
	row     = regexp.MustCompile(`(?m)^\| (.*?) \|`)
	field   = regexp.MustCompile("`(\\w+)`(\\??)")
)

// TestDocumentedFields: the manual has every field of the JSON, marks those that may be
// absent, and has no other.
func TestDocumentedFields(t *testing.T) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	_, json, ok := strings.Cut(string(text), "\n## JSON\n")
	if !ok {
		t.Fatal("there is no section JSON")
	}
	json, _, _ = strings.Cut(json, "\n## ")
	got := make(map[string][]string)
	at := section.FindAllStringSubmatchIndex(json, -1)
	for i, m := range at {
		end := len(json)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		name := json[m[2]:m[3]]
		for _, r := range row.FindAllStringSubmatch(json[m[1]:end], -1) {
			for _, f := range field.FindAllStringSubmatch(r[1], -1) {
				got[name] = append(got[name], f[1]+f[2])
			}
		}
	}
	types := make(map[reflect.Type]bool)
	for name, value := range documented {
		typ := reflect.TypeOf(value)
		types[typ] = true
		if want := fieldsOf(typ); !slices.Equal(got[name], want) {
			t.Errorf("%s: the manual has\n%q, the type\n%q", name, got[name], want)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("the manual has a section %q of no type", name)
	}
	for typ := range types {
		for _, part := range parts(typ) {
			if !types[part] {
				t.Errorf("%s has a %s, which is in no section", typ, part)
			}
		}
	}
}

// fieldsOf returns the names of a type's fields in its JSON, with a question mark if they
// may be absent.
func fieldsOf(typ reflect.Type) []string {
	var names []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			names = append(names, fieldsOf(element(f.Type))...)
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if option == "omitempty" {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

// parts returns the types of objects that a type's fields hold.
func parts(typ reflect.Type) []reflect.Type {
	var list []reflect.Type
	for i := range typ.NumField() {
		f := typ.Field(i)
		of := element(f.Type)
		switch {
		case f.Anonymous:
			list = append(list, parts(of)...)
		case of.Kind() == reflect.Struct:
			list = append(list, of)
		}
	}
	return list
}

// element returns what a pointer or slice is of.
func element(typ reflect.Type) reflect.Type {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	return typ
}

// TestDocumentedCommands: the manual has a section for each command, and names each of its
// flags.
func TestDocumentedCommands(t *testing.T) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range newRoot(&console{}).Commands() {
		if !strings.Contains(string(text), "\n## "+cmd.CommandPath()+"\n") {
			t.Errorf("the manual has no section %q", cmd.CommandPath())
		}
		for word := range strings.FieldsSeq(cmd.Flags().FlagUsages()) {
			if strings.HasPrefix(word, "--") && !strings.Contains(string(text), word) {
				if word == "--corefile" && strings.Contains(string(text), "`-c ") || word == "--output" && strings.Contains(string(text), "`-o ") {
					continue
				}
				t.Errorf("the manual does not name %s of %q", word, cmd.CommandPath())
			}
		}
	}
}

var shown = regexp.MustCompile("(?s)```console\n\\$ steer ([^\n]*)\n(.*?)```")

// TestDocumentedOutput runs the commands of the manual whose files are here, and compares
// what they print; "..." on a line stands for some lines.
func TestDocumentedOutput(t *testing.T) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	workplace(t)
	compared := 0
	for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
		args, want := m[1], m[2]
		if !strings.Contains(args, "Corefile.example") && !strings.HasPrefix(args, "import zone.json checks.json") || strings.Contains(args, ">") {
			continue
		}
		compared++
		got := steer(t, "", fields(args)...).out
		begin, end, cut := strings.Cut(want, "  ...\n")
		if !cut && got != want || !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, end) {
			t.Errorf("%s prints\n%s\nand the manual has\n%s", args, got, want)
		}
	}
	if compared < 3 {
		t.Errorf("%d commands compared, want three at least", compared)
	}
}
