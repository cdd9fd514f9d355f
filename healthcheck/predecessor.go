package healthcheck

// predecessors are the checks that those of a new lease go on from. They are looked at
// while Pool.mu is held.
type predecessors struct {
	pool   *Pool
	own    map[string]*entry   // those of the same owner, by name
	others map[namesake]*entry // those of all owners; nil until it is needed
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
	if o.others == nil {
		o.others = map[namesake]*entry{}
		for _, leases := range o.pool.owners {
			for _, l := range leases {
				o.add(l)
			}
		}
	}
	return o.others[namesakeOf(check.Name, &check.Spec)]
}

func (o *predecessors) add(l *Lease) {
	for i := range l.entries {
		e := &l.entries[i]
		if e.checker == nil {
			continue
		}
		at := namesakeOf(e.name, &e.checker.spec)
		if other := o.others[at]; other == nil || other.lease.number < l.number {
			o.others[at] = e
		}
	}
}

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
