package handler

import (
	"maps"
	"slices"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// maxOverlay is about how many names the small map of an index holds at most: those above
// them, where they do not exist yet, come on top for the last edit.
const maxOverlay = 10_000

// Edit makes changes of different names and types, and publishes what is answered then. It
// reports whether it did: see [record.Catalog.Edit] and [routing.Table.Edit] for what takes
// a new Snapshot. Zones of the changes whose SOA nobody wrote get the serial. Only one
// goroutine may edit; changes of health may come meanwhile. The cost is that of the changes
// and of what they touch; names that come and go cost a copy of the overlay.
func (d *Snapshot) Edit(changes []record.Change, serial uint32) bool {
	if slices.ContainsFunc(changes, record.Change.Moves) {
		if overlay := d.names.overlay.Load(); overlay != nil && len(*overlay)+len(changes) > maxOverlay {
			return false
		}
		d.Catalog.PrepareEdits() // not under the lock: the first time takes a while
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	changes = append(slices.Clip(changes), d.Catalog.Renew(changes, serial)...)
	publish := func(group int, s *routing.Selection) {
		if group < len(d.slots) && d.slots[group] != nil { // else publishNames makes a slot
			d.slots[group].Store(s)
		}
	}
	if !d.Catalog.Edit(changes, func() bool { return d.table.Edit(changes, publish) }) {
		return false
	}
	for len(d.slots) < d.table.Len() {
		d.slots = append(d.slots, nil)
	}
	d.publishNames(changes)
	more := 0 // record sets
	for _, ch := range changes {
		if ch.Old != nil {
			more -= len(ch.Old.Records)
		}
		if ch.New != nil {
			more += len(ch.New.Records)
		} else {
			d.slots[ch.Old.Ordinal] = nil
		}
		if ch.Key().Type == dns.TypeSOA {
			d.zone(ch.Key().Name).negate()
		}
	}
	d.sets.Add(int64(more))
	return true
}

// publishNames publishes what names hold that got or lost types by changes, and which names
// exist above them. Queries under way may still see them as they were.
func (d *Snapshot) publishNames(changes []record.Change) {
	now := names{d.names.base, nil}
	for _, ch := range changes {
		if !ch.Moves() {
			continue
		}
		if now.overlay == nil {
			now.overlay = make(map[string]*nameNode)
			if overlay := d.names.overlay.Load(); overlay != nil {
				now.overlay = maps.Clone(*overlay)
			}
		}
		k := ch.Key()
		zone, node := d.zone(k.Name), now.find(k.Name)
		if node == nil {
			node = &nameNode{zone: zone}
		}
		now.overlay[k.Name] = d.rebuild(node, k)
		for above, ok := record.Parent(k.Name); ok && (now.find(above) != nil) != d.Catalog.Exists(above); above, ok = record.Parent(above) {
			now.overlay[above] = nil
			if d.Catalog.Exists(above) {
				now.overlay[above] = &nameNode{zone: zone}
			}
		}
	}
	if now.overlay != nil {
		d.names.overlay.Store(&now.overlay)
	}
}

// rebuild returns a name's node anew with the types that are held now, of those that it had
// and another one; nil when the name exists no more. Its groups answer from there.
func (d *Snapshot) rebuild(old *nameNode, k record.Key) *nameNode {
	if !d.Catalog.Exists(k.Name) {
		return nil
	}
	node := &nameNode{zone: old.zone, wildcard: old.wildcard, dname: old.dname} // names with a CNAME or a cut never come here
	enter := func(typ uint16) {
		if g := d.Catalog.Groups[record.Key{Name: k.Name, Type: typ}]; g != nil {
			_, s, _ := d.table.Group(int(g.Ordinal))
			d.slots[g.Ordinal] = node.enter(typ, s, nil)
		}
	}
	for s := &old.first; s != nil; s = s.next {
		if s.typ != k.Type {
			enter(s.typ)
		}
	}
	enter(k.Type)
	return node
}

// zone returns the zone that a name is in.
func (d *Snapshot) zone(name string) *zone {
	apex, _ := d.Catalog.Zone(name)
	return d.names.base[apex].zone
}
