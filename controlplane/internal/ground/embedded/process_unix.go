//go:build !windows

package embedded

import (
	"errors"
	"os"
	"syscall"
)

// The signals that stop a PostgreSQL server: disconnecting clients and writing everything out, leaving at once,
// and the kernel's own.
const (
	fast      = syscall.SIGINT
	immediate = syscall.SIGQUIT
	terminate = syscall.SIGTERM
)

// signal sends a signal to a PostgreSQL process.
func (b binaries) signal(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

// exists reports whether there is a process of that number, a zombie included.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

func owner(info os.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// passwordPipe gives a child the text on its file descriptor 3, so that it stands in no file and no argument.
// The child opens /dev/fd/3 afresh, under its own account: the pipe must belong to that one.
func passwordPipe(text string, as account) (name string, file *os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", nil, err
	}
	_, err = w.WriteString(text) // far below a pipe's capacity: does not block
	err = errors.Join(err, w.Close())
	if err == nil && as.uid >= 0 && os.Geteuid() == 0 {
		err = r.Chown(as.uid, as.gid)
	}
	if err != nil {
		_ = r.Close()
		return "", nil, err
	}
	return "/dev/fd/3", r, nil
}
