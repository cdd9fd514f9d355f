package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// alive reports whether there is a check and something can change what it says.
func (l *linter) alive(check int32) bool {
	return check != record.NoCheck && changes(&l.catalog.Checks[check])
}

// changes reports whether something can change what a check says.
func changes(c *healthcheck.Check) bool { return !c.Disabled && !c.Fixed }

func (l *linter) checkName(check int32) string { return l.catalog.Checks[check].Name }

// sameProbe reports whether two checks see one endpoint fail alike, perhaps at other times.
func (l *linter) sameProbe(i, j int32) bool {
	if i == j {
		return true
	}
	a, b := &l.catalog.Checks[i], &l.catalog.Checks[j]
	return !a.Calculated && !b.Calculated && a.Invert == b.Invert && untimed(a.Spec) == untimed(b.Spec)
}

// untimed returns what a probe looks at, without when it does so.
func untimed(s healthcheck.Spec) healthcheck.Spec {
	s.Interval, s.Recheck, s.ConnectTimeout, s.ResponseTimeout, s.Rise, s.Fall = 0, 0, 0, 0, 0, 0
	return s
}

// checks finds the traps of checks by themselves.
func (l *linter) checks() {
	used := slices.Clone(l.used)
	for i := range l.catalog.Checks {
		for _, child := range l.catalog.Checks[i].Children {
			used[child] = true
		}
	}
	for i := range l.catalog.Checks {
		c := &l.catalog.Checks[i]
		switch slow := detection(c) > maxDetection; {
		case !used[i]:
			l.findCheck(UnusedCheck, i, func() (string, string) {
				return fmt.Sprintf("check %q is used by no record and counted by no other check", c.Name), ""
			})
		case c.Calculated && changes(c) && c.HealthyThreshold > len(c.Children):
			l.findCheck(ThresholdNeverMet, i, func() (string, string) {
				never := "healthy"
				if c.Invert {
					never = "unhealthy"
				}
				return fmt.Sprintf("calculated check %q wants %d healthy of %d checks, so it is never %s", c.Name, c.HealthyThreshold, len(c.Children), never), ""
			})
		case slow && !c.Calculated && changes(c):
			l.findCheck(SlowDetection, i, func() (string, string) {
				return fmt.Sprintf("check %q takes %s to find a failure, at an interval of %s and with %s", c.Name, detection(c), c.Spec.Interval, inARow(c)), ""
			})
		}
	}
}

func (l *linter) findCheck(t *Trap, i int, text func() (message, remedy string)) {
	l.add(Finding{Trap: t, Level: t.Level, Pos: l.catalog.CheckAt(i), Check: l.catalog.Checks[i].Name, text: text})
}

// maxDetection is how long a check may take to find a failure.
// Source: Route 53's slowest is 30 s x 10.
const maxDetection = 5 * time.Minute

// detection returns how long a probed check takes to find a failure that it sees at once.
func detection(c *healthcheck.Check) time.Duration {
	return c.Spec.Interval + time.Duration(max(failures(c), 1)-1)*c.Spec.Recheck
}

// slowestDetection returns the same for a failure that takes a whole time-out to see.
func slowestDetection(c *healthcheck.Check) time.Duration {
	if c.Invert {
		return detection(c)
	}
	return detection(c) + time.Duration(failures(c))*c.Spec.ConnectTimeout
}

// failures returns how many results in a row make a check report unhealthy.
func failures(c *healthcheck.Check) uint8 {
	if c.Invert {
		return c.Spec.Rise
	}
	return c.Spec.Fall
}

func inARow(c *healthcheck.Check) string {
	if n := failures(c); n > 1 {
		return fmt.Sprintf("%d results in a row that it takes, %s apart", n, c.Spec.Recheck)
	}
	return "one result that it takes"
}

// usualTTL is the TTL in seconds up to which there is nothing to say.
// Source: Route 53 Developer Guide, "Values common for weighted records", TTL: with health
// checks, 60 seconds or less.
const usualTTL = 60

