package healthcheck

import "crypto/x509"

// roots are parsed certificate authorities and how many checkers use them: parsing
// costs more than a probe, and most checks that name any name the same.
type roots struct {
	pool *x509.CertPool
	uses int
}

// acquireRoots returns the authorities in pem, or nil for the system's if it is "". The
// caller holds p.mu.
func (p *Pool) acquireRoots(pem string) *x509.CertPool {
	if pem == "" {
		return nil
	}
	r := p.roots[pem]
	if r == nil {
		r = &roots{pool: x509.NewCertPool()}
		r.pool.AppendCertsFromPEM([]byte(pem))
		p.roots[pem] = r
	}
	r.uses++
	return r.pool
}

// releaseRoots gives back what acquireRoots returned. The caller holds p.mu.
func (p *Pool) releaseRoots(pem string) {
	if pem == "" {
		return
	}
	if r := p.roots[pem]; r.uses > 1 {
		r.uses--
		return
	}
	delete(p.roots, pem)
}
