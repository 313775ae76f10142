package neterr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// netFault is one way in which the network refuses. Windows has its own numbers for the same events.
type netFault struct {
	errno   syscall.Errno
	windows syscall.Errno
	name    string
	code    string
	says    string
	hint    string
}

var netFaults = []netFault{
	{syscall.ECONNREFUSED, 10061, "ECONNREFUSED", "connection_refused", "%s refused the connection",
		"Nothing listens on this port, or a firewall rejects it. Check host and port, and that the target runs."},
	{syscall.ECONNRESET, 10054, "ECONNRESET", "connection_reset", "%s cut the connection",
		"The target or something on the way, such as a firewall or load balancer, ended the connection."},
	{syscall.ECONNABORTED, 10053, "ECONNABORTED", "connection_reset", "the connection to %s was aborted",
		"The target or something on the way, such as a firewall or load balancer, ended the connection."},
	{syscall.EPIPE, 10058, "EPIPE", "connection_reset", "%s closed the connection while it was written to",
		"The target or something on the way, such as a firewall or load balancer, ended the connection."},
	{syscall.ETIMEDOUT, 10060, "ETIMEDOUT", "timeout", "%s did not answer in time",
		"A firewall may drop the packets silently. Check that this port may be reached from the machine that runs " +
			"the connector."},
	{syscall.EHOSTUNREACH, 10065, "EHOSTUNREACH", "host_unreachable", "there is no way to %s",
		"Check the address and the routes of the machine that runs the connector."},
	{syscall.ENETUNREACH, 10051, "ENETUNREACH", "network_unreachable", "the network of %s cannot be reached",
		"Check the address and the routes of the machine that runs the connector."},
}

func explainNet(err error, host string) *v1.ErrorDetail {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		for _, f := range netFaults {
			if errno == f.errno || errno == f.windows {
				return transient(f.code, fmt.Sprintf(f.says, host), f.hint, netResult(err, f.name))
			}
		}
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		f := netFaults[4]
		return transient(f.code, fmt.Sprintf(f.says, host), f.hint, netResult(err, f.name))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return transient("connection_closed", fmt.Sprintf("%s closed the connection in the middle", host),
			"The target or something on the way ended the connection before the answer was complete.",
			netResult(err, "EOF"))
	}
	return nil
}

func transient(code, message, hint string, n *v1.NetResult) *v1.ErrorDetail {
	return &v1.ErrorDetail{
		Class: v1.ClassTransient, Code: code, Retryable: true, Message: message, Hint: hint, Target: &v1.Target{Net: n},
	}
}

func netResult(err error, errno string) *v1.NetResult {
	n := &v1.NetResult{Errno: errno}
	var op *net.OpError
	if errors.As(err, &op) {
		n.Op = op.Op
		if op.Addr != nil {
			n.Addr = op.Addr.String()
		}
	}
	return n
}
