package write

import (
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/connectorkit/rest/template"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// pauses are those between looks at what became of a change.
var pauses = []time.Duration{250 * time.Millisecond, time.Second}

// readBack looks, a few times if need be, until the account is as asked.
func (w *Operation) readBack(ctx context.Context, done func(*v1.RemoteAccount) bool) {
	for i := 0; ; i++ {
		looked := w.verify(ctx, done)
		if !looked || w.resp.Verified {
			return
		}
		if i >= len(pauses) || w.client.Pause(ctx, phaseWrite, pauses[i]) != nil {
			w.warn("not_as_asked", "the target took the change and does not show all of it", w.target.RemoteID)
			return
		}
	}
}

// verify reads the account once more; done says whether it is as asked.
func (w *Operation) verify(ctx context.Context, done func(*v1.RemoteAccount) bool) bool {
	clear(w.seen)
	if w.target.RemoteID == "" && w.Reads[template.ReadFind] == nil ||
		w.target.RemoteID != "" && w.Reads[template.ReadAccount] == nil {
		w.warn(
			"not_read_back",
			"the setting writes has no read that would show what became of the change",
			w.target.RemoteID,
		)
		return false
	}
	row, _, err := w.locate(ctx)
	if err != nil {
		w.warn("not_read_back", "the change was made, and could not be looked at: "+err.Error(), w.target.RemoteID)
		return false
	}
	w.resp.Account = row
	w.resp.Verified = done != nil && done(row)
	return true
}

// ReadAccounts reads single accounts, and which of the entitlements each of them holds.
func (w *Operation) ReadAccounts(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	out := v1.ReadResponse{Accounts: []v1.ReadAccount{}}
	for _, t := range req.Accounts {
		w.target = t
		clear(w.seen)
		row, looked, err := w.locate(ctx)
		if target.Forbidden(err) {
			out.Accounts = append(out.Accounts, v1.ReadAccount{Target: t, Presence: v1.PresenceUnknown})
			continue
		}
		if err != nil {
			return v1.ReadResponse{}, err
		}
		if !looked {
			return v1.ReadResponse{}, ConfigError(
				"no_read",
				"accounts cannot be read one by one: the setting writes has no read account",
				"Declare it.",
			)
		}
		out.Accounts = append(out.Accounts, v1.ReadAccount{Target: t, Account: row, Presence: w.presence(row)})
		if row == nil {
			continue
		}
		w.target.RemoteID = row.ExternalID
		for _, e := range req.Entitlements {
			w.req.EntitlementRemoteIDs = []string{e.RemoteID}
			w.req.Entitlement = &e
			clear(w.seen)
			now, err := w.membership(ctx)
			var d *v1.ErrorDetail
			switch {
			case errors.As(err, &d) && d.Class == v1.ClassNotFound:
				// It is no entitlement of the kind that the templates know.
			case err != nil:
				return v1.ReadResponse{}, err
			case now.known:
				out.Grants = append(
					out.Grants,
					v1.GrantState{AccountRemoteID: row.ExternalID, EntitlementRemoteID: e.RemoteID, Held: now.held},
				)
			}
		}
	}
	return out, nil
}
