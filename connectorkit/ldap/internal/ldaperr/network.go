package ldaperr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// nameError explains a host name that was not resolved. A name that does not exist is a mistake in
// the settings; a name server that does not answer is worth another try.
func nameError(e *net.DNSError) *v1.ErrorDetail {
	if e.IsNotFound {
		return detail(
			v1.ClassConfig, "dns_not_found", fmt.Sprintf("the host name %s does not exist", e.Name),
			"Correct the host, or check the name server of the machine that connects.",
		)
	}
	return detail(
		v1.ClassTransient, "dns_failed", fmt.Sprintf("the host name %s could not be looked up: %s", e.Name, e.Err),
		"Check the name server of the machine that connects.",
	)
}

// dialError explains a TCP connection that could not be made. All such errors are retryable:
// firewalls and restarts look the same as a wrong port.
func dialError(e *net.OpError) *v1.ErrorDetail {
	d := detail(
		v1.ClassTransient, "tcp_failed", "no connection: "+e.Error(),
		"Check host, port and firewalls between the machine that connects and the directory.",
	)
	switch {
	case isErrno(e, syscall.ECONNREFUSED, 10061):
		d.Code, d.Message = "tcp_refused", "the connection was refused"
		d.Hint = "Nothing listens on this port, or a firewall rejects it. LDAP and StartTLS usually have port 389, " +
			"LDAPS 636."
	case e.Timeout() || errors.Is(e, context.DeadlineExceeded):
		d.Code, d.Message = "tcp_timeout", "no answer to the connection attempt in time"
	}
	d.Target.Net = &v1.NetResult{Op: e.Op, Errno: errnoOf(e)}
	if e.Addr != nil {
		d.Target.Net.Addr = e.Addr.String()
	}
	return d
}

// isErrno compares with a POSIX error or, on Windows, with its Winsock twin, which Go does not take for the same.
func isErrno(err error, posix syscall.Errno, winsock uintptr) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && (errno == posix || runtime.GOOS == "windows" && uintptr(errno) == winsock)
}

// errnoOf is the text of the operating system's error, empty without one.
func errnoOf(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return ""
}

// connectionError is a connection that broke or fell silent.
func connectionError(err error) *v1.ErrorDetail {
	hint := "The directory or something on the way closed the connection. Try again; when it happens at once, the " +
		"port may expect TLS from the first byte (security ldaps)."
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return detail(
			v1.ClassTransient, "ldap_timeout", "the directory did not answer in time",
			"Raise timeout_s, or look for what keeps the directory busy. When it happens at once, the port may "+
				"expect TLS from the first byte (security ldaps).",
		)
	case errors.Is(err, io.EOF), errors.Is(
		err, io.ErrUnexpectedEOF,
	), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe),
		isErrno(err, syscall.ECONNRESET, 10054), isErrno(err, syscall.EPIPE, 10053):
		return detail(v1.ClassTransient, "ldap_connection_lost", "the connection to the directory was lost", hint)
	}
	d := detail(
		v1.ClassTransient, "ldap_connection_failed", "the connection to the directory failed: "+err.Error(), hint,
	)
	d.Target.Net = &v1.NetResult{Errno: errnoOf(err)}
	return d
}