// longTTL finds a TTL above the time that the checks of a group take to find a failure.
func (l *linter) longTTL(g *record.Group) {
	ttl, found := uint32(0), time.Duration(0)
	for i := range g.Records {
		r := &g.Records[i]
		switch {
		case r.Alias == nil:
			ttl = max(ttl, r.Values[0].Header().Ttl)
		case r.Check != record.NoCheck:
			if to, held := l.catalog.Target(r.Alias.Name, g.Type); held == record.Here {
				if target := l.tree.of(to); !target.checked { // else there is a finding there
					ttl = max(ttl, target.ttl)
				}
			}
		}
	}
	if ttl <= usualTTL {
		return
	}
	for i := range g.Records {
		found = max(found, l.slowest(g.Records[i].Check))
	}
	l.findLongTTL(LongTTL, g, g.Key.String(), ttl, found)
}

// findLongTTL reports a TTL if it is above the time that it takes to find a failure, which
// is 0 if none can be found.
func (l *linter) findLongTTL(t *Trap, g *record.Group, what string, ttl uint32, found time.Duration) {
	if ttl <= usualTTL || found == 0 || time.Duration(ttl)*time.Second <= found {
		return
	}
	l.find(t, g, nil, func() (string, string) {
		return fmt.Sprintf("%s has health checks, which find a failure in %s, and a TTL of %d s: clients keep a dead address that much longer", what, found, ttl), ""
	})
}

// slowest returns how long it takes until a check reports that something fails, 0 if it
// never does.
func (l *linter) slowest(check int32) time.Duration {
	if !l.alive(check) {
		return 0
	}
	c := &l.catalog.Checks[check]
	if !c.Calculated {
		return slowestDetection(c)
	}
	if found, known := l.detections[check]; known {
		return found
	}
	found := time.Duration(0)
	for _, child := range c.Children {
		if c := &l.catalog.Checks[child]; changes(c) {
			found = max(found, slowestDetection(c))
		}
	}
	if l.detections == nil {
		l.detections = make(map[int32]time.Duration)
	}
	l.detections[check] = found
	return found
}

// circular finds a check whose endpoint is the name that the group answers: it probes
// whatever this server answers, so it can hold itself up or down.
// Source: Route 53 Developer Guide, "Values that you specify when you create or update
// health checks", the warning on domain names.
func (l *linter) circular(g *record.Group, r *record.RecordSet) {
	if g.Type != dns.TypeA && g.Type != dns.TypeAAAA && g.Type != dns.TypeCNAME {
		return
	}
	if check, ok := l.probes(r.Check, g); ok {
		l.find(CircularCheck, g, r, func() (string, string) {
			return fmt.Sprintf("%s: check %q probes the name that this group itself answers, so it depends on its own answer", g.Key, check), ""
		})
	}
}

// probes returns the check behind a check, itself or a child, whose endpoint is the name
// that a group answers, if there is one.
func (l *linter) probes(check int32, g *record.Group) (name string, ok bool) {
	if l.named != nil && !l.named[check] {
		return "", false
	}
	c := &l.catalog.Checks[check]
	if !c.Calculated {
		host, named := record.ProbedName(c)
		return c.Name, named && l.catalog.Lookup(record.Key{Name: host, Type: g.Type}) == g
	}
	for _, child := range c.Children {
		if name, ok := l.probes(int32(child), g); ok {
			return name, true
		}
	}
	return "", false
}

// namedChecks returns which checks probe an endpoint that is given by name, as few do, or
// count one that does.
func namedChecks(c *record.Catalog) []bool {
	named := make([]bool, len(c.Checks))
	for i := range c.Checks {
		_, named[i] = record.ProbedName(&c.Checks[i])
	}
	for i := range c.Checks {
		named[i] = named[i] || slices.ContainsFunc(c.Checks[i].Children, func(child int) bool { return named[child] })
	}
	return named
}
