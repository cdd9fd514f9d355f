//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/steerdns/steer/bench/internal/gauge"
)

// The checks of the comparison of whole servers: 500 a second.
const (
	groups    = 40
	each      = 50 // checks in a group
	every     = 4  // seconds
	settle    = 10 * time.Second
	secondary = "127.255.255.254"
)

// checker is a server that checks.
type checker struct {
	name    string
	command func(dir string, port, checked int, kind string) ([]string, error)
}

// servers measures whole servers with the same checks, in turns.
func servers(ctx context.Context, dir, bin string) error {
	list := []checker{{"steer", func(dir string, port, checked int, kind string) ([]string, error) {
		path := filepath.Join(dir, "Corefile")
		return []string{bin, "-conf", path}, os.WriteFile(path, []byte(corefile(port, checked, kind)), 0o644)
	}}}
	if gdnsd := findGdnsd(); gdnsd != "" {
		list = append(list, checker{"gdnsd", func(dir string, port, checked int, kind string) ([]string, error) {
			return []string{gdnsd, "-c", dir, "start"}, gdnsdConfig(dir, port, checked, kind)
		}})
	} else {
		fmt.Println("left out: gdnsd: not here; Debian has it in the package gdnsd")
	}
	if *against != "" {
		program, err := filepath.Abs(*against)
		if err != nil {
			return err
		}
		list = append(list, checker{"against: " + filepath.Base(program), func(dir string, port, checked int, kind string) ([]string, error) {
			return []string{program, dir, strconv.Itoa(port), kind, strconv.Itoa(checked), strconv.Itoa(every)}, writeGroups(filepath.Join(dir, "groups"))
		}})
	}
	fmt.Printf("Whole servers: %d checks, one every %d seconds each; medians and ranges of %d rounds in turns.\n\n", groups*each, every, *rounds)
	t := gauge.NewTable("kind", "server", "probes/s", "CPU µs/probe", "steer ×")
	for _, kind := range []string{"tcp", "http"} {
		rate, cpu := map[string]gauge.Sample{}, map[string]gauge.Sample{}
		for round := range *rounds {
			for i := range list {
				c := list[(i+round)%len(list)]
				s, err := c.measure(ctx, dir, kind)
				if err != nil {
					return fmt.Errorf("%s, %s checks: %w", c.name, kind, err)
				}
				rate[c.name] = append(rate[c.name], s.probes/float64(*seconds))
				cpu[c.name] = append(cpu[c.name], s.used/s.probes)
			}
			fmt.Fprintf(os.Stderr, "%s, round %d of %d\n", kind, round+1, *rounds)
		}
		for _, c := range list {
			t.Row(kind, c.name, rate[c.name].Format("%.0f"), cpu[c.name].Format("%.1f"), cpu["steer"].Over(cpu[c.name]).Format("%.2f"))
		}
	}
	t.Print(os.Stdout)
	return nil
}

func (c *checker) measure(ctx context.Context, dir, kind string) (seen, error) {
	serverCore, loadCore := gauge.Cores()
	endpoints, err := gauge.StartEndpoints(ctx, loadCore, kind)
	if err != nil {
		return seen{}, err
	}
	defer endpoints.Stop()
	checked, err := endpoints.Listen("0.0.0.0:0")
	if err != nil {
		return seen{}, err
	}
	dir, err = os.MkdirTemp(dir, c.name)
	if err != nil {
		return seen{}, err
	}
	port, err := gauge.FreePort()
	if err != nil {
		return seen{}, err
	}
	command, err := c.command(dir, port, checked, kind)
	if err != nil {
		return seen{}, err
	}
	p, err := gauge.Start(ctx, serverCore, command[0], command[1:]...)
	if err != nil {
		return seen{}, err
	}
	defer p.Stop()
	if err := gauge.Await(ctx, p, port, "g0.example.org.", 20*time.Second); err != nil {
		return seen{}, err
	}
	select {
	case <-ctx.Done():
		return seen{}, ctx.Err()
	case <-time.After(settle):
	}
	return watch(ctx, p.PID(), endpoints, time.Duration(*seconds)*time.Second)
}

func corefile(port, checked int, kind string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "example.org:%d {\nbind 127.0.0.1\nsteer {\n", port)
	path := ""
	if kind == "http" {
		path = "/"
	}
	for g := range groups {
		fmt.Fprintf(&b, "multivalue g%d A {\ncheck %s://:%d%s {\ninterval %ds\nthreshold 1\n}\n", g, kind, checked, path, every)
		for i := range each {
			fmt.Fprintf(&b, "value %s\n", loopback(g*each+i))
		}
		b.WriteString("}\n")
	}
	b.WriteString("}\n}\n")
	return b.String()
}

// writeGroups writes the names and the addresses that they are to be checked at: a line for
// each name, in the words of the zone example.org.
func writeGroups(path string) error {
	var b strings.Builder
	for g := range groups {
		fmt.Fprintf(&b, "g%d", g)
		for i := range each {
			b.WriteString(" " + loopback(g*each+i))
		}
		b.WriteString("\n")
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func findGdnsd() string {
	for _, path := range []string{"gdnsd", "/usr/sbin/gdnsd", "/usr/local/sbin/gdnsd"} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	return ""
}

func gdnsdConfig(dir string, port, checked int, kind string) error {
	var config, zone strings.Builder
	plugin := fmt.Sprintf("tcp_connect, port => %d", checked)
	if kind == "http" {
		plugin = fmt.Sprintf("http_status, port => %d, url_path => \"/\"", checked)
	}
	fmt.Fprintf(&config, `options => { listen => 127.0.0.1, dns_port => %d, udp_threads => 1, tcp_threads => 1, run_dir => %s, state_dir => %s }
service_types => { web => { plugin => %s, interval => %d, timeout => 3 } }
plugins => { multifo => { service_types => web
`, port, dir, dir, plugin, every)
	zone.WriteString("@ SOA ns.dns hostmaster 1 7200 900 1209600 60\n@ NS ns.dns\nns.dns A 127.0.0.1\n")
	for g := range groups {
		fmt.Fprintf(&config, "g%d => {", g)
		for i := range each {
			fmt.Fprintf(&config, " a%d => %s", i, loopback(g*each+i))
		}
		config.WriteString(" }\n")
		fmt.Fprintf(&zone, "g%d 60 DYNA multifo!g%d\n", g, g)
	}
	config.WriteString("} }\n")
	if err := os.MkdirAll(filepath.Join(dir, "zones"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "zones", "example.org"), []byte(zone.String()), 0o644)
}
