package healthcheck

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"
)

// errLocal marks a probe that failed for want of this machine's own means, such as
// file descriptors. It says nothing about the endpoint and is no result.
var errLocal = errors.New("out of local resources")

// shortages are the errors of system calls that want this machine's own means.
var shortages = [...]syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM}

// localFault reports whether a system call failed for want of this machine's own means.
func localFault(err error) bool {
	var dns *net.DNSError
	resolving := errors.As(err, &dns)
	for _, errno := range shortages {
		// Of what happened to it the resolver keeps the text alone.
		if errors.Is(err, errno) || resolving && strings.Contains(dns.Err, errno.Error()) {
			return true
		}
	}
	return errors.Is(err, os.ErrNoDeadline) // the poller took no more sockets
}

// openFile opens a file that is always there and closes it.
func openFile() error {
	f, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	return f.Close()
}

// maxReason is how long the reason of a transition may be, in bytes.
const maxReason = 200

// clip makes a text fit for one line of a log: printable, and of maxReason bytes at
// most. Errors of libraries can quote what an endpoint sent.
func clip(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, text)
	if len(text) <= maxReason {
		return text
	}
	const end = "..."
	return strings.ToValidUTF8(text[:maxReason-len(end)], "") + end
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

// ioClass returns the class of a failure to connect, read or write.
func ioClass(err error) class {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return refusedClass
	case isTimeout(err):
		return timeoutClass
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return resetClass
	}
	return otherClass
}

// connectError says why a connection could not be made within the time waited.
func connectError(err error, waited time.Duration) error {
	switch {
	case localFault(err):
		return errLocal
	case isTimeout(err):
		return fail(timeoutClass, "connect: no answer within "+waited.String())
	}
	return fail(ioClass(err), "connect: "+plain(err))
}

// noAddress says, by family, that a name has no address of that family.
var noAddress = [...]string{IPv4: "no IPv4 address", IPv6: "no IPv6 address", AnyFamily: "no address"}

// resolveError says why the host of s could not be resolved. The resolver does not tell
// a name that does not exist from one without addresses of the family asked for.
func resolveError(err error, s *Spec) error {
	what := "name server failure"
	var (
		dns  *net.DNSError
		addr *net.AddrError
	)
	switch {
	case localFault(err):
		return errLocal
	case errors.As(err, &addr):
		what = noAddress[s.Family]
	case errors.As(err, &dns) && dns.IsNotFound && s.Family != AnyFamily:
		what = "no such host, or it has " + noAddress[s.Family]
	case errors.As(err, &dns) && dns.IsNotFound:
		what = "no such host"
	case isTimeout(err):
		what = "no answer within " + s.ConnectTimeout.String()
	}
	return fail(resolveClass, "resolve "+s.Host+": "+what)
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
	case strings.HasPrefix(err.Error(), unparsed):
		what = "certificate cannot be parsed"
	default:
		what = plain(err)
	}
	const prefix = "tls: "
	return fail(tlsClass, prefix+strings.TrimPrefix(what, prefix))
}

// unparsed begins the errors of crypto/tls that quote a certificate, at any length.
const unparsed = "tls: failed to parse certificate from server"
