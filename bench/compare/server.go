//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/steerdns/steer/bench/internal/gauge"
)

// floor is the server that all are compared with: CoreDNS with a plugin that holds no
// data.
const floor = "whoami"

// server is a server of the comparison.
type server struct {
	name    string
	query   string // the name to ask for
	like    string // the server that it is to be compared with as well
	bare    bool   // nothing but what answers
	missing string // why it cannot be measured

	// command makes its configuration in a directory and returns how to start it.
	command func(dir string, port int) ([]string, error)

	dir     string
	port    int
	process *gauge.Process
	shared  *server // the one whose process it is a further name of
}

// weights are the record sets of the weighted name: the address answered, which is the
// one that is checked, and its weight.
var weights = []struct {
	addr   string
	weight int
}{{"127.0.1.1", 10}, {"127.0.1.2", 20}, {"127.0.1.3", 30}}

// lines writes one line for each record set.
func lines(format string) string {
	var b strings.Builder
	for _, w := range weights {
		fmt.Fprintf(&b, format+"\n", w.weight, w.addr)
	}
	return b.String()
}

const (
	name   = "www.example.org."
	upName = "up.example.org."

	interval = 5 // seconds between checks of one address, in all servers
)

// servers are all servers of the comparison; bin is CoreDNS with steer, other another
// build of it or "", and checked the port of the endpoints.
func servers(dir, bin, other string, checked int) []*server {
	steer := fmt.Sprintf("steer {\n%s}\n", "weighted www A {\ncheck http://:"+fmt.Sprint(checked)+"/ {\n"+
		fmt.Sprintf("interval %ds\n}\n", interval)+lines("weight %d %s")+"}\n")
	file := fmt.Sprintf("file %s\n", filepath.Join(dir, "file.zone"))
	observed := "errors\nprometheus 127.0.0.1:METRICS\n"
	list := []*server{
		coredns(floor, bin, "whoami\n", ""),
		coredns("hosts", bin, "hosts /dev/null {\n"+lines("%[2]s www.example.org")+"}\n", ""),
		coredns("file", bin, file, ""),
		coredns("steer", bin, steer, ""),
		coredns("whoami, errors, prometheus", bin, observed+"whoami\n", ""),
		coredns("steer, errors, prometheus", bin, observed+steer, "whoami, errors, prometheus"),
		coredns("file, cache", bin, "cache\n"+file, ""),
		coredns("steer, cache", bin, "cache\n"+steer, "file, cache"),
		gdnsd(checked),
	}
	if other != "" {
		list = append(list,
			coredns("steer, other build", other, steer, "steer"),
			coredns("steer, other build, errors, prometheus", other, observed+steer, "steer, errors, prometheus"),
			coredns("steer, other build, cache", other, "cache\n"+steer, "steer, cache"))
	}
	for _, state := range []string{"yes", "shared"} {
		list = append(list, powerDNS(state, checked)...)
	}
	for i, s := range list {
		if s.query == "" {
			s.query = name
		}
		s.dir = filepath.Join(dir, fmt.Sprint(i))
	}
	zone := "$ORIGIN example.org.\n@ 60 IN SOA ns.dns hostmaster 1 7200 900 1209600 60\n@ 60 IN NS ns.dns\n" + lines("www 60 IN A %[2]s ;%[1]d")
	if err := os.WriteFile(filepath.Join(dir, "file.zone"), []byte(zone), 0o644); err != nil {
		panic(err)
	}
	return list
}

