//go:build linux

package gauge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// endpointEnv makes a command serve endpoints instead: they run in a process of their
// own, so that their CPU time is not taken for that of the checks.
const endpointEnv = "STEER_BENCH_ENDPOINT"

// ServeEndpoints turns this process into endpoints if it was started as such, and does
// not return then. Commands call it first.
func ServeEndpoints() {
	kind := os.Getenv(endpointEnv)
	if kind == "" {
		return
	}
	var accepted atomic.Int64
	listeners := map[string]net.Listener{}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		word, addr, _ := strings.Cut(in.Text(), " ")
		switch word {
		case "listen":
			l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp4", addr)
			if err != nil {
				fmt.Println("error", err)
				continue
			}
			listeners[addr] = l
			fmt.Println("listens", l.Addr().(*net.TCPAddr).Port)
			go accept(l, kind, &accepted)
		case "close":
			if l := listeners[addr]; l != nil {
				l.Close()
			}
			fmt.Println("closed", time.Now().UnixNano())
		case "closeall":
			for _, l := range listeners {
				l.Close()
			}
			fmt.Println("closed", time.Now().UnixNano())
		case "flap":
			every, err := time.ParseDuration(addr)
			if err != nil {
				panic(err)
			}
			flapping.Store(int64(every))
			fmt.Println("flaps", every)
		case "count":
			fmt.Println("count", accepted.Load())
		}
	}
	os.Exit(0)
}

// flapping is how long the endpoints answer well before they answer badly for as long,
// in nanoseconds; 0 is for ever.
var flapping atomic.Int64

var response = [2][]byte{
	[]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"),
	[]byte("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"),
}

func accept(l net.Listener, kind string, accepted *atomic.Int64) {
	readers := sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 1024) }}
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		accepted.Add(1)
		go func() {
			defer c.Close()
			br := readers.Get().(*bufio.Reader)
			br.Reset(c)
			defer readers.Put(br)
			if kind == "tcp" {
				_, _ = br.ReadByte() // until the peer closes
				return
			}
			for {
				line, err := br.ReadSlice('\n')
				if err != nil {
					return
				}
				if len(line) <= 2 {
					break
				}
			}
			which := 0
			if every := flapping.Load(); every > 0 {
				which = int(time.Now().UnixNano() / every % 2)
			}
			_, _ = c.Write(response[which])
		}()
	}
}

// Endpoints are endpoints in a process of their own.
type Endpoints struct {
	*Process
	in      io.Writer
	answers chan string
}

// StartEndpoints starts the process on a core. The kind is "tcp" or "http".
func StartEndpoints(ctx context.Context, core int, kind string) (*Endpoints, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := newProcess(ctx, core, self)
	p.cmd.Env = append(os.Environ(), endpointEnv+"="+kind)
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, lines := io.Pipe()
	p.cmd.Stdout = lines
	if err := p.start(); err != nil {
		return nil, err
	}
	e := &Endpoints{Process: p, in: in, answers: make(chan string, 1)}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			e.answers <- s.Text()
		}
	}()
	return e, nil
}

// Listen opens an endpoint and returns its port. Address 0.0.0.0 is all of 127.0.0.0/8.
func (e *Endpoints) Listen(addr string) (port int, err error) {
	answer, err := e.say("listen " + addr)
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Sscanf(answer, "listens %d", &port); err != nil {
		return 0, fmt.Errorf("endpoint %s: %s", addr, answer)
	}
	return port, nil
}

// Close closes the endpoint at an address and returns when that was.
func (e *Endpoints) Close(addr string) (time.Time, error) { return e.closing("close " + addr) }

// CloseAll closes all endpoints and returns when that was.
func (e *Endpoints) CloseAll() (time.Time, error) { return e.closing("closeall") }

func (e *Endpoints) closing(command string) (time.Time, error) {
	answer, err := e.say(command)
	if err != nil {
		return time.Time{}, err
	}
	var ns int64
	if _, err := fmt.Sscanf(answer, "closed %d", &ns); err != nil {
		return time.Time{}, fmt.Errorf("endpoint: %s", answer)
	}
	return time.Unix(0, ns), nil
}

// Flap has HTTP endpoints answer well and badly in turn, each for so long; 0 ends it.
func (e *Endpoints) Flap(every time.Duration) error {
	_, err := e.say("flap " + every.String())
	return err
}

// Count returns how many connections the endpoints have accepted.
func (e *Endpoints) Count() (n int64, err error) {
	answer, err := e.say("count")
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscanf(answer, "count %d", &n)
	return n, err
}

func (e *Endpoints) say(command string) (string, error) {
	if _, err := io.WriteString(e.in, command+"\n"); err != nil {
		return "", err
	}
	select {
	case answer := <-e.answers:
		return answer, nil
	case <-time.After(10 * time.Second):
		return "", fmt.Errorf("endpoint: no answer to %q", command)
	}
}
