package corefile

import (
	"os"
	"path/filepath"
	"testing"
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

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
