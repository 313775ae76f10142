// Package memlimit sets the soft memory limit of the Go runtime from what the process may use, so that garbage is
// collected more often instead of the kernel ending the process.
//
// A limit of the control group counts, of version 2 or 1, and the memory of the host otherwise. GOMEMLIMIT overrules
// both.
package memlimit

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Set sets the limit unless GOMEMLIMIT is set, to at most most bytes where most is not 0. It returns the limit, or 0
// where it has set none.
func Set(most int64) int64 {
	if os.Getenv("GOMEMLIMIT") != "" {
		return 0
	}
	limit := Default(os.DirFS("/"), most)
	if limit > 0 {
		debug.SetMemoryLimit(limit)
	}
	return limit
}

// Default is the limit for a process that sees the given root of the file system: four fifths of what its control group
// may use, or half of the host's memory. It is 0 where nothing is known, and most where that is less.
func Default(root fs.FS, most int64) int64 {
	limit := controlGroup(root) / 5 * 4
	if total := hostMemory(root); total > 0 && (limit == 0 || total < limit) {
		limit = total / 2
	}
	if most > 0 && (limit == 0 || most < limit) {
		return most
	}
	return limit
}

// controlGroup is the least limit of the process's control group and of those above it; 0: there is none.
func controlGroup(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := int64(math.MaxInt64)
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, name := "sys/fs/cgroup", "memory.max"
		switch {
		case parts[1] == "memory":
			base, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case parts[1] != "":
			continue
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			if n := number(root, path.Join(base, at, name)); n > 0 {
				least = min(least, n)
			}
			if at == "/" {
				break
			}
		}
	}
	if least >= math.MaxInt64/4 { // version 1 has no word for unlimited
		return 0
	}
	return least
}

// number reads a file that holds a number; 0 if it is missing or says max.
func number(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0 // max
	}
	return n
}

// hostMemory is the host's memory in bytes; 0 if it is not known.
func hostMemory(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		rest, is := strings.CutPrefix(lines.Text(), "MemTotal:")
		if !is {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
		if err != nil {
			return 0
		}
		return n << 10
	}
	return 0
}
