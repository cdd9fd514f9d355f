//go:build unix

package scaling

import (
	"syscall"
	"time"
)

// now returns the processor time that the process has used. Unlike the clock, it stands
// still while other processes have the processor.
func now() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
