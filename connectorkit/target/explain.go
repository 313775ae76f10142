package target

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Explain says what kept us from talking to host (host:port): a name that does not resolve, a port that refuses, a
// certificate that does not fit. phase names the step where the error itself does not tell (dns, tcp, tls). The result's
// Target has Host and Net or TLS set, and its Kind left empty for the caller. An error that already is a *v1.ErrorDetail,
// such as the dialer's refusal, is returned as it is, with the phase added.
func Explain(err error, host, phase string) *v1.ErrorDetail {
	var detail *v1.ErrorDetail
	if errors.As(err, &detail) {
		if detail.Phase == "" {
			copied := *detail
			copied.Phase = phase
			return &copied
		}
		return detail
	}
	if errors.Is(err, context.Canceled) {
		return &v1.ErrorDetail{Class: v1.ClassCancelled, Code: "cancelled", Phase: phase, Message: "the call was cancelled"}
	}
	for _, try := range []func(error, string) *v1.ErrorDetail{explainTLS, explainDNS, explainNet} {
		if d := try(err, host); d != nil {
			if d.Phase == "" {
				d.Phase = phase
			}
			d.Target.Host = host
			return d
		}
	}
	return &v1.ErrorDetail{
		Class: v1.ClassTransient, Code: "connection_failed", Retryable: true, Phase: phase,
		Message: fmt.Sprintf("the connection to %s failed: %v", host, err),
		Target:  &v1.Target{Host: host, Net: netResult(err, "")},
	}
}

func explainDNS(err error, host string) *v1.ErrorDetail {
	var dns *net.DNSError
	if !errors.As(err, &dns) {
		return nil
	}
	d := &v1.ErrorDetail{Phase: "dns", Target: &v1.Target{Net: &v1.NetResult{Op: "lookup", Addr: host}}}
	switch {
	case dns.IsNotFound:
		d.Class, d.Code, d.Target.Net.Errno = v1.ClassConfig, "dns_not_found", "NXDOMAIN"
		d.Message = fmt.Sprintf("the name %s does not exist", nameOf(host))
		d.Hint = "Check the spelling of the host. A name that only the internal DNS knows can be reached through an agent in that network."
	case dns.IsTimeout:
		d.Class, d.Code, d.Retryable = v1.ClassTransient, "dns_timeout", true
		d.Message = fmt.Sprintf("looking up %s took too long", nameOf(host))
		d.Hint = "The name server does not answer. Check the DNS settings of the machine that runs the connector."
	default:
		d.Class, d.Code, d.Retryable = v1.ClassTransient, "dns_failed", true
		d.Message = fmt.Sprintf("looking up %s failed", nameOf(host))
		d.Hint = "The name server answered with an error. Try again, then check the DNS settings of the machine that runs the connector."
	}
	return d
}

func nameOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

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
		"A firewall may drop the packets silently. Check that this port may be reached from the machine that runs the connector."},
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
			"The target or something on the way ended the connection before the answer was complete.", netResult(err, "EOF"))
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

func explainTLS(err error, host string) *v1.ErrorDetail {
	d := &v1.ErrorDetail{Class: v1.ClassConfig, Phase: "tls", Target: &v1.Target{TLS: &v1.TLSResult{}}}
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		alert   tls.AlertError
		record  tls.RecordHeaderError
		verify  *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &unknown):
		d.Code = "tls_unknown_authority"
		d.Message = fmt.Sprintf("the certificate of %s is signed by an authority that is not trusted here", host)
		d.Hint = "Give the certificate of the CA that signed it as ca_pem. Where a proxy inspects TLS on the way, it is the CA of that proxy."
		describe(d.Target.TLS, unknown.Cert)
	case errors.As(err, &name):
		d.Code = "tls_name_mismatch"
		d.Message = fmt.Sprintf("the certificate of %s is for %s", host, namesOf(name.Certificate))
		d.Hint = "Use one of the names in the certificate as the host, or give the expected name as tls_server_name."
		describe(d.Target.TLS, name.Certificate)
	case errors.As(err, &invalid):
		d.Code, d.Message, d.Hint = invalidCertificate(invalid, host)
		describe(d.Target.TLS, invalid.Cert)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		d.Code = "tls_not_spoken"
		d.Message = fmt.Sprintf("%s does not speak TLS", host)
		d.Hint = "The port belongs to a service without TLS. Check the port, or the https:// of the address."
	case errors.As(err, &alert):
		d.Code = "tls_refused"
		d.Message = fmt.Sprintf("%s refused the TLS handshake: %s", host, alert.Error())
		d.Hint = "The target requires other TLS versions or ciphers, or a client certificate (client_cert_pem and client_key_pem)."
	case errors.As(err, &verify), strings.Contains(err.Error(), "x509: "):
		d.Code = "tls_invalid_certificate"
		d.Message = fmt.Sprintf("the certificate of %s cannot be used", host)
		d.Hint = "Have the target's certificate renewed by its owner."
	case strings.Contains(err.Error(), "tls: "):
		d.Code = "tls_failed"
		d.Message = fmt.Sprintf("the TLS handshake with %s failed", host)
		d.Hint = "The target and this side found no common TLS version or cipher; TLS 1.2 is the least."
	default:
		return nil
	}
	if errors.As(err, &verify) && len(verify.UnverifiedCertificates) > 0 {
		describe(d.Target.TLS, verify.UnverifiedCertificates[0])
	}
	d.Target.TLS.VerifyError = reasonOf(err)
	return d
}

func invalidCertificate(e x509.CertificateInvalidError, host string) (code, message, hint string) {
	if e.Reason != x509.Expired || e.Cert == nil {
		return "tls_invalid_certificate", fmt.Sprintf("the certificate of %s is not valid", host),
			"Have the target's certificate renewed by its owner."
	}
	if time.Now().Before(e.Cert.NotBefore) {
		return "tls_not_yet_valid", fmt.Sprintf("the certificate of %s is valid only from %s", host, day(e.Cert.NotBefore)),
			"Check the clocks of the target and of the machine that runs the connector."
	}
	return "tls_expired", fmt.Sprintf("the certificate of %s expired on %s", host, day(e.Cert.NotAfter)),
		"Have the target's certificate renewed by its owner, and check the clock of the machine that runs the connector."
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// reasonOf is the innermost reason of a TLS error, without the wrapping that repeats addresses.
func reasonOf(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, "x509: "); i >= 0 {
		return s[i:]
	}
	if i := strings.LastIndex(s, "tls: "); i >= 0 {
		return s[i:]
	}
	return s
}

func namesOf(c *x509.Certificate) string {
	if c == nil {
		return "another host"
	}
	names := append([]string(nil), c.DNSNames...)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return "no host name at all (it has only a subject, " + c.Subject.String() + ")"
	}
	if len(names) > 5 {
		names = append(names[:5], "others")
	}
	return strings.Join(names, ", ")
}

func describe(r *v1.TLSResult, c *x509.Certificate) {
	if c == nil {
		return
	}
	r.Subject, r.Issuer = c.Subject.String(), c.Issuer.String()
	r.NotAfter = c.NotAfter.UTC().Format(time.RFC3339)
}
