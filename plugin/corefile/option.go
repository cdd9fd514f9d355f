package corefile

import (
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/lint"
	"github.com/steerdns/steer/plugin/record"
)

// maxSearch is how long a string to find may be, in bytes.
// Source: Route 53 API Reference, HealthCheckConfig, SearchString.
const maxSearch = 255

// checkOptions reads the options of a check from a URL into its Spec.
type checkOptions struct {
	parser *parser
	check  *healthcheck.Check
	spec   *healthcheck.Spec

	recheck    time.Duration // 0 is the interval
	rise, fall uint8         // 0 is the threshold
	sni        string        // "" is the default
	search     *statement
	recheckAt  statement
	verified   *statement // tls_verify
	secret     statement  // a header that looks like a secret
}

// rules are the options of a check.
func (o *checkOptions) rules() []rule {
	return []rule{
		{word: "interval", usage: "DURATION", min: 1, max: 1, once: true, read: o.duration(&o.spec.Interval, intervals)},
		{word: "recheck", usage: "DURATION", min: 1, max: 1, once: true, read: o.recheckInterval},
		{word: "connect_timeout", usage: "DURATION", min: 1, max: 1, once: true, read: o.duration(&o.spec.ConnectTimeout, timeouts)},
		{word: "response_timeout", also: []string{"timeout"}, usage: "DURATION", min: 1, max: 1, once: true, read: o.http(o.duration(&o.spec.ResponseTimeout, timeouts))},
		{word: "threshold", usage: "N", min: 1, max: 1, once: true, read: o.results(&o.spec.Rise, &o.spec.Fall)},
		{word: "rise", usage: "N", min: 1, max: 1, once: true, read: o.results(&o.rise)},
		{word: "fall", also: []string{"failures", "retries"}, usage: "N", min: 1, max: 1, once: true, read: o.results(&o.fall)},
		{word: "host", usage: "NAME", min: 1, max: 1, once: true, read: o.http(o.host)},
		{word: "sni", usage: "NAME|off", min: 1, max: 1, once: true, read: o.https(o.serverName)},
		{word: "search", also: []string{"body", "contains", "expect", "string"}, usage: `"TEXT"`, min: 1, max: 1, once: true, read: o.http(o.searchText)},
		{word: "status", also: []string{"code", "codes", "expect_status"}, usage: "200-399[,CODE...]", min: 1, max: 1, once: true, read: o.http(o.statuses)},
		{word: "method", usage: "GET|HEAD", min: 1, max: 1, once: true, read: o.http(o.method)},
		{word: headerOption, usage: "NAME VALUE", min: 2, max: 2, read: o.http(o.header)},
		{word: "tls_verify", usage: "[CA-FILE|off]", max: 1, once: true, read: o.https(o.verify)},
		{word: "family", usage: "ipv4|ipv6|any", min: 1, max: 1, once: true, read: o.family},
		flagRule("invert", &o.check.Invert),
		flagRule("disabled", &o.check.Disabled),
	}
}

// http lets an option stand in checks that speak HTTP.
func (o *checkOptions) http(read func(statement) error) func(statement) error {
	return func(s statement) error {
		if o.spec.Kind == healthcheck.TCP {
			return s.errorf("%q is an option of http:// and https:// checks, and this one is tcp://", s.keyword)
		}
		return read(s)
	}
}

// https lets an option stand in checks over TLS.
func (o *checkOptions) https(read func(statement) error) func(statement) error {
	return func(s statement) error {
		if o.spec.Kind != healthcheck.HTTPS {
			return s.errorf("%q is an option of https:// checks, and this one is %s://", s.keyword, o.spec.Kind)
		}
		return read(s)
	}
}

func (o *checkOptions) duration(to *time.Duration, within limits) func(statement) error {
	return func(s statement) (err error) {
		*to, err = s.duration(s.args[0], within)
		return err
	}
}

func (o *checkOptions) recheckInterval(s statement) error {
	o.recheckAt = s
	return o.duration(&o.recheck, intervals)(s)
}

// results reads how many results in a row change the status.
func (o *checkOptions) results(to ...*uint8) func(statement) error {
	return func(s statement) error {
		n, err := s.number(s.args[0], 1, 10)
		for _, t := range to {
			*t = uint8(n)
		}
		return err
	}
}

