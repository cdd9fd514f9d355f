package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// handle is an open file.
type handle interface {
	io.ReadCloser
	Stat() (fs.FileInfo, error)
}

// fileSystem are the system calls that find and open a file.
type fileSystem struct {
	stat func(path string) (fs.FileInfo, error)
	open func(path string) (handle, error)
}

// system is the operating system's.
//
// O_NONBLOCK opens a FIFO that nobody writes to without waiting for a writer, and
// O_NOCTTY keeps a terminal from becoming that of the process.
var system = fileSystem{
	stat: os.Stat,
	open: func(path string) (handle, error) {
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
		if err != nil {
			return nil, err
		}
		// Where the operating system can tell when there is something to read, as it can for
		// some files of /proc, a read is not a system call that blocks, and ends then.
		_ = f.SetReadDeadline(time.Now().Add(2 * patience))
		return f, nil
	},
}

// openRegular opens a regular file and returns its size in bytes. It looks at the path
// before, since to open a device can change its state, and at the file after, since the
// path may have changed meanwhile.
func (s fileSystem) openRegular(path string) (handle, int64, error) {
	info, err := s.stat(path)
	if err == nil {
		err = irregular(info)
	}
	if err != nil {
		return nil, 0, pathless(err)
	}
	h, err := s.open(path)
	if err != nil {
		return nil, 0, pathless(err)
	}
	info, err = h.Stat()
	if err == nil {
		err = irregular(info)
	}
	if err != nil {
		_ = h.Close()
		return nil, 0, pathless(err)
	}
	return h, info.Size(), nil
}

// irregular returns an error about what is not a regular file.
func irregular(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return errors.New("is a directory")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("is a FIFO and not a regular file")
	case mode&fs.ModeSocket != 0:
		return errors.New("is a socket and not a regular file")
	case mode&fs.ModeDevice != 0:
		return errors.New("is a device and not a regular file")
	}
	return errors.New("is not a regular file")
}

// pathless returns the cause of an error of package os, which names the operation and the
// path as well.
func pathless(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}
