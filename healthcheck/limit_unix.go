//go:build unix && !portable

package healthcheck

import "syscall"

// openLimit returns how many files and sockets the process may have open. The Go
// runtime has raised the soft limit to the hard one already.
func openLimit() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil || l.Cur > 1<<30 {
		return 1 << 30
	}
	return int(l.Cur)
}
