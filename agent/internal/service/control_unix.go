//go:build unix

package service

import (
	"os"
	"strconv"
	"syscall"
)

// afterInstall has nothing to do here.
func afterInstall() error { return nil }

// owner is the number of the user to whom a data directory belongs; empty for root and where there is none yet.
func owner(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return ""
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 {
		return strconv.FormatUint(uint64(s.Uid), 10)
	}
	return ""
}
