//go:build !unix

package targettest

import "time"

var started = time.Now()

// cpuTime is the time since the start, where the system does not report processor time.
func cpuTime() time.Duration { return time.Since(started) }
