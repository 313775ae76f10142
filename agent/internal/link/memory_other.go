//go:build !linux

package link

import "runtime"

// residentBytes is what the Go runtime has taken from the system and not given back.
func residentBytes(m *runtime.MemStats) int64 { return int64(m.Sys - m.HeapReleased) }
