package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress: what is quick shows nothing; what is not shows what it is at after two
// seconds, and makes room for output.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal bytes.Buffer
		p := &progress{w: &terminal}
		p.begin("reading Corefile", 0)
		time.Sleep(progressAfter - time.Millisecond)
		p.end()
		if terminal.Len() > 0 {
			t.Errorf("shown too early: %q", terminal.String())
		}

		p.begin("reading Corefile", 0)
		time.Sleep(time.Second)
		p.begin("trying example.org.:53", 4)
		time.Sleep(progressAfter - time.Second + time.Millisecond)
		synctest.Wait()
		const first = "\r\x1b[Ktrying example.org.:53, 0 of 4 (2 s)"
		if got := terminal.String(); got != first {
			t.Errorf("after two seconds %q, want %q", got, first)
		}
		p.step()
		time.Sleep(progressEvery)
		synctest.Wait()
		const second = first + "\r\x1b[Ktrying example.org.:53, 1 of 4 (2 s)"
		if got := terminal.String(); got != second {
			t.Errorf("after a step %q, want %q", got, second)
		}
		out := &afterProgress{&terminal, p}
		if _, err := out.Write([]byte("a line\n")); err != nil {
			t.Fatal(err)
		}
		if got, want := terminal.String(), second+"\r\x1b[Ka line\n"; got != want {
			t.Errorf("with output %q, want %q", got, want)
		}
		p.end()
		p.end() // which may come twice
		time.Sleep(time.Minute)
		if got, want := terminal.String(), second+"\r\x1b[Ka line\n"; got != want {
			t.Errorf("at the end %q, want %q", got, want)
		}
	})
}

// TestProgressElsewhere: where there is no terminal nothing is shown and nothing runs.
func TestProgressElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &progress{}
		p.begin("reading Corefile", 0)
		time.Sleep(time.Minute)
		p.step()
		p.end()
	})
}
