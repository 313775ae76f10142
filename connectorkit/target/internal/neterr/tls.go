package neterr

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

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
		d.Hint = "Give the certificate of the CA that signed it as ca_pem. Where a proxy inspects TLS on the way, " +
			"it is the CA of that proxy."
		Describe(d.Target.TLS, unknown.Cert)
	case errors.As(err, &name):
		d.Code = "tls_name_mismatch"
		d.Message = fmt.Sprintf("the certificate of %s is for %s", host, certificateNames(name.Certificate))
		d.Hint = "Use one of the names in the certificate as the host, or give the expected name as tls_server_name."
		if c := name.Certificate; c != nil && len(c.DNSNames)+len(c.IPAddresses) == 0 {
			d.Hint = "Give the target a certificate whose subject alternative name is its host."
		}
		Describe(d.Target.TLS, name.Certificate)
	case errors.As(err, &invalid):
		d.Code, d.Message, d.Hint = invalidCertificate(invalid, host)
		Describe(d.Target.TLS, invalid.Cert)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		d.Code = "tls_not_spoken"
		d.Message = fmt.Sprintf("%s does not speak TLS", host)
		d.Hint = "The port belongs to a service without TLS. Check the port, or the https:// of the address."
	case errors.As(err, &alert):
		d.Code = "tls_refused"
		d.Message = fmt.Sprintf("%s refused the TLS handshake: %s", host, alert.Error())
		d.Hint = "The target requires other TLS versions or ciphers, or a client certificate (client_cert_pem and " +
			"client_key_pem)."
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
		Describe(d.Target.TLS, verify.UnverifiedCertificates[0])
	}
	d.Target.TLS.VerifyError = reason(err)
	return d
}

func invalidCertificate(e x509.CertificateInvalidError, host string) (code, message, hint string) {
	if e.Reason != x509.Expired || e.Cert == nil {
		return "tls_invalid_certificate", fmt.Sprintf("the certificate of %s is not valid", host),
			"Have the target's certificate renewed by its owner."
	}
	if time.Now().Before(e.Cert.NotBefore) {
		return "tls_not_yet_valid", fmt.Sprintf(
				"the certificate of %s is valid only from %s", host, Day(e.Cert.NotBefore),
			),
			"Check the clocks of the target and of the machine that runs the connector."
	}
	return "tls_expired", fmt.Sprintf("the certificate of %s expired on %s", host, Day(e.Cert.NotAfter)),
		"Have the target's certificate renewed by its owner, and check the clock of the machine that runs the " +
			"connector."
}

// Day is the date of a time in UTC, as YYYY-MM-DD.
func Day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// reason is the innermost reason of a TLS error, without the wrapping that repeats addresses.
func reason(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, "x509: "); i >= 0 {
		return s[i:]
	}
	if i := strings.LastIndex(s, "tls: "); i >= 0 {
		return s[i:]
	}
	return s
}

func certificateNames(c *x509.Certificate) string {
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

// Describe notes subject, issuer and expiry of a certificate.
func Describe(r *v1.TLSResult, c *x509.Certificate) {
	if c == nil {
		return
	}
	r.Subject, r.Issuer = c.Subject.String(), c.Issuer.String()
	r.NotAfter = c.NotAfter.UTC().Format(time.RFC3339)
}
