package instance

import (
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/coredns/caddy"

	"github.com/steerdns/steer/plugin/handler"
)

// running are the instances that were started and not yet stopped, oldest first.
var running = &registry{}

type registry struct {
	mu        sync.Mutex
	instances []*Instance
}

// add enters an instance, and returns the one that it will replace, if there is one.
func (r *registry) add(in *Instance) (old *Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.instances {
		if other.owner == in.owner {
			old = other
		}
	}
	r.instances = append(r.instances, in)
	return old
}

// remove takes an instance out, and the counters of what is no longer served with it. It
// reports whether a newer one has its place.
func (r *registry) remove(in *Instance) (replaced bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	newer := r.instances[slices.Index(r.instances, in)+1:]
	replaced = slices.ContainsFunc(newer, func(other *Instance) bool { return other.owner == in.owner })
	r.instances = slices.DeleteFunc(r.instances, func(other *Instance) bool { return other == in })
	served := make(map[service]bool)
	for _, other := range r.instances {
		for _, s := range other.services() {
			served[s] = true
		}
	}
	for _, s := range in.services() {
		if !served[s] {
			handler.DropCounters(s.server, s.zone)
		}
	}
	return replaced
}

// service is a zone at one of the addresses that CoreDNS serves it at.
type service struct{ server, zone string }

// services returns what an instance serves. A server is called by its address, as
// CoreDNS's own metrics do: "dns://127.0.0.1:53".
func (in *Instance) services() []service {
	var all []service
	for _, key := range in.keys {
		scheme, rest, _ := strings.Cut(key, "://")
		port := rest[strings.LastIndexByte(rest, ':')+1:]
		for _, host := range in.server.ListenHosts {
			for _, zone := range in.zones {
				address := net.JoinHostPort(host, port)
				if addr, err := net.ResolveTCPAddr("tcp", address); err == nil {
					address = addr.String() // as CoreDNS spells it
				}
				all = append(all, service{scheme + "://" + address, zone})
			}
		}
	}
	return all
}

// all returns the instances, the newest of each server block only.
func (r *registry) all() []*Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	var newest []*Instance
	seen := make(map[string]bool)
	for i := len(r.instances) - 1; i >= 0; i-- {
		if in := r.instances[i]; !seen[in.owner] {
			seen[in.owner] = true
			newest = append(newest, in)
		}
	}
	return newest
}

// Sweep stops instances whose start failed: CoreDNS calls no hook of theirs. It runs in
// the hooks of the instance before them, on the goroutine that reloads, which alone may
// read caddy.Instances. When a reload failed because some other plugin's shutdown did,
// it is the old instance that is no longer listed and is stopped here.
func Sweep() error {
	listed := make(map[*Instance]bool)
	for _, c := range caddy.Instances() {
		c.StorageMu.RLock()
		f, _ := c.Storage[storageKey{}].(*instanceSet)
		c.StorageMu.RUnlock()
		if f == nil {
			continue
		}
		for _, in := range f.members {
			listed[in] = true
		}
	}
	running.mu.Lock()
	var dead []*Instance
	for _, in := range running.instances {
		if !listed[in] {
			dead = append(dead, in)
		}
	}
	running.mu.Unlock()
	for _, in := range dead {
		_ = in.Stop()
	}
	return nil
}
