package write

import (
	"context"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// setResult fills the answer from an account that is as asked, and says whether everything asked for could be seen.
func (w *Operation) setResult(outcome v1.Outcome, row *v1.RemoteAccount, verified bool) {
	w.resp.Outcome = outcome
	w.resp.Account = row
	w.resp.Verified = verified
}

// changeAccount does what is left: update, rename, enable, disable, unlock, reset_password.
func (w *Operation) changeAccount(ctx context.Context) error {
	row, looked, err := w.locate(ctx)
	if err != nil {
		return err
	}
	if looked && row == nil {
		return accountNotFound()
	}
	if row != nil {
		w.target.RemoteID = row.ExternalID
		if err := w.expected(row); err != nil {
			return err
		}
	}
	done, wanted, err := w.goal(row)
	if err != nil || w.resp.Outcome == v1.OutcomeNoop {
		return err
	}
	if row != nil && done != nil && done(row) {
		w.setResult(v1.OutcomeAlready, row, true)
		return nil
	}
	if _, refused, err := w.send(ctx); err != nil {
		if refused == nil || done == nil {
			return err
		}
		if row, looked, lookErr := w.locate(ctx); lookErr == nil && looked && row != nil && done(row) {
			w.setResult(v1.OutcomeAlready, row, true)
			return nil
		}
		return err
	}
	w.resp.Outcome = v1.OutcomeApplied
	w.resp.Changes = wanted
	if done == nil {
		w.verify(ctx, nil)
		return nil
	}
	w.readBack(ctx, func(row *v1.RemoteAccount) bool { return row != nil && done(row) })
	return nil
}

// expected holds the version that the caller knows against the one that the stream's fields tell.
func (w *Operation) expected(row *v1.RemoteAccount) error {
	if w.req.Expect == nil || w.req.Expect.Version == "" || w.req.Expect.Version == row.ETag {
		return nil
	}
	return &v1.ErrorDetail{Class: v1.ClassConflict, Code: "version_changed", Phase: phaseWrite,
		Message: "the account was changed in the target since it was read", Hint: "Read it again."}
}

// accountNotFound is the error for an account that the target does not have.
func accountNotFound() error {
	return &v1.ErrorDetail{Class: v1.ClassNotFound, Code: "account_not_found", Phase: phaseWrite,
		Message: "the target has no such account",
		Hint:    "It was removed there, or its id has changed. Read the target again."}
}
