package ldaperr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// scrubber masks the secrets of a call in texts of the directory.
type scrubber interface {
	Clean(text string) string
	Excerpt(text string, limit int) (excerpt string, cut bool)
}

// Explainer makes the errors that users read.
type Explainer struct {
	Scrub scrubber
	Peer  string // host:port of the directory
}

// Explain turns whatever went wrong in phase into the error the user reads. The end of the caller's own
// context, and errors that are explained already, pass as they are.
func (s *Explainer) Explain(ctx context.Context, phase string, err error) error {
	var detail *v1.ErrorDetail
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("ldap %s: %w", phase, ctx.Err())
	case errors.As(err, &detail):
		return err
	}
	d := s.Classify(err)
	if phase == "tls" && d.Code == "ldap_connection_lost" {
		d.Code, d.Message = "tls_failed", "the directory closed the connection during the TLS handshake"
		d.Hint = "The port probably does not speak TLS. Use the LDAPS port, usually 636, or set security to " +
			"starttls for port 389."
	}
	if d.Code == "ldap_protocol" && !slices.Contains(connectPhases, phase) {
		d.Message = "the directory's answers broke off in damaged data: " + err.Error()
		d.Hint = "It has answered in LDAP before, so host and port are right. Look for a proxy or a load balancer " +
			"on the way, and at the directory's own log; then run the sync again."
	}
	d.Phase, d.Target.Kind, d.Target.Host = phase, "ldap", s.Peer
	d.Message = s.Scrub.Clean(d.Message)
	return d
}

// connectPhases are those in which it is not known yet whether the peer is a directory.
var connectPhases = []string{"tcp", "tls", "start_tls", "anonymous_bind", "bind", "root_dse"}

// Classify gives class, code, message and hint of an error, without phase and host.
func (s *Explainer) Classify(err error) *v1.ErrorDetail {
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
		return s.refusal(refused)
	case errors.As(err, &dns):
		return nameError(dns)
	case errors.Is(err, wire.ErrTooLarge):
		return detail(
			v1.ClassTargetFault, "ldap_message_too_large", "the directory sent too much at once: "+err.Error(),
			"An entry is larger than what is accepted, often a group with hundreds of thousands of members. "+
				"Exclude it by the filter.",
		)
	case errors.Is(err, wire.ErrProtocol):
		return detail(
			v1.ClassProtocol, "ldap_protocol", "the answer is not LDAP: "+err.Error(),
			"Check that host and port are those of an LDAP service, and whether it expects TLS from the first byte "+
				"(security ldaps).",
		)
	case errors.As(err, &op) && op.Op == "dial":
		return dialError(op)
	}
	return connectionError(err)
}

// detail is an error with the facts that each has. Only transient errors are retryable; the caller
// adds phase, target and result.
func detail(class v1.ErrorClass, code, message, hint string) *v1.ErrorDetail {
	return &v1.ErrorDetail{
		Class: class, Code: code, Message: message, Hint: hint, Retryable: class == v1.ClassTransient,
		Target: &v1.Target{},
	}
}

// refusal explains a result code.
func (s *Explainer) refusal(e *wire.ResultError) *v1.ErrorDetail {
	result := s.Result(e.Result)
	m := explainCode(result)
	if isChange(e.Op) {
		m = explainChange(result, m)
	}
	code := fmt.Sprintf("ldap_%d", result.ResultCode)
	if result.ADSubcode != "" {
		code += "_" + strings.ToLower(result.ADSubcode)
	}
	message := fmt.Sprintf(
		"the directory answered the %s with result %d (%s)", strings.ReplaceAll(e.Op, "_", " "), result.ResultCode,
		result.Name,
	)
	if e.Op == "disconnect" {
		message = fmt.Sprintf("the directory ended the connection with result %d (%s)", result.ResultCode, result.Name)
	}
	if ad, known := adMeanings[result.ADSubcode]; known && result.ResultCode == goldap.LDAPResultInvalidCredentials {
		message += fmt.Sprintf(" (%s: %s)", result.ADSubcode, ad.short)
	}
	if result.Diagnostic != "" {
		message += ": " + result.Diagnostic
	}
	d := detail(m.class, code, message, m.hint)
	d.Target.LDAP = result
	return d
}

// maxDiagnostic bounds what is emitted of a target's own text, in bytes.
const maxDiagnostic = 2048

// Result is a target's answer as shown to the user, with the call's secrets masked.
func (s *Explainer) Result(r wire.Result) *v1.LDAPResult {
	diagnostic, _ := s.Scrub.Excerpt(r.Diagnostic, maxDiagnostic)
	matched, _ := s.Scrub.Excerpt(r.MatchedDN, maxDiagnostic)
	return &v1.LDAPResult{
		ResultCode: r.Code, Name: ResultName(r.Code), MatchedDN: matched, Diagnostic: diagnostic,
		ADSubcode: adSubcode(r.Code, diagnostic),
	}
}
