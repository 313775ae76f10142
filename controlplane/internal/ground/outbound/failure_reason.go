package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"syscall"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// FailureReason explains why a call failed. It leaves out the addresses that names resolved to, because they belong to
// the operator's network. refused is true if the guard did not allow the connection.
func FailureReason(err error) (words string, refused bool) {
	var (
		guard     *v1.ErrorDetail
		lookup    *net.DNSError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		alert     tls.AlertError
		record    tls.RecordHeaderError
		timeout   net.Error
	)
	switch {
	case errors.As(err, &guard):
		return guard.Message, guard.Code == "destination_not_allowed" || guard.Code == "plaintext_not_allowed"
	case errors.As(err, &lookup) && lookup.IsTimeout:
		return "the name server did not answer in time", false
	case errors.As(err, &lookup):
		return "the host name does not resolve", false
	case errors.As(err, &authority):
		return "TLS: the certificate is not signed by an authority that is trusted here", false
	case errors.As(err, &hostname):
		return "TLS: the certificate is for another host", false
	case errors.As(err, &invalid):
		return "TLS: the certificate is not valid: it has expired, or is not for servers", false
	case errors.As(err, &alert), errors.As(err, &record):
		return "TLS: no agreement was reached", false
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time", false
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused", false
	case errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was cut before there was an answer", false
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the host cannot be reached", false
	}
	return "the call failed", false
}
