package routing

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// newPool returns n different records.
func newPool(n int) []dns.RR {
	pool := make([]dns.RR, n)
	for i := range pool {
		pool[i] = &dns.A{Hdr: dns.RR_Header{Name: "www.example.", Rrtype: dns.TypeA, Ttl: uint32(i)}}
	}
	return pool
}

// number returns a record's index in the pool.
func number(rr dns.RR) int { return int(rr.Header().Ttl) }

// TestSampleIsFair samples with every random number: there are as many as ordered
// samples, and no sample comes twice, so all have the same odds.
func TestSampleIsFair(t *testing.T) {
	for _, tt := range []struct{ pool, out, want int }{
		{1, 1, 1},
		{2, 1, 2},
		{3, 3, 6},
		{5, 5, 120},
		{9, 8, 362_880},
		{10, 7, 604_800},
		{12, 5, 95_040},
		{40, 3, 59_280},
		{259, 2, 66_822},
	} {
		fair(t, tt.pool, tt.out, tt.want, 0)
		fair(t, tt.pool, tt.out, tt.want, uint64(tt.want))
	}
}

// fair draws every sample of so many places from a pool of a size, and wants so many of
// them; total is what sample is given.
func fair(t *testing.T, size, places, want int, total uint64) {
	t.Helper()
	pool, out := newPool(size), make([]dns.RR, places)
	seen := make(map[[MaxValues]uint16]struct{}, want)
	for e := new(explorer); ; {
		sample(out, pool, total, e.rand)
		if len(e.bounds) != 1 || e.bounds[0] != uint64(want) {
			t.Fatalf("%d of %d: draws from %d, want one from %d", places, size, e.bounds, want)
		}
		var row [MaxValues]uint16
		held := map[int]bool{}
		for i, rr := range out {
			row[i] = uint16(number(rr))
			held[number(rr)] = true
		}
		if len(held) != places {
			t.Fatalf("%d of %d: a record comes twice in %v", places, size, row[:places])
		}
		seen[row] = struct{}{}
		if !e.next() {
			break
		}
	}
	if len(seen) != want {
		t.Errorf("%d of %d: %d different samples, want %d", places, size, len(seen), want)
	}
}

// TestSampleLargePools: of more than 259 records a sample of eight takes a second random
// number. Under each first number, the second one leads to every record there is.
func TestSampleLargePools(t *testing.T) {
	for _, tt := range []struct {
		pool  int
		draws []uint64 // how many records each random number is for
	}{
		{259, []uint64{8}},
		{260, []uint64{7, 1}},
		{500, []uint64{7, 1}},
		{70_000, []uint64{3, 3, 2}},
	} {
		pool := newPool(tt.pool)
		var bounds []uint64
		least := uint64(tt.pool - MaxValues + 1)
		for _, n := range tt.draws {
			bounds = append(bounds, product(least, n))
			least += n
		}
		for _, r := range []uint64{0, 1, 12345, bounds[0] / 2, bounds[0] - 1} {
			last := map[int]bool{}
			end := bounds[len(bounds)-1]
			for k := uint64(0); k < end; k += max(1, end/1000) {
				out, draw := make([]dns.RR, MaxValues), 0
				sample(out, pool, samples(tt.pool), func(n uint64) uint64 {
					draw++
					switch {
					case draw > len(bounds) || n != bounds[draw-1]:
						t.Fatalf("%d records: number %d is below %d, want %d", tt.pool, draw, n, bounds)
					case draw == 1:
						return r
					case draw == len(bounds):
						return k
					}
					return 0
				})
				held := map[int]bool{}
				for _, rr := range out {
					held[number(rr)] = true
				}
				if len(held) != MaxValues {
					t.Fatalf("%d records: a record comes twice under %d and %d", tt.pool, r, k)
				}
				last[number(out[MaxValues-1])] = true
			}
			if len(tt.draws) == 2 && len(last) != tt.pool {
				t.Errorf("%d records: after %d there are %d records that can come last, want %d", tt.pool, r, len(last), tt.pool)
			}
		}
	}
}

