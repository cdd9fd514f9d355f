package regular

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestReadFile(t *testing.T) {
	for _, size := range []int{0, 1, bufferSize - 1, bufferSize, bufferSize + 1, 5*bufferSize + 7} {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(i * i >> 8)
		}
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(t.Context(), path, int64(size))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
		link := path + ".link"
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadFile(t.Context(), link, int64(size)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes through a link: read %d, %v", size, len(got), err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tests := []struct{ path, want string }{
		{dir, "is a directory"},
		{socket, "is a socket and not a regular file"},
		{os.DevNull, "is a device and not a regular file"},
		{filepath.Join(dir, "missing"), "no such file or directory"},
		{filepath.Join(file, "below"), "not a directory"},
		{file, "has 5 bytes; 4 are the most"},
	}
	for _, tt := range tests {
		_, err := Open(t.Context(), tt.path, 4)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: error %v, want %q", tt.path, err, tt.want)
		}
	}
}

// What ReadFile tells apart by errors.Is is that of the operating system.
func TestOpenKeepsTheCause(t *testing.T) {
	if _, err := ReadFile(t.Context(), filepath.Join(t.TempDir(), "missing"), 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v is not os.ErrNotExist", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadFile(ctx, "regular.go", 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v is not context.Canceled", err)
	}
}

func TestGlob(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"b.json", "a.json", "c.txt"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Glob(t.Context(), "*.json"); err != nil || !slices.Equal(got, []string{"a.json", "b.json"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Glob(t.Context(), "["); !errors.Is(err, filepath.ErrBadPattern) {
		t.Errorf("error %v is not filepath.ErrBadPattern", err)
	}
}

func TestClosed(t *testing.T) {
	f, err := Open(t.Context(), "regular.go", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat("regular.go"); err != nil || f.Size() != info.Size() {
		t.Errorf("size %d, want that of %v, %v", f.Size(), info, err)
	}
	if n, err := f.Read(make([]byte, 10)); n != 10 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	select {
	case <-f.worker.ended:
	default:
		t.Error("the worker outlives Close")
	}
	if n, err := f.Read(make([]byte, 10)); n != 0 || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("read %d, %v after Close", n, err)
	}
}
