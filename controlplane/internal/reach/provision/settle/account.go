package settle

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// twins finds accounts that a reading of the target has brought as others meanwhile. One without an owner, or of the
// same owner, is the same account, and its row becomes one with ours; one of another owner is theirs, and the change
// has failed.
func twins(ctx context.Context, tx *pg.Tx, connectorID string, ended []attempt.Outcome) ([]attempt.Outcome, error) {
	var keys []string
	for _, o := range ended {
		if o.Job.Operation == task.CreateAccount && o.Made() && o.Account != nil && o.Job.AccountID != nil {
			keys = append(keys, o.Account.ExternalID)
		}
	}
	if len(keys) == 0 {
		return ended, nil
	}
	const sql = `select external_id, id::text, identity_id::text from account where connector_id = $1
		and external_id = any($2) for update`
	type twin struct {
		id    string
		owner *string
	}
	there := map[string]twin{}
	var key string
	var t twin
	if err := pg.Each(
		ctx,
		tx,
		"look for the same accounts",
		[]any{&key, &t.id, &t.owner},
		func() error { there[key] = t; t.owner = nil; return nil },
		sql,
		connectorID,
		keys,
	); err != nil {
		return nil, err
	}
	for i, o := range ended {
		if o.Job.Operation != task.CreateAccount || !o.Made() || o.Account == nil || o.Job.AccountID == nil {
			continue
		}
		t, found := there[o.Account.ExternalID]
		switch {
		case !found || t.id == *o.Job.AccountID:
		case t.owner != nil && o.Job.IdentityID != nil && *t.owner != *o.Job.IdentityID:
			d := &v1.ErrorDetail{
				Class:   v1.ClassConflict,
				Code:    "account_of_somebody_else",
				Message: "the account with this username in the target belongs to another person here",
			}
			ended[i] = attempt.Outcome{
				Job:    o.Job,
				State:  task.Failed,
				Result: "refused",
				Counts: true,
				Class:  failure.ClassConflict,
				Detail: d,
				Took:   o.Took,
				By:     o.By,
				Advice: failure.Advice(task.CreateAccount, failure.ClassConflict, d),
			}
		default:
			if err := adopt(ctx, tx, *o.Job.AccountID, t.id); err != nil {
				return nil, err
			}
		}
	}
	return ended, nil
}

// adopt makes one account of two rows.
func adopt(ctx context.Context, tx *pg.Tx, ours, twin string) error {
	if err := grantstatus.Move(ctx, tx, twin, ours); err != nil {
		return err
	}
	for _, sql := range []string{
		`update provisioning_task set account_id = $1 where account_id = $2 and state in ('done', 'simulated',
			'cancelled', 'verifying')`,
		`update provisioning_task set state = 'cancelled', outcome = 'cancelled',
			note = 'its account became one with another', finished_at = now(), updated_at = now(),
			version = version + 1 where account_id = $2 and account_id <> $1`,
		`update access_reason set account_id = $1 where account_id = $2`,
	} {
		if err := pg.Exec(ctx, tx, "adopt account", sql, ours, twin); err != nil {
			return err
		}
	}
	return directoryaccount.MergeDiscovered(ctx, tx, ours, twin)
}

// Apply writes what became of accounts and grants.
func Apply(ctx context.Context, tx *pg.Tx, now time.Time, ended []attempt.Outcome) error {
	var seen []directoryaccount.Observed
	var states []grantstatus.State
	var failed []string
	for _, o := range ended {
		if s, known := unchanged(o); known {
			seen = append(seen, s)
		}
		switch {
		case o.Job.Mode == task.ModeSimulate || o.Job.AccountID == nil:
		case o.Made() && o.Job.GrantID != nil:
			states = append(
				states,
				grantstatus.State{
					ID:     *o.Job.GrantID,
					Status: grantAfter(o),
					Held:   o.Job.Operation == task.Grant && !o.Awaited(),
				},
			)
		case o.Made():
			if s, known := observed(o, now); known {
				seen = append(seen, s)
			}
		case o.State == task.Failed && o.Job.Operation == task.Grant && o.Job.GrantID != nil:
			states = append(states, grantstatus.State{ID: *o.Job.GrantID, Status: "failed"})
		case o.State == task.Failed && o.Job.Operation == task.CreateAccount:
			failed = append(failed, *o.Job.AccountID)
		case o.State == task.Failed && o.Job.Operation == task.DeleteAccount:
			if err := directoryaccount.SetStatus(ctx, tx, *o.Job.AccountID, "disabled"); err != nil {
				return err
			}
		}
	}
	for _, id := range failed {
		if err := directoryaccount.SetStatus(ctx, tx, id, "failed"); err != nil {
			return err
		}
	}
	if err := directoryaccount.UpdateObserved(ctx, tx, seen); err != nil {
		return err
	}
	return grantstatus.Set(ctx, tx, states)
}

