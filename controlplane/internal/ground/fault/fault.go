// Package fault is the vocabulary of failures: each has a kind, a stable code and a message that is safe to show.
//
// A function returns a fault where its caller, or the user, can do something about it. Everything else is an ordinary
// error, which the outside sees as an internal error with a request id.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind groups faults by what a client can do about them. Each has one HTTP status; see decisions of the API on errors.
type Kind int

// Kinds of fault with the HTTP status that httpapi gives them.
const (
	Internal        Kind = iota // 500
	Malformed                   // 400: cannot be parsed, or a bad parameter
	Unauthenticated             // 401
	Forbidden                   // 403: the caller lacks a right
	NotFound                    // 404: absent, or not visible
	Conflict                    // 409: the state does not allow it
	Precondition                // 412: If-Match does not match
	Invalid                     // 422: understood, but against the rules
	TooMany                     // 429
	Unavailable                 // 503
	TargetFailed                // 502: a target system failed
)

// Fault is a failure with words for its reader.
type Fault struct {
	Kind       Kind
	Code       string // stable snake_case, e.g. duplicate_external_id
	Message    string // this occurrence, safe to show
	Fields     []Field
	RetryAfter time.Duration
	Extra      map[string]any // further members of the problem document
}

// Field points to what is wrong in a request.
type Field struct {
	// JSON pointer to the invalid member of the body, such as #/email.
	Pointer string `json:"pointer,omitempty"`
	// Name of the invalid query or path parameter.
	Parameter string `json:"parameter,omitempty"`
	// Name of the invalid request header.
	Header string `json:"header,omitempty"`
	// Stable code of the error, for programs.
	Code string `json:"code"`
	// What is wrong with the value.
	Detail string `json:"detail"`
}

// Error is the message.
func (f *Fault) Error() string { return f.Message }

// codes are the default codes of the kinds.
var codes = map[Kind]string{
	Internal: "internal_error", Malformed: "invalid_request", Unauthenticated: "authentication_required",
	Forbidden: "forbidden", NotFound: "not_found", Conflict: "conflict", Precondition: "precondition_failed",
	Invalid: "validation_failed", TooMany: "rate_limited",
	Unavailable: "temporarily_overloaded", TargetFailed: "target_error",
}

// New makes a fault with its kind's default code.
func New(kind Kind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Code: codes[kind], Message: fmt.Sprintf(format, args...)}
}

// Coded makes a fault with a code of its own.
func Coded(kind Kind, code, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// With adds what is wrong in detail.
func (f *Fault) With(fields ...Field) *Fault {
	f.Fields = append(f.Fields, fields...)
	return f
}

// Also adds a member to the problem document.
func (f *Fault) Also(key string, value any) *Fault {
	if f.Extra == nil {
		f.Extra = map[string]any{}
	}
	f.Extra[key] = value
	return f
}

// Is reports whether err is, or wraps, a fault of this kind.
func Is(err error, kind Kind) bool {
	var f *Fault
	return errors.As(err, &f) && f.Kind == kind
}

// IsCode reports whether err is, or wraps, a fault with this code.
func IsCode(err error, code string) bool {
	var f *Fault
	return errors.As(err, &f) && f.Code == code
}
