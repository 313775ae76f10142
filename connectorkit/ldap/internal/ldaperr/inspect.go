package ldaperr

import (
	"errors"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// PagingLoop is the error for a directory that keeps sending pages without new entries.
func PagingLoop(phase, host string) error {
	return &v1.ErrorDetail{
		Class: v1.ClassTargetFault, Code: "paging_loop",
		Message: "the directory keeps answering with pages that bring nothing new",
		Hint:    "Its paging is broken. Try another page_size, or ask its vendor.", Phase: phase,
		Target: &v1.Target{Kind: "ldap", Host: host},
	}
}

// IsResult reports whether err is the directory's answer with a result code, not explained yet.
func IsResult(err error, code int) bool {
	var refused *wire.ResultError
	return errors.As(err, &refused) && refused.Code == code
}

// HasResult reports whether the directory answered a search with the given result, explained already or not.
func HasResult(err error, code int) bool {
	var d *v1.ErrorDetail
	if errors.As(err, &d) {
		return d.Target != nil && d.Target.LDAP != nil && d.Target.LDAP.ResultCode == code
	}
	return IsResult(err, code)
}

// HasCode reports whether err is a v1.ErrorDetail with a code, such as no_key.
func HasCode(err error, code string) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Code == code
}

// NotSent is an error of our own, before anything was sent.
func NotSent(class v1.ErrorClass, code, message, hint string) *v1.ErrorDetail {
	return &v1.ErrorDetail{Class: class, Code: code, Message: message, Hint: hint, Phase: "change"}
}

// IsUnanswered reports whether a change was sent, or may have been, and its answer did not come.
func IsUnanswered(err error) bool {
	var open *wire.UnansweredError
	return errors.As(err, &open)
}