// TestShuffleOfMany: of more than 20 records an order takes a second number, and each one
// leads to an order of its own.
func TestShuffleOfMany(t *testing.T) {
	bounds := []uint64{product(2, 19), 21 * 22}
	for _, r := range []uint64{0, 12345, bounds[0] / 3, bounds[0] - 1} {
		orders, ends := map[[22]int]bool{}, map[int]bool{}
		for k := range bounds[1] {
			pool, draw := newPool(22), 0
			shuffle(pool, func(n uint64) uint64 {
				draw++
				if draw > len(bounds) || n != bounds[draw-1] {
					t.Fatalf("number %d is below %d, want %d", draw, n, bounds)
				}
				return []uint64{r, k}[draw-1]
			})
			var order [22]int
			held := map[int]bool{}
			for i, rr := range pool {
				order[i] = number(rr)
				held[order[i]] = true
			}
			if len(held) != len(order) {
				t.Fatalf("a record comes twice in %v", order)
			}
			orders[order], ends[order[21]] = true, true
		}
		if len(orders) != 21*22 || len(ends) != 22 {
			t.Errorf("after %d there are %d orders and %d records that come last, want 462 and 22", r, len(orders), len(ends))
		}
	}
}

// product returns least × (least+1) × …, n factors.
func product(least, n uint64) uint64 {
	p := uint64(1)
	for i := range n {
		p *= least + i
	}
	return p
}

// TestFraction reads random numbers next to where what is read from them changes, and compares that
// with a division in whole numbers.
func TestFraction(t *testing.T) {
	for _, tt := range []struct{ least, n, fit uint64 }{
		{1, 1, 1},
		{2, 7, 7},
		{2, 30, 19}, // 20! has room, 21! has not
		{93, 8, 8},
		{252, 8, 8}, // 98 % of the room
		{253, 8, 7},
		{4_294_967_295, 2, 2}, // all but 2³² of the room
		{4_294_967_296, 2, 1},
		{1<<64 - 1, 1, 1},
	} {
		whole := product(tt.least, tt.fit)
		if total, fit := risingFactorial(tt.least, int(tt.n)); total != whole || uint64(fit) != tt.fit {
			t.Fatalf("%d numbers from %d: the first %d have the product %d, want %d have %d", tt.n, tt.least, fit, total, tt.fit, whole)
		}
		check := func(r uint64) {
			part, rest, below := fraction(r, whole), r, whole
			for i := range tt.fit {
				var got uint64
				got, part = bits.Mul64(part, tt.least+i)
				below /= tt.least + i
				if got != rest/below {
					t.Fatalf("%d numbers from %d: %d is cut into %d at place %d, want %d", tt.n, tt.least, r, got, i, rest/below)
				}
				rest %= below
			}
		}
		check(whole - 1)
		below := whole
		for i := range tt.fit {
			below /= tt.least + i
			for _, k := range []uint64{0, 1, 2, 57, (whole/below - 1) / 2, whole/below - 1} {
				edge := min(k, whole/below-1) * below
				for d := range uint64(3) {
					check(edge + min(d, whole-1-edge))
					check(edge - min(d, edge))
				}
			}
		}
	}
}

// TestMultivalueOfTwelve: an answer is a fair sample of the healthy records.
func TestMultivalueOfTwelve(t *testing.T) {
	const www = "www.example."
	var sets []record.RecordSet
	for n := range 12 {
		check := none
		if n < 2 {
			check = 0
		}
		sets = append(sets, plain(www, int32(check), n+1))
	}
	for _, tt := range []struct {
		health string
		from   uint64 // samples of eight
	}{
		{"h", 12 * 11 * 10 * 9 * 8 * 7 * 6 * 5},
		{"u", 10 * 9 * 8 * 7 * 6 * 5 * 4 * 3},
	} {
		s, _ := selected(t, NewTable(catalog(t, 1, group(record.Multivalue, www, sets...)), statuses(tt.health)), www)
		var drawn []uint64
		a := s.Answer(www, func(n uint64) uint64 { drawn = append(drawn, n); return n / 3 })
		if len(a.RRs) != MaxValues || fmt.Sprint(drawn) != fmt.Sprint([]uint64{tt.from}) {
			t.Errorf("health %s: %d records by a number below %d, want %d below %d", tt.health, len(a.RRs), drawn, MaxValues, tt.from)
		}
	}
}
