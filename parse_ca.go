package steer

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coredns/coredns/core/dnsserver"
)

// maxCAFile is the greatest size in bytes of a file of CA certificates. The bundle of
// all public CAs has a quarter of that.
const maxCAFile = 1 << 20

// verify reads `tls_verify [CA-FILE]`. The file is read now, so that a check is what
// its definition says and a reload with a new file is a change of the check.
func (o *checkOptions) verify(s statement) (err error) {
	o.spec.Verify = true
	if len(s.args) == 0 {
		return nil
	}
	if o.spec.CAs, err = readCAs(o.parser.path(s.args[0])); err != nil {
		return s.errorf("tls_verify %q: %w", s.args[0], err)
	}
	return nil
}

// path makes a file name absolute as other plugins do: below the directory of the root
// directive, if there is one.
func (p *parser) path(file string) string {
	if root := dnsserver.GetConfig(p.c).Root; root != "" && !filepath.IsAbs(file) {
		return filepath.Join(root, file)
	}
	return file
}

// readCAs returns the content of a PEM file that holds at least one certificate.
func readCAs(file string) (string, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", pathless(err)
	case !info.Mode().IsRegular():
		return "", errors.New("not a regular file")
	case info.Size() > maxCAFile:
		return "", fmt.Errorf("%d bytes are too many for CA certificates; %d is the most", info.Size(), maxCAFile)
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return "", pathless(err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return "", errors.New("holds no certificate in PEM form")
	}
	return string(pem), nil
}

// pathless returns the cause of a file error, without the name that the message has.
func pathless(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
