package change

import (
	"errors"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// UnprovenError is a change that cannot be said to be needless: what it names is not seen, and is not proven
// to be gone either.
type UnprovenError struct{ detail *v1.ErrorDetail }

// Error is the message of the detail.
func (u *UnprovenError) Error() string { return u.detail.Message }

// Unwrap gives the *v1.ErrorDetail, so that errors.As finds it.
func (u *UnprovenError) Unwrap() error { return u.detail }

// ErrDryRun ends a dry run once everything is planned.
var ErrDryRun = errors.New("dry run")

// PartialError is a change of several requests of which a later one was refused.
type PartialError struct {
	// Done is the number of requests that were carried out, Of the number that was planned.
	Done, Of int
	// Err is the refusal of the next request.
	Err error
}

// Error says how many requests were carried out, and why the next one was not.
func (h *PartialError) Error() string {
	return fmt.Sprintf("%d of %d requests were carried out: %v", h.Done, h.Of, h.Err)
}

// Unwrap gives the refusal of the request that was not carried out.
func (h *PartialError) Unwrap() error { return h.Err }

// Response closes the response. A refusal of the first request has changed nothing and is an error; after
// that something has changed, or may have, and the caller must read the account.
func (w *Change) Response(err error) (v1.ProvisionResponse, error) {
	var (
		open    *wire.UnansweredError
		stopped *PartialError
		doubt   *UnprovenError
	)
	switch {
	case err == nil:
		w.Out.Success = true
		return w.Out, nil
	case errors.Is(err, ErrDryRun):
		w.Out.Success, w.Out.Outcome = true, v1.OutcomePlanned
		return w.Out, nil
	case errors.As(err, &doubt):
		return w.outcomeUnknown(doubt.detail), nil
	case errors.As(err, &open):
		return w.outcomeUnknown(w.unanswered(open)), nil
	case errors.As(err, &stopped):
		var d *v1.ErrorDetail
		if !errors.As(stopped.Err, &d) {
			d = w.unanswered(&wire.UnansweredError{Op: "change", Err: stopped.Err})
		}
		partly := *d
		partly.Message = fmt.Sprintf("%d of %d requests were carried out; then %s", stopped.Done, stopped.Of, d.Message)
		return w.outcomeUnknown(&partly), nil
	}
	return v1.ProvisionResponse{}, err
}

// outcomeUnknown is the response after a request that may or may not have been carried out. It
// carries no account and no grant: what was read before the request may no longer be true, and the
// caller has to read again before it tries again.
func (w *Change) outcomeUnknown(d *v1.ErrorDetail) v1.ProvisionResponse {
	text := d.Message
	w.Out.Success, w.Out.Verified, w.Out.Outcome = false, false, v1.OutcomeUnknown
	w.Out.Account, w.Out.Grant = nil, nil // as they were before
	w.Out.Error, w.Out.ErrorDetail = &text, d
	return w.Out
}

// unanswered explains a request whose answer did not come, be it because the caller's own time ran out.
func (w *Change) unanswered(e *wire.UnansweredError) *v1.ErrorDetail {
	d := w.Classify(e.Err)
	d.Phase, d.Target.Kind, d.Target.Host = e.Op, "ldap", w.HostPort()
	d.Class, d.Code, d.Retryable = v1.ClassTransient, "ldap_unanswered", true
	if w.Ctx.Err() != nil {
		d.Message = "the call was ended"
	}
	d.Message = w.Scrub.Clean("the directory was asked to change something, and before its answer " + d.Message)
	d.Hint = "The directory may have done it or not. Read the record before anything is sent again."
	return d
}
