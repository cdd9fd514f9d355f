package route53json_test

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// BenchmarkLoad loads a million record sets, up to an import and up to what queries are
// answered from. Bytes are those that stay, per record set.
//
//	go test -run - -bench Load -benchtime 3x ./plugin/route53json
func BenchmarkLoad(b *testing.B) {
	const sets = 1_000_000
	path := generated(b, sets)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	zones := []string{"example.com."}
	load := func() *route53json.Import {
		im, err := route53json.Load(context.Background(), []string{path}, route53json.Options{Zones: zones, DefaultTTL: 60})
		if err != nil {
			b.Fatal(err)
		}
		return im
	}
	b.Run("import", func(b *testing.B) {
		b.SetBytes(info.Size())
		var im *route53json.Import
		report(b, sets, func() any { im = load(); return im })
		runtime.KeepAlive(im)
	})
	b.Run("answers", func(b *testing.B) {
		b.SetBytes(info.Size())
		report(b, sets, func() any {
			im, c := load(), record.NewCatalog(zones)
			if err := im.AddTo(context.Background(), c); err != nil {
				b.Fatal(err)
			}
			im.Note(c.Validate())
			im.Warn(lint.Check(c, lint.Options{}))
			return handler.NewSnapshot(c, make([]healthcheck.Status, len(c.Checks)))
		})
	})
}

// report runs f and reports the seconds it takes and the bytes that its result holds.
func report(b *testing.B, sets int, f func() any) {
	var kept any
	before := live()
	start := time.Now()
	n := 0
	for b.Loop() {
		kept = nil
		kept = f()
		n++
	}
	b.ReportMetric(time.Since(start).Seconds()/float64(n), "s/load")
	b.ReportMetric(float64(live()-before)/float64(sets), "bytes/set")
	runtime.KeepAlive(kept)
}

func live() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
