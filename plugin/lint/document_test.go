package lint_test

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy/caddyfile"

	"github.com/steerdns/steer/plugin/corefile"
	"github.com/steerdns/steer/plugin/lint"
)

// section is what docs/lint.md says of one trap.
type section struct {
	id, text string
	examples []example
}

// example is a code block: a trap, an error, or what mends it.
type example struct {
	language, kind, text string
}

var codeBlock = regexp.MustCompile("(?ms)^```(steer|corefile)(?: (trap|error))?\n(.*?)^```$")

func sections(t *testing.T) (all []section) {
	t.Helper()
	page, err := os.ReadFile("../../docs/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(page), "\n### ")[1:] {
		id, text, _ := strings.Cut(part, "\n")
		text, _, _ = strings.Cut(text, "\n## ")
		s := section{id: id, text: text}
		for _, m := range codeBlock.FindAllStringSubmatch(text, -1) {
			s.examples = append(s.examples, example{m[1], m[2], m[3]})
		}
		all = append(all, s)
	}
	return all
}

// load loads an example, in a server block for example.org if it has none of its own.
func (e example) load() (*corefile.Config, error) {
	text, keys := "steer {\n"+e.text+"}\n", []string{"dns://example.org.:53"}
	if e.language == "corefile" {
		head, body, _ := strings.Cut(e.text, "{\n")
		keys = strings.Fields(head)
		text = body[:strings.LastIndex(body, "}")]
	}
	tokens := caddyfile.NewDispenser("Corefile", strings.NewReader(text))
	env := corefile.Env{Keys: keys, Now: time.Unix(1700000000, 0), Lint: lint.Options{Strict: true, Others: []string{"shop.example.org."}}}
	return corefile.Load(context.Background(), &tokens, env)
}

// docs/lint.md has a section for each trap, in the order of the list, which says what the
// list says.
func TestDocumentedTraps(t *testing.T) {
	var documented, listed []string
	for _, s := range sections(t) {
		documented = append(documented, s.id)
		i := slices.IndexFunc(lint.Traps(), func(trap *lint.Trap) bool { return trap.ID == s.id })
		if i < 0 {
			continue
		}
		trap := lint.Traps()[i]
		level := trap.Level.String()
		want := "**" + strings.ToUpper(level[:1]) + level[1:] + ".** " + trap.Means
		if text := strings.Join(strings.Fields(strings.ReplaceAll(s.text, "`", "")), " "); !strings.HasPrefix(text, want) {
			t.Errorf("the section %s does not begin with %q", s.id, want)
		}
	}
	for _, trap := range lint.Traps() {
		listed = append(listed, trap.ID)
		if trap.Remedy == "" || strings.HasSuffix(trap.Remedy, ".") || !strings.HasSuffix(trap.Means, ".") {
			t.Errorf("%s: means %q, remedy %q", trap.ID, trap.Means, trap.Remedy)
		}
	}
	if !slices.Equal(documented, listed) {
		t.Errorf("docs/lint.md has the sections\n%s\nand the traps are\n%s", strings.Join(documented, "\n"), strings.Join(listed, "\n"))
	}
}

// withoutExample are traps that only a change of imported files brings about, and one whose
// example would be long.
var withoutExample = []string{"unknown-check", "calculated-child", "alias-chain"}

// besides are traps that cannot be shown without another one.
var besides = map[string]*lint.Trap{"count-for-percentage": lint.ThresholdNeverMet}

// Each trap of docs/lint.md is found in its example, and nothing in what mends it. What
// mends a trap may be worth a thought by the strict, but not for the same reason.
func TestDocumentedExamples(t *testing.T) {
	for _, s := range sections(t) {
		if slices.Contains(withoutExample, s.id) {
			continue
		}
		if len(s.examples) != 2 || s.examples[0].kind == "" || s.examples[1].kind != "" {
			t.Errorf("%s has no trap with its mend", s.id)
			continue
		}
		for _, e := range s.examples {
			t.Run(s.id+" "+e.kind, func(t *testing.T) {
				cfg, err := e.load()
				if (err != nil) != (e.kind == "error") {
					t.Fatalf("error %v", err)
				}
				if err != nil {
					return
				}
				found := false
				for _, f := range cfg.Findings {
					found = found || f.Trap.ID == s.id
					if f.Trap.ID != s.id && f.Level > lint.Info && f.Trap != besides[s.id] {
						t.Errorf("finds %s: %s", f.Pos, f)
					}
				}
				if found != (e.kind == "trap") {
					t.Errorf("finds the trap: %v; all it finds is %v", found, cfg.Findings)
				}
			})
		}
	}
}
