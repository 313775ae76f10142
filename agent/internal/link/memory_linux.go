package link

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
)

// residentBytes is the memory this process really holds (proc(5): the second field of statm, in pages).
func residentBytes(m *runtime.MemStats) int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return int64(m.Sys)
	}
	fields := bytes.Fields(data)
	if len(fields) < 2 {
		return int64(m.Sys)
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return int64(m.Sys)
	}
	return pages * int64(os.Getpagesize())
}
