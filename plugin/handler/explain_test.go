package handler_test

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin/metadata"
	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/request"

	"github.com/miekg/dns"
)

// TestExplainAgrees asks the handler questions of every kind about random catalogs under
// random health, counts its answers over the whole range of its random numbers, and
// compares them and their odds with what is explained.
func TestExplainAgrees(t *testing.T) {
	catalogs, questions := 400, 60
	if testing.Short() {
		catalogs = 60
	}
	tally := map[string]int{}
	for seed := range catalogs {
		rnd := rand.New(rand.NewPCG(uint64(seed), 7))
		w := newExplained(t, rnd)
		for range questions {
			name, typ := w.question()
			got, ok := w.explain(name, typ)
			want, counted := w.count(name, typ)
			if !ok || !counted {
				tally["not counted"]++
				continue
			}
			for k := range want {
				tally[strings.Fields(k)[0]]++
			}
			if !maps.EqualFunc(got, want, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) {
				t.Fatalf("seed %d: %s %s is explained as\n%v, and answered as\n%v\n%s", seed, name, dns.Type(typ), got, want, w.text())
			}
		}
	}
	t.Log(tally)
	for _, kind := range []string{"NOERROR", "NXDOMAIN", "REFUSED", "elsewhere", "YXDOMAIN"} {
		if tally[kind] < catalogs/100 {
			t.Errorf("only %d answers are %s", tally[kind], kind)
		}
	}
	if all := catalogs * questions; tally["not counted"] > all/10 {
		t.Errorf("%d of %d questions were not counted", tally["not counted"], all)
	}
}

// explain returns the odds of the explained answers, each as one line.
func (w *explained) explain(name string, typ uint16) (map[string]*big.Rat, bool) {
	e, err := w.model.Explain(name, typ)
	if err != nil {
		return nil, false // too long for a name
	}
	told := map[string]*big.Rat{}
	for _, a := range e.Answers {
		line := fmt.Sprintf("%s %s %d %s", a.Rcode, strings.Join(a.Values, "+"), a.TTL, a.Reason)
		if a.External != "" {
			line = "elsewhere " + a.External
		}
		if a.Rcode == "REFUSED" {
			line = "REFUSED"
		}
		odds, ok := new(big.Rat).SetString(a.Odds)
		if !ok || a.Each {
			panic("odds " + a.Odds)
		}
		if told[line] == nil {
			told[line] = new(big.Rat)
		}
		told[line].Add(told[line], odds)
	}
	return told, true
}

// maxPaths is how many ways through the random numbers of a question are counted.
const maxPaths = 3000

// count asks the handler over the whole range of its random numbers.
func (w *explained) count(name string, typ uint16) (map[string]*big.Rat, bool) {
	odds := map[string]*big.Rat{}
	x := &numbers{}
	w.handler.SetRand(x.rand)
	for paths := 0; ; paths++ {
		line, ok := w.answer(name, typ)
		if !ok || paths > maxPaths {
			return nil, false
		}
		if odds[line] == nil {
			odds[line] = new(big.Rat)
		}
		odds[line].Add(odds[line], x.probability())
		if !x.next() {
			return odds, true
		}
	}
}

// answer asks the handler once and returns the answer in the form of explain.
func (w *explained) answer(name string, typ uint16) (string, bool) {
	r := new(dns.Msg)
	r.SetQuestion(name, typ)
	rec := dnstest.NewRecorder(&udpWriter{})
	ctx := context.WithValue(context.Background(), dnsserver.Key{}, w.server)
	ctx = (&metadata.Metadata{Zones: []string{"."}}).Collect(ctx, request.Request{Req: r, W: rec})
	code, err := w.handler.ServeDNS(ctx, rec, r)
	if rec.Msg == nil {
		return dns.RcodeToString[code], err == nil && code == dns.RcodeRefused
	}
	m := rec.Msg
	var values []dns.RR
	redirected := false
	for _, rr := range m.Answer {
		switch rr := rr.(type) {
		case *dns.TXT:
			if rr.Hdr.Name == "marked." {
				return "elsewhere " + strings.Join(rr.Txt, " "), true
			}
		case *dns.DNAME:
			if typ != dns.TypeDNAME {
				redirected = true
				continue
			}
		case *dns.CNAME:
			if typ == dns.TypeDNAME {
				return "", false // a DNAME as well may be data or not
			}
			if typ != dns.TypeCNAME && typ != dns.TypeANY || redirected && typ == dns.TypeANY {
				continue
			}
		}
		values = append(values, rr)
	}
	if redirected && typ == dns.TypeANY {
		return "", false // which CNAME is data and which one comes of a DNAME is not to be seen
	}
	if m.Rcode == dns.RcodeYXDomain {
		values = nil // the DNAME is none of the type asked for, even if that is DNAME
	}
	var texts []string
	ttl := ^uint32(0)
	for _, rr := range values {
		text := strings.TrimPrefix(rr.String(), rr.Header().String())
		if unknown, ok := rr.(*dns.RFC3597); ok {
			text = fmt.Sprintf(`\# %d %s`, len(unknown.Rdata)/2, unknown.Rdata)
		}
		if rr.Header().Rrtype == dns.TypeCNAME { // a DNAME keeps the case of the question
			text = strings.ToLower(text)
		}
		texts = append(texts, text)
		ttl = min(ttl, rr.Header().Ttl)
	}
	if len(values) == 0 {
		ttl = 0
		if len(m.Ns) > 0 && m.Ns[0].Header().Rrtype == dns.TypeSOA {
			ttl = m.Ns[0].Header().Ttl
		}
	}
	slices.SortFunc(texts, func(a, b string) int {
		x, errX := netip.ParseAddr(a)
		y, errY := netip.ParseAddr(b)
		if errX == nil && errY == nil {
			return x.Compare(y)
		}
		return strings.Compare(a, b)
	})
	reason := ""
	if f := metadata.ValueFunc(ctx, "steer/reason"); f != nil {
		reason = f()
	}
	return fmt.Sprintf("%s %s %d %s", dns.RcodeToString[m.Rcode], strings.Join(texts, "+"), ttl, reason), true
}

// text returns the catalog, for a message.
func (w *explained) text() string {
	var b strings.Builder
	for g := range w.catalog.All() {
		fmt.Fprintf(&b, "%s %s\n", g.Policy, g.Key)
		for _, r := range g.Records {
			fmt.Fprintf(&b, "  weight %d tier %d check %d alias %+v values %v\n", r.Weight, r.Tier, r.Check, r.Alias, r.Values)
		}
	}
	return b.String()
}

// numbers is a source of random numbers that goes through all of them.
type numbers struct {
	path, bounds []uint64
	at           int
}

func (x *numbers) rand(n uint64) uint64 {
	if x.at == len(x.path) {
		x.path, x.bounds = append(x.path, 0), append(x.bounds, n)
	}
	x.at++
	return x.path[x.at-1]
}

func (x *numbers) probability() *big.Rat {
	p := big.NewRat(1, 1)
	for _, n := range x.bounds {
		p.Quo(p, new(big.Rat).SetInt(new(big.Int).SetUint64(n)))
	}
	return p
}

func (x *numbers) next() bool {
	x.at = 0
	for n := len(x.path) - 1; n >= 0; n-- {
		if x.path[n]++; x.path[n] < x.bounds[n] {
			x.path, x.bounds = x.path[:n+1], x.bounds[:n+1]
			return true
		}
	}
	return false
}
