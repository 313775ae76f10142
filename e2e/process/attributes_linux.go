package process

import "syscall"

// attributes gives a child its own process group, and a request to stop should we die without a word.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
