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
	servers atomic.Pointer[[]serverCounters]
	mu      sync.Mutex // serialises adding a server
}

// serverCounters are the counters of one server that the handler answers on.
type serverCounters struct {
	server *dnsserver.Server
	zones  [][routing.Reasons]prometheus.Counter // by zone.number
}

// count counts an answer.
func (h *Handler) count(ctx context.Context, z *zone, reason routing.Reason) {
	server, _ := ctx.Value(dnsserver.Key{}).(*dnsserver.Server)
	if list := h.counters.servers.Load(); list != nil {
		for i := range *list {
			if s := &(*list)[i]; s.server == server {
				s.zones[z.number][reason].Inc()
				return
			}
		}
	}
	h.counters.add(server, h.data.Load().zones)
	h.count(ctx, z, reason)
}

// add makes the counters of a server that has not been seen before.
//
//go:noinline
func (c *counters) add(server *dnsserver.Server, zones []*zone) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []serverCounters
	if old := c.servers.Load(); old != nil {
		for _, s := range *old {
			if s.server == server {
				return
			}
		}
		list = append(list, *old...)
	}
	address := ""
	if server != nil {
		address = server.Addr
	}
	s := serverCounters{server: server, zones: make([][routing.Reasons]prometheus.Counter, len(zones))}
	for i, z := range zones {
		for r := range s.zones[i] {
			s.zones[i][r] = answersTotal.WithLabelValues(address, z.name, routing.Reason(r).String())
		}
	}
	list = append(list, s)
	c.servers.Store(&list)
}

// DropCounters removes the counters of a zone that is no longer served at an address.
func DropCounters(server, zone string) {
	answersTotal.DeletePartialMatch(prometheus.Labels{"server": server, "zone": zone})
}
