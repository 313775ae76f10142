package dial

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// IsTLS says whether err is about a certificate or the TLS handshake, and not about reaching the host at all.
func IsTLS(err error) bool {
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verify) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.Is(err, http.ErrSchemeMismatch) || isX509(err)
}

// isX509 says whether an error is about the server's certificate.
func isX509(err error) bool {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// Explain adds to err what it means and how to mend it, in one sentence.
func Explain(err error) error {
	hint := hint(err)
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w (%s)", err, hint)
}

// hint is the advice for an error of connecting; empty if there is none.
func hint(err error) string {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var dns *net.DNSError
	var proxied *ProxyError
	switch {
	case errors.As(err, &authority):
		return "the certificate" + issuer(
			authority,
		) + " is signed by an authority this host does not know: give that authority's certificate with --ca-file; " +
			"if a proxy inspects the traffic, it is the proxy's authority"
	case errors.As(err, &host):
		return "the certificate is for another name: use the name it was made for in --url"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate is out of date, or this host's clock is wrong"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "the other side does not speak TLS: is it http and not https, or another port?"
	case errors.As(err, &proxied):
		return "look at the proxy's address, its user name and password, and whether it lets this host through"
	case errors.As(err, &dns):
		return "the name cannot be resolved on this host; where only a proxy may reach the outside, give it with " +
			"--proxy or HTTPS_PROXY"
	}
	return ""
}

// issuer names the certificate whose authority is unknown.
func issuer(e x509.UnknownAuthorityError) string {
	if e.Cert == nil {
		return ""
	}
	return fmt.Sprintf(" of %q, issued by %q,", e.Cert.Subject.CommonName, e.Cert.Issuer.CommonName)
}
