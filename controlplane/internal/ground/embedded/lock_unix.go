//go:build !windows

package embedded

import (
	"errors"
	"os"
	"syscall"
)

const exeSuffix = ""

var errLocked = errors.New("locked")

// lockFile opens a file that only one process at a time can have open through this function.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, err
	}
	return f, nil
}
