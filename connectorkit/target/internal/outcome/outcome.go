package outcome

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// UnansweredError is the error of a request that went out and was not answered.
type UnansweredError struct{ *v1.ErrorDetail }

// Unwrap gives the detail.
func (l UnansweredError) Unwrap() error { return l.ErrorDetail }

// MayHaveArrived says whether a request that ended with err may have been carried out all the same: no answer
// came, or one that a gateway or a failing service gives in place of the true one. A service that asks to
// come back later has done nothing.
func MayHaveArrived(err error) bool {
	if Unanswered(err) {
		return true
	}
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Phase == "token" || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	switch status := d.Target.HTTP.Status; status {
	case http.StatusRequestTimeout:
		return true
	case http.StatusServiceUnavailable:
		return d.RetryAfterMS == nil
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	default:
		return status/100 == 5
	}
}

// Absent says whether err is the target's own word that something is not there, with one of the statuses. A
// page of whatever stands in between is no such word.
func Absent(err error, statuses ...int) bool {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil ||
		!slices.Contains(statuses, d.Target.HTTP.Status) {
		return false
	}
	return !strings.Contains(strings.ToLower(d.Target.HTTP.ContentType), "html")
}

// Forbidden says whether err is the target's refusal to show one record to this login.
func Forbidden(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Class == v1.ClassPermission && d.Target != nil && d.Target.HTTP != nil &&
		d.Target.HTTP.Status == http.StatusForbidden
}

// Unanswered says whether a request went out, and no answer to it came.
func Unanswered(err error) bool {
	var l UnansweredError
	return errors.As(err, &l)
}
