package test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestValidate sets up Corefiles with the binary and starts nothing: the ports of the good
// one are not taken, since another server may have them.
func TestValidate(t *testing.T) {
	const good = `example.org:1053 {
	prometheus 127.0.0.1:9153
	steer {
		simple www A 192.0.2.1
	}
}
`
	tests := []struct {
		name     string
		corefile string // "" is none
		args     []string
		code     int
		want     string // of standard error
	}{
		{"good", good, nil, 0, ""},
		{"a mistake in a stanza", strings.Replace(good, "192.0.2.1", "192.0.2", 1), nil, 1, `Corefile:4 - Error during parsing: A value "192.0.2"`},
		{"a mistake of another plugin", strings.Replace(good, "prometheus", "prometheus 1 2 3", 1), nil, 1, "plugin/prometheus: "},
		{"an unknown directive", strings.Replace(good, "steer", "stear", 1), nil, 1, "Unknown directive 'stear'"},
		{"no file", "", nil, 1, "no Corefile to validate: "},
		{"a further word", good, []string{"Corefile"}, 1, `extra command line arguments: ["Corefile"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.corefile != "" {
				write(t, filepath.Join(dir, "Corefile"), tt.corefile)
			}
			cmd := exec.CommandContext(t.Context(), coredns(t), append([]string{"-validate"}, tt.args...)...)
			cmd.Dir = dir
			var stderr strings.Builder
			cmd.Stderr = &stderr
			err := cmd.Run()
			code := 0
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				code = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if code != tt.code || !strings.Contains(stderr.String(), tt.want) || tt.want == "" && stderr.Len() > 0 {
				t.Errorf("exit code %d and %q, want %d and %q", code, stderr.String(), tt.code, tt.want)
			}
		})
	}
}
