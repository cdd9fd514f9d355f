package route53json

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// fill makes the check that a configuration describes. An error says why there is no
// way to probe what it means.
func (d *definition) fill(c *check) error {
	raw := &d.it.check
	switch typ := strings.ToUpper(string(raw.typ.text)); {
	case d.it.malformed != "":
		return fmt.Errorf("%s is not in the form that Route 53 uses", d.it.malformed)
	case typ == "TCP":
		return d.endpoint(c, healthcheck.TCP)
	case typ == "HTTP" || typ == "HTTP_STR_MATCH":
		return d.endpoint(c, healthcheck.HTTP)
	case typ == "HTTPS" || typ == "HTTPS_STR_MATCH":
		return d.endpoint(c, healthcheck.HTTPS)
	case typ == "CALCULATED":
		return d.calculated(c)
	case typ == "CLOUDWATCH_METRIC" || typ == "RECOVERY_CONTROL":
		c.Fixed, c.FixedStatus = true, healthcheck.Healthy
		if raw.insufficient.is("unhealthy") {
			c.FixedStatus = healthcheck.Unhealthy
		}
		d.report(Changed, NoProbe, "Type %s cannot be probed from here; it counts as %s, by its InsufficientDataHealthStatus %q", typ, c.FixedStatus, raw.insufficient.text)
		return nil
	default:
		return fmt.Errorf("its Type %q is none of Route 53's", typ)
	}
}

// endpoint makes a check that probes.
//
// Source: Route 53 API Reference, HealthCheckConfig, for members and their defaults;
// Developer Guide, "Values that you specify when you create or update health checks".
func (d *definition) endpoint(c *check, kind healthcheck.Kind) (err error) {
	s := healthcheck.Defaults(kind)
	if err := d.host(&s); err != nil {
		return err
	}
	if s.Port, err = d.port(kind); err != nil {
		return err
	}
	s.Interval = time.Duration(d.number("RequestInterval", d.it.check.interval, 1, maxInterval, 30)) * time.Second
	s.Recheck = s.Interval
	s.Fall = uint8(d.number("FailureThreshold", d.it.check.threshold, 1, 10, 3))
	s.Rise = s.Fall
	if kind != healthcheck.TCP {
		s.Path = requestPath(d.it.check.path.text)
		if s.Search, err = d.search(); err != nil {
			return err
		}
	}
	c.Spec = s
	return nil
}

// maxInterval is a day in seconds.
const maxInterval = 86400

// host sets what is probed and under which name.
func (d *definition) host(s *healthcheck.Spec) error {
	address := strings.TrimSpace(string(d.it.check.address.text))
	domain := strings.TrimSuffix(strings.TrimSpace(string(d.it.check.domain.text)), ".")
	if domain != "" {
		if err := hostName(domain); err != nil {
			return fmt.Errorf("its FullyQualifiedDomainName %w", err)
		}
	}
	switch {
	case address == "" && domain == "":
		return errors.New("has neither IPAddress nor FullyQualifiedDomainName")
	case address == "":
		s.Host = domain
	default:
		ip, err := netip.ParseAddr(address)
		if err != nil || ip.Zone() != "" {
			return fmt.Errorf("its IPAddress %q is no address", address)
		}
		s.Host = ip.Unmap().String()
	}
	if err := d.allow(s); err != nil {
		return err
	}
	if s.Kind == healthcheck.TCP || domain == "" {
		return nil
	}
	if s.Host != domain {
		s.HostHeader = domain
	}
	if _, err := netip.ParseAddr(domain); s.Kind == healthcheck.HTTPS && err != nil && d.sni() {
		s.ServerName = domain
	}
	return nil
}

// errNotAllowed is why an endpoint is not probed that the block keeps from being probed.
var errNotAllowed = errors.New("may not be probed")

