package test

import (
	"fmt"
	"log"
	"os"
	"slices"
	"testing"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	// The plugins that the Corefiles here use. CoreDNS's whole set would do too, but
	// takes minutes to build under the race detector; the binary has it.
	_ "github.com/coredns/coredns/plugin/acl"
	_ "github.com/coredns/coredns/plugin/any"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/dnssec"
	_ "github.com/coredns/coredns/plugin/erratic"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/file"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/metadata"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/minimal"
	_ "github.com/coredns/coredns/plugin/multisocket"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/reload"
	_ "github.com/coredns/coredns/plugin/rewrite"
	_ "github.com/coredns/coredns/plugin/shed"
	_ "github.com/coredns/coredns/plugin/template"
	_ "github.com/coredns/coredns/plugin/view"
	_ "github.com/coredns/coredns/plugin/whoami"

	_ "github.com/steerdns/steer"
)

// asServer is the environment variable that makes a server of the tests' own binary: the
// one with the race detector that takes no minutes to build.
const asServer = "STEER_TEST_AS_SERVER"

// stock are the directives of CoreDNS without steer, in their order.
var stock = slices.Clone(dnsserver.Directives)

func TestMain(m *testing.M) {
	i := slices.Index(stock, "hosts")
	if i < 0 {
		fmt.Fprintln(os.Stderr, "this CoreDNS has no directive \"hosts\"")
		os.Exit(1)
	}
	directives := append(slices.Insert(slices.Clone(stock), i, "steer"), faultName)
	if err := dnsserver.SetDirectives(directives); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv(asServer) != "" {
		coremain.Run()
		return
	}
	dnsserver.Quiet = true
	log.SetOutput(logged)
	log.SetFlags(0)
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}
