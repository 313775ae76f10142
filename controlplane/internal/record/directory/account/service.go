package account

import (
	"context"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
)

// Service serves the paths under /accounts. All fields but Admit are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
	// Admit checks a link before it is written. Nil: nothing is refused.
	Admit Admission
}

// Ownership is an account with the identity that is to own it.
type Ownership struct{ AccountID, IdentityID string }

// Admission returns the faults of those links that must not be made by hand, by their accounts.
type Admission func(ctx context.Context, tx *pg.Tx, links []Ownership) (map[string]error, error)

// Check is the fault of one link. Without an admission there is none.
func (a Admission) Check(ctx context.Context, tx *pg.Tx, accountID, identityID string) error {
	if a == nil {
		return nil
	}
	refused, err := a(ctx, tx, []Ownership{{accountID, identityID}})
	if err != nil {
		return err
	}
	return refused[strings.ToLower(accountID)]
}

// Read gives one account with its counts.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (d AccountDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if d.Account, err = Find(ctx, tx, id); err != nil {
			return err
		}
		d.Counts.Grants, err = countGrants(ctx, tx, id)
		return err
	})
	return d, err
}

// change locks an account, lets fn write it and audits the changes that fn returns. Without changes, nothing was
// written.
func change(ctx context.Context, tx *pg.Tx, id, action string, match httpapi.IfMatch,
	fn func(before Account) ([]audit.Change, error)) (after Account, err error) {
	before, err := Lock(ctx, tx, id)
	if err != nil {
		return after, err
	}
	if err := match.Check(before.Version); err != nil {
		return after, err
	}
	changes, err := fn(before)
	if err != nil || len(changes) == 0 {
		return before, err
	}
	if after, err = Find(ctx, tx, id); err != nil {
		return after, err
	}
	return after, record(ctx, tx, action, after, changes)
}

// Patch applies a merge patch to what an administrator may write of an account.
func (s *Service) Patch(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch,
	body []byte) (out Account, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		out, err = change(ctx, tx, id, "account.updated", match, func(before Account) ([]audit.Change, error) {
			after, err := mergepatch.Apply(before.AccountFields, body)
			if err != nil {
				return nil, err
			}
			// null clears: what cannot be empty goes back to its default.
			if after.AccountType == "" {
				after.AccountType = "unknown"
			}
			if after.Managed == "" {
				after.Managed = "discovered"
			}
			changes, err := audit.Diff(before.AccountFields, after)
			if err != nil || len(changes) == 0 {
				return nil, err
			}
			return changes, store(ctx, tx, id, after, s.Now())
		})
		return err
	})
	return out, err
}

// Link names the owner of an account. What a person decided is kept by later correlation.
func (s *Service) Link(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, owner,
	reason string) (out Account, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := s.Admit.Check(ctx, tx, id, owner); err != nil {
			return err
		}
		out, err = Link(ctx, tx, id, match, owner, reason, s.Now())
		return err
	})
	return out, err
}

// Link names the owner of an account within a transaction.
func Link(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch, owner, reason string,
	now time.Time) (Account, error) {
	return decide(ctx, tx, id, "account.linked", match, manual, &owner, reason, now)
}

// Unlink takes an account from its owner.
func (s *Service) Unlink(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch,
	reason string) (out Account, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		out, err = decide(ctx, tx, id, "account.unlinked", match, uncorrelated, nil, reason, s.Now())
		return err
	})
	return out, err
}

// Ignore marks an account without an owner as accepted.
func (s *Service) Ignore(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch,
	reason string) (out Account, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		out, err = Ignore(ctx, tx, id, match, reason, s.Now())
		return err
	})
	return out, err
}

// Ignore marks an account without an owner as accepted, within a transaction.
func Ignore(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch, reason string,
	now time.Time) (Account, error) {
	return decide(ctx, tx, id, "account.ignored", match, ignored, nil, reason, now)
}

// decide sets the state of correlation and the owner of an account by a person's decision, in the
// caller's transaction. The account is locked, must be present in its system, and may take this
// step from its present state. A decision by a person stays when correlation runs again.
func decide(ctx context.Context, tx *pg.Tx, id, action string, match httpapi.IfMatch, to string, owner *string,
	reason string, now time.Time) (Account, error) {
	return change(ctx, tx, id, action, match, func(before Account) ([]audit.Change, error) {
		if err := before.checkPresent(); err != nil {
			return nil, err
		}
		if err := checkDecision(before.State(), to); err != nil {
			return nil, err
		}
		if owner != nil {
			if err := reference.CheckExist(ctx, tx, "identity_id", *owner); err != nil {
				return nil, err
			}
		}
		changes := []audit.Change{
			{Field: "correlation_state", From: before.State(), To: to},
			{Field: "identity_id", From: before.IdentityID, To: owner},
		}
		return changes, storeOwner(ctx, tx, id, to, owner, byUser(tx, reason, now), now)
	})
}

// checkPresent is a fault of kind Conflict if the target system no longer has the account.
func (a Account) checkPresent() error {
	if a.Status == "deleted" {
		return fault.Coded(fault.Conflict, "account_deleted", "this account no longer exists in its target system")
	}
	return nil
}

// byUser is the basis of a decision by a user.
func byUser(tx *pg.Tx, reason string, now time.Time) map[string]any {
	return map[string]any{"by": "user", "decided_by": tx.Viewer.Display, "decided_at": now.UTC(), "reason": reason}
}

// RejectCandidates says of a disputed account that it belongs to none of those whom rules have found. Rules do not
// give it to them any more; it is without an owner until another one is found.
func RejectCandidates(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch, reason string,
	now time.Time) (Account, error) {
	return change(ctx, tx, id, "account.candidates_rejected", match, func(before Account) ([]audit.Change, error) {
		if err := before.checkPresent(); err != nil {
			return nil, err
		}
		if before.State() != "disputed" {
			return nil, fault.Coded(fault.Conflict, "invalid_transition",
				"the account is %s, so it has no proposed owner", before.State()).
				Also("allowed", decisions[before.State()])
		}
		return []audit.Change{
				{Field: "correlation_state", From: before.State(), To: uncorrelated},
			}, storeRejected(
				ctx,
				tx,
				id,
				byUser(tx, reason, now),
				now,
			)
	})
}

// record records what was decided about an account, named by its username or key.
func record(ctx context.Context, tx *pg.Tx, action string, a Account, changes []audit.Change) error {
	name := a.ExternalID
	if identity.Text(a.Username) != "" {
		name = *a.Username
	}
	return audit.Record(ctx, tx, audit.Entry{Action: action, Changes: changes,
		Subject: audit.Subject{Type: "account", ID: a.ID, Display: name}})
}
