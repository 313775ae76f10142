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
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// Service answers for identities and accounts. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
}

// Create stores a new identity and resolves its manager, and the managers of those who waited for it.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n NewIdentity) (created Identity, err error) {
	if n.Kind == "" {
		n.Kind = "human"
	}
	if err := n.complete(n.ExternalID, n.Kind, IdentityFields{}); err != nil {
		return created, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := checkSponsors(ctx, tx, n.IdentityFields); err != nil {
			return err
		}
		if err := checkAttributes(ctx, tx, n.Attributes); err != nil {
			return err
		}
		l, err := FindLifecycle(ctx, tx)
		if err != nil {
			return err
		}
		previous, err := previousOf(ctx, tx, l, n.EmployeeNumber, n.Attributes)
		if err != nil {
			return err
		}
		if err := handOverAddress(ctx, tx, previous, n.Email); err != nil {
			return err
		}
		id, err := insert(ctx, tx, n, l.Clock(s.Now()).State(Active, n.Dates()), previous, s.Now())
		if err != nil {
			return err
		}
		if created, err = resolved(ctx, tx, id, true); err != nil {
			return err
		}
		changes, err := mergepatch.Initial(created.IdentityFields)
		if err != nil {
			return err
		}
		return recordIdentity(ctx, tx, "identity.created", created, changes)
	})
	return created, err
}

func checkSponsors(ctx context.Context, tx *pg.Tx, f IdentityFields) error {
	for member, id := range map[string]*string{"sponsor_id": f.SponsorID, "backup_owner_id": f.BackupOwnerID} {
		if id == nil {
			continue
		}
		if err := CheckPeople(ctx, tx, member, *id); err != nil {
			return err
		}
	}
	return nil
}

// resolved brings the managers around a written identity up to date and reads it again.
func resolved(ctx context.Context, tx *pg.Tx, id string, fresh bool) (Identity, error) {
	i, err := Find(ctx, tx, id)
	if err != nil {
		return i, err
	}
	if err := resolveAround(ctx, tx, i, fresh); err != nil {
		return i, err
	}
	if err := tellFollowers(ctx, tx, id); err != nil {
		return i, err
	}
	return Find(ctx, tx, id)
}

// Patch applies a merge patch to an identity, if its version still is what the caller has seen.
// Fields that a source writes are pinned by that: until a time, or until they are unpinned.
func (s *Service) Patch(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, body []byte, until *time.Time) (patched Identity, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := LockVersion(ctx, tx, id, match)
		if err != nil {
			return err
		}
		after := before
		if after.IdentityFields, err = patchedFields(before, body); err != nil {
			return err
		}
		changes, err := mergepatch.Diff(before.IdentityFields, after.IdentityFields)
		if err != nil {
			return err
		}
		if patched = before; len(changes) == 0 {
			return nil
		}
		if err := checkSponsors(ctx, tx, after.IdentityFields); err != nil {
			return err
		}
		if len(differing(before.Attributes, after.Attributes)) > 0 {
			if err := checkAttributes(ctx, tx, after.Attributes); err != nil {
				return err
			}
		}
		pinChanges(before, &after, changes, Pin{By: pinnedBy(v), Kind: "manual", At: s.Now(), Until: until})
		if changes, err = s.followed(ctx, tx, before, &after, changes); err != nil {
			return err
		}
		if err := store(ctx, tx, after, s.Now()); err != nil {
			return err
		}
		if patched, err = resolved(ctx, tx, id, false); err != nil {
			return err
		}
		return recordIdentity(ctx, tx, actionTo(before.Status, patched.Status), patched, changes)
	})
	return patched, err
}

