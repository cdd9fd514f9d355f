package regular

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowFile is a regular file whose system calls take their time, or do not return until
// they are released.
type slowFile struct {
	info                 fs.FileInfo
	opens, reads, closes atomic.Int32

	open, read, close func() // wait
	data              int    // bytes a read returns
}

func newSlowFile(t *testing.T) *slowFile {
	path := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return &slowFile{info: info, data: 1}
}

func (s *slowFile) system() fileSystem {
	stat := func(string) (fs.FileInfo, error) { return s.info, nil }
	return fileSystem{stat: stat, open: func(string) (handle, error) {
		s.opens.Add(1)
		if s.open != nil {
			s.open()
		}
		return s, nil
	}}
}

func (s *slowFile) Stat() (fs.FileInfo, error) { return s.info, nil }

func (s *slowFile) Read(p []byte) (int, error) {
	s.reads.Add(1)
	if s.read != nil {
		s.read()
	}
	return min(s.data, len(p)), nil
}

func (s *slowFile) Close() error {
	s.closes.Add(1)
	if s.close != nil {
		s.close()
	}
	return nil
}

// A file system that does not answer costs one goroutine for each path and stall for the
// first look; later ones cost nothing, until it answers again.
func TestHanging(t *testing.T) {
	tests := []struct {
		name string
		at   func(s *slowFile, wait func())
	}{
		{"open", func(s *slowFile, wait func()) { s.open = wait }},
		{"read", func(s *slowFile, wait func()) { s.read = wait }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				hanging := newSlowFile(t)
				tt.at(hanging, func() { <-release })
				look := func() (time.Duration, error) {
					began := time.Now()
					f, err := open(t.Context(), "path", 1<<20, hanging.system())
					if err == nil {
						_, err = f.Read(make([]byte, 1))
						_ = f.Close()
					}
					return time.Since(began), err
				}
				if took, err := look(); took != stall || !errors.Is(err, ErrUnresponsive) {
					t.Errorf("the first look took %v: %v", took, err)
				}
				for range 10 {
					if took, err := look(); took != 0 || !errors.Is(err, ErrUnresponsive) {
						t.Errorf("a later look took %v: %v", took, err)
					}
				}
				if n := hanging.opens.Load(); n != 1 {
					t.Errorf("%d goroutines hang, want 1", n)
				}
				if got, err := ReadFile(t.Context(), "regular.go", 1<<20); len(got) == 0 || err != nil {
					t.Errorf("another path: %v", err)
				}
				close(release)
				synctest.Wait()
				if n := hanging.closes.Load(); n != 1 {
					t.Errorf("closed %d times, want once", n)
				}
				if took, err := look(); took != 0 || err != nil {
					t.Errorf("after it answers a look took %v: %v", took, err)
				}
			})
		})
	}
}

// Close does not wait for good either, and a system call that takes its time is waited for
// by who comes next.
func TestHangingAtClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowFile(t)
		s.close = func() { time.Sleep(stall + time.Second) }
		f, err := open(t.Context(), "path", 10, s.system())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_ = f.Close()
		if took := time.Since(began); took != stall {
			t.Errorf("Close took %v, want %v", took, stall)
		}
		if _, err := open(t.Context(), "path", 10, s.system()); !errors.Is(err, ErrUnresponsive) {
			t.Errorf("error %v", err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(leftBehind.workers) != 0 {
			t.Error("a worker that has ended is still known as hanging")
		}
	})
}

// A context that ends is obeyed at once. What is under way then does not count as
// hanging: it may be a disk at work.
func TestCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowFile(t)
		s.read = func() { time.Sleep(3 * time.Second) }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f, err := open(ctx, "path", 10, s.system())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = f.Read(make([]byte, 1))
		_ = f.Close()
		if took := time.Since(began); took != time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it took %v: %v", took, err)
		}
		next, err := open(t.Context(), "path", 10, s.system())
		if took := time.Since(began); took != 3*time.Second || err != nil {
			t.Fatalf("the next one took until %v: %v", took, err)
		}
		_ = next.Close()
	})
}

// A file that has no end, and one that comes drop by drop.
func TestEndless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 10*bufferSize + 1
		s := newSlowFile(t)
		s.data = bufferSize
		f, err := open(t.Context(), "path", limit, s.system())
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, f)
		_ = f.Close()
		if n != 10*bufferSize || err == nil || err.Error() != "has more than 655361 bytes, which are the most" {
			t.Errorf("%d bytes, %v", n, err)
		}
		if reads := s.reads.Load(); reads > 13 {
			t.Errorf("%d reads of %d bytes for a limit of %d", reads, bufferSize, limit)
		}

		s = newSlowFile(t)
		s.read = func() { time.Sleep(stall - time.Millisecond) }
		if f, err = open(t.Context(), "path", limit, s.system()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = io.Copy(io.Discard, f)
		if took := time.Since(began); took != patience || err != errSlow {
			t.Errorf("it took %v: %v", took, err)
		}
		_ = f.Close()
	})
}

func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		began := time.Now()
		for range 3 {
			if _, err := do(t.Context(), "key", func() (int, error) { <-release; return 1, nil }); !errors.Is(err, ErrUnresponsive) {
				t.Errorf("error %v", err)
			}
		}
		if took := time.Since(began); took != stall {
			t.Errorf("three tries took %v, want %v", took, stall)
		}
		close(release)
		synctest.Wait()
		if n, err := do(t.Context(), "key", func() (int, error) { return 2, io.EOF }); n != 2 || err != io.EOF {
			t.Errorf("%d, %v", n, err)
		}
	})
}
