package explain

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// TestLongChains: an answer follows 16 CNAMEs and no more, and neither does the tree, however
// long the chain is.
func TestLongChains(t *testing.T) {
	const long = 50_000
	x := &example{t: t, catalog: record.NewCatalog([]string{"example.org."})}
	x.catalog.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
	for i := range long {
		x.group(record.Simple, fmt.Sprintf("c%d CNAME", i), fmt.Sprintf("c%d.example.org.", i+1))
	}
	x.group(record.Simple, fmt.Sprintf("c%d A", long), "192.0.2.1")
	m := x.model()
	for _, tt := range []struct {
		links int
		want  string
	}{
		{1, "192.0.2.1"},
		{record.MaxFollow, "192.0.2.1"},
		{record.MaxFollow + 1, "(" + tooLong + ")"},
		{long, "(" + tooLong + ")"},
	} {
		e, err := m.Explain(fmt.Sprintf("c%d.example.org.", long-tt.links), dns.TypeA)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Answers[0].text(); len(e.Answers) != 1 || got != tt.want {
			t.Errorf("%d links: %s, want %s", tt.links, got, tt.want)
		}
		if got, want := strings.Count(e.Text(ASCII), "`- + number 1"), min(tt.links, record.MaxFollow)+1; got != want && tt.links <= record.MaxFollow {
			t.Errorf("%d links: the tree has %d groups, want %d", tt.links, got, want)
		}
		if n := strings.Count(e.Text(ASCII), "\n"); n > 3*record.MaxFollow {
			t.Errorf("%d links: %d lines", tt.links, n)
		}
	}
}

// TestForkingChains: chains that fork at each step, so that there are more ways than could
// be walked, are explained by the names that the ways have in common.
func TestForkingChains(t *testing.T) {
	for _, back := range []bool{false, true} {
		forks(t, back)
	}
}

// forks explains a chain that forks. Its last links may lead back as well.
func forks(t *testing.T, back bool) {
	x := &example{t: t, catalog: record.NewCatalog([]string{"example.org."})}
	x.catalog.SOA["example.org."] = record.DefaultSOA("example.org.", 1)
	const links, ways = 15, 8
	if back {
		x.group(record.Simple, "back CNAME", "n0-0.example.org.")
	}
	for i := range links {
		for j := range ways {
			var sets []string
			for k := range ways {
				sets = append(sets, fmt.Sprintf("weight=%d n%d-%d.example.org.", k+1, i+1, k))
			}
			if back {
				sets = append(sets, "weight=36 back.example.org.")
			}
			x.group(record.Weighted, fmt.Sprintf("n%d-%d CNAME", i, j), sets...)
		}
	}
	for j := range ways {
		x.group(record.Simple, fmt.Sprintf("n%d-%d A", links, j), fmt.Sprintf("192.0.2.%d", j))
	}
	e, err := x.model().Explain("n0-0.example.org.", dns.TypeA)
	if err != nil {
		t.Fatal(err)
	}
	if back {
		sum := odds{}
		for _, a := range e.Answers {
			o, _ := new(big.Rat).SetString(a.Odds)
			sum = sum.plus(shrink(o))
		}
		if !sum.equal(certain) {
			t.Errorf("the odds add up to %s", sum)
		}
		return
	}
	if len(e.Answers) != ways || e.Answers[0].text() != "192.0.2.7" || e.Answers[0].Odds != "2/9" {
		t.Errorf("%+v, want eight answers, the first with odds of 8/36", e.Answers)
	}
}
