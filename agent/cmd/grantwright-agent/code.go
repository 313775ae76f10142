package main

import (
	"context"
	"errors"
	"net"
	"syscall"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/enroll"
	"github.com/grantwright/grantwright/agent/internal/link"
)

// codeOf is the exit code of a command that ended with err.
func codeOf(err error) int {
	var proxy *dial.ProxyError
	var refused *enroll.Refused
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, config.ErrNotEnrolled):
		return exitNotEnrolled
	case errors.Is(err, link.ErrRevoked):
		return exitRevoked
	case errors.As(err, &refused):
		return exitFailed
	case dial.IsTLS(err):
		return exitTLS
	case isNetwork(err), errors.As(err, &proxy), errors.Is(err, context.DeadlineExceeded):
		return exitNetwork
	}
	return exitFailed
}

// isNetwork says whether err comes from the network. The bare error numbers of the system count as network errors to
// the standard library, a full disk's too, so they do not count here.
func isNetwork(err error) bool {
	var op *net.OpError
	var network net.Error
	if errors.As(err, &op) {
		return true
	}
	if !errors.As(err, &network) {
		return false
	}
	_, bare := network.(syscall.Errno)
	return !bare
}
