package ldap

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// explain turns whatever went wrong in phase into the error the user reads. The end of the caller's own context, and errors
// that are explained already, pass as they are.
func (s *settings) explain(ctx context.Context, phase string, err error) error {
	var detail *v1.ErrorDetail
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("ldap %s: %w", phase, ctx.Err())
	case errors.As(err, &detail):
		return err
	}
	d := s.classify(err)
	if phase == "tls" && d.Code == "ldap_connection_lost" {
		d.Code, d.Message = "tls_failed", "the directory closed the connection during the TLS handshake"
		d.Hint = "The port probably does not speak TLS. Use the LDAPS port, usually 636, or set security to starttls for port 389."
	}
	if d.Code == "ldap_protocol" && !slices.Contains(firstPhases, phase) {
		d.Message = "the directory's answers broke off in damaged data: " + err.Error()
		d.Hint = "It has answered in LDAP before, so host and port are right. Look for a proxy or a load balancer on the way, and at the directory's own log; then run the sync again."
	}
	d.Phase, d.Target.Kind, d.Target.Host = phase, "ldap", s.hostport()
	d.Message = s.scrub.Clean(d.Message)
	return d
}

// firstPhases are those in which it is not known yet whether the peer is a directory.
var firstPhases = []string{"tcp", "tls", "start_tls", "anonymous_bind", "bind", "root_dse"}

func (s *settings) classify(err error) *v1.ErrorDetail {
	var (
		refused *wire.ResultError
		dns     *net.DNSError
		op      *net.OpError
	)
	if d := certificateError(err); d != nil {
		return d
	}
	switch {
	case errors.As(err, &refused):
		return s.refused(refused)
	case errors.As(err, &dns):
		return nameError(dns)
	case errors.Is(err, wire.ErrTooLarge):
		return problem(v1.ClassTargetFault, "ldap_message_too_large", "the directory sent too much at once: "+err.Error(), "An entry is larger than what is accepted, often a group with hundreds of thousands of members. Exclude it by the filter.")
	case errors.Is(err, wire.ErrProtocol):
		return problem(v1.ClassProtocol, "ldap_protocol", "the answer is not LDAP: "+err.Error(), "Check that host and port are those of an LDAP service, and whether it expects TLS from the first byte (security ldaps).")
	case errors.As(err, &op) && op.Op == "dial":
		return dialError(op)
	}
	return lostError(err)
}

func problem(class v1.ErrorClass, code, message, hint string) *v1.ErrorDetail {
	return &v1.ErrorDetail{Class: class, Code: code, Message: message, Hint: hint, Retryable: class == v1.ClassTransient, Target: &v1.Target{}}
}

// refused explains a result code.
func (s *settings) refused(e *wire.ResultError) *v1.ErrorDetail {
	result := s.result(e.Result)
	m := explainCode(result)
	if isChange(e.Op) {
		m = explainChange(result, m)
	}
	code := fmt.Sprintf("ldap_%d", result.ResultCode)
	if result.ADSubcode != "" {
		code += "_" + strings.ToLower(result.ADSubcode)
	}
	message := fmt.Sprintf("the directory answered the %s with result %d (%s)", strings.ReplaceAll(e.Op, "_", " "), result.ResultCode, result.Name)
	if e.Op == "disconnect" {
		message = fmt.Sprintf("the directory ended the connection with result %d (%s)", result.ResultCode, result.Name)
	}
	if ad, known := adMeanings[result.ADSubcode]; known && result.ResultCode == goldap.LDAPResultInvalidCredentials {
		message += fmt.Sprintf(" (%s: %s)", result.ADSubcode, ad.short)
	}
	if result.Diagnostic != "" {
		message += ": " + result.Diagnostic
	}
	d := problem(m.class, code, message, m.hint)
	d.Target.LDAP = result
	return d
}

// maxDiagnostic bounds what is handed on of a target's own text, in bytes.
const maxDiagnostic = 2048

// result is a target's answer as shown to the user, with the call's secrets masked.
func (s *settings) result(r wire.Result) *v1.LDAPResult {
	diagnostic, _ := s.scrub.Excerpt(r.Diagnostic, maxDiagnostic)
	matched, _ := s.scrub.Excerpt(r.MatchedDN, maxDiagnostic)
	return &v1.LDAPResult{
		ResultCode: r.Code, Name: codeName(r.Code), MatchedDN: matched, Diagnostic: diagnostic,
		ADSubcode: adSubcode(r.Code, diagnostic),
	}
}

