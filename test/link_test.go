package test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// prose returns a Markdown text without its code blocks; lines keep their numbers.
func prose(text string) string {
	lines := strings.Split(text, "\n")
	for _, f := range fences(text) {
		for i := range strings.Count(f.text, "\n") {
			lines[f.line-1+i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

var (
	heading   = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *$`)
	reference = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	linkText  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
)

// anchors returns the fragments that GitHub gives to the headings of a Markdown text: lower
// case without punctuation, hyphens for blanks, and a number for what comes again.
func anchors(text string) map[string]bool {
	all, count := map[string]bool{}, map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(prose(text), -1) {
		title := strings.NewReplacer("*", "", "`", "").Replace(linkText.ReplaceAllString(m[1], "$1"))
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		n := count[slug]
		count[slug]++
		if n > 0 {
			slug += "-" + strconv.Itoa(n)
		}
		all[slug] = true
	}
	return all
}

// Links of the documents to files, pictures and sections lead somewhere.
func TestDocumentLinks(t *testing.T) {
	sections := map[string]map[string]bool{}
	for _, path := range documents(t) {
		sections[path] = anchors(readFile(t, path))
	}
	for _, path := range documents(t) {
		text := prose(readFile(t, path))
		for _, m := range reference.FindAllStringSubmatchIndex(text, -1) {
			target, line := text[m[2]:m[3]], 1+strings.Count(text[:m[0]], "\n")
			if strings.Contains(target, "://") {
				continue
			}
			file, fragment, _ := strings.Cut(target, "#")
			to := path
			if file != "" {
				to = filepath.Join(filepath.Dir(path), file)
				if _, err := os.Stat(to); err != nil {
					t.Errorf("%s:%d: a link to %s: %v", path, line, target, err)
					continue
				}
			}
			if fragment != "" && !sections[to][fragment] {
				t.Errorf("%s:%d: a link to %s, and %s has no such section", path, line, target, to)
			}
		}
	}
}

var (
	// A span of code that is a path of this repository: with a slash, or a file of a kind
	// that is here.
	repositoryPath = regexp.MustCompile(`^\.?/?[\w.-]+(?:/[\w.*-]+)*/?$`)
	fileOfOurs     = regexp.MustCompile(`^[\w-]+(?:_test)?\.(?:go|sh|md|svg)$`)
	localArgument  = regexp.MustCompile(`(?:^|[\s=])\./([\w-]+(?:/[\w.-]+)*)`)
)

// Paths that the documents name in running text or in commands exist. Decisions may speak
// of what there was.
func TestDocumentPaths(t *testing.T) {
	top, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, e := range top {
		if e.IsDir() {
			dirs = append(dirs, e.Name())
		}
	}
	found := 0
	for _, path := range documents(t) {
		if filepath.Base(filepath.Dir(path)) == "adr" || filepath.Base(path) == "CHANGELOG.md" {
			continue
		}
		text := readFile(t, path)
		exists := func(name string) {
			t.Helper()
			found++
			for _, base := range []string{"..", filepath.Dir(path)} {
				if match, _ := filepath.Glob(filepath.Join(base, name)); len(match) > 0 {
					return
				}
			}
			t.Errorf("%s names %s, which does not exist", path, name)
		}
		for _, m := range codeSpan.FindAllStringSubmatch(prose(text), -1) {
			span := m[1]
			dir, _, inside := strings.Cut(strings.TrimPrefix(span, "./"), "/")
			switch {
			case inside && repositoryPath.MatchString(span) && slices.Contains(dirs, dir):
				exists(span)
			case fileOfOurs.MatchString(span):
				exists(span)
			}
		}
		for _, m := range localArgument.FindAllStringSubmatch(text, -1) {
			if m[1] != "coredns" && m[1] != "steer" { // what is built
				exists(m[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("%d paths found", found)
	}
}

// Every page of the manual is linked from the README.
func TestReadmeLinksThePages(t *testing.T) {
	readme := readFile(t, "../README.md")
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) < 6 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		if at := "docs/" + filepath.Base(page); !strings.Contains(readme, "]("+at+")") {
			t.Errorf("the README does not link %s", at)
		}
	}
}

// The README stays what can be read in five minutes, and has the sections that CoreDNS's
// tests of plugin READMEs demand, in their order, with those of its manual pages.
func TestReadmeSections(t *testing.T) {
	readme := readFile(t, "../README.md")
	if n := strings.Count(readme, "\n"); n > 250 {
		t.Errorf("the README has %d lines; what is more than 250 belongs into docs", n)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(prose(readme), -1) {
		got = append(got, m[1])
	}
	at := -1
	for _, want := range []string{"Name", "Description", "Syntax", "Examples", "Metrics", "Ready", "Bugs", "See Also"} {
		i := slices.Index(got, want)
		if i <= at {
			t.Errorf("section %q is missing or out of order in %q", want, got)
		}
		at = max(at, i)
	}
}

// The picture in the README is of the Corefile above it: it has the names and addresses
// that stand there.
func TestPicture(t *testing.T) {
	var corefile string
	for _, f := range fences(readFile(t, "../README.md")) {
		if f.language == "corefile" {
			corefile = f.text
			break
		}
	}
	picture, err := os.Open("../docs/tree.svg")
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	named := regexp.MustCompile(`^(?:[\w-]+\.)*[\w-]+\.?$`)
	found, class := 0, ""
	for d := xml.NewDecoder(picture); ; {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			if found < 9 {
				t.Errorf("the picture has %d names and addresses", found)
			}
			return
		case err != nil:
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			class = ""
			for _, a := range e.Attr {
				if a.Name.Local == "class" && e.Name.Local == "text" {
					class = a.Value
				}
			}
		case xml.EndElement:
			class = ""
		case xml.CharData:
			if class != "name" && class != "leaf" {
				continue
			}
			found++
			text := string(e)
			label := strings.TrimSuffix(text, ".example.org")
			if !named.MatchString(text) || !slices.Contains(strings.Fields(corefile), label) {
				t.Errorf("the picture shows %q, which the Corefile above it does not have", text)
			}
		}
	}
}
