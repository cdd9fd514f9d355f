package steer

import (
	"testing"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"
)

func TestSetup(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"good", "steer example.org {\n\tsimple www A 192.0.2.1\n}", ""},
		{"bad", "steer example.org {\n\tsimple www A 192.0.2\n}", `plugin/steer: Testfile:2 - Error during parsing: A value "192.0.2" is not an IPv4 address`},
		{"twice", "steer example.org {\n}\nsteer example.org {\n}", "plugin/steer: Testfile:3 - Error during parsing: this plugin can only be used once per Server Block; put all its stanzas into one block"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := caddy.NewTestController("dns", tt.text)
			err := setup(c)
			if tt.want != "" {
				if err == nil || err.Error() != tt.want {
					t.Errorf("got %v, want %s", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			plugins := dnsserver.GetConfig(c).Plugin
			if len(plugins) != 1 {
				t.Fatalf("%d plugins were added, want one", len(plugins))
			}
			var next plugin.Handler = plugin.HandlerFunc(nil)
			if h := plugins[0](next); h.Name() != "steer" {
				t.Errorf("the plugin is called %q", h.Name())
			}
		})
	}
}
