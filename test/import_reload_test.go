package test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A change of a file is served within route53_reload. What did not change keeps its
// status, its counters and its running probe.
func TestImportChange(t *testing.T) {
	none := settled()
	dead := newEndpoint(t)
	dead.kill()
	answer, asked := make(chan int), make(chan *http.Request, 100)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	slow := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r
		w.WriteHeader(<-answer)
	})}
	go slow.Serve(l) // ends with Close
	defer slow.Close()
	// The slow one is probed by a check of the block, which may take its time.
	stanzas := both + "\n\tcheck slow http://" + l.Addr().String() + "/ {\n\tinterval 60s\n\tthreshold 1\n\tresponse_timeout 50s\n\t}"
	zone := func(one, two int) string {
		return recordSets(
			set("api", "192.0.2.1", failover("PRIMARY"), checkedBy("web-1")),
			set("api", "192.0.2.2", failover("SECONDARY")),
			set("slow", "192.0.2.3", failover("PRIMARY"), checkedBy("slow")),
			set("slow", "192.0.2.4", failover("SECONDARY")),
			set("www", "192.0.2.1", weight("one", one)),
			set("www", "192.0.2.2", weight("two", two)))
	}
	i := importing(t, stanzas, "zone.json", zone(1, 0), "checks.json", checksOf(dead))
	waitSeen(t, slack, i.port, "www.example.org", "A", "192.0.2.1")
	waitShort(t, 3*time.Second+slack, i.port, "api.example.org", "A", "192.0.2.2")
	var probe *http.Request
	select {
	case probe = <-asked:
	case <-time.After(2*time.Second + slack):
		t.Fatal("no probe came")
	}
	before, from := settled(), logged.mark()
	failed := i.probes("web-1", "fail")
	stopWatch := watch(t, i.port, "api.example.org", "192.0.2.2")
	for round := range 6 {
		began := time.Now()
		write(t, i.path("zone.json"), zone(round%2, (round+1)%2))
		waitShort(t, changeTime, i.port, "www.example.org", "A", fmt.Sprintf("192.0.2.%d", 2-round%2))
		t.Logf("round %d: served after %v", round, time.Since(began))
		now := i.probes("web-1", "fail")
		if now < failed {
			t.Fatalf("round %d: %v failed probes after %v: the counter fell", round, now, failed)
		}
		failed = now
	}
	if answers := stopWatch(); answers < 100 {
		t.Errorf("only %d answers", answers)
	}
	if n := from.count(" -> "); n != 0 {
		t.Errorf("a check flapped:\n%s", from.text())
	}
	if err := probe.Context().Err(); err != nil || len(asked) > 0 {
		t.Fatalf("the running probe was cut off (%v) or another came beside it (%d)", err, len(asked))
	}
	answer <- http.StatusServiceUnavailable
	waitShort(t, slack, i.port, "slow.example.org", "A", "192.0.2.4")
	if !poll(slack, func() bool { return i.probes("web-1", "fail") > failed }) {
		t.Error("checking does not go on")
	}
	noLeaks(t, before)
	slow.Close()
	i.stop()
	noLeaks(t, none)
}

// probes returns how many probes of a check had a result.
func (i *imported) probes(check, result string) float64 {
	i.t.Helper()
	return metric(i.t, "coredns_steer_probes_total", "block", i.block, "check", check, "result", result)
}

