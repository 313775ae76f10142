package problem

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

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
			fmt.Sprintf(`%s, error="insufficient_scope", scope=%q`, Realm, fmt.Sprint(p.Extra["scope"])),
		)
	}
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(max(1, Seconds(p.RetryAfter))))
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

// Realm is the value of WWW-Authenticate, without an error.
const Realm = `Bearer realm="grantwright"`

// challenge is the WWW-Authenticate header (RFC 6750 section 3): no error attribute when nothing was presented.
func challenge(code string) string {
	if code == "authentication_required" || code == "invalid_credentials" {
		return Realm
	}
	return Realm + `, error="invalid_token"`
}
