package handler

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/steerdns/steer/plugin/routing"
)

var answersTotal = promauto.NewCounterVec(prometheus.CounterOpts{
	Namespace: plugin.Namespace,
	Subsystem: Name,
	Name:      "answers_total",
	Help:      "Answers by server, zone and the rule that chose them.",
}, []string{"server", "zone", "reason"})

// counters are the counters of one handler, resolved so that a query has no label to
// look up.
type counters struct {
	zones   int // of the block: as many in each of its snapshots, but the empty one of a stopped block
	servers atomic.Pointer[[]serverCounters]
	mu      sync.Mutex // serialises adding a server
}

// serverCounters are the counters of one server that the handler answers on.
type serverCounters struct {
	server *dnsserver.Server
	zones  []atomic.Pointer[zoneCounters] // by zone.number; nil until the zone's first answer
}

// zoneCounters are the counters of one zone on one server, by reason.
type zoneCounters [routing.Reasons]prometheus.Counter

// count counts an answer.
func (h *Handler) count(ctx context.Context, z *zone, reason routing.Reason) {
	server, _ := ctx.Value(dnsserver.Key{}).(*dnsserver.Server)
	if list := h.counters.servers.Load(); list != nil {
		for i := range *list {
			if s := &(*list)[i]; s.server == server {
				if c := s.zones[z.number].Load(); c != nil {
					c[reason].Inc()
					return
				}
			}
		}
	}
	h.countFirst(server, z, reason)
}

// countFirst counts the first answer of a zone on a server. There may be many zones, so
// the counters of each are made by its first answer and not by that of another.
//
//go:noinline
func (h *Handler) countFirst(server *dnsserver.Server, z *zone, reason routing.Reason) {
	s := h.counters.of(server)
	address := ""
	if server != nil {
		address = server.Addr
	}
	c := new(zoneCounters)
	for r := range c {
		c[r] = answersTotal.WithLabelValues(address, z.name, routing.Reason(r).String())
	}
	s.zones[z.number].Store(c) // another query may do the same: a label has one counter
	c[reason].Inc()
}

// of returns the counters of a server, which it may not have seen before.
func (c *counters) of(server *dnsserver.Server) *serverCounters {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []serverCounters
	if old := c.servers.Load(); old != nil {
		for i := range *old {
			if (*old)[i].server == server {
				return &(*old)[i]
			}
		}
		list = append(list, *old...)
	}
	list = append(list, serverCounters{server, make([]atomic.Pointer[zoneCounters], c.zones)})
	c.servers.Store(&list)
	return &list[len(list)-1]
}

// DropCounters removes the counters of a zone that is no longer served at an address.
func DropCounters(server, zone string) {
	for r := range routing.Reasons {
		answersTotal.DeleteLabelValues(server, zone, routing.Reason(r).String())
	}
}
