// Package healthcheck decides which endpoints are up, and says so when that changes.
//
// A [Spec] is what one probe does and how its results are judged; equal Specs share
// one probe, across server blocks and reloads. A [Check] is a named use of a Spec, or
// is calculated from other checks. A [Pool] runs the probes of the whole process; a
// [Lease] holds those that one server instance needs and reports what changed.
//
// The rules are those of Amazon Route 53 ("How Amazon Route 53 determines whether a
// health check is healthy"); the package knows nothing of DNS servers.
package healthcheck

import (
	"time"
)

// Kind is how an endpoint is probed.
type Kind uint8

// The kinds of probe.
const (
	TCP   Kind = iota // connect
	HTTP              // connect, request, status, optionally a string in the body
	HTTPS             // the same over TLS
)

func (k Kind) String() string {
	switch k {
	case TCP:
		return "tcp"
	case HTTP:
		return "http"
	case HTTPS:
		return "https"
	}
	return "unknown"
}

// Family says which addresses of an endpoint given by name are probed.
type Family uint8

// The address families. IPv4 is the default, as in Route 53.
const (
	IPv4 Family = iota
	IPv6
	AnyFamily
)

func (f Family) String() string {
	switch f {
	case IPv4:
		return "ipv4"
	case IPv6:
		return "ipv6"
	case AnyFamily:
		return "any"
	}
	return "unknown"
}

// Spec is what a probe does and how its results are judged. It is comparable: equal
// Specs share one probe. Inversion is not part of it, so that a check and its
// inverted copy share a probe as well.
//
// A Spec with every field set is made by [Defaults] and adjusted from there.
type Spec struct {
	Kind Kind
	Host string // an IP address without brackets, or a domain name that is resolved anew for every probe
	Port uint16 // 1–65535

	// HTTP and HTTPS only.
	Path       string // request target, with its query; "/" at least
	Method     string // GET or HEAD
	HostHeader string // "" sends Host, with the port unless it is the scheme's default
	Headers    string // further header lines, "Name: value\r\n" each, in the order given
	Search     string // "" or 1–255 bytes that must lie within the first 5,120 bytes of the body
	Statuses   string // accepted status codes in canonical form, such as "200-399,404"; see ParseStatuses

	// HTTPS only.
	ServerName string // SNI; "" sends none
	Verify     bool   // verify the certificate chain and the name
	CAs        string // PEM; "" is the system's roots

	Family   Family   // which addresses of a domain name are probed
	Networks Networks // what may be probed at all; what may not counts as healthy

	Interval        time.Duration // from the end of a probe to the start of the next, at least 1 s
	Recheck         time.Duration // the same while results disagree with the status
	ConnectTimeout  time.Duration // TCP connect, and the TLS handshake
	ResponseTimeout time.Duration // status line and headers; then the same again for a searched body
	Rise, Fall      uint8         // results in a row that make it healthy, unhealthy; 1–10
}

// Defaults returns the Spec of a kind with Route 53's settings: every 30 s, three
// results in a row, 10 s to connect over TCP, and for HTTP(S) 4 s to connect and 2 s
// to respond with a status from 200 to 399.
func Defaults(kind Kind) Spec {
	s := Spec{
		Kind:           kind,
		Interval:       30 * time.Second,
		Recheck:        30 * time.Second,
		ConnectTimeout: 10 * time.Second,
		Rise:           3,
		Fall:           3,
	}
	if kind != TCP {
		s.Path = "/"
		s.Method = "GET"
		s.Statuses = "200-399"
		s.ConnectTimeout = 4 * time.Second
		s.ResponseTimeout = 2 * time.Second
	}
	return s
}

// Check is a named check: a use of a Spec, or calculated from other checks.
type Check struct {
	Name string // unique within a lease; used in logs and metrics, so it holds no secrets

	Spec Spec // what is probed; unused when Calculated

	Calculated       bool
	Children         []int // of a calculated check: indexes into the same list of checks, at most 255, none of them calculated
	HealthyThreshold int   // of a calculated check: healthy children it takes; 0 is always healthy

	Invert   bool // flips the status that is reported
	Disabled bool // no probing: healthy, or unhealthy if inverted too
	Fixed    bool // no probing either: its status stands in FixedStatus (a check that cannot be probed from here)

	FixedStatus Status // of a Fixed check, before Invert
}

// Status is what a check says.
type Status uint8

// The statuses.
const (
	Unhealthy Status = iota
	Healthy
)

func (s Status) String() string {
	if s == Healthy {
		return "healthy"
	}
	return "unhealthy"
}

// Not returns the opposite status.
func (s Status) Not() Status { return Healthy - s }
