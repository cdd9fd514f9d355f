//go:build !unix

package scaling

import "time"

var began = time.Now()

// now returns the time since the process began.
func now() time.Duration { return time.Since(began) }
