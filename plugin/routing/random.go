package routing

// Rand returns a uniform random number below n, which is at least 1. Every choice of
// this package is a function of such numbers alone, so that tests can count over their
// whole range.
type Rand func(n uint64) uint64
