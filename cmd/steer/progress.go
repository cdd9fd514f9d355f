package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// When progress is shown, and how often it is shown anew.
const (
	progressAfter = 2 * time.Second
	progressEvery = 200 * time.Millisecond
)

// progress shows on a terminal what a command is at when that takes long. The zero value
// shows nothing.
type progress struct {
	w io.Writer // the terminal, or nil

	mu     sync.Mutex
	doing  string
	done   int
	of     int // 0 is unknown
	began  time.Time
	shown  bool
	cancel chan struct{}
	ended  chan struct{}
}

// begin says what the command is at from now on, and how many steps that takes if that is
// known.
func (p *progress) begin(doing string, steps int) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing, p.done, p.of = doing, 0, steps
	if p.cancel == nil {
		p.began = time.Now()
		p.cancel, p.ended = make(chan struct{}), make(chan struct{})
		go p.show(p.cancel, p.ended)
	}
}

// step says that one step is done.
func (p *progress) step() {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
}

// end takes the progress off the terminal.
func (p *progress) end() {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	cancel, ended := p.cancel, p.ended
	p.cancel = nil
	p.mu.Unlock()
	if cancel != nil {
		close(cancel)
		<-ended
	}
	p.erase()
}

func (p *progress) show(cancel, ended chan struct{}) {
	defer close(ended)
	timer := time.NewTimer(progressAfter)
	defer timer.Stop()
	for {
		select {
		case <-cancel:
			return
		case <-timer.C:
		}
		p.draw()
		timer.Reset(progressEvery)
	}
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := p.doing
	if p.of > 0 {
		line += fmt.Sprintf(", %d of %d", p.done, p.of)
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s (%d s)", line, int(time.Since(p.began).Seconds()))
	p.shown = true
}

// erase makes room for other text.
func (p *progress) erase() {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// afterProgress writes where progress may be shown.
type afterProgress struct {
	io.Writer
	progress *progress
}

func (w *afterProgress) Write(b []byte) (int, error) {
	w.progress.erase()
	return w.Writer.Write(b)
}