// followed brings the state up to date where dates have changed, and adds that to the changes.
func (s *Service) followed(ctx context.Context, tx *pg.Tx, before Identity, after *Identity, changes []audit.Change) ([]audit.Change, error) {
	if !datesDiffer(changes) {
		return changes, nil
	}
	l, err := FindLifecycle(ctx, tx)
	if err != nil {
		return nil, err
	}
	if after.follow(l.Clock(s.Now()), "manual"); after.Status != before.Status {
		changes = append(changes, statusChange(before, *after)...)
	}
	return changes, nil
}

// VersionCheck refuses a version that is not the one the caller has seen.
type VersionCheck interface{ Check(version int) error }

// LockVersion locks an identity for a write, if the caller has seen its current version.
func LockVersion(ctx context.Context, tx *pg.Tx, id string, match VersionCheck) (Identity, error) {
	i, err := lock(ctx, tx, id)
	if err != nil {
		return i, err
	}
	return i, match.Check(i.Version)
}

// patchable is an identity as a merge patch sees it.
type patchable struct {
	ExternalID string `json:"external_id"`
	Kind       string `json:"kind"`
	IdentityFields
}

func patchedFields(before Identity, body []byte) (IdentityFields, error) {
	if before.Status == Archived {
		return IdentityFields{}, archivedFault()
	}
	after, err := mergepatch.Apply(patchable{before.ExternalID, before.Kind, before.IdentityFields}, body)
	if err != nil {
		return IdentityFields{}, err
	}
	if before.ManagerFromSource && text(after.ManagerExternalID) != text(before.ManagerExternalID) {
		return IdentityFields{}, fault.Coded(fault.Conflict, "managed_by_source", "this person's manager is read from their source system; change it there")
	}
	if after.ExternalID != before.ExternalID || after.Kind != before.Kind {
		return IdentityFields{}, fault.Coded(fault.Invalid, "read_only_field", "external_id and kind are set when an identity is made and stay")
	}
	return after.IdentityFields, after.complete(before.ExternalID, before.Kind, before.IdentityFields)
}

func statusChange(before, after Identity) []audit.Change {
	return []audit.Change{
		{Field: "status", From: before.Status, To: after.Status},
		{Field: "status_reason", From: before.StatusReason, To: after.StatusReason},
	}
}

// Archive hides somebody for good; their id stays. Whoever still has live accounts is archived only by force.
// Archiving twice is archiving once.
func (s *Service) Archive(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, force bool) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := LockVersion(ctx, tx, id, match)
		if err != nil || before.Status == Archived {
			return err
		}
		live, err := liveAccounts(ctx, tx, id)
		if err != nil {
			return err
		}
		if live > 0 && !force {
			return fault.Coded(fault.Conflict, "has_live_accounts", "%s still has %d live accounts; remove them first, or archive with force=true and they become orphaned", before.DisplayName, live).
				Also("live_accounts", live)
		}
		after, reason := before, "archived"
		after.Status, after.StatusReason, after.StatusSource, after.Standing = Archived, &reason, "manual", Deactivated
		if err := store(ctx, tx, after, s.Now()); err != nil {
			return err
		}
		stored, err := Find(ctx, tx, id)
		if err != nil {
			return err
		}
		return recordIdentity(ctx, tx, "identity.archived", stored, statusChange(before, stored))
	})
}

// Read gives one identity with its counts and whatever expand names: manager, accounts, grants.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string, expand []string) (d IdentityDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if d.Identity, err = Find(ctx, tx, id); err != nil {
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

func (s *Service) expand(ctx context.Context, tx *pg.Tx, d *IdentityDetail, names []string) (err error) {
	if slices.Contains(names, "manager") && d.ManagerID != nil {
		if d.Manager, err = refOf(ctx, tx, *d.ManagerID); err != nil {
			return err
		}
	}
	if slices.Contains(names, "accounts") {
		if d.Accounts, err = expandedAccounts(ctx, tx, d.ID); err != nil {
			return err
		}
	}
	if slices.Contains(names, "grants") {
		d.Grants, err = expandedGrants(ctx, tx, d.ID)
	}
	return err
}
