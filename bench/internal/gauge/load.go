//go:build linux

package gauge

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
	"golang.org/x/sys/unix"
)

// Saturation is what dnsperf reports of a server that it keeps busy.
type Saturation struct {
	Completed, Lost int
	PerSecond       float64
}

var (
	completedLine = regexp.MustCompile(`Queries completed:\s+(\d+)`)
	lostLine      = regexp.MustCompile(`Queries lost:\s+(\d+)`)
	rateLine      = regexp.MustCompile(`Queries per second:\s+([0-9.]+)`)
	codesLine     = regexp.MustCompile(`Response codes:\s+(.*)`)
)

// Saturate runs dnsperf on a core for whole seconds: queries for one name, so many
// outstanding. It is an error when an answer is anything but NOERROR.
func Saturate(ctx context.Context, core, port int, name string, seconds, outstanding int) (Saturation, error) {
	file, err := os.CreateTemp("", "steer-queries-")
	if err != nil {
		return Saturation{}, err
	}
	defer os.Remove(file.Name())
	fmt.Fprintf(file, "%s A\n", name)
	if err := file.Close(); err != nil {
		return Saturation{}, err
	}
	cmd := exec.CommandContext(ctx, "taskset", "-c", strconv.Itoa(core), "dnsperf",
		"-s", "127.0.0.1", "-p", strconv.Itoa(port), "-d", file.Name(),
		"-l", strconv.Itoa(seconds), "-c", "4", "-T", "1", "-q", strconv.Itoa(outstanding))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return Saturation{}, fmt.Errorf("dnsperf: %w\n%s", err, out)
	}
	var s Saturation
	if m := completedLine.FindSubmatch(out); m != nil {
		s.Completed, _ = strconv.Atoi(string(m[1]))
	}
	if m := lostLine.FindSubmatch(out); m != nil {
		s.Lost, _ = strconv.Atoi(string(m[1]))
	}
	if m := rateLine.FindSubmatch(out); m != nil {
		s.PerSecond, _ = strconv.ParseFloat(string(m[1]), 64)
	}
	if m := codesLine.FindSubmatch(out); m == nil || !regexp.MustCompile(`^NOERROR \d+ \(100\.00%\)`).Match(m[1]) {
		return s, fmt.Errorf("dnsperf %s: not all answers are NOERROR\n%s", filepath.Base(name), out)
	}
	return s, nil
}

// Pace sends queries for one name at a steady rate for a while and returns how long
// each answer took, in microseconds: until the kernel had it for this process, which may not
// be running then, since it shares its core with what is measured. A query that is not
// answered within a second counts as a second. It sends four at a time, a few hundred times a
// second or more.
func Pace(ctx context.Context, port int, name string, rate int, during time.Duration) (Sample, error) {
	conn, err := dialTimed(port)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	const burst, lost = 4, time.Second
	q := new(dns.Msg)
	q.SetQuestion(name, dns.TypeA)
	packet, err := q.Pack()
	if err != nil {
		return nil, err
	}
	total := int(during.Seconds() * float64(rate))
	sent := make([]atomic.Int64, 1<<16) // Unix time in ns, by message number; 0 once answered
	took := make(Sample, 0, total)
	done := make(chan error, 1)
	var sending atomic.Bool
	sending.Store(true)
	go func() {
		buf := make([]byte, 4096)
		for sending.Load() || len(took) < total {
			_ = conn.SetReadDeadline(time.Now().Add(lost))
			n, arrived, err := readTimed(conn, buf)
			if errors.Is(err, os.ErrDeadlineExceeded) && !sending.Load() {
				break
			}
			if errors.Is(err, errNoTime) {
				done <- err
				return
			}
			if err != nil || n < 12 {
				continue
			}
			if at := sent[int(buf[0])<<8|int(buf[1])].Swap(0); at > 0 {
				took = append(took, float64(arrived-at)/1e3)
			}
		}
		done <- nil
	}()
	begin := time.Now()
	gap := time.Duration(burst) * time.Second / time.Duration(rate)
	for i := 0; i < total && ctx.Err() == nil; i += burst {
		if wait := time.Until(begin.Add(time.Duration(i/burst) * gap)); wait > 0 {
			time.Sleep(wait)
		}
		for k := range burst {
			id := (i + k) & 0xffff
			packet[0], packet[1] = byte(id>>8), byte(id)
			sent[id].Store(time.Now().UnixNano())
			_, _ = conn.Write(packet) // a refusal shows as a lost query
		}
	}
	sending.Store(false)
	if err := errors.Join(<-done, ctx.Err()); err != nil {
		return nil, err
	}
	for len(took) < total {
		took = append(took, float64(lost.Microseconds()))
	}
	return took, nil
}

// dialTimed returns a socket whose kernel says when each packet came.
func dialTimed(port int) (*net.UDPConn, error) {
	conn, err := net.DialUDP("udp", nil, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return nil, err
	}
	raw, err := conn.SyscallConn()
	if err == nil {
		var failed error
		err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) })
		err = errors.Join(err, failed)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

var errNoTime = errors.New("the kernel does not tell when packets come")

// readTimed reads a packet, and when it came: Unix time in nanoseconds.
func readTimed(conn *net.UDPConn, buf []byte) (n int, arrived int64, err error) {
	control := make([]byte, 64)
	n, size, _, _, err := conn.ReadMsgUDP(buf, control)
	if err != nil {
		return 0, 0, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:size])
	if err != nil {
		return 0, 0, err
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS {
			var at unix.Timespec
			if _, err := binary.Decode(m.Data, binary.NativeEndian, &at); err != nil {
				return 0, 0, err
			}
			return n, at.Nano(), nil
		}
	}
	return 0, 0, errNoTime
}

// Ask sends one query over UDP and returns the addresses in the answer. It waits a
// second for it.
func Ask(port int, name string) ([]string, error) {
	q := new(dns.Msg)
	q.SetQuestion(name, dns.TypeA)
	c := dns.Client{Timeout: time.Second}
	m, _, err := c.Exchange(q, net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	if m.Rcode != dns.RcodeSuccess {
		return nil, fmt.Errorf("%s: %s", name, dns.RcodeToString[m.Rcode])
	}
	var addrs []string
	for _, rr := range m.Answer {
		if a, ok := rr.(*dns.A); ok {
			addrs = append(addrs, a.A.String())
		}
	}
	return addrs, nil
}

// Await asks until there is an answer, or until a time limit.
func Await(ctx context.Context, p *Process, port int, name string, limit time.Duration) error {
	for until := time.Now().Add(limit); ; {
		_, err := Ask(port, name)
		if err == nil {
			return nil
		}
		if time.Now().After(until) || ctx.Err() != nil || p.Ended() {
			return fmt.Errorf("%s does not answer for %s: %w\n%s", p.Name, name, err, p.Output())
		}
		time.Sleep(20 * time.Millisecond)
	}
}
