package healthcheck

import "testing"

func TestThreshold(t *testing.T) {
	tests := []struct {
		name       string
		rise, fall uint8
		probes     string // one letter a probe: p passes, f fails
		want       string // status after each probe: H healthy, U unhealthy
	}{
		{"a new check is healthy", 3, 3, "p", "H"},
		{"the limit is inclusive", 3, 3, "fff", "HHU"},
		{"a pass between failures starts the run anew", 3, 3, "ffpff", "HHHHH"},
		{"recovery needs as many passes", 3, 3, "fffppfppp", "HHUUUUUUH"},
		{"with limits of one every probe counts", 1, 1, "fpfp", "UHUH"},
		{"quick to fall, slow to rise", 4, 1, "fppppf", "UUUUHU"},
		{"slow to fall, quick to rise", 1, 4, "fffffp", "HHHUUH"},
		{"the run does not outlive a change", 2, 3, "fffpp" + "ff", "HHUUH" + "HH"},
		{"ten", 10, 10, "ffffffffff", "HHHHHHHHHU"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			th := Threshold{Rise: tt.rise, Fall: tt.fall}
			got := ""
			for _, probe := range tt.probes {
				before := th.Status()
				changed := th.Observe(probe == 'p')
				if changed != (th.Status() != before) {
					t.Errorf("Observe said changed = %v, the status went from %v to %v", changed, before, th.Status())
				}
				got += map[Status]string{Healthy: "H", Unhealthy: "U"}[th.Status()]
			}
			if got != tt.want {
				t.Errorf("after %s: got %s, want %s", tt.probes, got, tt.want)
			}
		})
	}
}

func BenchmarkObserve(b *testing.B) {
	b.ReportAllocs()
	th := Threshold{Rise: 3, Fall: 3}
	for i := 0; b.Loop(); i++ {
		th.Observe(i%7 < 3)
	}
}
