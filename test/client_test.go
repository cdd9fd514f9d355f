package test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// query returns a query as dig sends it, without EDNS.
func query(name, typ string) *dns.Msg {
	m := new(dns.Msg)
	m.SetQuestion(dns.Fqdn(name), dns.StringToType[typ])
	return m
}

// exchange sends a query over UDP, or over TCP if the answer is truncated.
func exchange(t *testing.T, port int, m *dns.Msg) *dns.Msg {
	t.Helper()
	got, err := try(port, m)
	if err != nil {
		t.Fatalf("%s: %v", question(m), err)
	}
	return got
}

func try(port int, m *dns.Msg) (*dns.Msg, error) {
	c := dns.Client{Timeout: 5 * time.Second}
	got, _, err := c.Exchange(m, loopback(port))
	if err == nil && got.Truncated {
		c.Net = "tcp"
		got, _, err = c.Exchange(m, loopback(port))
	}
	return got, err
}

// ask asks for a name and a type.
func ask(t *testing.T, port int, name, typ string) *dns.Msg {
	t.Helper()
	return exchange(t, port, query(name, typ))
}

func question(m *dns.Msg) string {
	q := m.Question[0]
	return q.Name + " " + dns.TypeToString[q.Qtype]
}

// rdata returns the data of records in words, sorted.
func rdata(rrs []dns.RR) []string {
	list := []string{}
	for _, rr := range rrs {
		list = append(list, strings.TrimPrefix(rr.String(), rr.Header().String()))
	}
	slices.Sort(list)
	return list
}

// short returns what dig +short prints, in one line, sorted.
func short(m *dns.Msg) string { return strings.Join(rdata(m.Answer), " ") }

// lines returns a section as one line a record, without TTLs, in order.
func lines(rrs []dns.RR) []string {
	list := []string{}
	for _, rr := range rrs {
		h := rr.Header()
		list = append(list, h.Name+" "+dns.TypeToString[h.Rrtype]+" "+strings.TrimPrefix(rr.String(), h.String()))
	}
	return list
}

// samples is how often a weighted name is asked for to see all of its answers: with two
// of equal weight, one is missed once in 2^39 times.
const samples = 40

// seen returns the different answers to many queries, sorted.
func seen(t *testing.T, port int, name, typ string) []string {
	t.Helper()
	var all []string
	for range samples {
		if a := short(ask(t, port, name, typ)); !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	slices.Sort(all)
	return all
}

// waitSeen waits until the answers to many queries are exactly these.
func waitSeen(t *testing.T, within time.Duration, port int, name, typ string, want ...string) {
	t.Helper()
	var got []string
	if !poll(within, func() bool { got = seen(t, port, name, typ); return slices.Equal(got, want) }) {
		t.Fatalf("%s %s: answers are %q after %v, want %q", name, typ, got, within, want)
	}
}

// waitShort waits until the answer is this one, and returns how long it took.
func waitShort(t *testing.T, within time.Duration, port int, name, typ, want string) time.Duration {
	t.Helper()
	var got string
	began := time.Now()
	if !poll(within, func() bool { got = short(ask(t, port, name, typ)); return got == want }) {
		t.Fatalf("%s %s: the answer is %q after %v, want %q", name, typ, got, within, want)
	}
	return time.Since(began)
}