// A broken file is reported once, with its place; the running data stays. So it is when
// the file is gone.
func TestImportBrokenFile(t *testing.T) {
	web := newEndpoint(t)
	web.kill()
	i := importing(t, both, "checks.json", checksOf(web),
		"zone.json", recordSets(set("api", "192.0.2.1", failover("PRIMARY"), checkedBy("web-1")), set("api", "192.0.2.2", failover("SECONDARY"))))
	zone := readFile(t, i.path("zone.json"))
	waitShort(t, 3*time.Second+slack, i.port, "api.example.org", "A", "192.0.2.2")
	loaded := i.metric("import_last_success_timestamp_seconds", "file", i.path("zone.json"))
	breaks := []struct {
		name string
		do   func()
		want string // after the path
	}{
		{"a comma too many", func() { write(t, i.path("zone.json"), strings.Replace(zone, "}\n]", "},\n]", 1)) },
			":4:1: ']' after a comma: JSON allows none after the last element"},
		{"empty", func() { write(t, i.path("zone.json"), "") }, ":1:1: the file is empty"},
		{"cut off", func() { write(t, i.path("zone.json"), zone[:len(zone)-20]) }, ":3:"},
		{"a FIFO", func() {
			os.Remove(i.path("zone.json"))
			if err := syscall.Mkfifo(i.path("zone.json"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, ": is a FIFO and not a regular file"},
		{"a directory", func() {
			os.Remove(i.path("zone.json"))
			if err := os.Mkdir(i.path("zone.json"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, ": is a directory"},
		{"gone", func() { os.Remove(i.path("zone.json")) }, ": no such file or directory"},
	}
	stopWatch := watch(t, i.port, "api.example.org", "192.0.2.2")
	for _, b := range breaks {
		t.Run(b.name, func(t *testing.T) {
			from, began := logged.mark(), time.Now()
			b.do()
			from.wait(t, changeTime, "[ERROR] plugin/steer: route53 of "+i.block+": "+i.path("zone.json")+b.want)
			from.wait(t, slack, " (imported at Corefile:5); the running data stays")
			if poll(quiet, func() bool { return from.count("zone.json") != 1 }) {
				t.Errorf("more is told than once:\n%s", from.text())
			}
			if from.count("; the running data stays") != 1 {
				t.Errorf("it is not told that the data stays:\n%s", from.text())
			}
			at := i.metric("import_last_error_timestamp_seconds", "file", i.path("zone.json"))
			if at < float64(began.UnixMilli())/1000 {
				t.Errorf("the last error is of %v, and it began at %v", at, began.Unix())
			}
			if got := i.metric("import_last_error_timestamp_seconds", "file", i.path("checks.json")); got >= 0 {
				t.Errorf("checks.json had an error at %v", got)
			}
			if got := i.metric("import_last_success_timestamp_seconds", "file", i.path("zone.json")); got != loaded {
				t.Errorf("the last success is of %v, want %v as before", got, loaded)
			}
		})
	}
	stopWatch()

	write(t, i.path("zone.json"), strings.Replace(zone, "192.0.2.2", "192.0.2.3", 1))
	waitShort(t, changeTime, i.port, "api.example.org", "A", "192.0.2.3")
	failed := i.metric("import_last_error_timestamp_seconds", "file", i.path("zone.json"))
	if got := i.metric("import_last_success_timestamp_seconds", "file", i.path("zone.json")); got <= failed {
		t.Errorf("the last success is of %v, before the last error (%v)", got, failed)
	}
	if n := i.from.count(`check "web-1" of `); n != 1 {
		t.Errorf("the check changed %d times, want once:\n%s", n, i.from.text())
	}
}

// However a file is replaced, its content counts, and nothing else does.
func TestImportFileReplaced(t *testing.T) {
	zone := func(n int) string { return recordSets(set("www", fmt.Sprintf("192.0.2.%d", n))) }
	serves := func(t *testing.T, i *imported, n int) {
		t.Helper()
		waitShort(t, changeTime, i.port, "www.example.org", "A", fmt.Sprintf("192.0.2.%d", n))
	}
	const stanzas = "\troute53 DIR/*.json\n\troute53_reload 1s"

	t.Run("written in place", func(t *testing.T) {
		i := importing(t, stanzas, "zone.json", zone(1))
		for n := range 3 {
			if err := os.WriteFile(i.path("zone.json"), []byte(zone(n+2)), 0o644); err != nil {
				t.Fatal(err)
			}
			serves(t, i, n+2)
		}
	})
	t.Run("written slowly", func(t *testing.T) {
		i := importing(t, stanzas, "zone.json", zone(1))
		f, err := os.Create(i.path("zone.json"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		// A piece every 50 ms, for longer than a look is away.
		rest := zone(2)
		piece := len(rest)/40 + 1
		poll(10*time.Second, func() bool {
			n := min(piece, len(rest))
			f.WriteString(rest[:n])
			rest = rest[n:]
			return len(rest) == 0 || poll(50*time.Millisecond, func() bool { return false })
		})
		serves(t, i, 2)
		if n := i.from.count("[ERROR]"); n != 0 {
			t.Errorf("half a file is reported:\n%s", i.from.text())
		}
	})
	t.Run("renamed into place", func(t *testing.T) {
		i := importing(t, stanzas, "zone.json", zone(1))
		for n := range 3 {
			write(t, i.path("zone.json"), zone(n+2))
			serves(t, i, n+2)
		}
	})
	t.Run("a ConfigMap", func(t *testing.T) {
		dir := t.TempDir()
		version := func(n int) {
			data := fmt.Sprintf("..2025_%d", n)
			if err := os.Mkdir(filepath.Join(dir, data), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, data, "zone.json"), zone(n))
			write(t, filepath.Join(dir, data, "more.json"), recordSets(set("more", fmt.Sprintf("192.0.2.%d", n))))
			link(t, data, filepath.Join(dir, "..data"))
		}
		version(1)
		link(t, "..data/zone.json", filepath.Join(dir, "zone.json"))
		link(t, "..data/more.json", filepath.Join(dir, "more.json"))
		i := importing(t, strings.ReplaceAll(stanzas, "DIR", dir))
		serves(t, i, 1)
		for n := 2; n < 5; n++ {
			version(n)
			os.RemoveAll(filepath.Join(dir, fmt.Sprintf("..2025_%d", n-1)))
			serves(t, i, n)
			waitShort(t, slack, i.port, "more.example.org", "A", fmt.Sprintf("192.0.2.%d", n))
		}
		if n := i.from.count("[ERROR]"); n != 0 {
			t.Errorf("errors are reported:\n%s", i.from.text())
		}
	})
	t.Run("touched", func(t *testing.T) {
		i := importing(t, stanzas, "zone.json", zone(1))
		serves(t, i, 1)
		from := logged.mark()
		write(t, i.path("zone.json"), zone(1))
		write(t, i.path(".zone.json"), "what an editor leaves")
		if poll(quiet, func() bool { return from.text() != "" }) {
			t.Errorf("something happens:\n%s", from.text())
		}
	})
	t.Run("a file more and a file less", func(t *testing.T) {
		i := importing(t, stanzas, "zone.json", zone(1))
		write(t, i.path("more.json"), recordSets(set("more", "192.0.2.7")))
		waitShort(t, changeTime, i.port, "more.example.org", "A", "192.0.2.7")
		os.Remove(i.path("more.json"))
		waitShort(t, changeTime, i.port, "more.example.org", "A", "")
		if at := i.metric("import_last_success_timestamp_seconds", "file", i.path("more.json")); at >= 0 {
			t.Errorf("the metrics keep a file that is no longer there")
		}
		from := logged.mark()
		os.Remove(i.path("zone.json"))
		from.wait(t, changeTime, fmt.Sprintf("[ERROR] plugin/steer: route53 of %s: Corefile:5 - Error during parsing: route53: file pattern %q matches no file; the running data stays", i.block, i.path("*.json")))
		serves(t, i, 1)
	})
}

// link makes a symbolic link, in place of what is there.
func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path+".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// A record set that moves from one file to another, which are written one after the other,
// is neither lost nor there twice at any time.
func TestImportTwoFilesAtOnce(t *testing.T) {
	stays := set("www", "192.0.2.1", weight("stays", 0))
	moves := set("www", "192.0.2.2", weight("moves", 1))
	other := set("other", "192.0.2.3")
	i := importing(t, "\troute53 DIR/a.json DIR/b.json\n\troute53_reload 1s", "a.json", recordSets(stays, moves), "b.json", recordSets(other))
	waitShort(t, slack, i.port, "www.example.org", "A", "192.0.2.2")
	stopWatch := watch(t, i.port, "www.example.org", "192.0.2.2")
	from := logged.mark()
	texts := [2][2]string{
		{recordSets(stays), recordSets(other, moves)},
		{recordSets(stays, moves), recordSets(other)},
	}
	for round := range 8 {
		text := texts[round%2]
		first, second := round/2%2, 1-round/2%2 // lost for a moment, or doubled
		write(t, i.path([]string{"a.json", "b.json"}[first]), text[first])
		poll(time.Duration(20*round)*time.Millisecond, func() bool { return false })
		write(t, i.path([]string{"a.json", "b.json"}[second]), text[second])
		if !poll(changeTime, func() bool { return from.count(": 3 record sets and 0 health checks loaded") == round+1 }) {
			t.Fatalf("round %d: not loaded:\n%s", round, from.text())
		}
		if got := metric(t, "coredns_steer_record_sets", "block", i.block); got != 4 { // with the SOA
			t.Errorf("round %d: %v record sets", round, got)
		}
		// The next round begins elsewhere between two looks.
		poll(time.Duration(130*round)*time.Millisecond, func() bool { return false })
	}
	stopWatch()
	if strings.Count(from.text(), "\n") != 8 {
		t.Errorf("more is told than eight loads:\n%s", from.text())
	}
}

// With route53_reload 0 files are never looked at, but at a reload of the Corefile.
func TestImportNeverLooks(t *testing.T) {
	i := importing(t, "\troute53 DIR/zone.json\n\troute53_reload 0", "zone.json", recordSets(set("www", "192.0.2.1")))
	waitShort(t, slack, i.port, "www.example.org", "A", "192.0.2.1")
	write(t, i.path("zone.json"), recordSets(set("www", "192.0.2.2")))
	if poll(quiet, func() bool { return short(ask(t, i.port, "www.example.org", "A")) != "192.0.2.1" }) {
		t.Error("the change is served")
	}
	i.mustReload(i.corefile("\troute53 DIR/zone.json\n\troute53_reload 0\n"))
	waitShort(t, slack, i.port, "www.example.org", "A", "192.0.2.2")
}
