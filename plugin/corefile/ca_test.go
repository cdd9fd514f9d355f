package corefile

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"
)

func TestReadCAs(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.pem")
	if err := os.WriteFile(large, make([]byte, maxCAFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	pem, err := filepath.Abs(filepath.Join("testdata", "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ file, want string }{
		{pem, ""},
		{large, "has 1048577 bytes; 1048576 are the most"},
		{dir, "is a directory"},
		{filepath.Join(dir, "missing.pem"), "no such file or directory"},
		{"parse_test.go", "holds no certificate in PEM form"},
		{os.DevNull, "is a device and not a regular file"},
	}
	for _, tt := range tests {
		cas, err := readCAs(tt.file)
		if got := text(err); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.file, got, tt.want)
		}
		if (cas != "") != (tt.want == "") {
			t.Errorf("%s: %d bytes", tt.file, len(cas))
		}
	}
}

// TestCAsAreShared: a bundle of CA certificates can have a quarter of a megabyte, and
// thousands of checks may name it.
func TestCAsAreShared(t *testing.T) {
	cfg, err := parseText(`steer {
		simple a A 192.0.2.1 check a
		simple b A 192.0.2.2 check b
		check a https://192.0.2.1/ {
			tls_verify ca.pem
		}
		check b https://192.0.2.2/ {
			tls_verify ca.pem
		}
	}`)
	if err != nil {
		t.Fatal(err)
	}
	a, b := cfg.Catalog.Checks[0].Spec.CAs, cfg.Catalog.Checks[1].Spec.CAs
	if a == "" || unsafe.StringData(a) != unsafe.StringData(b) {
		t.Errorf("%d and %d bytes at two places in memory", len(a), len(b))
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
