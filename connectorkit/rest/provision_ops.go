package rest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// seenAs fills the answer from an account that is as asked, and says whether everything asked for could be seen.
func (w *writing) seenAs(outcome v1.Outcome, row *v1.RemoteAccount, verified bool) {
	w.resp.Outcome, w.resp.Account, w.resp.Verified = outcome, row, verified
}

func (w *writing) create(ctx context.Context) error {
	a := w.req.Account
	if a == nil || a.Username == nil || *a.Username == "" {
		return misuse("username_missing", "an account cannot be created without a user name", "Have the account's template make one.")
	}
	w.target = v1.ProvisionTarget{Kind: "account", Username: *a.Username}
	if w.reads[readFind] != nil {
		if row, _, err := w.find(ctx); err != nil || row != nil {
			return w.exists(row, err)
		}
	}
	_, unwritten := w.compare(nil)
	w.tellUnwritten(unwritten)
	answer, refused, err := w.send(ctx)
	if refused != nil && w.reads[readFind] != nil {
		row, _, lookErr := w.find(ctx)
		if lookErr != nil || row != nil {
			return w.exists(row, lookErr)
		}
	}
	if err != nil {
		return err
	}
	w.resp.Outcome, w.resp.Changes = v1.OutcomeApplied, w.changes(nil)
	w.target.RemoteID = w.newID(answer)
	w.readBack(ctx, func(row *v1.RemoteAccount) bool {
		list, _ := w.compare(row)
		differ, unshown := differing(list)
		return row != nil && len(differ) == 0 && !unshown
	})
	switch {
	case w.resp.Account != nil:
	case w.target.RemoteID != "":
		w.resp.Account = &v1.RemoteAccount{ExternalID: w.target.RemoteID, Username: a.Username}
	default:
		w.warn("id_not_told", "the account was created, and the target does not tell its id; the next read will", "")
	}
	return nil
}

// newID finds the id in the answer to a create.
func (w *writing) newID(answer any) string {
	if id := w.ops[v1.OpAccountCreate].id; id != nil {
		v, _ := id.First(w.budget, answer)
		text, _ := textOf(v)
		return text
	}
	if _, object := answer.(map[string]any); !object {
		return ""
	}
	id, _ := w.stream.keyOf(w.budget, answer)
	return id
}

// exists judges an account that is there before it was created.
func (w *writing) exists(row *v1.RemoteAccount, err error) error {
	if err != nil {
		return err
	}
	list, _ := w.compare(row)
	differ, unshown := differing(list)
	if len(differ) == 0 {
		w.seenAs(v1.OutcomeAlready, row, !unshown)
		return nil
	}
	return &v1.ErrorDetail{Class: v1.ClassConflict, Code: "account_exists", Phase: phaseWrite,
		Message: "the target has an account of this name already, which differs in " + strings.Join(differ, ", ") + " (id " + row.ExternalID + ")",
		Hint:    "Link that account, or have the account's template make another name."}
}

func (w *writing) tellUnwritten(names []string) {
	if len(names) > 0 {
		w.warn("not_written", "the template does not write "+strings.Join(names, ", "), w.target.RemoteID)
	}
}

// change does what is left: update, rename, enable, disable, unlock, reset_password.
func (w *writing) change(ctx context.Context) error {
	row, looked, err := w.locate(ctx)
	if err != nil {
		return err
	}
	if looked && row == nil {
		return notThere()
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
		w.seenAs(v1.OutcomeAlready, row, true)
		return nil
	}
	if _, refused, err := w.send(ctx); err != nil {
		if refused == nil || done == nil {
			return err
		}
		if row, looked, lookErr := w.locate(ctx); lookErr == nil && looked && row != nil && done(row) {
			w.seenAs(v1.OutcomeAlready, row, true)
			return nil
		}
		return err
	}
	w.resp.Outcome, w.resp.Changes = v1.OutcomeApplied, wanted
	if done == nil {
		w.look(ctx, nil)
		return nil
	}
	w.readBack(ctx, func(row *v1.RemoteAccount) bool { return row != nil && done(row) })
	return nil
}

// expected holds the version that the caller knows against the one that the stream's fields tell.
func (w *writing) expected(row *v1.RemoteAccount) error {
	if w.req.Expect == nil || w.req.Expect.Version == "" || w.req.Expect.Version == row.ETag {
		return nil
	}
	return &v1.ErrorDetail{Class: v1.ClassConflict, Code: "version_changed", Phase: phaseWrite,
		Message: "the account was changed in the target since it was read", Hint: "Read it again."}
}

func notThere() error {
	return &v1.ErrorDetail{Class: v1.ClassNotFound, Code: "account_not_found", Phase: phaseWrite,
		Message: "the target has no such account", Hint: "It was removed there, or its id has changed. Read the target again."}
}

