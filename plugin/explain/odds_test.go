package explain

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestOdds compares long sums and products with those of math/big, from numbers that fit
// into a word to numbers that do not.
func TestOdds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	large := 0
	for range 2000 {
		most := []uint64{3, 10, 1000, 1 << 33, math.MaxUint64}[rnd.IntN(5)]
		got, want := certain, big.NewRat(1, 1)
		for range 1 + rnd.IntN(6) {
			total := 1 + rnd.Uint64N(most)
			share := rnd.Uint64N(total) + rnd.Uint64N(2)
			got = got.times(share, total)
			want = new(big.Rat).Mul(want, fraction(share, total))
			if rnd.IntN(2) == 0 {
				more := certain.times(share, total)
				if less := got.less(more); less != (want.Cmp(more.exact()) < 0) {
					t.Fatalf("%s less than %s: %t", got, more, less)
				}
				got = got.plus(more)
				want = new(big.Rat).Add(want, more.exact())
			}
		}
		if got.rat != nil {
			large++
		}
		if got.exact().Cmp(want) != 0 || got.String() != want.RatString() || !got.equal(shrink(want)) {
			t.Fatalf("%s, want %s", got, want.RatString())
		}
		if cut := got.atMost1(); cut.exact().Cmp(big.NewRat(1, 1)) > 0 || got.less(certain) && !cut.equal(got) {
			t.Fatalf("%s is at most 1 as %s", got, cut)
		}
	}
	if large < 100 {
		t.Errorf("only %d numbers of more than a word", large)
	}
	if z := (odds{}); z.String() != "0" || !z.equal(certain.times(0, 5)) || !z.less(certain) || certain.less(z) {
		t.Error("the zero value is not 0")
	}
}
