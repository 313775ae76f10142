package embedded

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// The signals that stop a PostgreSQL server: disconnecting clients and writing everything out, and leaving at once.
const (
	fast      = syscall.SIGINT
	immediate = syscall.SIGQUIT
	terminate = syscall.SIGTERM
)

// signal sends a signal to a PostgreSQL process: pg_ctl knows the pipe that stands for signals here.
func (b binaries) signal(pid int, sig syscall.Signal) error {
	names := map[syscall.Signal]string{fast: "INT", immediate: "QUIT", terminate: "TERM", syscall.SIGKILL: "KILL"}
	cmd := exec.Command(b.path("pg_ctl"), "kill", names[sig], strconv.Itoa(pid))
	cmd.Env = cleanEnv(b.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// exists reports whether there is a process of that number.
func exists(pid int) bool {
	const queryLimited, stillActive = 0x1000, 259
	h, err := syscall.OpenProcess(queryLimited, false, uint32(pid))
	if err != nil {
		return errors.Is(err, syscall.ERROR_ACCESS_DENIED)
	}
	defer syscall.CloseHandle(h)
	var code uint32
	return syscall.GetExitCodeProcess(h, &code) == nil && code == stillActive
}

func owner(os.FileInfo) (uid int, known bool) { return 0, false }

// ownGroup keeps a Ctrl-C on the console away from PostgreSQL.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// passwordPipe gives a child the text in a file of its own, which the caller removes by closing; descriptors
// cannot be handed on here.
func passwordPipe(text string, _ account) (name string, file *os.File, err error) {
	f, err := os.CreateTemp("", "grantwright-*")
	if err != nil {
		return "", nil, err
	}
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close()
		return "", nil, errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), f, nil
}
