//go:build unix && !linux

package process

import "syscall"

// attributes gives a child its own process group. These systems cannot tell it that we died.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
