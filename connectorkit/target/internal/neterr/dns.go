package neterr

import (
	"errors"
	"fmt"
	"net"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func explainDNS(err error, host string) *v1.ErrorDetail {
	var dns *net.DNSError
	if !errors.As(err, &dns) {
		return nil
	}
	d := &v1.ErrorDetail{Phase: "dns", Target: &v1.Target{Net: &v1.NetResult{Op: "lookup", Addr: host}}}
	switch {
	case dns.IsNotFound:
		d.Class, d.Code, d.Target.Net.Errno = v1.ClassConfig, "dns_not_found", "NXDOMAIN"
		d.Message = fmt.Sprintf("the name %s does not exist", HostOf(host))
		d.Hint = "Check the spelling of the host. A name that only the internal DNS knows can be reached through " +
			"an agent in that network."
	case dns.IsTimeout:
		d.Class, d.Code, d.Retryable = v1.ClassTransient, "dns_timeout", true
		d.Message = fmt.Sprintf("looking up %s took too long", HostOf(host))
		d.Hint = "The name server does not answer. Check the DNS settings of the machine that runs the connector."
	default:
		d.Class, d.Code, d.Retryable = v1.ClassTransient, "dns_failed", true
		d.Message = fmt.Sprintf("looking up %s failed", HostOf(host))
		d.Hint = "The name server answered with an error. Try again, then check the DNS settings of the machine " +
			"that runs the connector."
	}
	return d
}

// HostOf is the host of host:port.
func HostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}
