package test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// built is cmd/coredns, built once for all tests that run it.
var built struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// coredns returns the path of the server, as "make build" makes it.
func coredns(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "steer-test-"); built.err != nil {
			return
		}
		built.path = filepath.Join(built.dir, "coredns")
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built.path, "./cmd/coredns")
		cmd.Dir = ".."
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = errors.New(err.Error() + ": " + string(out))
		}
	})
	if built.err != nil {
		t.Fatalf("cmd/coredns does not build: %v", built.err)
	}
	return built.path
}

// process is a running binary.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	log  *capture
	done chan struct{} // closed when it has ended
	err  error
}

// run starts the server with a Corefile in a directory of its own and returns it with
// the path of that Corefile. It is killed when the test ends. Where the tests have the
// race detector, so has the server.
func run(t *testing.T, corefile string, env ...string) (*process, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Corefile")
	write(t, path, corefile)
	return runFile(t, path, env...), path
}

func runFile(t *testing.T, path string, env ...string) *process {
	t.Helper()
	p := &process{t: t, log: &capture{}, done: make(chan struct{})}
	p.cmd = exec.Command(p.program(), "-conf", filepath.Base(path))
	p.cmd.Dir = filepath.Dir(path)
	p.cmd.Env = append(os.Environ(), env...)
	if underRace {
		p.cmd.Env = append(p.cmd.Env, asServer+"=1")
	}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the process
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.done
		if strings.Contains(mark{p.log, 0}.text(), "DATA RACE") {
			t.Error("the server has a data race")
		}
		if t.Failed() {
			t.Logf("the server said:\n%s", mark{p.log, 0}.text())
		}
	})
	return p
}

// program returns the path of the server.
func (p *process) program() string {
	if !underRace {
		return coredns(p.t)
	}
	path, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	return path
}

// waitServes waits until the server answers queries.
func (p *process) waitServes(port int, name string) {
	p.t.Helper()
	if !poll(20*time.Second, func() bool { _, err := try(port, query(name, "SOA")); return err == nil }) {
		p.t.Fatal("the server does not answer")
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// wait waits for the end of the process and returns how it ended.
func (p *process) wait(within time.Duration) error {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), within)
	defer cancel()
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		p.t.Fatalf("the server still runs after %v", within)
		return nil
	}
}

// write puts a file in place whole, so that no reader sees a part of it.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestBinaryHasOnePluginMore(t *testing.T) {
	out, err := exec.Command(coredns(t), "-plugins").Output()
	if err != nil {
		t.Fatal(err)
	}
	// CoreDNS lists its own directives by the alphabet, and caddy's "on" after them.
	want := slices.DeleteFunc(append(slices.Clone(stock), "steer"), func(d string) bool { return d == "on" || d == "startup" || d == "shutdown" })
	slices.Sort(want)
	want = append(want, "on")
	if got := strings.Fields(string(out)); !slices.Equal(got, want) {
		t.Errorf("coredns -plugins lists\n%q, want\n%q", got, want)
	}
}
