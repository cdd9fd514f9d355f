package route53json

import (
	"bytes"
	"errors"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/record"
)

// rawCheck holds the members of a health check's configuration, unparsed.
type rawCheck struct {
	known bool // any member but the type

	typ, address, port, domain, path, search     scalar
	interval, threshold, inverted, disabled, sni scalar
	healthThreshold, insufficient                scalar
	children                                     []scalar
	more                                         int // children beyond maxChildren
}

// maxChildren is how many children a calculated check has at most.
//
// Source: Route 53 API Reference, HealthCheckConfig, ChildHealthChecks; Developer Guide,
// "Quotas".
const maxChildren = 255

// check is a health check that files define, or so far only refer to.
type check struct {
	id      string
	pos     record.Pos // of the definition, or of the first mention
	index   int
	defined bool
	child   bool // of a calculated check
	lent    bool // to stanzas of the block, see [Import.Lend]

	healthcheck.Check         // but for Children
	children          []int32 // into Import.checks
}

// checkMember reads a member of a health check's configuration.
func (l *loader) checkMember(it *item, key []byte) (known bool, err error) {
	c := &it.check
	switch string(key) {
	case "type":
		c.typ, err = l.keep(it, "Type")
		return true, err
	case "ipaddress":
		c.address, err = l.keep(it, "IPAddress")
	case "port":
		c.port, err = l.keep(it, "Port")
	case "fullyqualifieddomainname":
		c.domain, err = l.keep(it, "FullyQualifiedDomainName")
	case "resourcepath":
		c.path, err = l.keep(it, "ResourcePath")
	case "searchstring":
		c.search, err = l.keep(it, "SearchString")
	case "requestinterval":
		c.interval, err = l.keep(it, "RequestInterval")
	case "failurethreshold":
		c.threshold, err = l.keep(it, "FailureThreshold")
	case "inverted":
		c.inverted, err = l.keep(it, "Inverted")
	case "disabled":
		c.disabled, err = l.keep(it, "Disabled")
	case "enablesni":
		c.sni, err = l.keep(it, "EnableSNI")
	case "healththreshold":
		c.healthThreshold, err = l.keep(it, "HealthThreshold")
	case "insufficientdatahealthstatus":
		c.insufficient, err = l.keep(it, "InsufficientDataHealthStatus")
	case "childhealthchecks":
		err = l.children(it)
	default:
		return false, nil
	}
	c.known = true
	return true, err
}

// children reads the list under ChildHealthChecks.
func (l *loader) children(it *item) error {
	c := &it.check
	c.children, c.more = c.children[:0], 0
	switch next, err := l.next(); {
	case err != nil:
		return err
	case next == 'n':
		return l.skip()
	case next != '[':
		it.malformed = "ChildHealthChecks"
		return l.skip()
	}
	return l.array(func() error {
		if len(c.children) == maxChildren {
			c.more++
			return l.skip()
		}
		id, err := l.keep(it, "ChildHealthChecks")
		c.children = append(c.children, id)
		return err
	})
}

// checkIndex returns the index of a check in [Import.checks], by the id that a record
// set or a calculated check names.
func (l *loader) checkIndex(id []byte, mentioned record.Pos) int32 {
	id = checkID(id)
	if i, ok := l.im.byID[string(id)]; ok {
		return i
	}
	i := int32(len(l.im.checks))
	c := &check{id: string(id), pos: mentioned}
	c.Name = c.id
	l.im.checks = append(l.im.checks, c)
	l.im.byID[c.id] = i
	return i
}

// checkID returns an id without the path that some interfaces put before it.
func checkID(id []byte) []byte {
	return bytes.TrimPrefix(bytes.TrimSpace(id), []byte("/healthcheck/"))
}

// takeCheck adds a health check.
func (l *loader) takeCheck(it *item) {
	d := &definition{loader: l, it: it, id: checkID(it.id.text)}
	if len(d.id) == 0 {
		if d.id = bytes.TrimSpace(it.reference.text); len(d.id) == 0 {
			d.report(LeftOut, BadCheck, "has neither an Id nor a CallerReference, so no record set can name it")
			return
		}
		d.report(Changed, BadCheck, "has no Id; its CallerReference is used instead")
	}
	c := l.im.checks[l.checkIndex(d.id, l.pos(it))]
	if c.defined {
		d.report(LeftOut, Duplicate, "is already defined (%s); the first definition is kept", c.pos)
		return
	}
	c.defined, c.pos, c.index = true, l.pos(it), l.index
	l.im.file(l.path).HealthChecks++
	c.Invert, c.Disabled = boolean(d.report, "Inverted", it.check.inverted), boolean(d.report, "Disabled", it.check.disabled)
	if err := d.fill(c); err != nil {
		c.Fixed, c.FixedStatus = true, healthcheck.Healthy
		kind := BadCheck
		if errors.Is(err, errNotAllowed) {
			kind = NoProbe
		}
		d.report(Changed, kind, "%v; it counts as healthy", err)
	}
}

// definition is a health check on its way in.
type definition struct {
	*loader
	it *item
	id []byte
}

func (d *definition) report(level Level, kind Kind, format string, args ...any) {
	p := Problem{Pos: d.pos(d.it), Index: d.index, Name: string(d.id), Type: checkType}
	d.im.report(p, level, kind, format, args...)
}
