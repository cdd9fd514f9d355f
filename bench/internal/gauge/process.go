//go:build linux

// Package gauge has what the measuring commands share: processes that are pinned to a
// core and whose CPU time is read, endpoints to check, a load of queries whose
// latencies are kept, and tables.
package gauge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Cores are the cores that a measurement is spread over: what is measured has one for
// itself, and what drives it has the other. On a machine of one core they are the same.
func Cores() (server, load int) {
	if runtime.NumCPU() < 2 {
		return 0, 0
	}
	return 0, 1
}

// PinSelf keeps this process, and those that it starts without a core of their own, on
// one core.
func PinSelf(core int) error {
	var set unix.CPUSet
	set.Set(core)
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		// A thread may end meanwhile; threads to come inherit the core.
		if err := unix.SchedSetaffinity(tid, &set); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

// Process is a program under measurement.
type Process struct {
	Name string
	cmd  *exec.Cmd
	log  syncBuffer
	done chan struct{}
}

// AllCores is where a program may use every core.
const AllCores = -1

// Start starts a program on a core, or on [AllCores]. It is stopped by Stop, or when ctx or
// this process ends.
func Start(ctx context.Context, core int, name string, args ...string) (*Process, error) {
	p := newProcess(ctx, core, name, args...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	return p, p.start()
}

func newProcess(ctx context.Context, core int, name string, args ...string) *Process {
	p := &Process{Name: filepath.Base(name), done: make(chan struct{})}
	cores := strconv.Itoa(core)
	if core == AllCores {
		cores = fmt.Sprintf("0-%d", runtime.NumCPU()-1)
	}
	p.cmd = exec.CommandContext(ctx, "taskset", append([]string{"-c", cores, name}, args...)...)
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(unix.SIGTERM) }
	p.cmd.WaitDelay = 5 * time.Second
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
	return p
}

// start starts the program on a thread that lives as long as it: the death signal is
// sent when the thread that started a process ends.
func (p *Process) start() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// Stop ends the program and waits for it.
func (p *Process) Stop() {
	_ = p.cmd.Process.Signal(unix.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// Signal sends a signal to the program.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Ended reports whether the program has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Output returns what the program has printed so far.
func (p *Process) Output() string { return p.log.String() }

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// CPU returns the time that all threads of the process have spent on a processor. It
// is the kernel's own account in nanoseconds, not its sampled ticks.
func (p *Process) CPU() time.Duration { return CPU(p.PID()) }

// CPU returns the time that all threads of a process have spent on a processor, those
// that have ended not included.
func CPU(pid int) time.Duration {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var sum time.Duration
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		ns, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(ns, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

// RSS returns the memory that the process has resident, in bytes.
func (p *Process) RSS() int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.PID()))
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// Root returns the root of the module, which the working directory lies in.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", errors.New("run this inside the module")
	}
	return filepath.Dir(mod), nil
}

// BuildServer builds the repository's CoreDNS into a directory, as make build does, and
// returns the path of the program.
func BuildServer(dir string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "coredns")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "./cmd/coredns")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
}

// FreePort returns a port that nothing listens on over UDP or TCP at the moment.
func FreePort() (int, error) {
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		u, err := net.ListenPacket("udp", l.Addr().String())
		l.Close()
		if err != nil {
			continue
		}
		u.Close()
		return port, nil
	}
	return 0, errors.New("no free port")
}

// syncBuffer is a buffer that a program writes to while it is read.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
