package corefile

import (
	"context"
	"crypto/x509"
	"errors"
	"path/filepath"

	"github.com/steerdns/steer/internal/regular"
)

// maxCAFile is the greatest size in bytes of a file of CA certificates. The bundle of
// all public CAs has a quarter of that.
const maxCAFile = 1 << 20

// noVerification is the argument that verifies nothing.
const noVerification = "off"

// verify reads `tls_verify [CA-FILE|off]`. The file is read now, so that a check is what
// its definition says and a reload with a new file is a change of the check.
func (o *checkOptions) verify(s statement) (err error) {
	o.verified = &s
	if len(s.args) == 1 && s.args[0] == noVerification {
		return nil
	}
	o.spec.Verify = true
	if len(s.args) == 0 {
		return nil
	}
	if o.spec.CAs, err = o.parser.readCAs(s.args[0]); err != nil {
		return s.errorf("tls_verify %q: %w", s.args[0], err)
	}
	return nil
}

// readCAs returns the content of a file of CA certificates. It reads each once, so that many
// checks share one string.
func (p *parser) readCAs(file string) (string, error) {
	if pem, ok := p.cas[file]; ok {
		return pem, nil
	}
	pem, err := readCAs(p.path(file))
	if err != nil {
		return "", err
	}
	if p.cas == nil {
		p.cas = make(map[string]string)
	}
	p.cas[file] = pem
	return pem, nil
}

// path makes a file name absolute as other plugins do: below the directory of the root
// directive, if there is one.
func (p *parser) path(file string) string {
	if root := p.env.Root; root != "" && !filepath.IsAbs(file) {
		return filepath.Join(root, file)
	}
	return file
}

// readCAs returns the content of a PEM file that holds at least one certificate.
func readCAs(file string) (string, error) {
	pem, err := regular.ReadFile(context.Background(), file, maxCAFile)
	if err != nil {
		return "", err
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return "", errors.New("holds no certificate in PEM form")
	}
	return string(pem), nil
}
