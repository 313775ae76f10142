//go:build !linux

package process

import "syscall"

// withParent has no means elsewhere: a server that outlives a killed test has to be ended by hand.
func withParent() *syscall.SysProcAttr { return nil }
