package remote

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Bounds in bytes of what is shown of a service's own words.
const (
	maxMessage = 4 << 10
	maxHint    = 1 << 10
	maxOrigin  = 8 << 10 // of what its target answered
)

// ownClasses are those a service may name. The others are about our side of the call.
var ownClasses = []v1.ErrorClass{
	v1.ClassConfig,
	v1.ClassAuth,
	v1.ClassPermission,
	v1.ClassNotFound,
	v1.ClassConflict,
	v1.ClassRateLimited,
	v1.ClassTransient,
	v1.ClassTargetFault,
	v1.ClassProtocol,
	v1.ClassData,
}

var usableCode = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`)

// failure is the error of a service that sends success false. said is its error, detail its error_detail; where is the
// answer of the service itself.
func (c *caller) failure(said *string, detail json.RawMessage, where *v1.Target, phase string) *v1.ErrorDetail {
	out := &v1.ErrorDetail{Class: v1.ClassTargetFault, Code: "connector_failed", Phase: phase, Target: where}
	if said != nil {
		out.Message = c.clean(*said, maxMessage)
	}
	var d v1.ErrorDetail
	if len(detail) > 0 && json.Unmarshal(detail, &d) == nil {
		if slices.Contains(ownClasses, d.Class) {
			out.Class = d.Class
		}
		if usableCode.MatchString(d.Code) {
			out.Code = c.clean(d.Code, 64)
		}
		if d.Message != "" && out.Message == "" {
			out.Message = c.clean(d.Message, maxMessage)
		}
		out.Hint = c.clean(d.Hint, maxHint)
		if d.Phase != "" {
			out.Phase = c.clean(d.Phase, 64)
		}
		if d.RetryAfterMS != nil && *d.RetryAfterMS > 0 {
			out.RetryAfterMS = d.RetryAfterMS
		}
		// A status of its target's would pass for the service's own.
		if origin := cleaned(c, d.Target, maxOrigin); origin != nil && origin.HTTP == nil {
			out.Target = origin
		}
	}
	if strings.TrimSpace(out.Message) == "" {
		out.Message = "the connector reported a failure without saying which"
	}
	out.Retryable = out.Class == v1.ClassTransient || out.Class == v1.ClassRateLimited
	return out
}

// clean is a service's text as users may see it.
func (c *caller) clean(s string, limit int) string {
	s, _ = connectorkit.NewScrubber().Excerpt(strings.ReplaceAll(c.client.Clean(s), "\x00", ""), limit)
	return s
}

// cleaned is v with the secrets in all its texts masked; nil where it is larger than limit.
func cleaned[T any](c *caller, v *T, limit int) *T {
	if v == nil {
		return nil
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil || text.Len() > limit {
		return nil
	}
	out := new(T)
	if json.Unmarshal([]byte(strings.ReplaceAll(c.client.Clean(text.String()), `\u0000`, "")), out) != nil {
		return nil
	}
	return out
}

// refusal are the members that an answer outside 2xx may have: those of a SyncResponse, or problem details (RFC 9457).
type refusal struct {
	Success     *bool           `json:"success"`
	Error       *string         `json:"error"`
	ErrorDetail json.RawMessage `json:"error_detail"`
	Errors      []struct {
		Pointer string `json:"pointer"`
		Detail  string `json:"detail"`
	} `json:"errors"`
}

// judge reads the same bodies in an answer outside 2xx that one of 200 may have, and the places that a problem names.
func (c *caller) judge(d *v1.ErrorDetail) *v1.ErrorDetail {
	if d.Target == nil || d.Target.HTTP == nil {
		return d
	}
	var said refusal
	if json.Unmarshal([]byte(d.Target.HTTP.BodyExcerpt), &said) != nil {
		return d
	}
	if len(said.ErrorDetail) > 0 && string(said.ErrorDetail) != "null" && said.Success != nil && !*said.Success {
		out := c.failure(said.Error, said.ErrorDetail, d.Target, d.Phase)
		if out.RetryAfterMS == nil {
			out.RetryAfterMS = d.RetryAfterMS
		}
		return out
	}
	for i, e := range said.Errors[:min(len(said.Errors), 10)] {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		d.Message += sep + c.clean(strings.TrimSpace(e.Pointer+" "+e.Detail), 300)
	}
	return d
}
