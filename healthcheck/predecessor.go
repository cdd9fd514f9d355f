package healthcheck

import "time"

// predecessors are the checks that those of a new lease go on from. They are looked at
// while Pool.mu is held.
type predecessors struct {
	pool *Pool
	own  map[string]*entry // those of the same owner, by name
}

// namesake is what a check of another owner must share to be a predecessor.
type namesake struct {
	name, host string
	kind       Kind
	port       uint16
}

func namesakeOf(name string, s *Spec) namesake { return namesake{name, s.Host, s.Kind, s.Port} }

// predecessors returns the checks that there are before an owner gets a new lease.
func (p *Pool) predecessors(owner string) *predecessors {
	old := &predecessors{pool: p, own: map[string]*entry{}}
	for _, l := range p.owners[owner] {
		for i := range l.entries {
			old.own[l.entries[i].name] = &l.entries[i]
		}
	}
	return old
}

// of returns the check whose status a new one starts from, or nil: the one of the same
// owner and name, else, since a server block whose keys changed is another owner, the
// newest one that has the same name and endpoint.
func (o *predecessors) of(check *Check) *entry {
	if e := o.own[check.Name]; e != nil {
		return e
	}
	return o.pool.namesake(namesakeOf(check.Name, &check.Spec))
}

// namesakes are the newest checks of all owners by name and endpoint. Thousands of owners
// may ask during one reload, so what is made for the first of them is kept for the others.
type namesakes struct {
	newest map[namesake]*entry
	joined []*Lease // those since that are not in newest: the last one never has to be
	used   time.Duration
}

// namesake returns the newest check of any owner that has a name and endpoint, or nil.
func (p *Pool) namesake(at namesake) *entry {
	if p.namesakes == nil {
		p.namesakes = &namesakes{newest: map[namesake]*entry{}}
		for _, leases := range p.owners {
			p.namesakes.joined = append(p.namesakes.joined, leases...)
		}
	}
	n := p.namesakes
	for _, l := range n.joined {
		n.add(l)
	}
	n.joined, n.used = nil, p.now()
	return n.newest[at]
}

func (n *namesakes) add(l *Lease) {
	for i := range l.entries {
		e := &l.entries[i]
		if e.checker == nil {
			continue
		}
		at := namesakeOf(e.name, &e.checker.spec)
		if other := n.newest[at]; other == nil || other.lease.number < l.number {
			n.newest[at] = e
		}
	}
}

// namesakesKept is how long namesakes are kept for the next owner to ask. It is much
// longer than it takes to read one server block without large imports.
const namesakesKept = time.Second

// redefine counts and reports the transitions that the definitions of a new lease make: a
// check can be inverted, disabled or calculated otherwise now. The caller holds p.mu.
func (p *Pool) redefine(l *Lease, old *predecessors) {
	for i := range l.entries {
		e := &l.entries[i]
		before := old.own[e.name]
		if before == nil || before.status == e.status {
			continue
		}
		e.transitions++
		reason := "definition changed"
		if e.calculated != nil {
			reason += ": " + e.calculated.reason()
		}
		if p.onTransition != nil {
			p.outbox = append(p.outbox, Transition{Owner: l.owner, Check: e.name, From: before.status, To: e.status, Reason: reason})
		}
	}
}
