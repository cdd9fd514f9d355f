// Package regular reads regular files, and refuses everything else that a path can name.
//
// A path in a configuration can name a FIFO, a device or a directory, a file without an
// end, or a file on a file system that does not answer. To open or read such a thing can
// block for good, in a system call that nothing interrupts. Here that costs a bounded time
// and a bounded number of bytes:
//
//   - What is not a regular file is not opened. A path that changes between the look at it
//     and its opening is opened without blocking, looked at again, and closed.
//   - System calls are made by a goroutine of their own. Its caller waits for it no longer
//     than the context allows, and for a limited time in any case.
//   - A system call that does not return keeps its goroutine and a thread. While it hangs,
//     nothing else is started for the path, so there is one such thread for each path
//     however often it is read.
package regular

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

const (
	// stall is how long a single operation of the file system may take. An operation takes
	// milliseconds on a disk and at most some seconds on a busy network file system.
	stall = 5 * time.Second

	// patience is how long one file may keep its reader waiting in all: enough for 1 GiB at
	// 18 MB/s.
	patience = time.Minute

	// bufferSize is the size in bytes of the two buffers of a [File].
	bufferSize = 64 << 10
)

var (
	// ErrUnresponsive is the error of a file whose file system does not answer.
	ErrUnresponsive = errors.New("the file system does not answer")

	errSlow = fmt.Errorf("reading takes more than %v", patience)
)

// ReadFile returns the content of the regular file at path. Its errors are those of [Open]
// and [File.Read].
func ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	f, err := Open(ctx, path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Glob is [filepath.Glob] with the bounds of this package. Its errors are
// [filepath.ErrBadPattern], [ErrUnresponsive] and the error of the context.
func Glob(ctx context.Context, pattern string) ([]string, error) {
	return do(ctx, "pattern "+pattern, func() ([]string, error) { return filepath.Glob(pattern) })
}

// File is a regular file that is open for reading. It belongs to one goroutine.
type File struct {
	ctx    context.Context
	worker *worker
	full   chan chunk    // read and not yet taken
	empty  chan []byte   // to be filled
	size   int64         // in bytes, when the file was opened
	limit  int64         // bytes that may be read
	count  int64         // bytes that were read
	left   time.Duration // of patience

	buffer []byte // that rest is a part of
	rest   []byte // taken and not yet read
	err    error  // what Read returns when rest is empty
	closed bool
}

// chunk is what one system call has read.
type chunk struct {
	data []byte
	err  error
}

// Open opens the regular file at path for reading, at most limit bytes of it. The file is
// in use until [File.Close] is called, and can be read until the context ends.
//
// An error does not name the path. It says that the path names something else than a
// regular file or a file that is too large, or it is [ErrUnresponsive], the error of the
// context, or that of the operating system.
func Open(ctx context.Context, path string, limit int64) (*File, error) {
	return open(ctx, path, limit, system)
}

func open(ctx context.Context, path string, limit int64, fs fileSystem) (*File, error) {
	f := &File{
		ctx: ctx, limit: limit, left: patience,
		full: make(chan chunk, 2), empty: make(chan []byte, 2),
	}
	type result struct {
		size int64
		err  error
	}
	opened := make(chan result, 1)
	var err error
	f.worker, err = start(ctx, path, func(quit <-chan struct{}) {
		h, size, err := fs.openRegular(path)
		opened <- result{size, err}
		if err != nil {
			return
		}
		defer func() { _ = h.Close() }()
		f.fill(h, quit)
	})
	if err != nil {
		return nil, err
	}
	r, err := receive(ctx, opened, &f.left)
	if err == nil {
		err = r.err
	}
	if err == nil && r.size > limit {
		err = fmt.Errorf("has %d bytes; %d are the most", r.size, limit)
	}
	if err != nil {
		f.worker.stop(ctx, err)
		return nil, err
	}
	f.size = r.size
	f.empty <- make([]byte, bufferSize)
	f.empty <- make([]byte, bufferSize)
	return f, nil
}

// fill reads a file into empty buffers until it ends, fails or is closed. Sends do not
// block: full has room for both buffers.
func (f *File) fill(r io.Reader, quit <-chan struct{}) {
	for {
		select {
		case <-quit:
			return
		case buffer := <-f.empty:
			select {
			case <-quit: // goes first
				return
			default:
			}
			n, err := r.Read(buffer)
			f.full <- chunk{buffer[:n], err}
			if err != nil {
				return
			}
		}
	}
}

// Size returns the size of the file in bytes when it was opened. It is 0 for files that
// are made as they are read, such as those of /proc.
func (f *File) Size() int64 { return f.size }

// Read reads from the file. After an error it returns that error again: [io.EOF] at the
// end, [ErrUnresponsive], that the file has more bytes than its limit or takes too long,
// the error of the context, or that of the operating system.
func (f *File) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		f.next()
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// next takes what the worker reads next.
func (f *File) next() {
	if f.buffer != nil {
		f.empty <- f.buffer
		f.buffer = nil
	}
	c, err := receive(f.ctx, f.full, &f.left)
	if err != nil {
		f.err = err
		return
	}
	f.buffer, f.rest, f.err = c.data[:cap(c.data)], c.data, pathless(c.err)
	if f.count += int64(len(c.data)); f.count > f.limit {
		f.rest, f.err = nil, fmt.Errorf("has more than %d bytes, which are the most", f.limit)
	}
}

// Close ends the use of the file. It waits for the last system call as long as [File.Read]
// would, and leaves one that does not return behind.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	f.worker.stop(f.ctx, f.err)
	f.rest, f.err = nil, io.ErrClosedPipe
	return nil
}