func (s *server) start(ctx context.Context, core int) (err error) {
	if s.shared != nil {
		s.process, s.port = s.shared.process, s.shared.port
		return gauge.Await(ctx, s.process, s.port, s.query, 10*time.Second)
	}
	if s.port, err = gauge.FreePort(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	command, err := s.command(s.dir, s.port)
	if err != nil {
		return err
	}
	if s.process, err = gauge.Start(ctx, core, command[0], command[1:]...); err != nil {
		return err
	}
	return gauge.Await(ctx, s.process, s.port, s.query, 10*time.Second)
}

func (s *server) stop() {
	if s.shared == nil && s.process != nil {
		s.process.Stop()
	}
}

// coredns is CoreDNS with a block of the given plugins.
func coredns(title, bin, plugins, like string) *server {
	return &server{name: title, like: like, bare: !strings.Contains(title, ","), command: func(dir string, port int) ([]string, error) {
		metrics, err := gauge.FreePort()
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("example.org:%d {\nbind 127.0.0.1\n%s}\n", port, strings.ReplaceAll(plugins, "METRICS", fmt.Sprint(metrics)))
		return []string{bin, "-conf", filepath.Join(dir, "Corefile")}, os.WriteFile(filepath.Join(dir, "Corefile"), []byte(text), 0o644)
	}}
}

// gdnsd is gdnsd with its weighted plugin.
func gdnsd(checked int) *server {
	s := &server{name: "gdnsd", bare: true}
	bin := find("gdnsd")
	if bin == "" {
		s.missing = "no gdnsd here; Debian has it in the package gdnsd"
	}
	s.command = func(dir string, port int) ([]string, error) {
		config := fmt.Sprintf(`options => {
  listen => 127.0.0.1, dns_port => %d, udp_threads => 1, tcp_threads => 1
  run_dir => %s, state_dir => %s
}
service_types => { web => { plugin => http_status, port => %d, url_path => "/", interval => %d, timeout => 3 } }
plugins => { weighted => { service_types => web, www => {
%s} } }
`, port, dir, dir, checked, interval, lines("  n%[1]d => [%[2]s, %[1]d]"))
		zone := "@ SOA ns.dns hostmaster 1 7200 900 1209600 60\n@ NS ns.dns\nns.dns A 127.0.0.1\nwww 60 DYNA weighted!www\n"
		return []string{bin, "-c", dir, "start"}, write(dir, map[string]string{"config": config, "zones/example.org": zone})
	}
	return s
}

// powerDNS is PowerDNS with Lua records: one name that chooses by weight, and one that
// chooses among the addresses that are up; no function of its does both.
func powerDNS(state string, checked int) []*server {
	title := "PowerDNS, Lua"
	if state == "shared" {
		title = "PowerDNS, shared Lua"
	}
	byWeight := &server{name: title + ", pickwrandom", bare: true}
	up := &server{name: title + ", ifportup", query: upName, bare: true, shared: byWeight}
	bin := find("pdns_server")
	if bin == "" {
		byWeight.missing = "no pdns_server here; Debian has it in the packages pdns-server and pdns-backend-bind"
		up.missing = byWeight.missing
	}
	byWeight.command = func(dir string, port int) ([]string, error) {
		config := fmt.Sprintf(`launch=bind
bind-config=%[1]s/named.conf
socket-dir=%[1]s
local-address=127.0.0.1
local-port=%[2]d
enable-lua-records=%[3]s
lua-health-checks-interval=%[4]d
receiver-threads=1
distributor-threads=1
daemon=no
guardian=no
security-poll-suffix=
`, dir, port, state, interval)
		if _, err := os.Stat("/usr/lib/x86_64-linux-gnu/pdns"); err == nil {
			config += "module-dir=/usr/lib/x86_64-linux-gnu/pdns\n"
		}
		named := fmt.Sprintf("zone \"example.org\" { type master; file \"%s/zone\"; };\n", dir)
		zone := fmt.Sprintf(`$ORIGIN example.org.
@ 60 IN SOA ns.dns hostmaster 1 7200 900 1209600 60
@ 60 IN NS ns.dns
www 60 IN LUA A "pickwrandom({%s})"
up 60 IN LUA A "ifportup(%d, {%s})"
`, list("{%d,'%s'}"), checked, list("'%[2]s'"))
		return []string{bin, "--config-dir=" + dir}, write(dir, map[string]string{"pdns.conf": config, "named.conf": named, "zone": zone})
	}
	return []*server{byWeight, up}
}

// list writes the record sets with commas between them.
func list(format string) string {
	return strings.ReplaceAll(strings.TrimSpace(lines(format)), "\n", ",")
}

// find looks for a program where servers are, too.
func find(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path
		}
	}
	return ""
}

// write writes files below a directory.
func write(dir string, files map[string]string) error {
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}
