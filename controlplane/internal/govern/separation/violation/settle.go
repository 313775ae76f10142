package violation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// List gives a page of violations, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f Filters,
	page pg.Page,
) (items []Violation, total int64, err error) {
	q, err := f.query(v)
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[Violation](ctx, tx, q, page); err != nil {
			return err
		}
		return hide(ctx, tx, items)
	})
	return items, total, err
}

// Read gives one violation.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found Violation, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err = Find(ctx, tx, id)
		return err
	})
	return found, err
}

// Mark marks an open violation as a false positive, for the version of its policy and the access that it has now.
func (s *Service) Mark(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	reason string,
) (Violation, error) {
	return s.change(ctx, v, func(tx *pg.Tx) (Violation, error) { return Mark(ctx, tx, id, match, reason, s.Now()) })
}

// Mark is Mark within a transaction.
func Mark(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	match httpapi.IfMatch,
	reason string,
	now time.Time,
) (Violation, error) {
	return amend(ctx, tx, id, match, func(before Violation) (audit.Entry, error) {
		next, err := before.State.On(Marked)
		if err != nil {
			return audit.Entry{}, err
		}
		mark := FalsePositiveMark{
			Reason:         strings.TrimSpace(reason),
			By:             decision.ActorOf(tx.Viewer),
			At:             now,
			PolicyVersion:  before.Conflict.Policy.Version,
			EntitlementIDs: before.entitlements(),
		}
		const sql = `
			update violation
			   set state = @state, false_positive = @mark, updated_at = now(), version = version + 1
			 where id = @id`
		err = pg.Exec(ctx, tx, "mark violation", sql, pgx.NamedArgs{"state": next, "mark": mark, "id": id})
		return audit.Entry{
			Action:  "violation.marked_false_positive",
			Reason:  mark.Reason,
			Context: map[string]any{"policy_version": mark.PolicyVersion},
		}, err
	})
}

// Unmark withdraws the mark of a false positive. The violation is open again.
func (s *Service) Unmark(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) (Violation, error) {
	return s.change(ctx, v, func(tx *pg.Tx) (Violation, error) {
		return amend(ctx, tx, id, match, func(before Violation) (audit.Entry, error) {
			next, err := before.State.On(Unmarked)
			if err != nil {
				return audit.Entry{}, err
			}
			const sql = `
				update violation
				   set state = @state, false_positive = null, reopened_at = @now, reopened_count = reopened_count + 1,
				       updated_at = @now, version = version + 1
				 where id = @id`
			return audit.Entry{Action: "violation.false_positive_withdrawn"},
				pg.Exec(ctx, tx, "withdraw mark", sql, pgx.NamedArgs{"state": next, "now": s.Now(), "id": id})
		})
	})
}

// Assign makes a person responsible for a violation, or no one if the ID is empty.
func (s *Service) Assign(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	assignee string,
) (Violation, error) {
	return s.change(ctx, v, func(tx *pg.Tx) (Violation, error) { return assign(ctx, tx, id, match, assignee) })
}

func assign(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	match httpapi.IfMatch,
	assignee string,
) (Violation, error) {
	return amend(ctx, tx, id, match, func(before Violation) (audit.Entry, error) {
		e := audit.Entry{Action: "violation.assigned", Changes: []audit.Change{{Field: "assignee_id", To: assignee}}}
		if before.Assignee != nil {
			e.Changes[0].From = before.Assignee.ID
		}
		if before.State == Remediated {
			return e, fault.Coded(fault.Conflict, "invalid_transition",
				"The violation is remediated and needs no assignee.").Also("allowed", allowed(before.State))
		}
		if err := checkAssignee(ctx, tx, assignee); err != nil {
			return e, err
		}
		const sql = `
			update violation
			   set assignee_id = nullif(@assignee, '')::uuid, updated_at = now(), version = version + 1
			 where id = @id`
		return e, pg.Exec(ctx, tx, "assign violation", sql, pgx.NamedArgs{"assignee": assignee, "id": id})
	})
}

// checkAssignee refuses an ID that is not of an active identity.
func checkAssignee(ctx context.Context, tx *pg.Tx, id string) error {
	if id == "" {
		return nil
	}
	const sql = `
		select count(*) from identity where id::text = lower($1) and status not in ('deactivated', 'archived')`
	n, err := pg.One[int](ctx, tx, "find assignee", sql, id)
	if err == nil && n == 0 {
		err = fault.New(fault.Invalid, "identity_id names no active identity.").
			With(fault.Field{Pointer: "#/identity_id", Code: "unknown_identity",
				Detail: "no active identity has this id"})
	}
	return err
}

// change makes a change of a violation in a transaction of its own.
func (s *Service) change(
	ctx context.Context,
	v viewer.Viewer,
	how func(tx *pg.Tx) (Violation, error),
) (after Violation, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		after, err = how(tx)
		return err
	})
	return after, err
}

// amend changes a violation: locked, after If-Match, and audited.
func amend(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	match httpapi.IfMatch,
	how func(before Violation) (audit.Entry, error),
) (Violation, error) {
	before, err := Locked(ctx, tx, id)
	if err != nil {
		return before, err
	}
	if err := match.Check(before.Version); err != nil {
		return before, err
	}
	entry, err := how(before)
	if err != nil {
		return before, err
	}
	entry.Subject, entry.Objects = before.AuditSubject(), before.AuditObjects()
	if err := audit.Record(ctx, tx, entry); err != nil {
		return before, err
	}
	return Find(ctx, tx, id)
}

// entitlements are all that perform a side, sorted.
func (v Violation) entitlements() []string {
	ids := []string{}
	for _, side := range v.Conflict.Sides {
		for _, a := range side.Access {
			ids = append(ids, a.Entitlement.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
