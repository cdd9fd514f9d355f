package handler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/plugin/test"

	"github.com/miekg/dns"

	"github.com/steerdns/steer/healthcheck"
	"github.com/steerdns/steer/plugin/handler"
	"github.com/steerdns/steer/plugin/record"
)

// TestEdit edits random zones, which have wildcards, aliases and names that stand above
// others, and compares every answer with that of data made anew, under random health.
func TestEdit(t *testing.T) {
	zones, edits := 200, 12
	if testing.Short() {
		zones = 30
	}
	agree := func(_, _ []record.Problem) bool { return true }
	done, gone := 0, 0
	for seed := range zones {
		z := &editedZone{Rand: rand.New(rand.NewPCG(uint64(seed), 3)), texts: map[record.Key]string{}}
		for range 2 + z.IntN(8) {
			z.texts[z.key()] = z.text()
		}
		statuses := []healthcheck.Status{healthcheck.Healthy, healthcheck.Healthy, healthcheck.Healthy}
		h := handler.New(handler.NewSnapshot(z.catalog(), statuses))
		for edit := range edits {
			z.serial++
			change := z.edit
			if edit%3 == 0 {
				change = z.rename
			}
			put, drop := change()
			var groups []*record.Group
			for _, k := range put {
				groups = append(groups, z.group(k))
			}
			named := len(z.texts)
			c := z.catalog()
			// What is refused first leaves no trace.
			refuse := func(_, _ []record.Problem) bool { return false }
			if z.IntN(2) == 0 && h.Snapshot().Edit(groups, drop, 0, refuse) {
				t.Fatal("done although it was refused")
			}
			if named == len(z.texts) && h.Snapshot().Edit(groups, drop, z.serial, agree) {
				done++
				gone += len(drop)
			} else {
				h.Set(handler.NewSnapshot(c, statuses), nil)
			}
			for i := range statuses {
				if z.IntN(2) == 0 {
					statuses[i] = statuses[i].Not()
					h.Snapshot().Update([]healthcheck.Change{{Check: i, Status: statuses[i]}}, nil)
				}
			}
			if got, want := z.answers(t, h), z.answers(t, handler.New(handler.NewSnapshot(c, statuses))); !slices.Equal(got, want) {
				for i := range got {
					if got[i] != want[i] {
						t.Errorf("%s, want %s", got[i], want[i])
					}
				}
				t.Fatalf("seed %d, edit %d: put %v, drop %v", seed, edit, put, drop)
			}
			if got, want := h.Snapshot().RecordSets(), handler.NewSnapshot(c, statuses).RecordSets(); got != want {
				t.Fatalf("seed %d, edit %d: %d record sets, want %d", seed, edit, got, want)
			}
		}
	}
	t.Logf("%d of %d edits done, %d groups gone", done, zones*edits, gone)
	if done < zones*edits/4 || gone < zones {
		t.Error("too few to tell anything")
	}
}

// editedZone is a zone of simple groups, some of them aliases, and how each is written.
type editedZone struct {
	*rand.Rand
	texts  map[record.Key]string // a number and a check, or the target of an alias
	serial uint32
}

// names are all names that there may be.
func (z *editedZone) names() []string {
	var names []string
	for _, a := range []string{"a", "b", "*"} {
		for _, b := range []string{"", "a.", "b.", "*."} {
			for _, c := range []string{"", "a.", "y.z."} {
				names = append(names, a+"."+b+c+"example.")
			}
		}
	}
	return names
}

func (z *editedZone) key() record.Key {
	names := z.names()
	return record.Key{Name: names[z.IntN(len(names))], Type: []uint16{dns.TypeA, dns.TypeAAAA}[z.IntN(2)]}
}

func (z *editedZone) text() string {
	if names := z.names(); z.IntN(10) == 0 {
		return names[z.IntN(len(names))]
	}
	return fmt.Sprint(z.IntN(200), " ", z.IntN(4)-1)
}

// edit chooses what to put and what to drop.
func (z *editedZone) edit() (put, drop []record.Key) {
	held := make([]record.Key, 0, len(z.texts))
	for k := range z.texts {
		held = append(held, k)
	}
	slices.SortFunc(held, func(a, b record.Key) int { return strings.Compare(a.String(), b.String()) })
	for range 1 + z.IntN(3) {
		k := z.key()
		if len(held) > 0 && z.IntN(3) > 0 {
			k = held[z.IntN(len(held))]
		}
		if slices.Contains(put, k) || slices.Contains(drop, k) {
			continue
		}
		if slices.Contains(held, k) && z.IntN(2) == 0 {
			drop = append(drop, k)
		} else {
			put = append(put, k)
		}
	}
	for _, k := range drop {
		delete(z.texts, k)
	}
	for _, k := range put {
		z.texts[k] = z.text()
	}
	return put, drop
}

