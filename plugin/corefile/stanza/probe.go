package stanza

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// probe is a check that probes, as a stanza has it.
type probe struct {
	url     string   // without its host if it probes the address of each record that has it
	options []string // one line each
	note    string   // what is sent in another spelling
}

// spell returns how a check that probes is written. An error says what of it the parser
// would refuse.
func spell(c *healthcheck.Check, hostless bool) (probe, error) {
	s := &c.Spec
	var p probe
	path, err := p.path(s)
	if err != nil {
		return p, err
	}
	authority, err := authorityOf(s, hostless)
	if err != nil {
		return p, err
	}
	url := s.Kind.String() + "://" + authority + path
	written, ok := word(url)
	if !ok {
		return p, fmt.Errorf("no word of a Corefile is the URL %q", url)
	}
	p.url = written
	for _, add := range []func(*healthcheck.Spec) error{p.timing, p.request, p.tls} {
		if err := add(s); err != nil {
			return p, err
		}
	}
	if _, err := netip.ParseAddr(s.Host); err != nil && s.Family != healthcheck.IPv4 {
		p.add("family " + s.Family.String())
	}
	p.flags(c)
	return p, nil
}

func (p *probe) add(line string) { p.options = append(p.options, line) }

func (p *probe) flags(c *healthcheck.Check) {
	if c.Invert {
		p.add("invert")
	}
	if c.Disabled {
		p.add("disabled")
	}
}

