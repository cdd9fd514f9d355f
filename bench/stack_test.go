package bench

import (
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// How many bytes of stack a found answer may need in the plugin. CoreDNS answers each
// query on a fresh goroutine with a small stack; half a kilobyte to a kilobyte more, and
// the runtime has to grow it, which costs more than all the rest of the plugin.
const maxStack = 512

// rare are the functions that a found answer does not go through, or goes through once
// for each zone of a server.
var rare = []string{
	"handler.(*Handler).absent",
	"handler.(*Handler).present",
	"handler.(*Handler).next",
	"handler.(*Handler).empty",
	"handler.annotate", // with the metadata plugin only
	"handler.(*Handler).captureServer",
	"handler.(*Handler).countFirst",
}

// frame is what the compiler says of a function.
type frame struct {
	size  int // bytes, with the return address
	calls []string
}

var (
	textLine = regexp.MustCompile(`^(\S+) STEXT .*\blocals=0x([0-9a-f]+)`)
	callLine = regexp.MustCompile(`\tCALL\t(\S+)\(SB\)`)
)

// frames compiles packages and returns the frames of their functions by name, without
// the path of the module.
func frames(t *testing.T, packages ...string) map[string]*frame {
	t.Helper()
	const plugin = "github.com/steerdns/steer/plugin/"
	cmd := exec.Command("go", append([]string{"build", "-gcflags=-S"}, packages...)...)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	all := make(map[string]*frame)
	var f *frame
	for line := range strings.Lines(string(out)) {
		if m := textLine.FindStringSubmatch(line); m != nil {
			size, err := strconv.ParseUint(m[2], 16, 31)
			if err != nil {
				t.Fatal(err)
			}
			f = &frame{size: int(size) + 8}
			all[strings.TrimPrefix(m[1], plugin)] = f
			continue
		}
		if m := callLine.FindStringSubmatch(line); m != nil && f != nil {
			f.calls = append(f.calls, strings.TrimPrefix(m[1], plugin))
		}
	}
	return all
}

// What makes an answer of one record, and what one of several: at the deepest, of a load
// balancer that draws among its zones' targets.
const (
	one     = "handler.replyOne"
	several = "routing.(*Selection).Fill"
)

// deepest returns the most stack that a function needs together with those it calls,
// and the way there, which goes through none of the functions left out.
func deepest(all map[string]*frame, name string, above, out []string) (int, []string) {
	f := all[name]
	if f == nil || slices.Contains(out, name) || slices.Contains(above, name) {
		return 0, nil // the runtime's, another package's, or a recursion after a rare function
	}
	above = append(above, name)
	most, way := 0, []string(nil)
	for _, callee := range f.calls {
		if n, w := deepest(all, callee, above, out); n > most {
			most, way = n, w
		}
	}
	return f.size + most, append([]string{name + " " + strconv.Itoa(f.size)}, way...)
}

// TestStack bounds the frames on the way of a found answer.
func TestStack(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("frame sizes are held on amd64")
	}
	all := frames(t, "./plugin/handler", "./plugin/routing")
	const entry = "handler.(*Handler).ServeDNS"
	for _, name := range append([]string{entry, one, several}, rare...) {
		if all[name] == nil {
			t.Errorf("%s is not a function of its own: renamed, or inlined into the way of a found answer", name)
		}
	}
	for _, answer := range []struct{ name, out string }{
		{"of one record", several},
		{"of several, drawn by a load balancer", one},
	} {
		size, way := deepest(all, entry, nil, append([]string{answer.out}, rare...))
		t.Logf("an answer %s needs %d bytes: %s", answer.name, size, strings.Join(way, ", "))
		if size >= maxStack {
			t.Errorf("an answer %s needs %d bytes of stack in the plugin, want less than %d: %s", answer.name, size, maxStack, strings.Join(way, ", "))
		}
	}
}
