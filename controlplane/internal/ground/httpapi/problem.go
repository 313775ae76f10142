package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Problem is the body of every answer that is not a success (RFC 9457).
type Problem struct {
	// URN of the kind of problem: urn:grantwright:problem:<code>.
	Type string `json:"type" example:"urn:grantwright:problem:not_found"`
	// Short summary of the kind of problem.
	Title string `json:"title"`
	// HTTP status of the response.
	Status int `json:"status"`
	// What happened, where, and how to correct it.
	Detail string `json:"detail,omitempty"`
	// URN of the failed request, with its request_id.
	Instance string `json:"instance,omitempty"`
	// Stable code of the problem, for programs.
	Code string `json:"code"`
	// ID of the request. Quote it when you ask for help.
	RequestID string `json:"request_id,omitempty"`
	// ID that the request gave itself in the header X-Request-Id.
	ClientID string `json:"client_request_id,omitempty"`
	// Invalid fields, parameters and headers of the request.
	Errors     []fault.Field  `json:"errors,omitempty"`
	RetryAfter time.Duration  `json:"-"`
	Extra      map[string]any `json:"-"`
}

// Error is the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders are the headers that go with the status.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", challenge(p.Code))
	}
	if p.Code == "insufficient_scope" {
		h.Set(
			"WWW-Authenticate",
			fmt.Sprintf(`%s, error="insufficient_scope", scope=%q`, realm, fmt.Sprint(p.Extra["scope"])),
		)
	}
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(max(1, seconds(p.RetryAfter))))
	}
	return h
}

// ContentType is problem+json whatever was negotiated.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// MarshalJSON writes the extension members beside the standard ones.
func (p *Problem) MarshalJSON() ([]byte, error) {
	type plain Problem
	b, err := json.Marshal((*plain)(p))
	if err != nil || len(p.Extra) == 0 {
		return b, err
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	maps.Copy(m, p.Extra)
	return json.Marshal(m)
}

const realm = `Bearer realm="grantwright"`

// challenge is the WWW-Authenticate header (RFC 6750 section 3): no error attribute when nothing was presented.
func challenge(code string) string {
	if code == "authentication_required" || code == "invalid_credentials" {
		return realm
	}
	return realm + `, error="invalid_token"`
}

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

// problemOf says an error in public. What is not a fault is an internal error, whose words stay inside.
func problemOf(ctx context.Context, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return withRequest(ctx, p)
	}
	var f *fault.Fault
	if !errors.As(err, &f) {
		f = fault.New(fault.Internal, "An internal error occurred. Find its cause in the log by the request ID.")
	}
	status := statuses[f.Kind]
	if own, ok := statusOf[f.Code]; ok {
		status = own
	}
	return withRequest(ctx, &Problem{
		Status: status, Title: http.StatusText(status), Detail: f.Message, Code: f.Code, Errors: f.Fields,
		RetryAfter: f.RetryAfter, Extra: f.Extra,
	})
}

func withRequest(ctx context.Context, p *Problem) *Problem {
	in := passageOf(ctx)
	p.RequestID, p.ClientID = in.requestID, in.clientID
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

// newProblem is what huma calls for its own findings. The rejected value is never echoed: it may be a password.
func newProblem(status int, msg string, errs ...error) *Problem {
	p := &Problem{Status: status, Detail: msg, Code: codeOf(status)}
	for _, err := range errs {
		var ready *Problem
		if errors.As(err, &ready) {
			return ready
		}
		var d *huma.ErrorDetail
		if !errors.As(err, &d) {
			continue
		}
		field := fieldOf(d)
		p.Errors = append(p.Errors, field)
		if field.Pointer == "" {
			p.Status = http.StatusBadRequest // a parameter or header, not the body
			p.Code, p.Detail = "invalid_parameter", "a parameter cannot be used"
		} else if field.Code == "unknown_field" && p.Status == http.StatusUnprocessableEntity {
			p.Code, p.Detail = "unknown_field", "the body has a member that is not known here"
		}
	}
	if status == http.StatusBadRequest && len(p.Errors) == 0 {
		p.Code = "malformed_json"
	}
	p.Title = http.StatusText(p.Status)
	return withRequest(context.Background(), p)
}

func codeOf(status int) string {
	switch status {
	case 400:
		return "invalid_request"
	case 406:
		return "not_acceptable"
	case 408:
		return "request_timeout"
	case 413:
		return "payload_too_large"
	case 415:
		return "unsupported_media_type"
	case 422:
		return "validation_failed"
	}
	return "internal_error"
}

func fieldOf(d *huma.ErrorDetail) fault.Field {
	f := fault.Field{Code: "invalid", Detail: d.Message}
	switch {
	case d.Message == "unexpected property":
		f.Code, f.Detail = "unknown_field", "this member is not known here; check its spelling"
	case strings.HasPrefix(d.Message, "expected required property"):
		f.Code = "required"
	}
	where, rest, _ := strings.Cut(d.Location, ".")
	switch where {
	case "query", "path":
		f.Parameter = rest
	case "header":
		f.Header = rest
	default:
		f.Pointer = "#/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(rest)
	}
	return f
}

// Fail answers a request that never reached a typed handler.
func (a *API) Fail(w http.ResponseWriter, r *http.Request, err error) {
	writeProblem(w, r, a.problem(r.Context(), err))
}

// refuse answers from within huma's middleware, which leaves a problem's headers out.
func refuse(api huma.API, ctx huma.Context, p *Problem) {
	for name := range p.GetHeaders() {
		ctx.SetHeader(name, p.GetHeaders().Get(name))
	}
	_ = huma.WriteErr(api, ctx, p.Status, p.Detail, p)
}

func writeProblem(w http.ResponseWriter, r *http.Request, p *Problem) {
	for k, v := range p.GetHeaders() {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		_ = json.NewEncoder(w).Encode(p)
	}
}
