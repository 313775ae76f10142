package problem

import (
	"context"
	"errors"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
)

// statuses are the HTTP statuses of the kinds of faults.
var statuses = map[fault.Kind]int{
	fault.Internal: 500, fault.Malformed: 400, fault.Unauthenticated: 401, fault.Forbidden: 403, fault.NotFound: 404,
	fault.Conflict: 409, fault.Precondition: 412, fault.Invalid: 422, fault.TooMany: 429,
	fault.Unavailable: 503, fault.TargetFailed: 502,
}

// statusOf are the statuses of codes that have another one than their kind.
var statusOf = map[string]int{
	"request_timeout":        http.StatusRequestTimeout,
	"payload_too_large":      http.StatusRequestEntityTooLarge,
	"unsupported_media_type": http.StatusUnsupportedMediaType,
	"uri_too_long":           http.StatusRequestURITooLong,
	"headers_too_large":      http.StatusRequestHeaderFieldsTooLarge,
	"not_acceptable":         http.StatusNotAcceptable,
	"method_not_allowed":     http.StatusMethodNotAllowed,
	"gone":                   http.StatusGone,
}

// typeOf are the types of codes that are known beyond this product (IANA registry of HTTP problem types).
var typeOf = map[string]string{
	"rate_limited":           "https://iana.org/assignments/http-problem-types#quota-exceeded",
	"temporarily_overloaded": "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
}

// Of says an error in public. What is not a fault is an internal error, whose words stay inside.
func Of(ctx context.Context, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return WithRequest(ctx, p)
	}
	var f *fault.Fault
	if !errors.As(err, &f) {
		f = fault.New(fault.Internal, "An internal error occurred. Find its cause in the log by the request ID.")
	}
	status := statuses[f.Kind]
	if own, ok := statusOf[f.Code]; ok {
		status = own
	}
	return WithRequest(ctx, &Problem{
		Status: status, Title: http.StatusText(status), Detail: f.Message, Code: f.Code, Errors: f.Fields,
		RetryAfter: f.RetryAfter, Extra: f.Extra,
	})
}

// WithRequest adds to a problem the request that ctx belongs to, and the type that goes with its code.
func WithRequest(ctx context.Context, p *Problem) *Problem {
	in := incoming.Of(ctx)
	p.RequestID, p.ClientID = in.ID, in.ClientID
	if p.RequestID != "" {
		p.Instance = "urn:grantwright:request:" + p.RequestID
	}
	if p.Type == "" {
		p.Type = typeOf[p.Code]
	}
	if p.Type == "" {
		p.Type = "urn:grantwright:problem:" + p.Code
	}
	return p
}