// allow makes sure that nothing is probed which the block keeps from being probed: now,
// where the endpoint is an address, or at the time of the probe, where it is a name.
func (d *definition) allow(s *healthcheck.Spec) error {
	networks := d.options.Networks
	addr, err := netip.ParseAddr(s.Host)
	switch {
	case err != nil:
		s.Networks = networks
		return nil
	case networks.Allow(addr):
		return nil
	case networks == healthcheck.NotLinkLocal:
		return fmt.Errorf("its endpoint %s is a link-local or metadata address and %w unless route53_checks_allow names it", addr, errNotAllowed)
	}
	return fmt.Errorf("its endpoint %s %w: route53_checks_allow does not name it", addr, errNotAllowed)
}

// sni reports whether the domain name is sent in the TLS handshake, which is the
// default for HTTPS.
func (d *definition) sni() bool {
	return len(d.it.check.sni.text) == 0 || boolean(d.report, "EnableSNI", d.it.check.sni)
}

// hostName returns an error unless s is a name that can stand in a request.
func hostName(s string) error {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`/\"@:`, c) >= 0 {
			return fmt.Errorf("%q is no host name", s)
		}
	}
	if _, err := record.Canonical(s); err != nil {
		return err
	}
	return nil
}

func (d *definition) port(kind healthcheck.Kind) (uint16, error) {
	v := d.it.check.port
	if len(v.text) == 0 {
		switch kind {
		case healthcheck.HTTP:
			return 80, nil
		case healthcheck.HTTPS:
			return 443, nil
		}
		return 0, errors.New("has no Port, which TCP needs")
	}
	n, err := strconv.ParseUint(string(v.text), 10, 16)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("its Port %q is not a number from 1 to 65535", v.text)
	}
	reportQuoted(d.report, "Port", v)
	return uint16(n), nil
}

// search returns the string to find in the body, for the types that have one.
func (d *definition) search() (string, error) {
	if !strings.HasSuffix(strings.ToUpper(string(d.it.check.typ.text)), "_STR_MATCH") {
		return "", nil
	}
	text := string(d.it.check.search.text)
	switch {
	case text == "":
		d.report(Changed, BadCheck, "has no SearchString; the status code alone decides")
	case len(text) > maxSearch:
		return "", fmt.Errorf("its SearchString has %d bytes; %d are the most", len(text), maxSearch)
	}
	return text, nil
}

// maxSearch is the length in bytes of the longest SearchString.
const maxSearch = 255

// requestPath returns a request target: it begins with a slash, which Route 53 adds
// where it is missing, and what would break the request line is percent-encoded.
func requestPath(path []byte) string {
	var b strings.Builder
	if len(path) == 0 || path[0] != '/' {
		b.WriteByte('/')
	}
	for _, c := range path {
		if c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// calculated makes a check of other checks. Its children are looked at when all files
// are read.
func (d *definition) calculated(c *check) error {
	raw := &d.it.check
	if n := len(raw.children) + raw.more; n > maxChildren {
		return fmt.Errorf("has %d children; %d are the most", n, maxChildren)
	}
	for _, id := range raw.children {
		if len(id.text) == 0 {
			d.report(Changed, BadCheck, "has a child without an id, which is not counted")
			continue
		}
		child := d.checkIndex(id.text, d.pos(d.it))
		if slices.Contains(c.children, child) {
			d.report(Changed, Duplicate, "has the child %q twice; counted once", id.text)
			continue
		}
		d.im.checks[child].child = true
		c.children = append(c.children, child)
	}
	c.Calculated = true
	c.HealthyThreshold = len(c.children)
	if len(raw.healthThreshold.text) == 0 {
		d.report(Changed, BadCheck, "has no HealthThreshold; all of its %d children have to be healthy", len(c.children))
		return nil
	}
	c.HealthyThreshold = d.number("HealthThreshold", raw.healthThreshold, 0, maxChildren+1, len(c.children))
	return nil
}

// number reads a whole number; one that is missing is the default, and one that is wrong
// as well, which is reported.
func (d *definition) number(name string, v scalar, least, most, otherwise int) int {
	if len(v.text) == 0 {
		return otherwise
	}
	n, err := strconv.Atoi(string(v.text))
	if err != nil || n < least || n > most {
		d.report(Changed, BadCheck, "%s %q is not a whole number from %d to %d; taken for %d", name, v.text, least, most, otherwise)
		return otherwise
	}
	reportQuoted(d.report, name, v)
	return n
}