// path returns the path of a URL. What cannot stand in one is percent-encoded, as are an @,
// which would be taken for the end of a password, and the beginning of a fragment.
func (p *probe) path(s *healthcheck.Spec) (string, error) {
	if s.Kind == healthcheck.TCP {
		return "", nil
	}
	if !strings.HasPrefix(s.Path, "/") {
		return "", fmt.Errorf("its path %q does not begin with a slash", s.Path)
	}
	var b strings.Builder
	query := false
	for i := range len(s.Path) {
		c := s.Path[i]
		query = query || c == '?'
		encoded := i+2 < len(s.Path) && isHex(s.Path[i+1]) && isHex(s.Path[i+2])
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"#<>\\^`{|}", c) >= 0 || c == '%' && !encoded || c == '@' && !query {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	if b.String() != s.Path {
		p.note = fmt.Sprintf("its path %q is written %q", s.Path, b.String())
	}
	return b.String(), nil
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// authorityOf returns host and port of a check's URL. The port is left out where the scheme
// implies it, but not with the host as well.
func authorityOf(s *healthcheck.Spec, hostless bool) (string, error) {
	host := s.Host
	switch addr, err := netip.ParseAddr(host); {
	case s.Port == 0:
		return "", errors.New("it has no port")
	case hostless:
		host = ""
	case err == nil && addr.Is6():
		host = "[" + host + "]"
	case err == nil:
	case !isHostName(host):
		return "", fmt.Errorf("its host %q is neither an address nor a name of letters, digits, hyphens and underscores", host)
	default:
		host = strings.ToLower(host)
	}
	if !hostless && (s.Kind == healthcheck.HTTP && s.Port == 80 || s.Kind == healthcheck.HTTPS && s.Port == 443) {
		return host, nil
	}
	return host + ":" + strconv.Itoa(int(s.Port)), nil
}

// isHostName reports whether a URL or the option host can have a name.
func isHostName(s string) bool {
	labels := strings.Split(strings.TrimSuffix(s, "."), ".")
	for _, label := range labels {
		if strings.Trim(strings.ToLower(label), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	if strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return false
	}
	_, err := record.Canonical(s)
	return err == nil
}

// timing adds the options that say when and how long, and what results mean.
func (p *probe) timing(s *healthcheck.Spec) error {
	def := healthcheck.Defaults(s.Kind)
	for _, d := range []struct {
		option         string
		got, usual     time.Duration
		least, most    time.Duration
		doesNotConcern bool
	}{
		{"interval", s.Interval, def.Interval, time.Second, 24 * time.Hour, false},
		{"recheck", s.Recheck, s.Interval, time.Second, s.Interval, false},
		{"connect_timeout", s.ConnectTimeout, def.ConnectTimeout, time.Millisecond, time.Minute, false},
		{"response_timeout", s.ResponseTimeout, def.ResponseTimeout, time.Millisecond, time.Minute, s.Kind == healthcheck.TCP},
	} {
		switch {
		case d.doesNotConcern:
		case d.got < d.least || d.got > d.most:
			return fmt.Errorf("its %s of %s is not from %s to %s", d.option, d.got, d.least, d.most)
		case d.got != d.usual:
			p.add(d.option + " " + duration(d.got))
		}
	}
	for _, n := range []uint8{s.Rise, s.Fall} {
		if n < 1 || n > 10 {
			return fmt.Errorf("its threshold %d is not from 1 to 10", n)
		}
	}
	switch {
	case s.Rise != s.Fall:
		if s.Rise != def.Rise {
			p.add(fmt.Sprintf("rise %d", s.Rise))
		}
		if s.Fall != def.Fall {
			p.add(fmt.Sprintf("fall %d", s.Fall))
		}
	case s.Rise != def.Rise:
		p.add(fmt.Sprintf("threshold %d", s.Rise))
	}
	return nil
}

// duration writes a duration without parts that are 0.
func duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// request adds what is asked for over HTTP and what is expected.
func (p *probe) request(s *healthcheck.Spec) error {
	if s.Kind == healthcheck.TCP {
		return nil
	}
	def := healthcheck.Defaults(s.Kind)
	if s.HostHeader != "" {
		if !isHostHeader(s.HostHeader) {
			return fmt.Errorf("its Host header %q is neither a name of letters, digits, hyphens and underscores nor an address", s.HostHeader)
		}
		p.add("host " + s.HostHeader)
	}
	if s.Search != "" {
		text, ok := word(s.Search)
		switch {
		case !ok:
			return fmt.Errorf("no word of a Corefile is the text to search for, %q", s.Search)
		case len(s.Search) > 255 || s.Method == "HEAD":
			return fmt.Errorf("it cannot search for %q", s.Search)
		}
		p.add("search " + text)
	}
	if s.Statuses != def.Statuses {
		if canonical, err := healthcheck.ParseStatuses(s.Statuses); err != nil || canonical != s.Statuses {
			return fmt.Errorf("its status codes %q are none", s.Statuses)
		}
		p.add("status " + s.Statuses)
	}
	switch s.Method {
	case def.Method:
	case "HEAD":
		p.add("method HEAD")
	default:
		return fmt.Errorf("its method %q is not GET or HEAD", s.Method)
	}
	return p.headers(s)
}

// isHostHeader reports whether the option host can have a value.
func isHostHeader(s string) bool {
	if host, port, err := net.SplitHostPort(s); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
		s = host
	}
	_, err := netip.ParseAddr(s)
	return err == nil || isHostName(s)
}

// refusedHeaders cannot be set.
var refusedHeaders = []string{"host", "connection", "content-length", "transfer-encoding", "upgrade", "expect"}

// headers adds the header lines. No error shows a value, which may be a secret.
func (p *probe) headers(s *healthcheck.Spec) error {
	for line := range strings.SplitSeq(strings.TrimSuffix(s.Headers, "\r\n"), "\r\n") {
		if line == "" {
			continue
		}
		name, value, _ := strings.Cut(line, ": ")
		text, ok := word(value)
		_, bare := word(name)
		if !ok || !bare || strings.TrimSpace(value) != value || slices.Contains(refusedHeaders, strings.ToLower(name)) {
			return fmt.Errorf("its header %q cannot be set", name)
		}
		p.add("header " + name + " " + text)
	}
	return nil
}

// tls adds what concerns TLS.
func (p *probe) tls(s *healthcheck.Spec) error {
	if s.Kind != healthcheck.HTTPS {
		return nil
	}
	switch name := strings.ToLower(s.ServerName); {
	case name == defaultServerName(s):
	case name == "":
		p.add("sni off")
	case !isHostName(name) || strings.HasSuffix(name, ".") || name == "off":
		return fmt.Errorf("its server name %q is no name of letters, digits, hyphens and underscores", s.ServerName)
	default:
		p.add("sni " + name)
	}
	switch {
	case s.CAs != "":
		return errors.New("its CA certificates have no file; write tls_verify with the name of one")
	case s.Verify && s.Headers == "":
		p.add("tls_verify")
	case !s.Verify && s.Headers != "":
		p.add("tls_verify off")
	}
	return nil
}

// defaultServerName returns the SNI that is sent without the option sni.
func defaultServerName(s *healthcheck.Spec) string {
	name := s.Host
	if s.HostHeader != "" {
		name = s.HostHeader
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
	}
	if name == "off" || !isHostName(name) {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}
