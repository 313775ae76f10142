//go:build !linux

package embedded

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// chooseAccount runs PostgreSQL as the current user, which on this system must not be root.
func chooseAccount(context.Context, string, binaries) (account, error) {
	if os.Geteuid() == 0 {
		return account{}, errors.New("PostgreSQL does not run as root: start the control plane as an ordinary user")
	}
	return account{name: "current user", uid: -1, gid: -1, attr: ownGroup}, nil
}

// dieWithParent has no counterpart here: the next start stops the server that was left behind.
func dieWithParent(*syscall.SysProcAttr, syscall.Signal) {}
