package main

import (
	"slices"
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