func (o *checkOptions) host(s statement) error {
	name := s.args[0]
	if h, port, err := net.SplitHostPort(name); err == nil {
		if _, _, err := splitAuthority("x:"+port, 0); err != nil {
			return s.errorf("host %q: %w", s.args[0], err)
		}
		name = h
	}
	if err := record.ASCII(name); err != nil {
		return s.errorf("host %w", err)
	}
	if _, err := netip.ParseAddr(name); err != nil && !isHostName(name) {
		return s.errorf("host %q is neither a domain name nor an address", s.args[0])
	}
	o.spec.HostHeader = s.args[0]
	return nil
}

// noServerName is the argument that sends no SNI.
const noServerName = "off"

func (o *checkOptions) serverName(s statement) error {
	if err := record.ASCII(s.args[0]); err != nil {
		return s.errorf("sni %w", err)
	}
	if o.sni = s.args[0]; o.sni != noServerName && !isHostName(o.sni) {
		return s.errorf("sni %q is not a domain name; TLS sends no other (RFC 6066), or none with \"off\"", o.sni)
	}
	return nil
}

func (o *checkOptions) searchText(s statement) error {
	o.spec.Search, o.search = s.args[0], &s
	if n := len(s.args[0]); n > maxSearch {
		return s.errorf("search text of %d bytes is too long; %d is the most", n, maxSearch)
	}
	return nil
}

func (o *checkOptions) statuses(s statement) (err error) {
	if o.spec.Statuses, err = healthcheck.ParseStatuses(s.args[0]); err != nil {
		return s.errorf("%w%s", err, statusHint(s.args[0]))
	}
	return nil
}

func (o *checkOptions) method(s statement) error {
	switch method := strings.ToUpper(s.args[0]); method {
	case "GET", "HEAD":
		o.spec.Method = method
		return nil
	}
	return s.errorf("method %q is not GET or HEAD", s.args[0])
}

func (o *checkOptions) family(s statement) error {
	if _, err := netip.ParseAddr(o.spec.Host); err == nil || o.spec.Host == "" {
		return s.errorf("family chooses among the addresses of a domain name, and this check probes an address")
	}
	for _, f := range []healthcheck.Family{healthcheck.IPv4, healthcheck.IPv6, healthcheck.AnyFamily} {
		if s.args[0] == f.String() {
			o.spec.Family = f
			return nil
		}
	}
	return s.errorf("family %q is not ipv4, ipv6 or any", s.args[0])
}

// finish sets what depends on several options.
func (o *checkOptions) finish() error {
	if o.search != nil && o.spec.Method == "HEAD" {
		return o.search.errorf("search needs a body, and the answer to method HEAD has none")
	}
	o.spec.Recheck = o.spec.Interval
	if o.recheck != 0 {
		if o.recheck > o.spec.Interval {
			return o.recheckAt.errorf("recheck %q is longer than the interval, %s; it replaces the interval while results disagree with the status, so it is the shorter one", o.recheckAt.args[0], o.spec.Interval)
		}
		o.spec.Recheck = o.recheck
	}
	if o.rise != 0 {
		o.spec.Rise = o.rise
	}
	if o.fall != 0 {
		o.spec.Fall = o.fall
	}
	if o.spec.Kind == healthcheck.HTTPS {
		o.spec.ServerName = o.defaultServerName()
	}
	o.protectHeaders()
	return nil
}

// protectHeaders keeps what a header may hold, such as a token, from whoever answers at the
// endpoint's address: a check over TLS that sends one verifies the certificate.
func (o *checkOptions) protectHeaders() {
	switch {
	case o.spec.Headers == "":
	case o.spec.Kind == healthcheck.HTTPS && o.verified == nil:
		o.spec.Verify = true
	case o.spec.Kind == healthcheck.HTTPS && !o.spec.Verify:
		o.parser.warn(lint.UnverifiedHeader, o.verified.pos, "tls_verify off: the check sends a header to whoever answers, since no certificate is verified")
	case o.spec.Kind == healthcheck.HTTP && o.secret.keyword != "":
		o.parser.warn(lint.UnencryptedHeader, o.secret.pos, "header %q is sent in the clear, to whoever answers", o.secret.args[0])
	}
}

// defaultServerName returns the SNI to send: the configured one, else the name that is
// asked for, by the host option or the URL. Addresses are not sent.
func (o *checkOptions) defaultServerName() string {
	name := o.spec.Host
	if o.spec.HostHeader != "" {
		name = o.spec.HostHeader
		if h, _, err := net.SplitHostPort(name); err == nil {
			name = h
		}
	}
	if o.sni != "" {
		name = o.sni
	}
	if name == noServerName || !isHostName(name) {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// warn records what is legal and seldom meant.
func (p *parser) warn(t *lint.Trap, pos record.Pos, format string, args ...any) {
	p.decl.findings = append(p.decl.findings, t.At(pos, format, args...))
}
