//go:build unix

package regular

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A FIFO is not opened, and one that takes the place of a file between the look at the
// path and its opening is: without waiting for somebody to write to it.
func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	fifo, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "is a FIFO and not a regular file"
	if _, err := Open(t.Context(), fifo, 1); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	swapped := system
	swapped.stat = func(string) (fs.FileInfo, error) { return os.Stat(file) }
	began := time.Now()
	if _, err := open(t.Context(), fifo, 1, swapped); err == nil || err.Error() != want {
		t.Errorf("swapped: error %v after %v, want %q", err, time.Since(began), want)
	}
}

// The same without a seam: whatever a path names at the time, no look at it hangs.
func TestSwappedAllTheTime(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "path")
	fifo, file := filepath.Join(dir, "fifo"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(file, path); err != nil {
		t.Fatal(err)
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			next := path + ".next"
			if os.Link([]string{fifo, file}[i%2], next) != nil || os.Rename(next, path) != nil {
				_ = os.Remove(next)
			}
		}
	}()
	defer func() { close(done); <-ended }()
	for range 2000 {
		got, err := ReadFile(t.Context(), path, 1)
		if string(got) != "x" && (err == nil || err.Error() != "is a FIFO and not a regular file") {
			t.Fatalf("read %q, %v", got, err)
		}
	}
}
