package explain

import (
	"math/big"
	"math/bits"
	"strconv"
)

// odds is an exact probability; its zero value is 0. Nearly all of them fit into two words,
// where a simulation has millions to work out; what does not is a [big.Rat].
type odds struct {
	num, den uint64 // in lowest terms; den is 0 of the zero value
	rat      *big.Rat
}

// certain is a probability of 1.
var certain = odds{num: 1, den: 1}

// times returns o · share/total. total is at least 1.
func (o odds) times(share, total uint64) odds {
	if share == total || o.zero() {
		return o
	}
	if share == 0 {
		return odds{}
	}
	if o.rat == nil {
		// Reduced crosswise, the product is in lowest terms.
		g := gcd(share, total)
		share, total = share/g, total/g
		g, h := gcd(o.num, total), gcd(share, o.den)
		if num, den, ok := product(o.num/g, share/h, o.den/h, total/g); ok {
			return odds{num: num, den: den}
		}
	}
	return shrink(new(big.Rat).Mul(o.exact(), fraction(share, total)))
}

// product returns a·b and c·d, and false if one of them exceeds a word.
func product(a, b, c, d uint64) (ab, cd uint64, ok bool) {
	over, ab := bits.Mul64(a, b)
	more, cd := bits.Mul64(c, d)
	return ab, cd, over == 0 && more == 0
}

// plus returns o + p.
func (o odds) plus(p odds) odds {
	switch {
	case o.zero():
		return p
	case p.zero():
		return o
	}
	if o.rat == nil && p.rat == nil {
		g := gcd(o.den, p.den)
		a, b, ok := product(o.num, p.den/g, p.num, o.den/g)
		num, carry := bits.Add64(a, b, 0)
		over, den := bits.Mul64(o.den, p.den/g)
		if ok && carry == 0 && over == 0 {
			k := gcd(num, den)
			return odds{num: num / k, den: den / k}
		}
	}
	return shrink(new(big.Rat).Add(o.exact(), p.exact()))
}

// atMost1 returns o, or 1 if that is less.
func (o odds) atMost1() odds {
	if o.exact().Cmp(certain.exact()) > 0 {
		return certain
	}
	return o
}

func (o odds) zero() bool { return o.num == 0 && o.rat == nil }

// equal reports whether two probabilities are the same.
func (o odds) equal(p odds) bool {
	if o.rat == nil || p.rat == nil {
		return o.rat == p.rat && o.num == p.num && (o.num == 0 || o.den == p.den)
	}
	return o.rat.Cmp(p.rat) == 0
}

// less reports whether o is less than p.
func (o odds) less(p odds) bool {
	if o.rat == nil && p.rat == nil && o.den != 0 && p.den != 0 {
		hi, lo := bits.Mul64(o.num, p.den)
		over, low := bits.Mul64(p.num, o.den)
		return hi < over || hi == over && lo < low
	}
	return o.exact().Cmp(p.exact()) < 0
}

// exact returns the probability as a fraction of any size.
func (o odds) exact() *big.Rat {
	switch {
	case o.rat != nil:
		return o.rat
	case o.den == 0:
		return new(big.Rat)
	}
	return fraction(o.num, o.den)
}

// String returns the fraction in lowest terms, such as "3/5"; certainty is "1".
func (o odds) String() string {
	switch {
	case o.rat != nil:
		return o.rat.RatString()
	case o.num == 0:
		return "0"
	case o.den == 1:
		return strconv.FormatUint(o.num, 10)
	}
	return strconv.FormatUint(o.num, 10) + "/" + strconv.FormatUint(o.den, 10)
}

func fraction(num, den uint64) *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den))
}

// shrink returns a fraction as two words if it fits into them, so that equal odds have one
// form.
func shrink(r *big.Rat) odds {
	if r.Num().IsUint64() && r.Denom().IsUint64() {
		return odds{num: r.Num().Uint64(), den: r.Denom().Uint64()}
	}
	return odds{rat: r}
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// scaled returns o · p.
func (o odds) scaled(p odds) odds {
	if p.zero() {
		return p
	}
	if p.rat == nil {
		return o.times(p.num, p.den)
	}
	return shrink(new(big.Rat).Mul(o.exact(), p.rat))
}
