package handler

import (
	"maps"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// maxOverlay is about how many names the small map of an index holds at most: those above
// them, where they do not exist yet, come on top for the last edit.
const maxOverlay = 10_000

// Edit replaces groups, adds such as are new and drops others, and publishes what is
// answered then, if agree accepts what the catalog says of the groups that are put and of
// those with aliases to them, before and after. It reports whether it did: see
// [record.Catalog.Edit] and [routing.Table.Edit] for what takes a Snapshot of its own. Only one
// goroutine may edit; changes of health may come meanwhile. SOAs that nobody wrote get the
// serial.
func (d *Snapshot) Edit(put []*record.Group, drop []record.Key, serial uint32, agree func(before, after []record.Problem) bool) bool {
	reshaped := d.reshaped(put, drop)
	if len(reshaped) > 0 {
		d.Catalog.Survey() // not under the lock: at the first time it takes a while
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if overlay := d.names.overlay.Load(); overlay != nil && len(reshaped) > 0 && len(*overlay)+len(reshaped) > maxOverlay {
		return false
	}
	e := record.Edit{Put: put, Drop: drop}
	more := int64(0) // record sets
	for _, g := range put {
		more += int64(len(g.Records))
		if old := d.Catalog.Groups[g.Key]; old != nil {
			more -= int64(len(old.Records))
			if !g.Resembles(old) {
				e.Near = append(e.Near, d.table.Parents(old)...)
			}
		}
	}
	var dropped []*record.Group
	for _, k := range drop {
		if g := d.Catalog.Groups[k]; g != nil {
			dropped = append(dropped, g)
			more -= int64(len(g.Records))
		}
	}
	changed := make(map[int]*routing.Selection)
	if !d.Catalog.Edit(e, func(before, after []record.Problem) bool {
		return agree(before, after) && d.table.Edit(put, dropped, func(group int, s *routing.Selection) { changed[group] = s })
	}) {
		return false
	}
	d.table.Edit(d.Catalog.Renew(serial), nil, func(group int, s *routing.Selection) { changed[group] = s })
	d.sets.Add(more)
	for _, g := range dropped {
		d.slots[g.Ordinal] = nil
	}
	for len(d.slots) < d.table.Len() {
		d.slots = append(d.slots, nil)
	}
	for group, s := range changed {
		if slot := d.slots[group]; slot != nil {
			slot.Store(s)
		}
	}
	for _, z := range d.zones {
		z.negate()
	}
	if len(reshaped) > 0 {
		d.reshape(reshaped)
	}
	return true
}

// reshaped returns the names that an edit gives types or takes them from, and which types
// they get. Nobody else edits, so the catalog can be read without the lock.
func (d *Snapshot) reshaped(put []*record.Group, drop []record.Key) map[string][]uint16 {
	names := make(map[string][]uint16)
	for _, g := range put {
		if d.Catalog.Groups[g.Key] == nil {
			names[g.Name] = append(names[g.Name], g.Type)
		}
	}
	for _, k := range drop {
		if _, ok := names[k.Name]; !ok {
			names[k.Name] = nil
		}
	}
	return names
}

// reshape publishes what some names hold now that they lost types or got those given.
// Queries under way may still see them as they were.
func (d *Snapshot) reshape(names map[string][]uint16) {
	now := make(map[string]*nameNode)
	if overlay := d.names.overlay.Load(); overlay != nil {
		now = maps.Clone(*overlay)
	}
	find := func(name string) *nameNode {
		if h, ok := now[name]; ok {
			return h
		}
		return d.names.base[name]
	}
	for name, got := range names {
		old := find(name)
		if old == nil {
			old = &nameNode{zone: d.zoneOf(name)}
		}
		now[name] = d.redraw(name, old, got)
		for above, ok := record.Parent(name); ok && above != old.zone.name; above, ok = record.Parent(above) {
			switch exists := d.Catalog.Exists(above); {
			case exists && find(above) == nil:
				now[above] = &nameNode{zone: old.zone}
			case !exists:
				now[above] = nil
			}
		}
	}
	d.names.overlay.Store(&now)
}

// redraw returns a name's node without the types that have gone and with those that it
// got, or nil when it exists no more. Its groups answer from its slots from then on.
func (d *Snapshot) redraw(name string, old *nameNode, got []uint16) *nameNode {
	h := &nameNode{zone: old.zone, wildcard: old.wildcard, cut: old.cut, cname: old.cname, dname: old.dname}
	var types []uint16
	for s := &old.first; s != nil; s = s.next {
		types = append(types, s.typ)
	}
	for _, typ := range append(types, got...) {
		if g := d.Catalog.Groups[record.Key{Name: name, Type: typ}]; g != nil && h.find(typ) == nil {
			_, s, _ := d.table.Group(int(g.Ordinal))
			d.slots[g.Ordinal] = h.enter(typ, s, nil)
		}
	}
	if h.empty() && !d.Catalog.Exists(name) {
		return nil
	}
	return h
}

// zoneOf returns the zone that a name is in.
func (d *Snapshot) zoneOf(name string) *zone {
	in, _ := d.Catalog.Zone(name)
	for _, z := range d.zones {
		if z.name == in {
			return z
		}
	}
	return nil
}
