package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy"
)

// Snippets, imported files and environment variables work as everywhere in a Corefile.
func TestImportAndEnvironment(t *testing.T) {
	web, port := newEndpoint(t), freePort(t)
	web.kill()
	file := filepath.Join(t.TempDir(), "names.conf")
	write(t, file, "simple from-file A {$STEER_ADDRESS}\n")
	t.Setenv("STEER_ADDRESS", "192.0.2.3")
	t.Setenv("STEER_URL", web.url())
	start(t, `(fast) {
	interval 1s
	threshold 2
}
(web) {
	check web {$STEER_URL} {
		import fast
		status 200,204
	}
}
`+block("example.org", port)+`	steer {
		import web
		failover api A {
			primary   192.0.2.1 check web
			secondary 192.0.2.2
		}
		import `+file+`
	}
}
`)
	waitShort(t, 3*time.Second+slack, port, "api.example.org", "A", "192.0.2.2")
	if got := short(ask(t, port, "from-file.example.org", "A")); got != "192.0.2.3" {
		t.Errorf("from-file is %q, want 192.0.2.3", got)
	}
}

// Errors name the file and line of the word that is wrong, in an imported file as well.
func TestErrorsNameFileAndLine(t *testing.T) {
	os.Unsetenv("STEER_UNSET")
	file := filepath.Join(t.TempDir(), "bad.conf")
	write(t, file, "simple ok A 192.0.2.1\nweighted www A {\n\tweight ten 192.0.2.1\n}\n")
	tests := []struct {
		name, stanza, want string
	}{
		{"in the Corefile", "simple www A 192.0.2.1\n\t\tsimpel api A 192.0.2.2", `Corefile:5 - Error during parsing: unknown keyword "simpel"`},
		{"in an imported file", "import " + file, file + `:3 - Error during parsing: weight "ten"`},
		{"an unset variable", "simple www A {$STEER_UNSET}", "Corefile:4 - Error during parsing: unexpected empty word"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			port := freePort(t)
			i, err := caddy.Start(input(block("example.org", port) + fmt.Sprintf("\tsteer {\n\t\t%s\n\t}\n}\n", tt.stanza)))
			if err == nil {
				i.Stop()
				t.Fatal("the server starts")
			}
			if !strings.Contains(err.Error(), "plugin/steer: "+tt.want) {
				t.Errorf("the error is\n%v, want\n%s", err, tt.want)
			}
		})
	}
}
