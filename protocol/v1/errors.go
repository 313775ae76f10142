package v1

import "fmt"

// ErrorClass says what kind of trouble a call ran into, and so whether trying again can help.
type ErrorClass string

// The closed list of classes. Only rate_limited, transient and agent_unavailable are ever retried by themselves.
const (
	ClassConfig           ErrorClass = "config"
	ClassAuth             ErrorClass = "auth"
	ClassPermission       ErrorClass = "permission"
	ClassNotFound         ErrorClass = "not_found"
	ClassConflict         ErrorClass = "conflict"
	ClassRateLimited      ErrorClass = "rate_limited"
	ClassTransient        ErrorClass = "transient"
	ClassTargetFault      ErrorClass = "target_fault"
	ClassData             ErrorClass = "data"
	ClassProtocol         ErrorClass = "protocol"
	ClassPolicy           ErrorClass = "policy"
	ClassCancelled        ErrorClass = "cancelled"
	ClassAgentUnavailable ErrorClass = "agent_unavailable"
	ClassInternal         ErrorClass = "internal"
)

// ErrorDetail is the structured twin of SyncResponse.Error. It is an error value too, so that it crosses the wire whole
// and the user reads the target's own words in hosted and agent mode alike.
type ErrorDetail struct {
	Class        ErrorClass `json:"class"`
	Code         string     `json:"code"` // stable, e.g. ldap_49_52e, http_401, tls_unknown_authority
	Message      string     `json:"message"`
	Hint         string     `json:"hint,omitempty"` // what it means and how to mend it
	Retryable    bool       `json:"retryable"`
	RetryAfterMS *int64     `json:"retry_after_ms,omitempty"`
	// the step that failed: dns, tcp, tls, token, bind, search, users, groups, …
	Phase  string  `json:"phase,omitempty"`
	Target *Target `json:"target,omitempty"`
}

// Error is the message; the target's code is part of it where there is one.
func (e *ErrorDetail) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("%s error (%s)", e.Class, e.Code)
	}
	return e.Message
}

// Target is what the target system itself answered, or what kept us from reaching it.
type Target struct {
	Kind string      `json:"kind"`           // http, ldap
	Host string      `json:"host,omitempty"` // host:port
	HTTP *HTTPResult `json:"http,omitempty"`
	LDAP *LDAPResult `json:"ldap,omitempty"`
	TLS  *TLSResult  `json:"tls,omitempty"`
	Net  *NetResult  `json:"net,omitempty"`
}

// HTTPResult is an HTTP answer of a target, with no secret in it.
type HTTPResult struct {
	Method      string            `json:"method"`
	URL         string            `json:"url"`
	Status      int               `json:"status"`
	Reason      string            `json:"reason,omitempty"`
	ContentType string            `json:"content_type,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`      // an allow-list only
	BodyExcerpt string            `json:"body_excerpt,omitempty"` // at most 4 KiB, secrets masked
	Truncated   bool              `json:"truncated,omitempty"`
	SCIMType    string            `json:"scim_type,omitempty"`   // RFC 7644 section 3.12
	OAuthError  string            `json:"oauth_error,omitempty"` // RFC 6749 section 5.2
}

// LDAPResult is an LDAP result (RFC 4511 section 4.1.9).
type LDAPResult struct {
	ResultCode int    `json:"result_code"`
	Name       string `json:"name"`
	MatchedDN  string `json:"matched_dn,omitempty"`
	Diagnostic string `json:"diagnostic,omitempty"`
	ADSubcode  string `json:"ad_subcode,omitempty"` // e.g. 52e
}

// TLSResult says why a certificate was refused.
type TLSResult struct {
	VerifyError string `json:"verify_error,omitempty"`
	Subject     string `json:"subject,omitempty"`
	Issuer      string `json:"issuer,omitempty"`
	NotAfter    string `json:"not_after,omitempty"`
	Version     string `json:"version,omitempty"`
}

// NetResult says why a connection could not be made.
type NetResult struct {
	Op    string `json:"op,omitempty"`
	Addr  string `json:"addr,omitempty"`
	Errno string `json:"errno,omitempty"`
}
