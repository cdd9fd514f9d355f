package healthcheck

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// errOurs marks a probe that failed for want of this machine's own means, such as
// file descriptors. It says nothing about the endpoint and is no result.
var errOurs = errors.New("out of local resources")

// ours reports whether a system call failed for want of this machine's own means.
func ours(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ENOMEM) ||
		errors.Is(err, os.ErrNoDeadline) // the poller took no more sockets
}

// isTimeout reports whether err is a deadline that passed.
func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

// plain says in few words, without addresses or ports, why a read, write or connect
// failed.
func plain(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return "connection reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	case errors.As(err, &errno):
		return errno.Error()
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err.Error()
	}
	return err.Error()
}

// connectError says why a connection could not be made within the time waited.
func connectError(err error, waited time.Duration) error {
	switch {
	case ours(err):
		return errOurs
	case isTimeout(err):
		return errors.New("connect: no answer within " + waited.String())
	}
	return errors.New("connect: " + plain(err))
}

// resolveError says why a host name could not be resolved within the time waited.
func resolveError(host string, err error, waited time.Duration) error {
	what := "name server failure"
	var dns *net.DNSError
	switch {
	case ours(err):
		return errOurs
	case errors.As(err, &dns) && dns.IsNotFound:
		what = "no such host"
	case isTimeout(err):
		what = "no answer within " + waited.String()
	}
	return errors.New("resolve " + host + ": " + what)
}

// tlsError says why a handshake failed within the time waited.
func tlsError(err error, waited time.Duration) error {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	what := ""
	switch {
	case isTimeout(err):
		what = "no answer within " + waited.String()
	case errors.As(err, &authority):
		what = "certificate signed by unknown authority"
	case errors.As(err, &name):
		what = "certificate is not valid for " + name.Host
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		what = "certificate has expired or is not yet valid"
	case errors.As(err, &invalid):
		what = "certificate is not valid"
	case errors.As(err, &record):
		what = "the server does not speak TLS"
	case errors.As(err, &alert):
		what = alert.Error()
	default:
		what = plain(err)
	}
	const prefix = "tls: "
	if len(what) > len(prefix) && what[:len(prefix)] == prefix {
		what = what[len(prefix):]
	}
	return errors.New(prefix + what)
}
