package healthcheck

import "errors"

// class is the kind of a failure. It does not depend on figures or on what an endpoint
// sent, so that two probes which fail for one cause have one class.
type class uint8

const (
	otherClass   class = iota
	resolveClass       // the name of the endpoint has no address
	refusedClass       // nothing listens there
	timeoutClass       // no answer in time
	resetClass         // the connection was closed or reset
	tlsClass           // the handshake failed, or the certificate
	statusClass        // the status is not an accepted one
	bodyClass          // the body does not hold what it should
	formatClass        // the response is not HTTP

	notAllowedClass // no failure: the endpoint may not be probed, so that it counts as healthy
)

// failure is why a probe failed. Its text is for people: short, the same for the same
// cause, and without anything secret, such as header values or the query of a URL.
type failure struct {
	class class
	text  string
}

func (f *failure) Error() string { return f.text }

func fail(c class, text string) error { return &failure{c, text} }

// classOf returns the class of what a probe returned.
func classOf(err error) class {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.class
	}
	return otherClass
}
