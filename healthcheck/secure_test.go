package healthcheck

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

// authority signs certificates for tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	var der []byte
	der, a.key = sign(t, template, nil)
	a.cert, _ = x509.ParseCertificate(der)
	a.pem = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return a
}

// sign makes a certificate and its key; by itself if there is no authority.
func sign(t *testing.T, template *x509.Certificate, by *authority) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return der, key
}

// certificate returns one for names and addresses that ends at the time.
func certificate(t *testing.T, by *authority, ends time.Time, names []string, addrs ...string) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: ends.Add(-2 * time.Hour), NotAfter: ends, DNSNames: names,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, a := range addrs {
		template.IPAddresses = append(template.IPAddresses, net.ParseIP(a))
	}
	der, key := sign(t, template, by)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// serveTLS serves HTTPS with a certificate; SNI gets the server names that come.
func serveTLS(t *testing.T, cert tls.Certificate, sni chan<- string) netip.AddrPort {
	t.Helper()
	cfg := &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if sni != nil {
			sni <- h.ServerName
		}
		return &cert, nil
	}}
	return serve(t, loopback, func(c net.Conn) {
		s := tls.Server(c, cfg)
		if s.Handshake() != nil {
			return
		}
		answer("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nneedle")(s)
		_, _ = io.Copy(io.Discard, c)
	})
}

func TestTLS(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	soonOver, over := time.Now().Add(time.Hour), time.Now().Add(-time.Minute)
	good := serveTLS(t, certificate(t, ca, soonOver, []string{"www.example.com"}, "127.0.0.1"), nil)
	expired := serveTLS(t, certificate(t, ca, over, []string{"www.example.com"}), nil)
	early := serveTLS(t, certificate(t, ca, time.Now().Add(3*time.Hour), []string{"www.example.com"}), nil)
	selfSigned := serveTLS(t, certificate(t, nil, soonOver, []string{"www.example.com"}), nil)
	nameOnly := serveTLS(t, certificate(t, ca, soonOver, []string{"www.example.com"}), nil)
	plain := serve(t, loopback, func(c net.Conn) {
		_, _ = io.ReadFull(c, make([]byte, 5))
		_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		hold(c)
	})
	silent := serve(t, loopback, hold)
	der, key := sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(4), URIs: []*url.URL{{Scheme: "http", Host: strings.Repeat("a", 10_000) + ".."}},
	}, ca)
	unreadable := serveTLS(t, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil)
	closing := serve(t, loopback, func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) })

	name := func(n string) func(*Spec) { return func(s *Spec) { s.ServerName = n } }
	verified := func(n string, by *authority) func(*Spec) {
		return func(s *Spec) { s.ServerName, s.Verify, s.CAs = n, true, by.pem }
	}
	tests := []struct {
		name string
		at   netip.AddrPort
		edit func(*Spec)
		want string
	}{
		{"not verified", good, name(""), ""},
		{"not verified, self-signed", selfSigned, name("www.example.com"), ""},
		{"not verified, expired", expired, name("www.example.com"), ""},
		{"not verified, wrong name", good, name("api.example.com"), ""},
		{"searched", good, find("needle"), ""},
		{"verified", good, verified("www.example.com", ca), ""},
		{"verified by address", good, verified("", ca), ""},
		{"last dot", good, verified("www.example.com.", ca), ""},
		{"wrong name", good, verified("api.example.com", ca), "tls: certificate is not valid for api.example.com"},
		{"wrong address", nameOnly, verified("", ca), "tls: certificate is not valid for 127.0.0.1"},
		{"wrong authority", good, verified("www.example.com", other), "tls: certificate signed by unknown authority"},
		{"system's authorities", good, func(s *Spec) { s.ServerName, s.Verify = "www.example.com", true }, "tls: certificate signed by unknown authority"},
		{"no authorities in the file", good, func(s *Spec) { s.ServerName, s.Verify, s.CAs = "www.example.com", true, "none" }, "tls: certificate signed by unknown authority"},
		{"self-signed", selfSigned, verified("www.example.com", ca), "tls: certificate signed by unknown authority"},
		{"expired", expired, verified("www.example.com", ca), "tls: certificate has expired or is not yet valid"},
		{"not valid yet", early, verified("www.example.com", ca), "tls: certificate has expired or is not yet valid"},
		{"plain HTTP on that port", plain, nil, "tls: the server does not speak TLS"},
		{"silent", silent, soon, "tls: no answer within 150ms"},
		{"a certificate that is none", unreadable, nil, "tls: certificate cannot be parsed"},
		{"closed", closing, nil, "tls: connection closed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := spec(HTTPS, tt.at)
			if tt.edit != nil {
				tt.edit(s)
			}
			p := NewPool(Options{})
			err := p.prober(context.Background(), s, p.acquireRoots(s.CAs))
			p.releaseRoots(s.CAs)
			wantReason(t, err, tt.want)
			if len(p.roots) != 0 {
				t.Error("authorities that nobody uses are kept")
			}
		})
	}
}

