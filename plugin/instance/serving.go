package instance

import (
	"net"
	"strings"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin/pkg/transport"

	"github.com/miekg/dns"
)

// decorator is a function that CoreDNS calls with each server of plain DNS as that begins
// to serve a UDP socket, and that may decorate the socket's writers.
type decorator func(*dnsserver.Server) dns.DecorateWriter

// serverBlock is a server block as far as it concerns who hears of its servers.
type serverBlock struct {
	config  *dnsserver.Config // of its first key; the others take over what it says
	ours    bool
	instead decorator // of ours: that of another plugin, which ours has the place of; or nil
}

// watchServers has CoreDNS tell of the server that resolves what an instance needs from
// elsewhere, if it needs anything or could after a change of its files.
func (in *Instance) watchServers(c *caddy.Controller) {
	if in.config.Imports() || len(in.handler.Snapshot().Externals()) > 0 {
		in.set.watch(c)
	}
}

// watch puts the set's decorator into the server block that is set up. Of all blocks at
// an address CoreDNS calls the last one's alone, so it is the same for each block, and has
// to know those before it. Those after it cannot be known yet.
func (f *instanceSet) watch(c *caddy.Controller) {
	for i := len(f.blocks); i <= c.ServerBlockIndex; i++ {
		other := *c
		other.ServerBlockIndex, other.ServerBlockKeyIndex = i, 0
		f.blocks = append(f.blocks, serverBlock{config: dnsserver.GetConfig(&other)})
	}
	if b := &f.blocks[c.ServerBlockIndex]; !b.ours {
		b.ours, b.instead = true, b.config.UDPDecorateWriterFunc
		b.config.UDPDecorateWriterFunc = f.serving
	}
}

// serving tells the instances of a server, and decorates nothing itself: it calls what
// CoreDNS would call without it. Servers begin at the same time, each in a goroutine.
func (f *instanceSet) serving(s *dnsserver.Server) dns.DecorateWriter {
	for _, in := range f.members {
		if in.handler.Home == s.Addr {
			in.handler.Serving(s)
		}
	}
	for i := len(f.blocks) - 1; i >= 0; i-- {
		b := &f.blocks[i]
		instead := decorator(b.config.UDPDecorateWriterFunc)
		if b.ours {
			instead = b.instead
		}
		if instead != nil && listens(b.config, s.Addr) {
			return instead(s)
		}
	}
	return nil
}

// listens reports whether a server block is served at an address by its first key.
func listens(config *dnsserver.Config, address string) bool {
	for _, host := range config.ListenHosts {
		if serverAddress(config.Transport, host, config.Port) == address {
			return true
		}
	}
	return false
}

// serverAddress returns the address of a server as CoreDNS writes it, or "" if it is none.
// A host has several spellings.
func serverAddress(scheme, host, port string) string {
	addr, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return ""
	}
	return scheme + "://" + addr.String()
}

// home returns the address of the server that targets held elsewhere are resolved
// through: the first one of plain DNS that the block is served at. "" is the first that a
// query comes in on, which is all that can be known of other servers.
func (in *Instance) home() string {
	for _, key := range in.keys {
		scheme, rest, _ := strings.Cut(key, "://")
		if scheme != transport.DNS || len(in.server.ListenHosts) == 0 {
			continue
		}
		return serverAddress(scheme, in.server.ListenHosts[0], rest[strings.LastIndexByte(rest, ':')+1:])
	}
	return ""
}
