package healthcheck

import (
	"math/bits"
	"time"
)

// slot is the grain of the scheduler. Starts are gathered in slots because waking the
// process costs more than a probe: at 1,000 TCP checks per second 234 µs of CPU each
// when they start one by one, 67 µs when those of 100 ms start together.
const slot = 100 * time.Millisecond

// startUp is how long after the last probe a check is probed again while it has had
// fewer results than it takes to know its first status.
const startUp = time.Second

// slotAt returns the number of the first slot that begins at t or later; t counts
// from the pool's beginning.
func slotAt(t time.Duration) int64 { return int64((t + slot - 1) / slot) }

// slotBegin returns when a slot begins, counted from the pool's beginning.
func slotBegin(n int64) time.Duration { return time.Duration(n) * slot }

// phase maps a hash evenly onto [0, over).
func phase(hash uint64, over time.Duration) time.Duration {
	p, _ := bits.Mul64(hash, uint64(over))
	return time.Duration(p)
}

// firstWait returns how long after it was acquired a check is probed for the first
// time: spread over the first second, or over the interval if that is shorter. When
// more checks begin than [pace] lets start, the others queue.
func firstWait(s *Spec, hash uint64) time.Duration {
	return phase(hash, min(startUp, s.Interval))
}

// nextWait returns the time from the end of a probe to the start of the next one,
// after results results of which the last ones disagree with the status or not.
//
// Checks that were acquired together know their first status together, about two
// seconds later. So that they do not go on in step, the first wait after that is a
// part of the interval chosen by the hash, once; it is never shorter than the waits
// of the start.
func nextWait(s *Spec, hash uint64, results uint8, disagreeing bool) time.Duration {
	wait := s.Interval
	if disagreeing {
		wait = s.Recheck
	}
	enough := s.enough()
	switch {
	case results < enough:
		return min(wait, startUp)
	case results == enough && !disagreeing && wait > startUp:
		return startUp + phase(hash, wait-startUp)
	}
	return wait
}

// enough is the number of results after which the status is known: as many as would
// have changed it, in whichever direction.
func (s *Spec) enough() uint8 { return max(s.Rise, s.Fall, 1) }

// Probes that may start in one slot. The upper bound keeps the start of 100,000
// checks from being a flood for the network's state tables: 10,000 connections per
// second. The lower one keeps checks going on a machine that is busy with queries.
const (
	minStarts   = 20
	firstStarts = 250
	maxStarts   = 1000
)

// pace returns how many probes may start in the next slot, given how many could in
// this one, how long the slowest of the last ones waited for a processor, and whether
// some had to be put off. The wait is the measure of load: when goroutines do not run
// within a slot, the endpoints' answers are not read in time either, and probes
// would fail for want of our own processor. Then the number is halved; otherwise it
// doubles while there is a backlog.
func pace(starts int, wait time.Duration, backlog bool) int {
	switch {
	case wait > slot:
		return max(starts/2, minStarts)
	case backlog:
		return min(starts*2, maxStarts)
	}
	return starts
}

// minShare is the least time that one of several addresses gets to accept a connection.
const minShare = time.Second

// share returns how long to wait for one address when left is what remains of the
// connect timeout and so many addresses have yet to be tried, this one included: an
// equal part, so that a dead first address leaves time for the others.
func share(left time.Duration, addresses int) time.Duration {
	return max(left/time.Duration(addresses), min(left, minShare))
}
