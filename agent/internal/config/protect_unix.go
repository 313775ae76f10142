//go:build unix

package config

import (
	"fmt"
	"os"
	"syscall"
)

// protect lets only the owner into the directory.
func protect(dir string) error { return os.Chmod(dir, 0o700) }

// adopt gives a new file to the directory's owner when root writes it: the service may run as another user, who must be
// able to read what an administrator's `enroll` wrote.
func adopt(f *os.File, dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 {
		return f.Chown(int(owner.Uid), int(owner.Gid))
	}
	return nil
}

// syncDir makes a rename survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// checkPrivate refuses a file or directory that other users can read.
func checkPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		right := 600
		if info.IsDir() {
			right = 700
		}
		return fmt.Errorf("%s can be read by other users (mode %04o): run chmod %d on it", path, mode, right)
	}
	return nil
}
