package routing

import (
	"sync/atomic"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// External is the target of an alias that is held elsewhere and resolved in the
// background. Selections point at it, so that a fresh answer needs no compilation;
// whether it is healthy is told to the [Table].
type External struct {
	record.Key // the target's name and the alias's type

	rrs atomic.Pointer[[]dns.RR]
}

// RRs returns the records of the last good resolution, nil before the first. They are
// shared and must not be changed.
func (e *External) RRs() []dns.RR {
	if p := e.rrs.Load(); p != nil {
		return *p
	}
	return nil
}

// Known reports whether a resolution has succeeded, if only to say that there are no
// such records.
func (e *External) Known() bool { return e.rrs.Load() != nil }

// Set stores the records of a resolution. They must not be changed afterwards.
func (e *External) Set(rrs []dns.RR) {
	rrs = rrs[:len(rrs):len(rrs)]
	e.rrs.Store(&rrs)
}

// Forget drops what is known, as if nothing had been resolved yet.
func (e *External) Forget() { e.rrs.Store(nil) }
