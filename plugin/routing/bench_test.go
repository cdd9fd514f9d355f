package routing

import (
	"fmt"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// BenchmarkFlip publishes one flip of a check that so many weighted pairs use.
func BenchmarkFlip(b *testing.B) {
	for _, n := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprintf("groups=%d", n), func(b *testing.B) {
			c := record.NewCatalog([]string{"example."})
			c.Checks = make([]healthcheck.Check, 1)
			for i := range n {
				name := fmt.Sprintf("g%d.example.", i)
				g := &record.Group{Key: record.Key{Name: name, Type: dns.TypeA}, Policy: record.Weighted, Records: []record.RecordSet{
					weight(1, plain(name, 0, 1)), weight(1, plain(name, record.NoCheck, 2))}}
				if err := c.Add(g); err != nil {
					b.Fatal(err)
				}
			}
			tab := NewTable(c, statuses("h"))
			s := healthcheck.Healthy
			published := 0
			b.ReportAllocs()
			for b.Loop() {
				s = s.Not()
				tab.Update([]healthcheck.Change{{Check: 0, Status: s}}, nil, func(int, *Selection) { published++ })
			}
			if published != n*b.N {
				b.Fatalf("published %d selections, want %d", published, n*b.N)
			}
		})
	}
}
