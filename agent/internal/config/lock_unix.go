//go:build unix

package config

import (
	"fmt"
	"os"
	"syscall"
)

// Lock keeps a second process from running with this data directory: the two would take each other's connection. The
// lock ends with the process.
func (d Dir) Lock() (unlock func(), err error) {
	f, err := os.OpenFile(d.path("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("another agent runs with the data directory %s (%w)", d, err)
	}
	return func() { f.Close() }, nil
}
