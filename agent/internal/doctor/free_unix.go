//go:build unix

package doctor

import (
	"os"

	"golang.org/x/sys/unix"
)

// freeBytes is what an ordinary user may still write on the disk of path.
func freeBytes(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	return whole(s.Bavail) * whole(s.Bsize), nil
}

// whole evens out that the fields have another type on each system.
func whole[T int32 | int64 | uint32 | uint64](n T) int64 { return int64(n) }
