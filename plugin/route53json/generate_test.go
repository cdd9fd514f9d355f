package route53json_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// generate writes a list of record sets as the AWS CLI does: a quarter each of weighted
// pairs, failover pairs, aliases and simple record sets, with a thousand health checks.
func generate(out io.Writer, sets int) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	fmt.Fprintf(w, "{\n    \"ResourceRecordSets\": [\n")
	g := &generator{w: w}
	g.values("", "SOA", "ns-1.example.net. hostmaster.example.net. 1 7200 900 1209600 300", "")
	g.values("", "NS", "ns-1.example.net.", "")
	for g.n < sets {
		i := g.n
		switch i / 2 % 4 {
		case 0:
			g.values(fmt.Sprintf("w-%d.", i), "A", address(i), g.check(i)+`"SetIdentifier": "blue", "Weight": 10,`)
			g.values(fmt.Sprintf("w-%d.", i), "A", address(i+1), g.check(i+1)+`"SetIdentifier": "green", "Weight": 20,`)
		case 1:
			g.values(fmt.Sprintf("f-%d.", i), "A", address(i), g.check(i)+`"SetIdentifier": "one", "Failover": "PRIMARY",`)
			g.values(fmt.Sprintf("f-%d.", i), "A", address(i+1), `"SetIdentifier": "two", "Failover": "SECONDARY",`)
		case 2:
			g.alias(i, fmt.Sprintf("w-%d.", i-4))
			g.alias(i+1, fmt.Sprintf("f-%d.", i-2))
		case 3:
			g.values(fmt.Sprintf("s-%d.", i), "A", address(i), "")
			g.values(fmt.Sprintf("s-%d.", i), "AAAA", fmt.Sprintf("2001:db8::%x", i%65536), "")
		}
	}
	fmt.Fprintf(w, "\n    ]\n}\n")
}

type generator struct {
	w *bufio.Writer
	n int
}

func address(i int) string { return fmt.Sprintf("198.18.%d.%d", i/256%256, i%256) }

func (g *generator) check(i int) string {
	return fmt.Sprintf("\"HealthCheckId\": \"0000%04d-aaaa-4bbb-8ccc-000000000000\",\n            ", i%1000)
}

func (g *generator) open(name, typ string) {
	if g.n > 0 {
		g.w.WriteString(",\n")
	}
	g.n++
	fmt.Fprintf(g.w, "        {\n            \"Name\": \"%sexample.com.\",\n            \"Type\": %q,\n            ", name, typ)
}

func (g *generator) values(name, typ, value, members string) {
	g.open(name, typ)
	fmt.Fprintf(g.w, "%s\n            \"TTL\": 60,\n            \"ResourceRecords\": [\n                {\n                    \"Value\": %q\n                }\n            ]\n        }", members, value)
}

func (g *generator) alias(i int, target string) {
	g.open(fmt.Sprintf("a-%d.", i), "A")
	fmt.Fprintf(g.w, "\"AliasTarget\": {\n                \"HostedZoneId\": \"Z3M3LMPEXAMPLE\",\n                \"DNSName\": \"%sexample.com.\",\n                \"EvaluateTargetHealth\": true\n            }\n        }", target)
}

// generated returns a file that generate has written.
func generated(t testing.TB, sets int) string {
	path := filepath.Join(t.TempDir(), "zone.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	generate(f, sets)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
