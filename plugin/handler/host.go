package handler

// Ready implements ready.Readiness: true once every check knows its first status, or
// has had its time to. It never depends on endpoints being up.
func (h *Handler) Ready() bool { return h.IsReady == nil || h.IsReady() }

// CacheBypassZones implements cache.ZoneBypasser: answers that follow health must not
// be held in front of it. Zones inside another one of the block are left out, since the
// list is walked for each query.
func (h *Handler) CacheBypassZones() []string {
	var outer []string
	c := h.data.Load().Catalog
	for _, z := range c.Zones {
		if !c.Nested(z) {
			outer = append(outer, z)
		}
	}
	return outer
}
