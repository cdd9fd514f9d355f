package healthcheck

// Evaluate returns the status that each check reports while the probes of those that have
// one say what probed returns. It says without a [Pool] what a lease on the checks reports
// once all results are in.
func Evaluate(checks []Check, probed func(check int) Status) []Status {
	statuses := make([]Status, len(checks))
	child := func(i int) Status { return statuses[i] }
	for _, calculated := range []bool{false, true} { // children come before those that count them
		for i := range checks {
			if (kindOf(&checks[i]) == labelCalculated) != calculated {
				continue
			}
			raw := Healthy
			if checks[i].Probed() {
				raw = probed(i)
			}
			statuses[i] = checks[i].Reports(checks, raw, child)
		}
	}
	return statuses
}

// Probed reports whether a check has a probe: it is not calculated, disabled or fixed.
func (c *Check) Probed() bool { return !c.Calculated && !c.Disabled && !c.Fixed }

// Reports returns what a check, one of checks, reports: probed is what its probe says, and
// child what a check that it counts reports. Of the two it uses what it needs.
func (c *Check) Reports(checks []Check, probed Status, child func(check int) Status) Status {
	raw := Healthy
	switch {
	case c.Disabled:
	case c.Fixed:
		raw = c.FixedStatus
	case c.Calculated:
		healthy := 0
		for _, i := range c.Children {
			if Counts(checks, i) && child(i) == Healthy {
				healthy++
			}
		}
		if healthy < c.HealthyThreshold {
			raw = Unhealthy
		}
	default:
		raw = probed
	}
	if c.Invert {
		return raw.Not()
	}
	return raw
}

// Counts reports whether a calculated check may count child i of the same checks. What it
// may not count is unhealthy to it.
func Counts(checks []Check, i int) bool {
	return i >= 0 && i < len(checks) && kindOf(&checks[i]) != labelCalculated
}