// goal says when an account is as asked; nil: nobody can see it.
func (w *writing) goal(row *v1.RemoteAccount) (done func(*v1.RemoteAccount) bool, changes []v1.ChangedField, err error) {
	flag := func(name string, of func(*v1.RemoteAccount) *bool, want bool) (func(*v1.RemoteAccount) bool, []v1.ChangedField, error) {
		var old any
		if row != nil && of(row) != nil {
			old = *of(row)
		}
		return func(r *v1.RemoteAccount) bool { return of(r) != nil && *of(r) == want }, []v1.ChangedField{{Field: name, Old: old, New: want}}, nil
	}
	switch w.req.Op {
	case v1.OpAccountEnable, v1.OpAccountDisable:
		return flag("is_disabled", func(r *v1.RemoteAccount) *bool { return r.IsDisabled }, w.req.Op == v1.OpAccountDisable)
	case v1.OpAccountUnlock:
		return flag("is_locked", func(r *v1.RemoteAccount) *bool { return r.IsLocked }, false)
	case v1.OpAccountPassword:
		if w.password == "" {
			w.resp.Outcome = v1.OutcomeNoop
		}
		return nil, []v1.ChangedField{{Field: "password", New: "[secret]"}}, nil
	}
	list, unwritten := w.compare(row)
	w.tellUnwritten(unwritten)
	if len(list) == 0 {
		w.resp.Outcome = v1.OutcomeNoop
		return nil, nil, nil
	}
	if a := w.req.Account; w.req.Op == v1.OpAccountUpdate && a.Username != nil && row != nil && row.Username != nil && !strings.EqualFold(*a.Username, *row.Username) {
		return nil, nil, misuse("use_rename", "an update does not change the user name", "Ask for account.rename.")
	}
	return func(r *v1.RemoteAccount) bool {
		list, _ := w.compare(r)
		differ, unshown := differing(list)
		return len(differ) == 0 && !unshown
	}, w.changes(row), nil
}

// changes tells what is written.
func (w *writing) changes(row *v1.RemoteAccount) []v1.ChangedField {
	var out []v1.ChangedField
	list, _ := w.compare(row)
	for _, c := range list {
		if !c.shown || !c.same() {
			out = append(out, v1.ChangedField{Field: c.name, Old: c.have, New: c.want})
		}
	}
	if w.password != "" {
		out = append(out, v1.ChangedField{Field: "password", New: "[secret]"})
	}
	return out
}

// pauses are those between looks at what became of a change.
var pauses = []time.Duration{250 * time.Millisecond, time.Second}

// readBack looks, a few times if need be, until the account is as asked.
func (w *writing) readBack(ctx context.Context, done func(*v1.RemoteAccount) bool) {
	for i := 0; ; i++ {
		looked := w.look(ctx, done)
		if !looked || w.resp.Verified {
			return
		}
		if i >= len(pauses) || w.client.Pause(ctx, phaseWrite, pauses[i]) != nil {
			w.warn("not_as_asked", "the target took the change and does not show all of it", w.target.RemoteID)
			return
		}
	}
}

// look reads the account once more; done says whether it is as asked.
func (w *writing) look(ctx context.Context, done func(*v1.RemoteAccount) bool) bool {
	clear(w.seen)
	if w.target.RemoteID == "" && w.reads[readFind] == nil || w.target.RemoteID != "" && w.reads[readAccount] == nil {
		w.warn("not_read_back", "the setting writes has no read that would show what became of the change", w.target.RemoteID)
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

func (w *writing) delete(ctx context.Context) error {
	row, looked, err := w.locate(ctx)
	switch {
	case err != nil:
		return err
	case looked && row == nil:
		return w.ended()
	case row != nil:
		w.target.RemoteID = row.ExternalID
		if err := w.expected(row); err != nil {
			return err
		}
	}
	if _, refused, err := w.send(ctx); err != nil {
		if refused == nil {
			return err
		}
		if row, looked, lookErr := w.locate(ctx); lookErr == nil && looked && row == nil && w.presence(nil) == v1.PresenceGone {
			return w.ended()
		}
		return err
	}
	w.resp.Outcome = v1.OutcomeApplied
	w.readBack(ctx, func(row *v1.RemoteAccount) bool { return row == nil })
	return nil
}

// Read tells how a few accounts are now, by the reads that the settings declare.
func (c *connector) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	if len(req.Accounts) > v1.MaxRead || len(req.Entitlements) > v1.MaxRead {
		return v1.ReadResponse{}, misuse("too_many", fmt.Sprintf("at most %d accounts and entitlements are read at once", v1.MaxRead), "")
	}
	w, err := c.writing(ctx, req.AuthConfig)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	defer w.client.Close()
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
			return v1.ReadResponse{}, misuse("no_read", "accounts cannot be read one by one: the setting writes has no read account", "Declare it.")
		}
		out.Accounts = append(out.Accounts, v1.ReadAccount{Target: t, Account: row, Presence: w.presence(row)})
		if row == nil {
			continue
		}
		w.target.RemoteID = row.ExternalID
		for _, e := range req.Entitlements {
			w.req.EntitlementRemoteIDs, w.req.Entitlement = []string{e.RemoteID}, &e
			clear(w.seen)
			now, err := w.membership(ctx)
			var d *v1.ErrorDetail
			switch {
			case errors.As(err, &d) && d.Class == v1.ClassNotFound: // not an entitlement of the kind that the templates know
			case err != nil:
				return v1.ReadResponse{}, err
			case now.known:
				out.Grants = append(out.Grants, v1.GrantState{AccountRemoteID: row.ExternalID, EntitlementRemoteID: e.RemoteID, Held: now.held})
			}
		}
	}
	return out, nil
}
