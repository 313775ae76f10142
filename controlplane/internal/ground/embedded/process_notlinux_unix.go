//go:build !windows && !linux

package embedded

import "syscall"

// ownGroup puts PostgreSQL in its own process group: a Ctrl-C is for us, who stop the server after draining.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
