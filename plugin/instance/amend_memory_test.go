package instance

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/coredns/caddy/caddyfile"

	"github.com/steerdns/steer/plugin/corefile"
)

// TestEditsKeepNothing: edits that replace the same names again and again, and each of
// them another one once, leave nothing behind but what is served.
func TestEditsKeepNothing(t *testing.T) {
	const names, hot, edits = 3000, 500, 90
	t.Chdir(t.TempDir())
	addresses := make([]int, names)
	write := func() {
		var b bytes.Buffer
		b.WriteString(`{"ResourceRecordSets": [`)
		for i, a := range addresses {
			if i > 0 {
				b.WriteString(",\n")
			}
			fmt.Fprintf(&b, `{"Name": "host-%d.example.com.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "10.0.%d.%d"}]}`, i, a>>8&255, a&255)
		}
		b.WriteString("]}\n")
		if err := os.WriteFile("zone.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write()
	tokens := caddyfile.NewDispenser("Testfile", strings.NewReader("steer example.com {\nroute53 zone.json\n}"))
	cfg, err := corefile.Load(t.Context(), &tokens, corefile.Env{})
	if err != nil {
		t.Fatal(err)
	}
	data, im := compile(cfg), cfg.Import
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	var early int
	for n := range edits {
		for i := range hot {
			addresses[i]++
		}
		addresses[hot+n]++
		write()
		a := cfg.WithImport(im).Amend(t.Context(), []string{"zone.json"})
		if a == nil || !data.Edit(a.Changes, uint32(n)) {
			t.Fatalf("edit %d was refused", n)
		}
		im = a.Import
		if n == edits/3 {
			early = heap()
		}
	}
	if more := heap() - early; more > 1<<20 {
		t.Errorf("the last %d edits left %d bytes", edits-edits/3, more)
	}
	runtime.KeepAlive(data)
	runtime.KeepAlive(im)
}
