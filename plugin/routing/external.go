package routing

import (
	"sync/atomic"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
)

// External is the target of an alias that is held elsewhere and resolved in the
// background. Selections point at it, so that a fresh answer needs no compilation;
// whether it is healthy is told to the [Table].
type External struct {
	record.Key // the target's name and the alias's type

	resolution atomic.Pointer[Resolution]
}

// Resolution is the outcome of resolving an [External]. It does not change.
type Resolution struct {
	RRs []dns.RR // under the target's name; none if there are none to be had

	// Until is when the TTL of the records ends, which they show as it was at first. The
	// zero Time stands for records whose TTL does not run down.
	Until time.Time
}

// Resolution returns the last good resolution, nil before the first.
func (e *External) Resolution() *Resolution { return e.resolution.Load() }

// RRs returns the records of the last good resolution, nil before the first. They are
// shared and must not be changed.
func (e *External) RRs() []dns.RR {
	if r := e.resolution.Load(); r != nil {
		return r.RRs
	}
	return nil
}

// Known reports whether a resolution has succeeded, if only to say that there are no
// such records.
func (e *External) Known() bool { return e.resolution.Load() != nil }

// Set stores a resolution. Its records must not be changed afterwards.
func (e *External) Set(r Resolution) {
	r.RRs = r.RRs[:len(r.RRs):len(r.RRs)]
	e.resolution.Store(&r)
}

// Forget drops what is known, as if nothing had been resolved yet.
func (e *External) Forget() { e.resolution.Store(nil) }
