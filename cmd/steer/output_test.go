package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestExplainJSON: with Tokyo down its half goes to the others, by their weights.
func TestExplainJSON(t *testing.T) {
	workplace(t)
	r := steer(t, "", "explain", "www.example.org", "A", "--down", "tokyo", "-o", "json")
	if r.code != exitFine || r.err != "" {
		t.Fatalf("%+v", r)
	}
	var e explanation
	decode(t, r.out, &e)
	if e.Block != "example.org.:1053" || !slices.Equal(e.Down, []string{"tokyo"}) || len(e.Answers) != 2 {
		t.Fatalf("%+v", e)
	}
	for i, want := range []struct{ value, odds string }{{"192.0.2.1", "3/5"}, {"192.0.2.2", "2/5"}} {
		if a := e.Answers[i]; !slices.Equal(a.Values, []string{want.value}) || a.Odds != want.odds {
			t.Errorf("answer %+v, want %+v", a, want)
		}
	}
	tokyo := e.Tree.Records[2]
	if tokyo.Healthy || tokyo.Eligible || tokyo.Check.Status != "unhealthy" || tokyo.Choice != "not eligible: unhealthy" {
		t.Errorf("tokyo is %+v", tokyo)
	}
}

// TestSimulateJSON: each failure has its changes, and says what they come to.
func TestSimulateJSON(t *testing.T) {
	workplace(t)
	r := steer(t, "", "simulate", "--each", "checks", "-o", "json")
	if r.code != exitFound || r.err != "" {
		t.Fatalf("%+v", r)
	}
	var all struct {
		Changes []change `json:"changes"`
	}
	decode(t, r.out, &all)
	causes := make(map[string][]string)
	for _, c := range all.Changes {
		causes[c.Cause[0]] = append(causes[c.Cause[0]], c.Name)
		if len(c.Before) == 0 || len(c.After) == 0 || c.Type != "A" {
			t.Errorf("%+v", c)
		}
	}
	if want := []string{"api.example.org.", "pool.example.org.", "www.example.org."}; len(causes) != 3 || !slices.Equal(causes["tokyo"], want) {
		t.Errorf("tokyo changes %q of %d causes, want %q of three", causes["tokyo"], len(causes), want)
	}
}

// TestLintJSON: five mistakes are five problems.
func TestLintJSON(t *testing.T) {
	workplace(t)
	r := steer(t, "", "lint", "-c", "five.corefile", "-o", "json")
	var all struct {
		Problems []problem `json:"problems"`
	}
	decode(t, r.out, &all)
	if r.code != exitFound || len(all.Problems) != 5 {
		t.Errorf("%+v", r)
	}
	for _, p := range all.Problems {
		if p.File != "five.corefile" || p.Line == 0 || p.Level != levelError || p.ID == "" || p.Message == "" {
			t.Errorf("%+v", p)
		}
	}
}

// TestEmptyList: what has no elements is a list all the same.
func TestEmptyList(t *testing.T) {
	workplace(t)
	for args, want := range map[string]string{
		"lint -o json":                  "{\"problems\":[]}\n",
		"simulate --each zones -o json": "{\"changes\":[]}\n",
	} {
		if r := steer(t, "", fields(args)...); r.out != want || r.code != exitFine {
			t.Errorf("%s: %+v, want %q", args, r, want)
		}
	}
}