// rename drops the target of an alias, which leads to a new name instead. Without any it
// makes an alias and its target.
func (z *editedZone) rename() (put, drop []record.Key) {
	fresh := record.Key{Name: fmt.Sprintf("n%d.example.", z.serial), Type: dns.TypeA}
	by := record.Key{Name: "alias.example.", Type: dns.TypeA}
	if old, ok := z.texts[by]; ok {
		drop = []record.Key{{Name: old, Type: dns.TypeA}}
		delete(z.texts, drop[0])
	}
	z.texts[by], z.texts[fresh] = fresh.Name, fmt.Sprint(z.IntN(200), " ", z.IntN(3))
	put = []record.Key{by, fresh}
	if z.IntN(2) == 0 {
		slices.Reverse(put)
	}
	return put, drop
}

// group makes the group of a key.
func (z *editedZone) group(k record.Key) *record.Group {
	r := record.RecordSet{Imported: true, Check: record.NoCheck}
	if text := z.texts[k]; strings.HasSuffix(text, ".") {
		r.Alias = &record.AliasTarget{Name: text, EvaluateTargetHealth: true}
	} else {
		var n int
		fmt.Sscan(text, &n, &r.Check)
		value := fmt.Sprintf("192.0.2.%d", n)
		if k.Type == dns.TypeAAAA {
			value = fmt.Sprintf("2001:db8::%x", n)
		}
		rr, _, err := record.ParseValue(k, 60, "example.", value)
		if err != nil {
			panic(err)
		}
		r.Values = []dns.RR{rr}
	}
	// A second record set shows the health of the first one.
	second := record.RecordSet{Imported: true, Check: record.NoCheck, Tier: 2}
	rr, _, err := record.ParseValue(k, 60, "example.", map[uint16]string{dns.TypeA: "198.51.100.1", dns.TypeAAAA: "2001:db8:ffff::1"}[k.Type])
	if err != nil {
		panic(err)
	}
	r.Tier, second.Values = 1, []dns.RR{rr}
	return &record.Group{Key: k, Policy: record.Failover, Records: []record.RecordSet{r, second}}
}

// catalog makes a catalog of all groups, but for aliases that are on a cycle: those are
// forgotten.
func (z *editedZone) catalog() *record.Catalog {
	c := record.NewCatalog([]string{"example."})
	c.Checks = make([]healthcheck.Check, 3)
	c.SOA["example."] = record.DefaultSOA("example.", z.serial)
	for k := range z.texts {
		if err := c.Add(z.group(k)); err != nil {
			panic(err)
		}
	}
	for _, p := range c.Validate() {
		if p.Level == record.LeftOut {
			delete(z.texts, p.Key)
			return z.catalog()
		}
	}
	return c
}

// answers lists what is answered to every question there is.
func (z *editedZone) answers(t *testing.T, h *handler.Handler) []string {
	t.Helper()
	var lines []string
	for _, name := range append(z.names(), "alias.example.", "example.", "y.z.example.", "z.example.", "q.example.", "deep.q.a.example.", "q.y.z.example.") {
		for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeSOA} {
			for _, name := range []string{name, strings.ToUpper(name)} {
				r := new(dns.Msg)
				r.SetQuestion(name, typ)
				w := dnstest.NewRecorder(&test.ResponseWriter{})
				if _, err := h.ServeDNS(context.Background(), w, r); err != nil {
					t.Fatal(err)
				}
				line := name + " " + dns.TypeToString[typ] + ": " + dns.RcodeToString[w.Msg.Rcode]
				for _, rr := range append(w.Msg.Answer, w.Msg.Ns...) {
					line += " " + rr.String()
				}
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// TestEditWhileAsked: a name below a wildcard comes and goes, and the names above it with
// it. Each answer is of before or of after; there is always one.
func TestEditWhileAsked(t *testing.T) {
	z := &editedZone{texts: map[record.Key]string{{Name: "*.example.", Type: dns.TypeA}: "1 -1"}}
	h := handler.New(handler.NewSnapshot(z.catalog(), nil))
	key := record.Key{Name: "new.deep.down.here.example.", Type: dns.TypeA}
	z.texts[key] = "2 -1"
	group := func() []*record.Group { return []*record.Group{z.group(key)} }
	done := make(chan struct{})
	var asking sync.WaitGroup
	for range 2 {
		asking.Go(func() {
			for asked := 0; ; asked++ {
				select {
				case <-done:
					if asked < 100 {
						t.Errorf("asked %d times only", asked)
					}
					return
				default:
				}
				r := new(dns.Msg)
				r.SetQuestion(key.Name, dns.TypeA)
				w := dnstest.NewRecorder(&test.ResponseWriter{})
				if _, err := h.ServeDNS(context.Background(), w, r); err != nil || len(w.Msg.Answer) != 1 {
					t.Errorf("%v, %v", w.Msg, err)
					return
				}
			}
		})
	}
	agree := func(_, _ []record.Problem) bool { return true }
	for range 3000 {
		if !h.Snapshot().Edit(group(), nil, 1, agree) || !h.Snapshot().Edit(nil, []record.Key{key}, 1, agree) {
			t.Fatal("not edited")
		}
	}
	close(done)
	asking.Wait()
}