// What Route 53 accepts passes here, as long as nothing is verified.
func TestOldTLS(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(3), DNSNames: []string{"www.example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	trusted := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	for _, tt := range []struct {
		name    string
		version uint16
		suite   uint16
		want    string // when verified
	}{
		{"TLS 1.0", tls.VersionTLS10, tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, "tls: protocol version not supported"},
		{"TLS 1.1", tls.VersionTLS11, tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, "tls: protocol version not supported"},
		{"RSA key exchange", tls.VersionTLS12, tls.TLS_RSA_WITH_AES_128_GCM_SHA256, "tls: handshake failure"},
		{"3DES", tls.VersionTLS10, tls.TLS_RSA_WITH_3DES_EDE_CBC_SHA, "tls: protocol version not supported"},
		{"RC4", tls.VersionTLS12, tls.TLS_RSA_WITH_RC4_128_SHA, "tls: handshake failure"},
		{"TLS 1.2", tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, ""},
		{"TLS 1.3", tls.VersionTLS13, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := &tls.Config{
				Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
				MinVersion:   tt.version, MaxVersion: tt.version, CipherSuites: []uint16{tt.suite},
			}
			at := serve(t, loopback, func(c net.Conn) {
				if s := tls.Server(c, cfg); s.Handshake() == nil {
					answer("HTTP/1.1 200 OK\r\n\r\n")(s)
				}
			})
			wantReason(t, attempt(t, spec(HTTPS, at)), "")
			s := spec(HTTPS, at, func(s *Spec) { s.ServerName, s.Verify, s.CAs = "www.example.com", true, trusted })
			p := NewPool(Options{})
			wantReason(t, p.prober(context.Background(), s, p.acquireRoots(s.CAs)), tt.want)
		})
	}
}

// What headers hold may be recorded today and decrypted later, so it gets a key exchange
// that withstands that; a check without any gets the cheaper one.
func TestKeyExchange(t *testing.T) {
	ca := newAuthority(t)
	cfg := &tls.Config{Certificates: []tls.Certificate{certificate(t, ca, time.Now().Add(time.Hour), []string{"www.example.com"})}}
	used := make(chan tls.CurveID, 1)
	at := serve(t, loopback, func(c net.Conn) {
		if s := tls.Server(c, cfg); s.Handshake() == nil {
			used <- s.ConnectionState().CurveID
			answer("HTTP/1.1 200 OK\r\n\r\n")(s)
		}
	})
	for _, tt := range []struct {
		headers string
		want    tls.CurveID
	}{
		{"", tls.X25519},
		{"Authorization: Bearer secret\r\n", tls.X25519MLKEM768},
	} {
		s := spec(HTTPS, at, func(s *Spec) { s.ServerName, s.Headers, s.Verify, s.CAs = "www.example.com", tt.headers, true, ca.pem })
		p := NewPool(Options{})
		wantReason(t, p.prober(context.Background(), s, p.acquireRoots(s.CAs)), "")
		if got := <-used; got != tt.want {
			t.Errorf("headers %q: key exchange %v, want %v", tt.headers, got, tt.want)
		}
	}
}

// A header does not leave this machine unless the other side proves who it is.
func TestHeadersNeedACertificate(t *testing.T) {
	other, ca := newAuthority(t), newAuthority(t)
	for _, tt := range []struct {
		name string
		cfg  *tls.Config
	}{
		{"another authority", &tls.Config{Certificates: []tls.Certificate{certificate(t, other, time.Now().Add(time.Hour), []string{"www.example.com"})}}},
		{"TLS 1.0", &tls.Config{
			Certificates: []tls.Certificate{certificate(t, ca, time.Now().Add(time.Hour), []string{"www.example.com"})},
			MinVersion:   tls.VersionTLS10, MaxVersion: tls.VersionTLS10,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			read := make(chan string, 1)
			at := serve(t, loopback, func(c net.Conn) {
				request, _ := io.ReadAll(tls.Server(c, tt.cfg))
				read <- string(request)
			})
			s := spec(HTTPS, at, func(s *Spec) {
				s.ServerName, s.Headers, s.Verify, s.CAs = "www.example.com", "Authorization: Bearer secret\r\n", true, ca.pem
			})
			p := NewPool(Options{})
			if err := p.prober(context.Background(), s, p.acquireRoots(s.CAs)); classOf(err) != tlsClass {
				t.Errorf("got %v, want a failure of TLS", err)
			}
			if got := <-read; got != "" {
				t.Errorf("the endpoint has read %q", got)
			}
		})
	}
}

func TestSNI(t *testing.T) {
	sni := make(chan string, 1)
	ca := newAuthority(t)
	at := serveTLS(t, certificate(t, ca, time.Now().Add(time.Hour), []string{"www.example.com"}, "127.0.0.1"), sni)
	for _, tt := range []struct {
		server string
		verify bool
		want   string
	}{
		{"www.example.com", false, "www.example.com"},
		{"www.example.com", true, "www.example.com"},
		{"", false, ""},
		{"", true, ""}, // verified by Host all the same
	} {
		p := NewPool(Options{})
		s := spec(HTTPS, at, func(s *Spec) { s.ServerName, s.Verify, s.CAs = tt.server, tt.verify, ca.pem })
		wantReason(t, p.prober(context.Background(), s, p.acquireRoots(s.CAs)), "")
		if got := <-sni; got != tt.want {
			t.Errorf("ServerName %q, Verify %v: SNI %q, want %q", tt.server, tt.verify, got, tt.want)
		}
	}
}

// Checks that name the same authorities parse them once.
func TestAuthoritiesAreShared(t *testing.T) {
	ca := newAuthority(t)
	p := NewPool(Options{})
	one, two := p.acquireRoots(ca.pem), p.acquireRoots(ca.pem)
	if one != two {
		t.Error("parsed twice")
	}
	p.releaseRoots(ca.pem)
	if len(p.roots) != 1 {
		t.Error("forgotten while used")
	}
	p.releaseRoots(ca.pem)
	if len(p.roots) != 0 {
		t.Error("kept although unused")
	}
}
