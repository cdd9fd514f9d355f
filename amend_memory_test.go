package steer

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/coredns/caddy"
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
	c := caddy.NewTestController("dns", "steer example.com {\nroute53 zone.json\n}")
	cfg, err := parseAt(c, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	data, im := compile(cfg), cfg.imported
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
		a := im.Amend(context.Background(), []string{"zone.json"}, importOptions(cfg.catalog, cfg.decl), cfg.catalog)
		if a == nil || !data.Edit(a.Put, a.Drop, uint32(n), a.Agrees) {
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
