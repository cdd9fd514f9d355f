package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// typeset reports whether a character is typography for what a keyboard has: a dash, a
// quotation mark, a blank, an operator. What draws a tree is none.
func typeset(r rune) bool {
	return r > 0x7f && (unicode.In(r, unicode.Pd, unicode.Pi, unicode.Pf, unicode.Zs) || strings.ContainsRune("…×÷≤≥−", r))
}

// TestMessagesCanBeTyped: people search for errors, log lines and metrics with grep. So no
// string of the product holds typography; tests may, and bench, which prints tables.
func TestMessagesCanBeTyped(t *testing.T) {
	files := token.NewFileSet()
	parsed := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "bench" || name == "testdata" || strings.HasPrefix(name, ".") && name != ".."):
			return fs.SkipDir
		case filepath.ToSlash(path) == "../plugin/explain/style.go": // marks for terminals that show them
			return nil
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed++
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Errorf("%s: %v", files.Position(literal.Pos()), err)
			}
			if i := strings.IndexFunc(text, typeset); i >= 0 {
				r, _ := utf8.DecodeRuneInString(text[i:])
				t.Errorf("%s: %s holds %q", files.Position(literal.Pos()), literal.Value, r)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if parsed < 50 {
		t.Errorf("read %d files", parsed)
	}
}
