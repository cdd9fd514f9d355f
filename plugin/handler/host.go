package handler

import (
	"slices"

	"github.com/miekg/dns"
)

// Ready implements ready.Readiness: true once every check knows its first status, or
// has had its time to. It never depends on endpoints being up.
func (h *Handler) Ready() bool { return h.IsReady == nil || h.IsReady() }

// CacheBypassZones implements cache.ZoneBypasser: answers that follow health must not
// be held in front of it. Zones inside another one of the block are left out, since the
// list is walked for each query.
func (h *Handler) CacheBypassZones() []string {
	var outer []string
	zones := h.data.Load().Catalog.Zones
	for _, z := range zones {
		if !slices.ContainsFunc(zones, func(o string) bool { return o != z && dns.IsSubDomain(o, z) }) {
			outer = append(outer, z)
		}
	}
	return outer
}
