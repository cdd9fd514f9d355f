package healthcheck

import "testing"

func TestParseStatuses(t *testing.T) {
	const notACode = ` is not a code from 200 to 599 or a range such as "200-399"`
	const interim = `: a response with a code of 1xx, other than 101, is not the last one, so no check can pass with it; want codes from 200 to 599`
	tests := []struct{ in, want, err string }{
		{in: "200", want: "200"},
		{in: "200-399", want: "200-399"},
		{in: "200-399,404", want: "200-399,404"},
		{in: "404,200-399", want: "200-399,404"},
		{in: "200-299,300-399", want: "200-399"},
		{in: "200-299,250-260,299-301", want: "200-301"},
		{in: "200,200,201", want: "200-201"},
		{in: "204-204", want: "204"},
		{in: "200-599", want: "200-599"},
		{in: "101,200", want: "101,200"},
		{in: "100", err: `status "100"` + interim},
		{in: "100-199", err: `status "100-199"` + interim},
		{in: "200,101-399", err: `status "101-399"` + interim},
		{in: "", err: `status "" is empty, want codes and ranges such as "200-399,404"`},
		{in: "200,", err: `status ""` + notACode},
		{in: "2xx", err: `status "2xx"` + notACode},
		{in: "99", err: `status "99"` + notACode},
		{in: "600", err: `status "600"` + notACode},
		{in: "0200", err: `status "0200"` + notACode},
		{in: "+20", err: `status "+20"` + notACode},
		{in: "200-", err: `status "200-"` + notACode},
		{in: "200-300-400", err: `status "200-300-400"` + notACode},
		{in: "200, 204", err: `status " 204"` + notACode},
		{in: "399-200", err: `status range "399-200" runs backwards, want "200-399"`},
	}
	for _, tt := range tests {
		got, err := ParseStatuses(tt.in)
		if tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("ParseStatuses(%q): got error %v, want %s", tt.in, err, tt.err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("ParseStatuses(%q) = %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
}

func TestDefaultsAreCanonical(t *testing.T) {
	s := Defaults(HTTP).Statuses
	if got, err := ParseStatuses(s); err != nil || got != s {
		t.Errorf("ParseStatuses(%q) = %q, %v, want itself", s, got, err)
	}
}

func TestAccepts(t *testing.T) {
	const statuses = "200-399,404,500-503"
	for code, want := range map[int]bool{
		199: false, 200: true, 302: true, 399: true, 400: false,
		403: false, 404: true, 405: false, 500: true, 503: true, 504: false,
	} {
		if got := accepts(statuses, code); got != want {
			t.Errorf("accepts(%q, %d) = %v, want %v", statuses, code, got, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { accepts(statuses, 503) }); n != 0 {
		t.Errorf("accepts allocates %v times, want none", n)
	}
}

func FuzzParseStatuses(f *testing.F) {
	for _, s := range []string{"200-399,404", "404,200-399", "399-200", "", ",", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		canonical, err := ParseStatuses(s)
		if err != nil {
			return
		}
		if again, err := ParseStatuses(canonical); err != nil || again != canonical {
			t.Errorf("%q became %q, which became %q, %v", s, canonical, again, err)
		}
		for code := 100; code <= 599; code++ {
			if accepts(s, code) != accepts(canonical, code) {
				t.Errorf("%q and %q differ about %d", s, canonical, code)
			}
		}
	})
}
