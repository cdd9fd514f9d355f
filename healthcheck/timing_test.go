package healthcheck

import (
	"testing"
	"time"
)

const ms = time.Millisecond

func TestSlotAt(t *testing.T) {
	for at, want := range map[time.Duration]int64{
		0: 0, 1: 1, 99 * ms: 1, 100 * ms: 1, 101 * ms: 2, 30 * time.Second: 300,
	} {
		if got := slotAt(at); got != want {
			t.Errorf("slotAt(%v) = %d, want %d", at, got, want)
		}
		if slotBegin(slotAt(at)) < at {
			t.Errorf("slot %d begins before %v", slotAt(at), at)
		}
	}
}

func TestPhase(t *testing.T) {
	for hash, want := range map[uint64]time.Duration{
		0:           0,
		1 << 62:     250 * ms,
		1 << 63:     500 * ms,
		3 << 62:     750 * ms,
		1<<64 - 1:   time.Second - 1,
		1<<63 + 999: 500 * ms,
	} {
		if got := phase(hash, time.Second); got != want {
			t.Errorf("phase(%#x, 1s) = %v, want %v", hash, got, want)
		}
	}
}

func TestWaits(t *testing.T) {
	const half = 1 << 63 // the hash whose phase is a half
	spec := func(interval, recheck time.Duration) *Spec {
		return &Spec{Interval: interval, Recheck: recheck, Rise: 3, Fall: 2}
	}
	slow, quick := spec(30*time.Second, 5*time.Second), spec(600*ms, 600*ms)
	tests := []struct {
		name string
		got  time.Duration
		want time.Duration
	}{
		{"the first probes are spread over a second", firstWait(slow, half), 500 * ms},
		{"or over the interval if that is shorter", firstWait(quick, half), 300 * ms},
		{"every second until there are enough results", nextWait(slow, half, 1, false), time.Second},
		{"rise is 3, so two are not enough", nextWait(slow, half, 2, false), time.Second},
		{"failing or not", nextWait(slow, half, 2, true), time.Second},
		{"or every interval if that is shorter", nextWait(quick, half, 2, false), 600 * ms},
		{"then a part of the interval, to spread", nextWait(slow, half, 3, false), 15500 * ms},
		{"at least as long as before", nextWait(slow, 0, 3, false), time.Second},
		{"a short interval is not spread", nextWait(quick, half, 3, false), 600 * ms},
		{"then the interval", nextWait(slow, half, 4, false), 30 * time.Second},
		{"the recheck while results disagree", nextWait(slow, half, 4, true), 5 * time.Second},
		{"also right after the start", nextWait(slow, half, 3, true), 5 * time.Second},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestPace(t *testing.T) {
	tests := []struct {
		name    string
		starts  int
		wait    time.Duration
		backlog bool
		want    int
	}{
		{"nothing put off: it stays", 250, 0, false, 250},
		{"a backlog: twice as many", 250, 10 * ms, true, 500},
		{"up to the most", 800, 0, true, 1000},
		{"probes wait a whole slot for a processor: half", 800, 101 * ms, true, 400},
		{"the backlog notwithstanding, down to the least", 30, time.Second, true, 20},
	}
	for _, tt := range tests {
		if got := pace(tt.starts, tt.wait, tt.backlog); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestShare(t *testing.T) {
	tests := []struct {
		left      time.Duration
		addresses int
		want      time.Duration
	}{
		{4 * time.Second, 1, 4 * time.Second},
		{4 * time.Second, 2, 2 * time.Second},
		{4 * time.Second, 8, time.Second},
		{300 * ms, 8, 300 * ms},
	}
	for _, tt := range tests {
		if got := share(tt.left, tt.addresses); got != tt.want {
			t.Errorf("share(%v, %d) = %v, want %v", tt.left, tt.addresses, got, tt.want)
		}
	}
}
