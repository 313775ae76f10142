package directory

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/attribute"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/manager"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// Service answers for identities and accounts. All fields but AdmitLinks are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
	// AdmitLinks checks the links of accounts that people make. Nil: nothing is refused.
	AdmitLinks account.Admission
}

// Create stores a new identity and resolves its manager, and the managers of those who waited for it.
func (s *Service) Create(ctx context.Context, v viewer.Viewer,
	n identity.NewIdentity) (created identity.Identity, err error) {
	if n.Kind == "" {
		n.Kind = "human"
	}
	if err := n.Complete(n.ExternalID, n.Kind, identity.IdentityFields{}); err != nil {
		return created, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := identity.CheckSponsors(ctx, tx, n.IdentityFields); err != nil {
			return err
		}
		if err := attribute.Check(ctx, tx, n.Attributes); err != nil {
			return err
		}
		l, err := rules.Find(ctx, tx)
		if err != nil {
			return err
		}
		previous, err := lifecycle.PreviousIdentity(ctx, tx, l, n.EmployeeNumber, n.Attributes)
		if err != nil {
			return err
		}
		if err := lifecycle.ReleaseEmail(ctx, tx, previous, n.Email); err != nil {
			return err
		}
		id, err := identity.Insert(ctx, tx, n, l.Clock(s.Now()).State(rules.Active, n.Dates()), previous, s.Now())
		if err != nil {
			return err
		}
		if created, err = resolved(ctx, tx, id, true); err != nil {
			return err
		}
		changes, err := audit.Initial(created.IdentityFields)
		if err != nil {
			return err
		}
		return identity.Record(ctx, tx, "identity.created", created, changes)
	})
	return created, err
}

// resolved brings the managers around a written identity up to date and reads it again.
func resolved(ctx context.Context, tx *pg.Tx, id string, fresh bool) (identity.Identity, error) {
	i, err := identity.Find(ctx, tx, id)
	if err != nil {
		return i, err
	}
	if err := manager.ResolveAround(ctx, tx, i, fresh); err != nil {
		return i, err
	}
	if err := identity.PublishReports(ctx, tx, id); err != nil {
		return i, err
	}
	return identity.Find(ctx, tx, id)
}

// Patch applies a merge patch to an identity, if its version still is what the caller has seen.
// Fields that a source writes are pinned by that: until a time, or until they are unpinned.
func (s *Service) Patch(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, body []byte,
	until *time.Time) (patched identity.Identity, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := identity.LockVersion(ctx, tx, id, match)
		if err != nil {
			return err
		}
		after := before
		if after.IdentityFields, err = identity.Patched(before, body); err != nil {
			return err
		}
		changes, err := audit.Diff(before.IdentityFields, after.IdentityFields)
		if err != nil {
			return err
		}
		if patched = before; len(changes) == 0 {
			return nil
		}
		if err := identity.CheckSponsors(ctx, tx, after.IdentityFields); err != nil {
			return err
		}
		if len(identity.DifferingAttributes(before.Attributes, after.Attributes)) > 0 {
			if err := attribute.Check(ctx, tx, after.Attributes); err != nil {
				return err
			}
		}
		identity.PinChanges(before, &after, changes, pin.Pin{By: pin.By(v), Kind: "manual", At: s.Now(), Until: until})
		if changes, err = s.followed(ctx, tx, before, &after, changes); err != nil {
			return err
		}
		if err := identity.Store(ctx, tx, after, s.Now()); err != nil {
			return err
		}
		if patched, err = resolved(ctx, tx, id, false); err != nil {
			return err
		}
		return identity.Record(ctx, tx, identity.ActionOf(before.Status, patched.Status), patched, changes)
	})
	return patched, err
}

// followed brings the state up to date where dates have changed, and adds that to the changes.
func (s *Service) followed(ctx context.Context, tx *pg.Tx, before identity.Identity, after *identity.Identity,
	changes []audit.Change) ([]audit.Change, error) {
	if !identity.DatesDiffer(changes) {
		return changes, nil
	}
	l, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	if after.ApplyDates(l.Clock(s.Now()), "manual"); after.Status != before.Status {
		changes = append(changes, identity.StatusChanges(before, *after)...)
	}
	return changes, nil
}

// Archive hides a person for good; their id stays. People who still have live accounts are archived only by force.
// Archiving twice is archiving once.
func (s *Service) Archive(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, force bool) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := identity.LockVersion(ctx, tx, id, match)
		if err != nil || before.Status == rules.Archived {
			return err
		}
		live, err := account.CountLive(ctx, tx, id)
		if err != nil {
			return err
		}
		if live > 0 && !force {
			return fault.Coded(fault.Conflict, "has_live_accounts", "%s still has %d live accounts; remove them "+
				"first, or archive with force=true and they become orphaned", before.DisplayName, live).
				Also("live_accounts", live)
		}
		after, reason := before, "archived"
		after.Status, after.StatusReason, after.StatusSource, after.Standing = rules.Archived, &reason, "manual",
			rules.Deactivated
		if err := identity.Store(ctx, tx, after, s.Now()); err != nil {
			return err
		}
		stored, err := identity.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		return identity.Record(ctx, tx, "identity.archived", stored, identity.StatusChanges(before, stored))
	})
}

// Read gives one identity with its counts and whatever expand names: manager, accounts, grants.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string, expand []string) (d IdentityDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if d.Identity, err = identity.Find(ctx, tx, id); err != nil {
			return err
		}
		if d.Counts, err = count(ctx, tx, id); err != nil {
			return err
		}
		if err := about(ctx, tx, &d); err != nil {
			return err
		}
		return s.expand(ctx, tx, &d, expand)
	})
	return d, err
}

// expand fills in what was asked for by expand.
func (s *Service) expand(ctx context.Context, tx *pg.Tx, d *IdentityDetail, names []string) (err error) {
	if slices.Contains(names, "manager") && d.ManagerID != nil {
		if d.Manager, err = refOf(ctx, tx, *d.ManagerID); err != nil {
			return err
		}
	}
	if slices.Contains(names, "accounts") {
		if d.Accounts, err = account.OfIdentity(ctx, tx, d.ID); err != nil {
			return err
		}
	}
	if slices.Contains(names, "grants") {
		d.Grants, err = expandedGrants(ctx, tx, d.ID)
	}
	return err
}
