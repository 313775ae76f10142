package directory

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// ReadAccount gives one account with its counts.
func (s *Service) ReadAccount(ctx context.Context, v viewer.Viewer, id string) (d AccountDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if d.Account, err = FindAccount(ctx, tx, id); err != nil {
			return err
		}
		d.Counts.Grants, err = countGrants(ctx, tx, id)
		return err
	})
	return d, err
}

// change locks an account, lets fn write it and records what became of it. fn gives the changes; without any, nothing was written.
func (s *Service) changeAccount(ctx context.Context, v viewer.Viewer, id, action string, match httpapi.IfMatch,
	fn func(tx *pg.Tx, before Account) ([]audit.Change, error)) (after Account, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := LockAccount(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		changes, err := fn(tx, before)
		if after = before; err != nil || len(changes) == 0 {
			return err
		}
		if after, err = FindAccount(ctx, tx, id); err != nil {
			return err
		}
		return recordAccount(ctx, tx, action, after, changes)
	})
	return after, err
}

// PatchAccount applies a merge patch to what an administrator may write of an account.
func (s *Service) PatchAccount(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, body []byte) (Account, error) {
	return s.changeAccount(ctx, v, id, "account.updated", match, func(tx *pg.Tx, before Account) ([]audit.Change, error) {
		after, err := mergepatch.Apply(before.AccountFields, body)
		if err != nil {
			return nil, err
		}
		// null clears: what cannot be empty goes back to its default.
		if after.AccountType == "" {
			after.AccountType = "unknown"
		}
		if after.Managed == "" {
			after.Managed = "read_only"
		}
		changes, err := mergepatch.Diff(before.AccountFields, after)
		if err != nil || len(changes) == 0 {
			return nil, err
		}
		return changes, storeAccount(ctx, tx, id, after, s.Now())
	})
}

// Link names the owner of an account. What a person decided is kept by later correlation.
func (s *Service) Link(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, owner, reason string) (Account, error) {
	return s.decide(ctx, v, id, "account.linked", match, manual, &owner, reason)
}

// Unlink takes an account from its owner.
func (s *Service) Unlink(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, reason string) (Account, error) {
	return s.decide(ctx, v, id, "account.unlinked", match, uncorrelated, nil, reason)
}

// Ignore says that an account without an owner is right as it is.
func (s *Service) Ignore(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, reason string) (Account, error) {
	return s.decide(ctx, v, id, "account.ignored", match, ignored, nil, reason)
}

func (s *Service) decide(ctx context.Context, v viewer.Viewer, id, action string, match httpapi.IfMatch, to string, owner *string, reason string) (Account, error) {
	return s.changeAccount(ctx, v, id, action, match, func(tx *pg.Tx, before Account) ([]audit.Change, error) {
		if before.Status == "deleted" {
			return nil, fault.Coded(fault.Conflict, "account_deleted", "this account no longer exists in its target system")
		}
		if err := checkDecision(before.State(), to); err != nil {
			return nil, err
		}
		if owner != nil {
			if err := CheckPeople(ctx, tx, "identity_id", *owner); err != nil {
				return nil, err
			}
		}
		why := map[string]any{"by": "user", "decided_by": v.Display, "decided_at": s.Now().UTC(), "reason": reason}
		changes := []audit.Change{
			{Field: "correlation_state", From: before.State(), To: to},
			{Field: "identity_id", From: before.IdentityID, To: owner},
		}
		return changes, storeOwner(ctx, tx, id, to, owner, why, s.Now())
	})
}
