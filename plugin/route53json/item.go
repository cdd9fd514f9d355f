package route53json

import "github.com/steerdns/steer/plugin/record"

// item holds the known members of one JSON object. Items are reused, so nothing of one may
// outlive the object.
type item struct {
	line      int
	arena     []byte // the texts of the scalars
	malformed string // the name of a member that has the wrong JSON type or is too large

	list                bool // an object around lists
	truncated, nextPage scalar

	change bool // a change of a record set
	action scalar

	config        bool // a health check
	id, reference scalar

	set   rawSet
	check rawCheck
}

// rawSet holds the members of a record set, unparsed.
type rawSet struct {
	known bool // any member but the name

	name, typ, ttl, setID, checkID, traffic scalar
	weight, failover, multivalue            scalar
	unserved                                [len(unservedPolicies)]bool

	values []scalar
	more   int // values beyond maxValues

	alias             bool
	dnsName, evaluate scalar
}

// unservedPolicies are the members of routing policies that are not served yet.
var unservedPolicies = [...]string{"Region", "GeoLocation", "GeoProximityLocation", "CidrRoutingConfig"}

// maxKept is how many bytes of text are kept for one object. A record set of Route 53 has
// at most 32,000 characters.
const maxKept = 1 << 20

// maxValues is how many values of a record set are kept. Route 53's quota is 400.
const maxValues = 1000

// kindOfItem is what an object describes.
type kindOfItem uint8

const (
	nothing    kindOfItem = iota
	aPage                 // a list with items inside
	aRecordSet            // of a list
	aChange
	aCheck
)

// what returns what an object describes. A health check that stands by itself shares the
// name of one member with record sets.
func (it *item) what() kindOfItem {
	switch {
	case it.change:
		return aChange
	case it.config:
		return aCheck
	case it.list:
		return aPage
	case it.check.known && len(it.set.name.text) == 0:
		it.check.typ = it.set.typ
		return aCheck
	case it.set.known:
		return aRecordSet
	}
	return nothing
}

// unfinished reports whether a list goes on elsewhere.
func (it *item) unfinished() bool { return it.truncated.is("true") || len(it.nextPage.text) > 0 }

func (it *item) reset(line int) {
	*it = item{
		line:  line,
		arena: it.arena[:0],
		set:   rawSet{values: it.set.values[:0]},
		check: rawCheck{children: it.check.children[:0]},
	}
}

// is reports whether a scalar equals a word, ignoring case.
func (v scalar) is(word string) bool {
	if len(v.text) != len(word) {
		return false
	}
	for i, c := range v.text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// keep reads a scalar and copies its text to the arena. An object or a list in its place, and text
// beyond [maxKept], are recorded as malformed.
func (l *loader) keep(it *item, name string) (scalar, error) {
	c, err := l.next()
	switch {
	case err != nil:
		return scalar{}, err
	case c == '{', c == '[':
		it.malformed = name
		return scalar{}, l.skip()
	}
	v, err := l.scalar()
	if len(it.arena)+len(v.text) > maxKept {
		it.malformed = name
		return scalar{}, err
	}
	n := len(it.arena)
	it.arena = append(it.arena, v.text...)
	v.text = it.arena[n:len(it.arena):len(it.arena)]
	return v, err
}

// setMember reads a member of a record set.
func (l *loader) setMember(it *item, key []byte) (known bool, err error) {
	set := &it.set
	switch string(key) {
	case "name":
		set.name, err = l.keep(it, "Name")
		return true, err
	case "type":
		set.typ, err = l.keep(it, "Type")
	case "ttl":
		set.ttl, err = l.keep(it, "TTL")
	case "setidentifier":
		set.setID, err = l.keep(it, "SetIdentifier")
	case "healthcheckid":
		set.checkID, err = l.keep(it, "HealthCheckId")
	case "trafficpolicyinstanceid":
		set.traffic, err = l.keep(it, "TrafficPolicyInstanceId")
	case "weight":
		set.weight, err = l.keep(it, "Weight")
	case "failover":
		set.failover, err = l.keep(it, "Failover")
	case "multivalueanswer":
		set.multivalue, err = l.keep(it, "MultiValueAnswer")
	case "region":
		set.unserved[0], err = l.anything()
	case "geolocation":
		set.unserved[1], err = l.anything()
	case "geoproximitylocation":
		set.unserved[2], err = l.anything()
	case "cidrroutingconfig":
		set.unserved[3], err = l.anything()
	case "resourcerecords":
		err = l.values(it)
	case "aliastarget":
		err = l.alias(it)
	default:
		return false, nil
	}
	set.known = true
	return true, err
}

// anything skips a value and reports whether it holds anything but null, empty strings,
// objects and lists.
func (l *loader) anything() (said bool, err error) {
	inside := func() error {
		is, err := l.anything()
		said = said || is
		return err
	}
	c, err := l.next()
	switch {
	case err != nil:
		return false, err
	case c == '{':
		err = l.object(func([]byte) error { return inside() })
	case c == '[':
		err = l.array(inside)
	default:
		var v scalar
		v, err = l.scalar()
		said = len(v.text) > 0
	}
	return said, err
}

// values reads the list under ResourceRecords.
func (l *loader) values(it *item) error {
	it.set.values, it.set.more = it.set.values[:0], 0
	return l.objects(it, "ResourceRecords", func(key []byte) error {
		if string(key) != "value" {
			return l.skip()
		}
		if len(it.set.values) == maxValues {
			it.set.more++
			return l.skip()
		}
		v, err := l.keep(it, "Value")
		it.set.values = append(it.set.values, v)
		return err
	})
}

// objects reads a list of objects. Null is an empty list; what is anything else is
// recorded as malformed.
func (l *loader) objects(it *item, name string, member func(key []byte) error) error {
	c, err := l.next()
	switch {
	case err != nil:
		return err
	case c == 'n':
		return l.skip()
	case c != '[':
		it.malformed = name
		return l.skip()
	}
	return l.array(func() error {
		switch c, err := l.next(); {
		case err != nil:
			return err
		case c != '{':
			it.malformed = name
			return l.skip()
		}
		return l.object(member)
	})
}

// alias reads the object under AliasTarget.
func (l *loader) alias(it *item) error {
	c, err := l.next()
	switch {
	case err != nil:
		return err
	case c == 'n':
		return l.skip()
	case c != '{':
		it.malformed = "AliasTarget"
		return l.skip()
	}
	return l.object(func(key []byte) (err error) {
		var zone scalar
		switch string(key) {
		case "dnsname":
			it.set.dnsName, err = l.keep(it, "DNSName")
		case "evaluatetargethealth":
			it.set.evaluate, err = l.keep(it, "EvaluateTargetHealth")
		case "hostedzoneid": // the target's name says as much
			zone, err = l.keep(it, "HostedZoneId")
		default:
			err = l.skip()
		}
		it.set.alias = it.set.alias || len(it.set.dnsName.text) > 0 || len(zone.text) > 0
		return err
	})
}

// pos returns the position of an item.
func (l *loader) pos(it *item) record.Pos { return record.Pos{File: l.path, Line: it.line} }
