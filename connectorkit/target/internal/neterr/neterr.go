package neterr

import (
	"context"
	"errors"
	"fmt"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Explain says what kept us from talking to host (host:port): a name that does not resolve, a port that
// refuses, a certificate that does not fit. phase names the step where the error itself does not tell (dns,
// tcp, tls). The result's Target has Host and Net or TLS set, and its Kind left empty for the caller. An
// error that already is a *v1.ErrorDetail, such as the dialer's refusal, is returned as it is, with the phase
// added.
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
		return &v1.ErrorDetail{
			Class: v1.ClassCancelled, Code: "cancelled", Phase: phase, Message: "the call was cancelled",
		}
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
