package routing

import (
	"math/bits"

	"github.com/miekg/dns"
)

// deal fills hand, of MaxValues places at most, from the cards of a deck of 2³² at most, each
// row of different cards with the same odds. total is how many rows there are, or 0 if the
// caller does not know, or if it is too many for 64 bits.
//
// Each turn adds a card to the deck and draws from what the deck is by then. If the hand
// has that card already, the one just added takes its place there. So every row comes about
// in one way: it tells what each turn drew.
//
//go:noinline
func deal(hand, deck []dns.RR, total uint64, rnd Rand) {
	var (
		cards [MaxValues]uint32 // in the hand
		maybe uint64            // has bit n%64 if card n is in the hand
	)
	size := uint64(len(deck) - len(hand))
	for i := 0; i < len(hand); {
		fit := len(hand) - i
		if total == 0 {
			total, fit = combinations(size+1, fit)
		}
		part := cut(rnd(total), total)
		total = 0
		for end := i + fit; i < end; i++ {
			var card uint64
			card, part = bits.Mul64(part, size+1)
			if maybe>>(card%64)&1 != 0 {
				for k, c := range cards[:i] {
					if c == uint32(card) {
						cards[k], hand[k] = uint32(size), deck[size]
						maybe |= 1 << (size % 64)
					}
				}
			}
			cards[i%MaxValues], hand[i] = uint32(card), deck[card]
			maybe |= 1 << (card % 64)
			size++
		}
	}
}

// rows returns the total that deal wants, of a deck of so many cards.
func rows(deck int) uint64 {
	hand := min(deck, MaxValues)
	total, fit := combinations(uint64(deck-hand+1), hand)
	if fit < hand {
		return 0
	}
	return total
}

// shuffle puts RRs into random order, all orders with the same odds.
//
//go:noinline
func shuffle(rrs []dns.RR, rnd Rand) {
	for i := 1; i < len(rrs); {
		total, fit := combinations(uint64(i+1), len(rrs)-i)
		part := cut(rnd(total), total)
		for end := i + fit; i < end; i++ {
			var j uint64
			j, part = bits.Mul64(part, uint64(i+1))
			rrs[i], rrs[j] = rrs[j], rrs[i]
		}
	}
}

// combinations returns how many there are of one number below least, one below least+1 and
// so on: of n numbers, or of the first fit of them if the total has no room in 64 bits for more.
func combinations(least uint64, n int) (total uint64, fit int) {
	total = least
	for fit = 1; fit < n; fit++ {
		hi, lo := bits.Mul64(total, least+uint64(fit))
		if hi != 0 {
			break
		}
		total = lo
	}
	return total, fit
}

// cut turns r, one of total combinations of numbers, into part, of which the numbers are
// read one after the other: part × least is the first one and, in the lower word, the part
// that the next is read of.
//
// part / 2⁶⁴ is a fraction of 1: the next one above r / total. So it does not fall short of
// a whole number by rounding, and being less than 1 / total too large, it does not get to
// the next one either.
func cut(r, total uint64) (part uint64) {
	part, _ = bits.Div64(r, 0, total)
	return part + 1
}
