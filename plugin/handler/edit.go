package handler

import (
	"maps"
	"sync/atomic"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/routing"
)

// index leads from a name to what it holds. Most names are in a map that never changes;
// those that came, went or got another type since it was made are in a small one that is
// copied for each change.
type index struct {
	base map[string]*holder
	over atomic.Pointer[map[string]*holder] // nil: none; a nil holder: the name is gone
}

// maxOver is how many names the small map of an index holds at most.
const maxOver = 10_000

// find returns what a canonical name holds, or nil when it does not exist.
func (x *index) find(name string) *holder {
	h := x.base[name]
	if x.over.Load() != nil {
		h = x.edited(h, name)
	}
	return h
}

// edited returns what a name holds since the last edit, if h was it before all of them.
//
//go:noinline
func (x *index) edited(h *holder, name string) *holder {
	if now, ok := (*x.over.Load())[name]; ok {
		return now
	}
	return h
}

// Edit replaces groups, adds such as are new and drops others, and publishes what is
// answered then, if agree accepts what the catalog says of the groups that are put and of
// those with aliases to them, before and after. It reports whether it did: see
// [record.Catalog.Edit] and [routing.Table.Edit] for what takes a Data of its own.
func (d *Data) Edit(put []*record.Group, drop []record.Key, agree func(before, after []record.Problem) bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := record.Edit{Put: put, Drop: drop}
	reshaped := make(map[string][]uint16) // names that get or lose types: which they get
	for _, g := range put {
		if old := d.Catalog.Groups[g.Key]; old != nil {
			e.Near = append(e.Near, d.table.Parents(old)...)
		} else {
			reshaped[g.Name] = append(reshaped[g.Name], g.Type)
		}
	}
	var dropped []*record.Group
	for _, k := range drop {
		if g := d.Catalog.Groups[k]; g != nil {
			dropped = append(dropped, g)
			if _, ok := reshaped[g.Name]; !ok {
				reshaped[g.Name] = nil
			}
		}
	}
	if over := d.names.over.Load(); over != nil && len(*over)+len(reshaped) > maxOver {
		return false
	}
	changed := make(map[int]*routing.Selection)
	if !d.Catalog.Edit(e, func(before, after []record.Problem) bool {
		return agree(before, after) && d.table.Edit(put, dropped, func(group int, s *routing.Selection) { changed[group] = s })
	}) {
		return false
	}
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
	if len(reshaped) > 0 {
		d.reshape(reshaped)
	}
	return true
}

// reshape publishes what some names hold now that they lost types or got those given.
// Queries under way may still see them as they were.
func (d *Data) reshape(names map[string][]uint16) {
	now := make(map[string]*holder)
	if over := d.names.over.Load(); over != nil {
		now = maps.Clone(*over)
	}
	find := func(name string) *holder {
		if h, ok := now[name]; ok {
			return h
		}
		return d.names.base[name]
	}
	for name, got := range names {
		old := find(name)
		if old == nil {
			old = &holder{zone: d.zoneOf(name)}
		}
		now[name] = d.redraw(name, old, got)
		for above, ok := record.Parent(name); ok && above != old.zone.name; above, ok = record.Parent(above) {
			switch exists := d.Catalog.Exists(above); {
			case exists && find(above) == nil:
				now[above] = &holder{zone: old.zone}
			case !exists:
				now[above] = nil
			}
		}
	}
	d.names.over.Store(&now)
}

// redraw returns a name's holder without the types that have gone and with those that it
// got, or nil when it exists no more. Its groups answer from its slots from then on.
func (d *Data) redraw(name string, old *holder, got []uint16) *holder {
	h := &holder{zone: old.zone, wildcard: old.wildcard, cut: old.cut, cname: old.cname, dname: old.dname}
	types := []uint16{old.first.typ}
	for _, s := range old.more {
		types = append(types, s.typ)
	}
	for _, typ := range append(types, got...) {
		if g := d.Catalog.Groups[record.Key{Name: name, Type: typ}]; g != nil && h.find(typ) == nil {
			_, s, _ := d.table.Group(int(g.Ordinal))
			d.slots[g.Ordinal] = h.enter(typ, s)
		}
	}
	if h.empty() && !d.Catalog.Exists(name) {
		return nil
	}
	return h
}

// zoneOf returns the zone that a name is in.
func (d *Data) zoneOf(name string) *zone {
	in, _ := d.Catalog.Zone(name)
	for _, z := range d.zones {
		if z.name == in {
			return z
		}
	}
	return nil
}
