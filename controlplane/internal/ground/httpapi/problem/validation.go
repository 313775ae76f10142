package problem

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Invalid is what huma calls for its own findings. The rejected value is never echoed: it may be a password.
func Invalid(status int, msg string, errs ...error) *Problem {
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
	return WithRequest(context.Background(), p)
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
