package regular

import (
	"context"
	"sync"
	"time"
)

// worker is a goroutine that makes system calls which may not return.
type worker struct {
	key   string
	quit  chan struct{} // closed to end it
	ended chan struct{} // closed when it has ended
	hangs time.Time     // after stop: when it counts as hanging
}

// leftBehind are the workers that were still in a system call when their users had left them.
var leftBehind = struct {
	sync.Mutex
	workers map[string]*worker // by key
}{workers: make(map[string]*worker)}

// start runs f in a worker, unless an earlier worker of the same key is still in a system
// call: that one is waited for, and if it hangs the error is [ErrUnresponsive].
func start(ctx context.Context, key string, f func(quit <-chan struct{})) (*worker, error) {
	leftBehind.Lock()
	before := leftBehind.workers[key]
	leftBehind.Unlock()
	if before != nil {
		switch before.wait(ctx) {
		case nil:
		case ctx.Err():
			return nil, ctx.Err()
		default:
			return nil, ErrUnresponsive
		}
	}
	w := &worker{key: key, quit: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer w.end()
		f(w.quit)
	}()
	return w, nil
}

func (w *worker) wait(ctx context.Context) error {
	rest := max(time.Until(w.hangs), 0)
	_, err := receive(ctx, w.ended, &rest)
	return err
}

// end is what a worker does at its end.
func (w *worker) end() {
	close(w.ended)
	leftBehind.Lock()
	defer leftBehind.Unlock()
	if leftBehind.workers[w.key] == w {
		delete(leftBehind.workers, w.key)
	}
}

// stop ends the use of a worker. It waits for the end of its system call, unless the
// context ends first, the call takes too long, or the worker is known to hang (why). Then
// it is left behind.
func (w *worker) stop(ctx context.Context, why error) {
	close(w.quit)
	rest := stall
	if why == ErrUnresponsive {
		rest = 0
	}
	w.hangs = time.Now().Add(rest)
	if w.wait(ctx) == nil {
		return
	}
	leftBehind.Lock()
	defer leftBehind.Unlock()
	select {
	case <-w.ended:
	default:
		leftBehind.workers[w.key] = w
	}
}

// do runs f in a worker and returns what it returns.
func do[T any](ctx context.Context, key string, f func() (T, error)) (v T, err error) {
	type result struct {
		v   T
		err error
	}
	c := make(chan result, 1)
	w, err := start(ctx, key, func(<-chan struct{}) {
		v, err := f()
		c <- result{v, err}
	})
	if err != nil {
		return v, err
	}
	rest := stall
	r, err := receive(ctx, c, &rest)
	w.stop(ctx, err)
	if err != nil {
		return v, err
	}
	return r.v, r.err
}

// receive receives from a channel on which a worker sends, within stall and the rest of
// the time that there is, which it reduces.
func receive[T any](ctx context.Context, from <-chan T, rest *time.Duration) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, err
	}
	select {
	case v = <-from:
		return v, nil
	default:
	}
	began := time.Now()
	timer := time.NewTimer(min(stall, *rest))
	defer timer.Stop()
	select {
	case v = <-from:
		*rest = max(*rest-time.Since(began), 0)
		return v, nil
	case <-ctx.Done():
		return v, ctx.Err()
	case <-timer.C:
		if *rest < stall {
			return v, errSlow
		}
		return v, ErrUnresponsive
	}
}
