package routing

import (
	"math/bits"

	"github.com/miekg/dns"
)

// sample fills out with different records of the pool, in random order: every ordered
// sample has the same odds. out holds MaxValues records at most, the pool 2³². total is
// [samples] of the pool, or 0 if the caller does not know it or it exceeds 64 bits.
//
// Each turn adds one record to the part of the pool that is drawn from, and draws. If out
// holds the drawn record already, the record just added replaces it there. So each sample
// comes about in exactly one way: it tells what each turn drew.
//
//go:noinline
func sample(out, pool []dns.RR, total uint64, rnd Rand) {
	var (
		drawn [MaxValues]uint32 // the indices into the pool of what out holds
		maybe uint64            // bit n%64 is set if index n is among them
	)
	size := uint64(len(pool) - len(out)) // of the part that is drawn from, less one
	for i := 0; i < len(out); {
		fit := len(out) - i
		if total == 0 {
			total, fit = risingFactorial(size+1, fit)
		}
		rest := fraction(rnd(total), total)
		total = 0
		for end := i + fit; i < end; i++ {
			var index uint64
			index, rest = bits.Mul64(rest, size+1)
			if maybe>>(index%64)&1 != 0 {
				for k, d := range drawn[:i] {
					if d == uint32(index) {
						drawn[k], out[k] = uint32(size), pool[size]
						maybe |= 1 << (size % 64)
					}
				}
			}
			drawn[i%MaxValues], out[i] = uint32(index), pool[index]
			maybe |= 1 << (index % 64)
			size++
		}
	}
}

// samples returns how many ordered samples of up to MaxValues records a pool of n records
// has, or 0 if that exceeds 64 bits.
func samples(n int) uint64 {
	size := min(n, MaxValues)
	total, fit := risingFactorial(uint64(n-size+1), size)
	if fit < size {
		return 0
	}
	return total
}

// shuffle puts RRs into random order; every order has the same odds.
//
//go:noinline
func shuffle(rrs []dns.RR, rnd Rand) {
	for i := 1; i < len(rrs); {
		total, fit := risingFactorial(uint64(i+1), len(rrs)-i)
		rest := fraction(rnd(total), total)
		for end := i + fit; i < end; i++ {
			var j uint64
			j, rest = bits.Mul64(rest, uint64(i+1))
			rrs[i], rrs[j] = rrs[j], rrs[i]
		}
	}
}

// risingFactorial returns x·(x+1)·…·(x+n-1). Where that exceeds 64 bits, total is the
// product of the first fit factors, the most that do not.
func risingFactorial(x uint64, n int) (total uint64, fit int) {
	total = x
	for fit = 1; fit < n; fit++ {
		hi, lo := bits.Mul64(total, x+uint64(fit))
		if hi != 0 {
			break
		}
		total = lo
	}
	return total, fit
}

// fraction returns r / total as a binary fraction of 64 bits, rounded up to the next one.
// r is a random number below total, a rising factorial; the numbers below each of its
// factors are read from the fraction one after another. Multiplying by a factor gives the
// number in the upper word, and in the lower word the fraction for the next factor.
//
// The result exceeds r / total, so no product falls short of a whole number by rounding.
// It exceeds it by less than 1 / total, so no product reaches the next number either.
func fraction(r, total uint64) uint64 {
	f, _ := bits.Div64(r, 0, total)
	return f + 1
}
