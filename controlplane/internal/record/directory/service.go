package directory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

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
	if err := n.complete(n.ExternalID, n.Kind); err != nil {
		return created, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := checkSponsors(ctx, tx, n.IdentityFields); err != nil {
			return err
		}
		id, err := insert(ctx, tx, n, firstState(n.IdentityFields, s.Now()), s.Now())
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
func (s *Service) Patch(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, body []byte) (patched Identity, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := s.lockMatching(ctx, tx, id, match)
		if err != nil {
			return err
		}
		after, err := patchedFields(before, body)
		if err != nil {
			return err
		}
		changes, err := mergepatch.Diff(before.IdentityFields, after)
		if err != nil {
			return err
		}
		if patched = before; len(changes) == 0 {
			return nil
		}
		if err := checkSponsors(ctx, tx, after); err != nil {
			return err
		}
		if err := store(ctx, tx, id, after, s.Now()); err != nil {
			return err
		}
		if patched, err = resolved(ctx, tx, id, false); err != nil {
			return err
		}
		return recordIdentity(ctx, tx, "identity.updated", patched, changes)
	})
	return patched, err
}

func (s *Service) lockMatching(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch) (Identity, error) {
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
		return IdentityFields{}, fault.Coded(fault.Conflict, "identity_archived", "an archived identity cannot be changed")
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
	return after.IdentityFields, after.complete(before.ExternalID, before.Kind)
}

// Deactivate ends somebody's time now, or gives them notice until effective.
func (s *Service) Deactivate(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, reason string, effective time.Time) (Identity, error) {
	now := s.Now()
	if effective.IsZero() {
		effective = now
	}
	to := leavingState(effective, now)
	action := map[string]string{Notice: "identity.updated", Deactivated: "identity.deactivated"}[to]
	return s.move(ctx, v, id, match, action, to, reason, &effective)
}

// Reactivate brings somebody to active: back from leave or after deactivation, out of notice, or before the first day.
func (s *Service) Reactivate(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, reason string) (Identity, error) {
	return s.move(ctx, v, id, match, "identity.updated", Active, reason, nil)
}

func (s *Service) move(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, action, to, reason string, last *time.Time) (moved Identity, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := s.lockMatching(ctx, tx, id, match)
		if err != nil {
			return err
		}
		if err := checkMove(before.Status, to); err != nil {
			return err
		}
		if moved, err = s.put(ctx, tx, before, to, reason, last); err != nil {
			return err
		}
		return recordIdentity(ctx, tx, action, moved, statusChange(before, moved))
	})
	return moved, err
}

func (s *Service) put(ctx context.Context, tx *pg.Tx, before Identity, to, reason string, last *time.Time) (Identity, error) {
	if err := setStatus(ctx, tx, before.ID, to, reason, last, s.Now()); err != nil {
		return before, err
	}
	return Find(ctx, tx, before.ID)
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
		before, err := s.lockMatching(ctx, tx, id, match)
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
		after, err := s.put(ctx, tx, before, Archived, "archived", before.LastWorkingAt)
		if err != nil {
			return err
		}
		return recordIdentity(ctx, tx, "identity.archived", after, statusChange(before, after))
	})
}

// Due says how many people ApplyDue moved.
type Due struct{ Started, Left int }

// ApplyDue does what a date decides: pre-hires whose start date has come, in UTC, become active; people on notice whose last
// moment has passed are deactivated. It is to be called now and then, and at least daily.
func ApplyDue(ctx context.Context, tx *pg.Tx, now time.Time) (Due, error) {
	var due Due
	for _, step := range []struct {
		count     *int
		to        string
		action    string
		condition string
	}{
		{&due.Started, Active, "identity.updated", `status = 'pre_hire' and start_date <= @today`},
		{&due.Left, Deactivated, "identity.deactivated", `status = 'notice' and last_working_at <= @now`},
	} {
		moved, err := moveDue(ctx, tx, step.to, step.condition, now)
		if err != nil {
			return due, err
		}
		*step.count = len(moved)
		for _, i := range moved {
			if err := recordIdentity(ctx, tx, step.action, i, []audit.Change{{Field: "status", From: nil, To: i.Status}}); err != nil {
				return due, err
			}
		}
	}
	return due, nil
}

func moveDue(ctx context.Context, tx *pg.Tx, to, condition string, now time.Time) ([]Identity, error) {
	sql := `
		update identity i
		   set status = @to, status_source = 'policy', status_changed_at = @now, updated_at = @now, version = version + 1
		 where ` + condition + ` returning ` + columns
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"to": to, "now": now, "today": now.UTC().Format(time.DateOnly)})
	if err != nil {
		return nil, fmt.Errorf("apply due dates: %w", err)
	}
	moved, err := pgx.CollectRows(rows, pgx.RowToStructByName[Identity])
	if err != nil {
		return nil, fmt.Errorf("apply due dates: %w", err)
	}
	return moved, nil
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
