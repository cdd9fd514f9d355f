package healthcheck

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"slices"
	"strings"
	"time"
)

// curves leaves out the post-quantum key exchanges that Go offers first: they cost both
// sides time and make the hello two packets. A check that sends headers uses them, since
// headers may hold secrets.
var curves = []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384, tls.CurveP521}

// suites are all cipher suites that can be had, weak ones included.
var suites = func() (ids []uint16) {
	for _, s := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
		ids = append(ids, s.ID)
	}
	return ids
}()

// secure makes the TLS handshake on conn until the deadline. Nothing is verified unless s
// asks for it; then the chain is, against roots or those of the system, and the name,
// which can be an address. Without verification a handshake protects nothing, so every
// version and cipher suite is accepted; with it, TLS 1.2 and the suites that Go takes for
// safe are the least. Sessions are never resumed: each probe proves a whole handshake.
//
// Source: Route 53 API Reference, HealthCheckConfig, Type: "the endpoint must support
// TLS v1.0, v1.1, or v1.2".
func secure(conn net.Conn, s *Spec, roots *x509.CertPool, deadline time.Time) (net.Conn, error) {
	cfg := &tls.Config{
		ServerName: strings.TrimSuffix(s.ServerName, "."),
		MinVersion: tls.VersionTLS12,
		// The library would verify the name that is sent as SNI, and refuses to send
		// none: verify below does it instead.
		InsecureSkipVerify:     true,
		SessionTicketsDisabled: true,
	}
	if s.Headers == "" {
		cfg.CurvePreferences = curves
	}
	if s.Verify {
		cfg.VerifyConnection = func(state tls.ConnectionState) error { return verify(state, s, roots) }
	} else {
		cfg.MinVersion, cfg.CipherSuites = tls.VersionTLS10, suites
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, tlsError(err, s.ConnectTimeout)
	}
	secured := tls.Client(conn, cfg)
	if err := secured.Handshake(); err != nil {
		return nil, tlsError(err, s.ConnectTimeout)
	}
	return secured, nil
}

// verify checks the certificate of a connection: the chain to a root, its validity
// today, and that it is for ServerName or, without one, for Host.
func verify(state tls.ConnectionState, s *Spec, roots *x509.CertPool) error {
	name := s.ServerName
	if name == "" {
		name, _, _ = strings.Cut(s.Host, "%") // an address's zone is not part of a certificate
	}
	intermediates := x509.NewCertPool()
	for _, c := range state.PeerCertificates[1:] {
		intermediates.AddCert(c)
	}
	_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{
		DNSName:       strings.TrimSuffix(name, "."),
		Roots:         roots,
		Intermediates: intermediates,
	})
	return err
}
