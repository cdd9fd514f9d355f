//go:build unix

package healthcheck

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// scraped returns a registry with a pool that holds n probed checks.
func scraped(t testing.TB, n int) *prometheus.Registry {
	p := NewPool(Options{})
	p.maxRunning = 0 // nothing starts
	checks := make([]Check, n)
	for i := range checks {
		s := Defaults(HTTP)
		s.Host, s.Port = fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), 80
		checks[i] = Check{Name: fmt.Sprintf("http://%s:80/healthz", s.Host), Spec: s}
	}
	l := p.Acquire("example.org.:53", checks)
	t.Cleanup(l.Release)
	p.mu.Lock()
	for i := range l.entries {
		l.entries[i].checker.observe(i%100 > 0, p.now())
	}
	p.mu.Unlock()
	reg := prometheus.NewRegistry()
	reg.MustRegister(p.Collector())
	return reg
}

// A scrape of 100,000 checks must be over in CoreDNS's five seconds on a slow machine
// too; what it allocates stands for its time, which depends on the machine.
func TestAScrapeIsCheap(t *testing.T) {
	const n = 2000
	reg := scraped(t, n)
	got := testing.AllocsPerRun(2, func() {
		if _, err := reg.Gather(); err != nil {
			t.Error(err)
		}
	})
	if got/n > 25 {
		t.Errorf("%.0f allocations for a check, want 25 at most", got/n)
	}
}

// BenchmarkScrape measures a scrape with 100,000 probed checks held, made as the
// prometheus plugin of CoreDNS makes it: plain, and compressed as Prometheus asks for.
func BenchmarkScrape(b *testing.B) {
	reg := scraped(b, 100_000)
	handler := promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
	for _, encoding := range []string{"identity", "gzip"} {
		b.Run(encoding, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.Header.Set("Accept-Encoding", encoding)
			b.ReportAllocs()
			began := cpu()
			var sent meter
			for b.Loop() {
				sent = meter{header: http.Header{}}
				handler.ServeHTTP(&sent, r)
			}
			b.ReportMetric(float64((cpu()-began).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(sent.bytes)/1e6, "MB")
		})
	}
}

// meter is a client that counts what it is sent.
type meter struct {
	header http.Header
	bytes  int
}

func (c *meter) Header() http.Header         { return c.header }
func (c *meter) WriteHeader(int)             {}
func (c *meter) Write(p []byte) (int, error) { c.bytes += len(p); return len(p), nil }