func nameError(e *net.DNSError) *v1.ErrorDetail {
	if e.IsNotFound {
		return problem(v1.ClassConfig, "dns_not_found", fmt.Sprintf("the host name %s does not exist", e.Name), "Correct the host, or check the name server of the machine that connects.")
	}
	return problem(v1.ClassTransient, "dns_failed", fmt.Sprintf("the host name %s could not be looked up: %s", e.Name, e.Err), "Check the name server of the machine that connects.")
}

func dialError(e *net.OpError) *v1.ErrorDetail {
	d := problem(v1.ClassTransient, "tcp_failed", "no connection: "+e.Error(), "Check host, port and firewalls between the machine that connects and the directory.")
	switch {
	case isErrno(e, syscall.ECONNREFUSED, 10061):
		d.Code, d.Message = "tcp_refused", "the connection was refused"
		d.Hint = "Nothing listens on this port, or a firewall rejects it. LDAP and StartTLS usually have port 389, LDAPS 636."
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

func errnoOf(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return ""
}

// lostError is a connection that broke or fell silent.
func lostError(err error) *v1.ErrorDetail {
	hint := "The directory or something on the way closed the connection. Try again; when it happens at once, the port may expect TLS from the first byte (security ldaps)."
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return problem(v1.ClassTransient, "ldap_timeout", "the directory did not answer in time", "Raise timeout_s, or look for what keeps the directory busy. When it happens at once, the port may expect TLS from the first byte (security ldaps).")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe),
		isErrno(err, syscall.ECONNRESET, 10054), isErrno(err, syscall.EPIPE, 10053):
		return problem(v1.ClassTransient, "ldap_connection_lost", "the connection to the directory was lost", hint)
	}
	d := problem(v1.ClassTransient, "ldap_connection_failed", "the connection to the directory failed: "+err.Error(), hint)
	d.Target.Net = &v1.NetResult{Errno: errnoOf(err)}
	return d
}

// certificateError explains why TLS could not be set up, or gives nil.
func certificateError(err error) *v1.ErrorDetail {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		op        *net.OpError
	)
	d := problem(v1.ClassConfig, "tls_failed", "the TLS handshake failed: "+err.Error(), "Check the security setting and the directory's certificate.")
	switch {
	case errors.As(err, &authority):
		d.Code, d.Message = "tls_unknown_authority", "the directory's certificate is signed by an authority that is not trusted"
		d.Hint = "Give the certificate of that authority in PEM as ca_pem."
	case errors.As(err, &name):
		d.Code, d.Message = "tls_name_mismatch", "the directory's certificate is not for this host: "+name.Error()
		d.Hint = "Use a host name that is in the certificate, or name the one that is as tls_server_name."
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		d.Code, d.Message = "tls_expired", "the directory's certificate has expired or is not yet valid"
		d.Hint = "Renew the directory's certificate, and check the clock of the machine that connects."
	case errors.As(err, &invalid), errors.As(err, &verify):
		d.Code, d.Message = "tls_certificate_invalid", "the directory's certificate cannot be accepted: "+err.Error()
	case strings.Contains(err.Error(), "failed to parse certificate"): // crypto/tls has no type for it
		d.Code, d.Message = "tls_certificate_unreadable", "the directory's certificate cannot be read: "+err.Error()
		d.Hint = "The certificate breaks the rules of X.509 (RFC 5280). Give the directory another certificate; it does not help to skip its verification."
	case errors.As(err, &record):
		d.Code, d.Message = "tls_not_spoken", "the port does not speak TLS"
		d.Hint = "Use the LDAPS port, usually 636, or set security to starttls for port 389."
	case errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error"): // a TLS alert
	default:
		return nil
	}
	d.Target.TLS = &v1.TLSResult{VerifyError: err.Error()}
	if errors.As(err, &verify) && len(verify.UnverifiedCertificates) > 0 {
		fillCertificate(d.Target.TLS, verify.UnverifiedCertificates[0])
	}
	return d
}

func fillCertificate(r *v1.TLSResult, cert *x509.Certificate) {
	r.Subject, r.Issuer = cert.Subject.String(), cert.Issuer.String()
	r.NotAfter = cert.NotAfter.UTC().Format(time.RFC3339)
}
