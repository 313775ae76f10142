package ldaperr

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

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
	d := detail(
		v1.ClassConfig, "tls_failed", "the TLS handshake failed: "+err.Error(),
		"Check the security setting and the directory's certificate.",
	)
	switch {
	case errors.As(err, &authority):
		d.Code, d.Message = "tls_unknown_authority", "the directory's certificate is signed by an authority that "+
			"is not trusted"
		d.Hint = "Give the certificate of that authority in PEM as ca_pem."
	case errors.As(err, &name):
		d.Code, d.Message = "tls_name_mismatch", "the directory's certificate is not for this host: "+name.Error()
		d.Hint = "Use a host name that is in the certificate, or name the one that is as tls_server_name."
		if c := name.Certificate; c != nil && len(c.DNSNames)+len(c.IPAddresses) == 0 {
			d.Hint = "The certificate names no host: it has no subject alternative name, and a common name does not " +
				"count. Give the directory a certificate that names its host."
		}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		d.Code, d.Message = "tls_expired", "the directory's certificate has expired or is not yet valid"
		d.Hint = "Renew the directory's certificate, and check the clock of the machine that connects."
	case errors.As(err, &invalid), errors.As(err, &verify):
		d.Code, d.Message = "tls_certificate_invalid", "the directory's certificate cannot be accepted: "+err.Error()
	case strings.Contains(err.Error(), "failed to parse certificate"): // crypto/tls has no type for it
		d.Code, d.Message = "tls_certificate_unreadable", "the directory's certificate cannot be read: "+err.Error()
		d.Hint = "The certificate breaks the rules of X.509 (RFC 5280). Give the directory another certificate; it " +
			"does not help to skip its verification."
	case errors.As(err, &record):
		d.Code, d.Message = "tls_not_spoken", "the port does not speak TLS"
		d.Hint = "Use the LDAPS port, usually 636, or set security to starttls for port 389."
	case errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error"): // a TLS alert
	default:
		return nil
	}
	d.Target.TLS = &v1.TLSResult{VerifyError: err.Error()}
	if errors.As(err, &verify) && len(verify.UnverifiedCertificates) > 0 {
		FillCertificate(d.Target.TLS, verify.UnverifiedCertificates[0])
	}
	return d
}

// FillCertificate notes subject, issuer and expiry (RFC 3339) of a certificate.
func FillCertificate(r *v1.TLSResult, cert *x509.Certificate) {
	r.Subject, r.Issuer = cert.Subject.String(), cert.Issuer.String()
	r.NotAfter = cert.NotAfter.UTC().Format(time.RFC3339)
}