// TestDiffJSON: what differs, first while all is healthy.
func TestDiffJSON(t *testing.T) {
	workplace(t)
	r := steer(t, "", "diff", "Corefile", "new.corefile", "-o", "json")
	if r.code != exitFound || r.err != "" {
		t.Fatalf("%+v", r)
	}
	var all struct {
		Changes []difference `json:"changes"`
	}
	decode(t, r.out, &all)
	var got []string
	for _, d := range all.Changes {
		got = append(got, strings.Join(append([]string{d.Status, d.Name}, d.Under...), " "))
	}
	want := []string{"changed europe.example.org.", "new mail.example.org.", "gone shop.example.org.", "changed www.example.org.", "changed api.example.org. tokyo"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestImportJSON: what becomes of the files, and all that is to say of it.
func TestImportJSON(t *testing.T) {
	workplace(t)
	r := steer(t, "", "import", "zone.json", "checks.json", "--strict", "-o", "json")
	if r.code != exitFound || r.err != "" {
		t.Fatalf("%+v", r)
	}
	var got report
	decode(t, r.out, &got)
	if len(got.Files) != 2 || got.Files[0] != (importedFile{"zone.json", 3, 0, 1, 0, 0}) || got.Files[1] != (importedFile{"checks.json", 0, 1, 0, 0, 0}) {
		t.Errorf("files %+v", got.Files)
	}
	if len(got.Problems) != 2 || got.Problems[0].Level != levelInfo || got.Problems[1].Level != "left_out" || len(got.Counts) != 2 {
		t.Errorf("problems %+v, counts %+v", got.Problems, got.Counts)
	}
}

// TestStandardInput: a Corefile may come by it, to one side of a comparison as well.
func TestStandardInput(t *testing.T) {
	workplace(t)
	data, err := os.ReadFile("Corefile")
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]int{
		"lint -c -":                    exitFine,
		"explain www.example.org -c -": exitFine,
		"simulate --down tokyo -c -":   exitFound,
		"diff - Corefile":              exitFine,
		"diff new.corefile -":          exitFound,
		"diff - -":                     exitUnusable,
		"diff zone.json -":             exitUnusable,
	} {
		if r := steer(t, string(data), fields(args)...); r.code != want {
			t.Errorf("%s: %+v, want exit %d", args, r, want)
		}
	}
	r := steer(t, "example.org {\n\tsteer {\n\t\tsimple www A 192.0.2\n\t}\n}\n", "lint", "-c", "-")
	if !strings.HasPrefix(r.out, "stdin:3: error: ") {
		t.Errorf("%+v, want an error in line 3 of stdin", r)
	}
	if r := steer(t, `{"ResourceRecordSets": []}`, "diff", "-", "zone.json"); r.code != exitUnusable || !strings.Contains(r.err, "standard input") {
		t.Errorf("%+v, want an error that names the standard input", r)
	}
}

// TestIsJSON: Route 53 files and Corefiles are told apart by how they begin.
func TestIsJSON(t *testing.T) {
	for start, want := range map[string]bool{
		"":                          false,
		"\ufeff {\n \"Changes\": [": true,
		"{}":                        true,
		"[{":                        true,
		"[]":                        true,
		"[\"a\"":                    true,
		"{":                         false,
		"[::]:53 {\n":               false,
		"example.org {\n":           false,
		"(quick) {\n":               false,
		"{$ZONE} {\n":               false,
		"{%ZONE%}:53 {\n":           false,
		"# {\"a\"\nexample.org {\n": false,
	} {
		if got := isJSON([]byte(start)); got != want {
			t.Errorf("%q: %v, want %v", start, got, want)
		}
	}
}

// TestImportedStanzas: what an import is turned into is a Corefile that answers the same.
func TestImportedStanzas(t *testing.T) {
	workplace(t)
	r := steer(t, "", "import", "zone.json", "checks.json", "--to", "corefile")
	if err := os.WriteFile("made.corefile", []byte(r.out), 0o600); err != nil {
		t.Fatal(err)
	}
	const imported = "example.org {\n\tsteer {\n\t\troute53 zone.json checks.json\n\t}\n}\n"
	if r := steer(t, "", "lint", "-c", "made.corefile"); r != (result{}) {
		t.Errorf("lint: %+v, want nothing to say", r)
	}
	if r := steer(t, imported, "diff", "-", "made.corefile"); r != (result{out: "nothing differs\n"}) {
		t.Errorf("diff: %+v", r)
	}
}
