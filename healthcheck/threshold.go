package healthcheck

// Threshold turns the probe results of one check into a Status that does not flap.
// Its zero status is healthy: a new check is healthy until there is enough data to
// say otherwise.
//
// Source: Route 53 Developer Guide, "How Amazon Route 53 determines whether a health
// check is healthy".
type Threshold struct {
	Rise uint8 // passes in a row that make it healthy, 1–10
	Fall uint8 // failures in a row that make it unhealthy, 1–10
	down bool
	run  uint8 // results in a row that disagreed with the status so far
}

// Observe takes one probe result and reports whether the status changed. A probe
// that agrees with the status clears the run: only consecutive ones count.
func (t *Threshold) Observe(passed bool) (changed bool) {
	if passed != t.down {
		t.run = 0
		return false
	}
	limit := t.Fall
	if t.down {
		limit = t.Rise
	}
	if t.run++; t.run < limit {
		return false
	}
	t.down, t.run = !t.down, 0
	return true
}

// Status returns what the results so far say.
func (t *Threshold) Status() Status {
	if t.down {
		return Unhealthy
	}
	return Healthy
}
