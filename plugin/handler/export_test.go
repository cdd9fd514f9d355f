package handler

import "github.com/steerdns/steer/plugin/routing"

// SetRand gives a handler its random numbers. Call it before the first query.
func (h *Handler) SetRand(r routing.Rand) { h.rand = r }
