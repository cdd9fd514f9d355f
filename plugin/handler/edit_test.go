package handler_test

import (
	"fmt"
	"net"
	"runtime"
	"sync"
	"testing"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// TestEditConcurrently edits while health changes and queries are answered: there is always
// one answer, and what stands in the end is what a catalog of that answers.
func TestEditConcurrently(t *testing.T) {
	const edits, fresh = 1000, "new.deep.down.example."
	group := func(name string, n int, check int32) *record.Group {
		set := func(tier uint16, check int32, value string) record.RecordSet {
			return record.RecordSet{Tier: tier, Check: check, Values: rr(t, name+" 60 A "+value)}
		}
		return &record.Group{Key: record.Key{Name: name, Type: dns.TypeA}, Policy: record.Failover, Records: []record.RecordSet{
			set(1, check, fmt.Sprintf("192.0.2.%d", n%200)), set(2, record.NoCheck, "198.51.100.1"),
		}}
	}
	alias := &record.Group{Key: record.Key{Name: "alias.example.", Type: dns.TypeA}, Records: []record.RecordSet{
		{Check: record.NoCheck, Alias: &record.AliasTarget{Name: "a.example."}},
	}}
	catalog := func(serial uint32, groups ...*record.Group) *record.Catalog {
		c := record.NewCatalog([]string{"example."})
		c.Checks = make([]healthcheck.Check, 2)
		c.SOA["example."] = record.DefaultSOA("example.", serial)
		for _, g := range append(groups, alias, group("*.example.", 1, 0), group("b.example.", 2, 1)) {
			if err := c.Add(g); err != nil {
				t.Fatal(err)
			}
		}
		validate(t, c)
		return c
	}
	a := group("a.example.", 0, 0)
	h := serve(catalog(0, a))
	d := h.Snapshot()

	done := make(chan struct{})
	var others sync.WaitGroup
	for _, name := range []string{"a.example.", "ALIAS.example.", fresh} {
		others.Go(func() {
			for asked := 0; ; asked++ {
				select {
				case <-done:
					if asked < 100 {
						t.Errorf("asked %d times only", asked)
					}
					return
				default:
				}
				if m, _ := query(t, h, name, dns.TypeA); m == nil || len(m.Answer) != 1 {
					t.Errorf("%s: %v", name, m)
					return
				}
			}
		})
	}
	others.Go(func() {
		status := healthcheck.Healthy
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			status = status.Not()
			d.Update([]healthcheck.Change{{Check: i % 2, Status: status}}, nil)
			if n := d.RecordSets(); n < 8 || 10 < n {
				t.Errorf("%d record sets", n)
				return
			}
		}
	})
	var comes *record.Group
	for i := range edits {
		if i%max(edits/20, 1) == 0 {
			runtime.Gosched() // on one processor the others have their turn
		}
		now := group("a.example.", i, int32(i%2))
		changes := []record.Change{{Old: a, New: now}, {Old: comes}}
		if a = now; comes == nil {
			comes = group(fresh, i, int32(i%2))
			changes[1] = record.Change{New: comes}
		} else {
			comes = nil
		}
		if !d.Edit(changes, uint32(i+1)) {
			t.Errorf("edit %d is refused", i)
			break
		}
	}
	close(done)
	others.Wait()

	want := handler.NewSnapshot(catalog(edits, group("a.example.", edits-1, (edits-1)%2)), []healthcheck.Status{healthcheck.Unhealthy, healthcheck.Healthy})
	d.Update([]healthcheck.Change{{Check: 0, Status: healthcheck.Unhealthy}, {Check: 1, Status: healthcheck.Healthy}}, nil)
	for _, name := range []string{"a.example.", "alias.example.", "b.example.", fresh, "down.example.", "x.example.", "example."} {
		got, _ := query(t, h, name, dns.TypeA)
		is, _ := query(t, handler.New(want), name, dns.TypeA)
		if render(got) != render(is) {
			t.Errorf("%s: %s, want %s", name, render(got), render(is))
		}
	}
}

// TestEditOverlay: names that come and go are held up to a number, and then an edit takes a
// new Snapshot; other edits go on.
func TestEditOverlay(t *testing.T) {
	c := parseZone(t, "www.example.org. 60 A 192.0.2.1\n", "example.org.")
	validate(t, c)
	h := serve(c)
	name := func(i int) *record.Group {
		key := record.Key{Name: fmt.Sprintf("n%d.example.org.", i), Type: dns.TypeA}
		return &record.Group{Key: key, Records: []record.RecordSet{{Check: record.NoCheck, Values: rr(t, key.Name+" 60 A 192.0.2.1")}}}
	}
	const most = 10_000
	for i := 0; i < most; i += 1000 {
		var changes []record.Change
		for j := range 1000 {
			changes = append(changes, record.Change{New: name(i + j)})
		}
		if !h.Snapshot().Edit(changes, 1) {
			t.Fatalf("refused after %d names", i)
		}
	}
	if h.Snapshot().Edit([]record.Change{{New: name(most)}}, 1) {
		t.Errorf("%d names are held", most+1)
	}
	old := c.Groups[name(1).Key]
	if !h.Snapshot().Edit([]record.Change{{Old: old, New: name(1)}}, 1) {
		t.Error("a group cannot be replaced any more")
	}
}

// TestEditCost: an edit of one group allocates as much among many as among few.
func TestEditCost(t *testing.T) {
	few, many := testing.AllocsPerRun(100, editOne(t, 10)), testing.AllocsPerRun(100, editOne(t, 10_000))
	if many > few {
		t.Errorf("%v allocations among 10,000 groups, %v among 10", many, few)
	}
}

// BenchmarkEdit edits one value.
func BenchmarkEdit(b *testing.B) {
	for _, names := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(names), func(b *testing.B) {
			edit := editOne(b, names)
			for b.Loop() {
				edit()
			}
		})
	}
}

// editOne returns a function that edits one of many groups, which have one check.
func editOne(t testing.TB, names int) (edit func()) {
	c := record.NewCatalog([]string{"example.org."})
	c.Checks = make([]healthcheck.Check, 1)
	group := func(i int, value byte) *record.Group {
		key := record.Key{Name: fmt.Sprintf("n%d.example.org.", i), Type: dns.TypeA}
		a := &dns.A{Hdr: dns.RR_Header{Name: key.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}, A: net.IPv4(192, 0, 2, value)}
		return &record.Group{Key: key, Records: []record.RecordSet{{Values: []dns.RR{a}}}}
	}
	for i := range names {
		if err := c.Add(group(i, 1)); err != nil {
			t.Fatal(err)
		}
	}
	validate(t, c)
	d, now, value := serve(c).Snapshot(), c.Groups[group(1, 1).Key], byte(1)
	return func() {
		value++
		next := group(1, value)
		if !d.Edit([]record.Change{{Old: now, New: next}}, 1) {
			t.Fatal("refused")
		}
		now = next
	}
}