// grantAfter is how a grant stands after its change. What the target has only taken note of stays as it was until a
// reading shows it.
func grantAfter(o attempt.Outcome) string {
	switch {
	case o.Job.Operation == task.Grant && o.Awaited():
		return "pending"
	case o.Job.Operation == task.Grant:
		return "active"
	case o.Awaited():
		return "revoking"
	}
	return "revoked"
}

// observed is what is known of an account after a change. What the target has only taken note of is not known yet.
func observed(o attempt.Outcome, now time.Time) (directoryaccount.Observed, bool) {
	s := directoryaccount.Observed{ID: *o.Job.AccountID}
	if o.Awaited() || o.Job.Operation == task.CreateAccount && o.Account == nil {
		return s, false
	}
	if a := o.Account; a != nil {
		s.ExternalID, s.NativeRef, s.NativeIdentity = a.ExternalID, a.NativeRef, a.NativeIdentity
		s.Username, s.Email, s.DisplayName, s.FirstName, s.LastName, s.EmployeeNumber = a.Username, a.Email,
			a.DisplayName, a.FirstName, a.LastName, a.EmployeeNumber
		s.IsDisabled, s.IsLocked = a.IsDisabled, a.IsLocked
	}
	no, yes := false, true
	if o.Vanished {
		s.Deleted = true
		return s, true
	}
	switch o.Job.Operation {
	case task.CreateAccount:
		if s.IsDisabled == nil {
			s.IsDisabled = &no
		}
	case task.Disable:
		s.IsDisabled, s.DisabledFor = &yes, o.Job.Payload.DisabledFor
	case task.Enable:
		s.IsDisabled, s.Enabled = &no, true
	case task.Unlock:
		s.IsLocked = &no
	case task.SetPassword:
		s.PasswordSetAt = &now
	case task.DeleteAccount:
		s.Deleted = true
	case task.UpdateAccount, task.RenameAccount:
		if p := o.Job.Payload.Account; p != nil && o.Account == nil {
			s.Username, s.Email, s.DisplayName, s.FirstName, s.LastName, s.EmployeeNumber = p.Username, p.Email,
				p.DisplayName, p.FirstName, p.LastName, p.EmployeeNumber
		}
	}
	return s, true
}

// unchanged is what is known of an account that a refused change was to enable or disable, and that was read before
// because an earlier change of unknown outcome may have done so: as it is stored, it may not be.
func unchanged(o attempt.Outcome) (directoryaccount.Observed, bool) {
	a, op := o.Before, o.Job.Operation
	if a == nil || a.Deleted || a.IsDisabled == nil || o.State != task.Failed || o.Job.AccountID == nil ||
		op != task.Enable && op != task.Disable {
		return directoryaccount.Observed{}, false
	}
	return directoryaccount.Observed{ID: *o.Job.AccountID, IsDisabled: a.IsDisabled, IsLocked: a.IsLocked}, true
}

// Follow lets go on what waited for tasks that are done, and says at what waits for a failed one why it does. A deleted
// account's grants are gone with it.
func Follow(ctx context.Context, tx *pg.Tx, ended []attempt.Outcome) error {
	var done, failed, deleted []string
	for _, o := range ended {
		switch {
		case o.State == task.Done || o.State == task.Simulated ||
			o.State == task.Verifying && o.Job.Operation != task.CreateAccount:
			done = append(done, o.Job.ID)
		case o.State == task.Failed:
			failed = append(failed, o.Job.ID)
		}
		if o.State == task.Done && (o.Job.Operation == task.DeleteAccount || o.Vanished) && o.Job.AccountID != nil &&
			o.Job.Mode != task.ModeSimulate {
			deleted = append(deleted, *o.Job.AccountID)
		}
	}
	if err := taskstore.Release(ctx, tx, done); err != nil {
		return err
	}
	if err := taskstore.ExplainFailed(ctx, tx, failed); err != nil || len(deleted) == 0 {
		return err
	}
	const gone = `
		update access_grant
		   set status = 'revoked', revoked_at = now(), updated_at = now(), version = version + 1
		 where account_id = any($1::text[]::uuid[])
		   and status <> 'revoked'`
	return pg.Exec(ctx, tx, "end grants of deleted accounts", gone, deleted)
}
