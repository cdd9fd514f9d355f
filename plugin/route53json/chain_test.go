package route53json_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// TestLongAliasChain: of a chain of aliases what makes it too long is left out and
// reported, and so is the alias that then leads to nothing.
func TestLongAliasChain(t *testing.T) {
	const aliases = 100
	var b strings.Builder
	b.WriteString(`{"ResourceRecordSets": [`)
	for i := range aliases {
		fmt.Fprintf(&b, "{\"Name\": \"a%d.example.com.\", \"Type\": \"A\", \"AliasTarget\": {\"DNSName\": \"a%d.example.com.\", \"EvaluateTargetHealth\": true}},\n", i, i+1)
	}
	fmt.Fprintf(&b, `{"Name": "a%d.example.com.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]}]}`, aliases)
	path := filepath.Join(t.TempDir(), "zone.json")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	block := loadPaths(t, "example.com.", path)
	kinds := make(map[route53json.Kind]int)
	for _, c := range block.im.Counts() {
		kinds[c.Kind] = c.N
	}
	if kinds[record.AliasChain] != 2 || kinds[record.BadTarget] != 2 {
		t.Errorf("problems by kind: %v, want two chains that are too long and two aliases to what was left out", kinds)
	}
	first := aliases - record.MaxAliases - 1 // the last one that is too far from the records
	want := fmt.Sprintf("a%d.example.com. A: left out: alias a%[1]d.example.com. A leads through more than 32 aliases; point it at a name nearer to the records than a%d.example.com.", first, first+1)
	if !strings.Contains(fmt.Sprint(block.im.Problems), want) {
		t.Errorf("problems\n%v\nwant among them\n%s", block.im.Problems, want)
	}
	if got := values(block.selection(fmt.Sprintf("a%d.example.com.", first+1), "A").Answer("x.", func(uint64) uint64 { return 0 }).RRs); got != "192.0.2.1" {
		t.Errorf("the rest of the chain answers %q", got)
	}
}
