package instance

import (
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/coredns/caddy"

	"github.com/steerdns/steer/plugin/handler"
)

// running are the instances that were started and not yet stopped.
var running = &registry{}

// registry holds instances. There may be thousands of server blocks, each of which joins
// and leaves, so neither walks over the others.
type registry struct {
	mu     sync.Mutex
	owners map[string][]*Instance // the newest last; several while a reload replaces one by another
	served map[service]int        // how many instances serve it
}

// add enters an instance, and returns the one that it will replace, if there is one.
func (r *registry) add(in *Instance) (old *Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owners == nil {
		r.owners, r.served = make(map[string][]*Instance), make(map[service]int)
	}
	before := r.owners[in.owner]
	if len(before) > 0 {
		old = before[len(before)-1]
		old.heir.Store(in)
	}
	r.owners[in.owner] = append(before, in)
	in.services(func(s service) { r.served[s]++ })
	return old
}

// remove takes an instance out, and the counters of what is no longer served with it. It
// reports whether a newer one has its place, and returns the one that it was to replace, if
// that runs still.
func (r *registry) remove(in *Instance) (replaced bool, before *Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	same := r.owners[in.owner]
	at := slices.Index(same, in)
	replaced = at < len(same)-1
	if at > 0 && !replaced {
		before = same[at-1]
		before.heir.Store(nil)
	}
	same = slices.Delete(same, at, at+1)
	if r.owners[in.owner] = same; len(same) == 0 {
		delete(r.owners, in.owner)
	}
	in.services(func(s service) {
		if r.served[s]--; r.served[s] == 0 {
			delete(r.served, s)
			handler.DropCounters(s.server, s.zone)
		}
	})
	return replaced, before
}

// service is a zone at one of the addresses that CoreDNS serves it at.
type service struct{ server, zone string }

// services calls f with what an instance serves, each once. A server is called by its
// address, as CoreDNS's own metrics do: "dns://127.0.0.1:53".
func (in *Instance) services(f func(service)) {
	seen := make(map[string]bool)
	for _, key := range in.keys { // thousands of zones, maybe, on a few ports
		scheme, rest, _ := strings.Cut(key, "://")
		port := rest[strings.LastIndexByte(rest, ':')+1:]
		if seen[scheme+port] {
			continue
		}
		seen[scheme+port] = true
		for _, host := range in.server.ListenHosts {
			address := net.JoinHostPort(host, port)
			if addr, err := net.ResolveTCPAddr("tcp", address); err == nil {
				address = addr.String() // as CoreDNS spells it
			}
			for _, zone := range in.zones {
				f(service{scheme + "://" + address, zone})
			}
		}
	}
}

// all returns the instances, the newest of each server block only.
func (r *registry) all() []*Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	newest := make([]*Instance, 0, len(r.owners))
	for _, same := range r.owners {
		newest = append(newest, same[len(same)-1])
	}
	return newest
}

// Sweep stops instances whose start failed: CoreDNS calls no hook of theirs. It runs in
// the hooks of the instance before them, on the goroutine that reloads, which alone may
// read caddy.Instances. When a reload failed because some other plugin's shutdown did,
// it is the old instance that is no longer listed and is stopped here.
func Sweep() error {
	listed := make(map[*instanceSet]bool)
	for _, c := range caddy.Instances() {
		c.StorageMu.RLock()
		if set, ok := c.Storage[storageKey{}].(*instanceSet); ok {
			listed[set] = true
		}
		c.StorageMu.RUnlock()
	}
	running.mu.Lock()
	var dead []*Instance
	for _, same := range running.owners {
		for _, in := range same {
			if !listed[in.set] {
				dead = append(dead, in)
			}
		}
	}
	running.mu.Unlock()
	for _, in := range dead {
		_ = in.Stop()
	}
	return nil
}
