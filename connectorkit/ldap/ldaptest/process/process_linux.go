package process

import "syscall"

// withParent makes a server die with the thread that starts it.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
