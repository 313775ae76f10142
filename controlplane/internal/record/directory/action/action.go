package action

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// Service acts on identities. All fields are needed.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
}

// Acted is an identity after an action, or as a dry run says that it would be.
type Acted struct {
	identity.Identity
	// With dry_run: what the action would change. Nothing was written.
	Impact *Impact `json:"impact,omitempty"`
}

// Impact is what an action would change.
type Impact struct {
	// True if the request was a dry run: nothing was written.
	DryRun bool `json:"dry_run"`
	// Fields of the identity that would change.
	Changes []FieldChange `json:"changes" nullable:"false"`
	// How many of each hang on this person: live accounts, active grants, active reasons for access, what they own and
	// whom they answer for.
	Affects map[string]int `json:"affects"`
	// Consequences to consider before the action, in words.
	Warnings []string `json:"warnings" nullable:"false"`
}

// FieldChange is one field that would become different.
type FieldChange struct {
	// Name of the field, such as status.
	Field string `json:"field"`
	// Value before the change. Null: no value.
	From any `json:"from"`
	// Value after the change. Null: no value.
	To any `json:"to"`
}

// errDryRun undoes what a dry run has done.
var errDryRun = errors.New("dry run")

// Decision is an action on an identity, with its reason.
type Decision struct {
	ID     string // whom it is about
	Match  httpapi.IfMatch
	DryRun bool // tell what would change, and write nothing
	Reason string
}

// change alters a locked identity and returns the state that the action leads to, which CheckMove then allows or
// refuses.
type change func(c rules.Clock, i *identity.Identity) (to string, err error)

// act applies a change to an identity. A changed field that a source writes keeps its value until the source reports
// another one.
func (s *Service) act(ctx context.Context, v viewer.Viewer, a Decision, do change) (acted Acted, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := identity.LockVersion(ctx, tx, a.ID, a.Match)
		if err != nil {
			return err
		}
		changes, err := s.write(ctx, tx, before, a, do)
		if err != nil {
			return err
		}
		if acted.Identity, err = identity.Find(ctx, tx, a.ID); err != nil {
			return err
		}
		if a.DryRun {
			acted.Impact, err = impactOf(ctx, tx, before, acted.Identity, changes)
			return errors.Join(err, errDryRun)
		}
		e := audit.Entry{Action: identity.ActionOf(before.Status, acted.Status), Changes: changes, Reason: a.Reason}
		if err := identity.RecordEntry(
			ctx,
			tx,
			e,
			acted.Identity,
		); err != nil ||
			acted.Status != rules.Deactivated {
			return err
		}
		return handOver(ctx, tx, s.Now())
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return acted, err
}

// write computes an action on an identity and stores it. do changes the fields and gives the new
// status. Fields that the source fills are pinned softly: the action's value holds until the source
// reports another one.
func (s *Service) write(ctx context.Context, tx *pg.Tx, before identity.Identity, a Decision,
	do change) ([]audit.Change, error) {
	l, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	clock, after := l.Clock(s.Now()), before
	to, err := do(clock, &after)
	if err != nil {
		return nil, err
	}
	if err := rules.CheckMove(before.Status, to); err != nil {
		return nil, err
	}
	changes, err := audit.Diff(before.IdentityFields, after.IdentityFields)
	if err != nil {
		return nil, err
	}
	soft := pin.Pin{By: pin.By(tx.Viewer), Kind: "manual", At: s.Now(), Soft: true}
	identity.PinChanges(before, &after, changes, soft)
	if after.Standing != before.Standing && before.SourceConnectorID != nil {
		said, err := sourceStatus(ctx, tx, before)
		if err != nil {
			return nil, err
		}
		after.Pins.Set(pin.StatusField, said, soft)
	}
	after.ApplyDates(clock, "manual")
	if after.StatusReason = before.StatusReason; after.Status != before.Status || to == before.Status {
		after.StatusReason, after.StatusSource = nil, "manual"
		if a.Reason != "" {
			after.StatusReason = &a.Reason
		}
	}
	for _, c := range identity.StatusChanges(before, after) {
		if identity.Comparable(c.From) != identity.Comparable(c.To) {
			changes = append(changes, c)
		}
	}
	if after.Urgent != before.Urgent {
		changes = append(changes, audit.Change{Field: "urgent", From: before.Urgent, To: after.Urgent})
	}
	return changes, identity.Store(ctx, tx, after, s.Now())
}

// sourceStatus is the state that the source of an identity last reported; nil where it is unknown.
func sourceStatus(ctx context.Context, tx *pg.Tx, i identity.Identity) (any, error) {
	const sql = `
		select source_status
		  from identity_source
		 where tenant_id = current_tenant() and identity_id = $1 and connector_id = $2
		 order by first_seen_at, external_id
		 limit 1`
	var said *string
	err := tx.QueryRow(ctx, sql, i.ID, i.SourceConnectorID).Scan(&said)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && said == nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find what the source says: %w", err)
	}
	return *said, nil
}

// Deactivate ends the access of an identity now, or gives notice until effective. With urgent, its access is removed
// before that of others.
func (s *Service) Deactivate(ctx context.Context, v viewer.Viewer, a Decision, effective time.Time,
	urgent bool) (Acted, error) {
	now := s.Now()
	if effective.IsZero() {
		effective = now
	}
	if urgent && effective.After(now) {
		return Acted{}, fault.New(fault.Invalid, "An urgent change takes effect at once, so it cannot have "+
			"effective_at.").
			With(fault.Field{Pointer: "#/effective_at", Code: "invalid", Detail: "leave it out, or urgent"})
	}
	return s.act(ctx, v, a, func(_ rules.Clock, i *identity.Identity) (string, error) {
		i.LastWorkingAt = &effective
		if effective.After(now) {
			return rules.Notice, nil
		}
		i.Standing, i.Urgent = rules.Deactivated, i.Urgent || urgent
		return rules.Deactivated, nil
	})
}

// Reactivate activates an identity: after deactivation, during notice or leave, or before the first day. Access that
// has ended is not restored.
func (s *Service) Reactivate(ctx context.Context, v viewer.Viewer, a Decision) (Acted, error) {
	return s.act(ctx, v, a, func(c rules.Clock, i *identity.Identity) (string, error) {
		i.LastWorkingAt, i.TerminationDate = nil, nil
		if i.StartDate != nil && *i.StartDate > c.Today {
			i.StartDate = &c.Today
		}
		endLeave(i, c)
		i.Standing, i.Urgent = rules.Active, false
		return rules.Active, nil
	})
}

// endLeave makes yesterday the last day of a leave that goes on, and takes back one that has not begun.
func endLeave(i *identity.Identity, c rules.Clock) {
	switch {
	case i.LeaveFrom == nil && i.LeaveTo == nil, !c.Within(nil, i.LeaveTo):
	case i.LeaveFrom != nil && *i.LeaveFrom < c.Today:
		i.LeaveTo = yesterday(c.Today)
	default:
		i.LeaveFrom, i.LeaveTo = nil, nil
	}
	if i.Standing == rules.OnLeave {
		i.Standing = rules.Active
	}
}

// yesterday is the day before, in the form of dates; nil if today is no date.
func yesterday(today string) *string {
	t, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return nil
	}
	before := t.AddDate(0, 0, -1).Format(time.DateOnly)
	return &before
}

// Leave starts a leave on a day, or today, until a day, or until Return.
func (s *Service) Leave(ctx context.Context, v viewer.Viewer, a Decision, from, to *string) (Acted, error) {
	return s.act(ctx, v, a, func(c rules.Clock, i *identity.Identity) (string, error) {
		if from == nil {
			from = &c.Today
		}
		var wrong []fault.Field
		if to != nil && *to < *from {
			wrong = append(
				wrong,
				fault.Field{Pointer: "#/to", Code: "invalid", Detail: "a leave ends on the day it begins, or later"},
			)
		} else if to != nil && *to < c.Today {
			wrong = append(wrong, fault.Field{Pointer: "#/to", Code: "invalid", Detail: "this leave is over"})
		}
		for pointer, d := range map[string]*string{"#/from": from, "#/to": to} {
			if d != nil && (len(*d) < 4 || (*d)[:4] == "0000") {
				wrong = append(wrong, fault.Field{Pointer: pointer, Code: "invalid", Detail: "there is no year 0"})
			}
		}
		if len(wrong) > 0 {
			return "", fault.New(fault.Invalid, "The leave is invalid.").With(wrong...)
		}
		i.LeaveFrom, i.LeaveTo = from, to
		return rules.OnLeave, nil
	})
}

// Return ends a leave today, or cancels a planned one.
func (s *Service) Return(ctx context.Context, v viewer.Viewer, a Decision) (Acted, error) {
	return s.act(ctx, v, a, func(c rules.Clock, i *identity.Identity) (string, error) {
		planned := i.Status == rules.Active && i.LeaveFrom != nil && *i.LeaveFrom > c.Today
		if i.Status != rules.OnLeave && !planned {
			return "", fault.Coded(fault.Conflict, "invalid_transition", "an identity that is %s is not on leave",
				i.Status).
				Also("allowed", rules.Moves[i.Status])
		}
		endLeave(i, c)
		if planned {
			return rules.OnLeave, nil // a planned leave is taken back from where it would have begun
		}
		return rules.Active, nil
	})
}

// impactOf returns what depends on a person whom a dry run has changed.
func impactOf(ctx context.Context, tx *pg.Tx, before, after identity.Identity,
	changes []audit.Change) (*Impact, error) {
	impact := &Impact{DryRun: true, Changes: []FieldChange{}, Affects: map[string]int{}, Warnings: []string{}}
	for _, c := range changes {
		impact.Changes = append(impact.Changes, FieldChange(c))
	}
	const sql = `
		select (select count(*) from account a where a.tenant_id = current_tenant() and a.identity_id = $1
		       and a.status not in ('deleted', 'disconnected', 'failed')),
		           (select count(*) from account a join access_grant g on g.tenant_id = a.tenant_id
		           and g.account_id = a.ID
		         where a.tenant_id = current_tenant() and a.identity_id = $1 and g.status = 'active'),
		       (select count(*) from access_reason r where r.tenant_id = current_tenant() and r.identity_id = $1
		       and r.state <> 'ended'), (select count(*) from entitlement e where e.tenant_id = current_tenant()
		       and $1 = any(e.owner_ids)), (select count(*) from role r where r.tenant_id = current_tenant()
		       and $1 = any(r.owner_ids) and r.lifecycle <> 'retired'),
		       (select count(*) from identity i where i.tenant_id = current_tenant() and i.sponsor_id = $1
		           and i.status <> 'archived'), (select count(*) from identity i where i.tenant_id = current_tenant()
		           and i.manager_id = $1 and i.status <> 'archived')`
	var n [7]int
	if err := tx.QueryRow(ctx, sql, before.ID).Scan(&n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6]); err != nil {
		return nil, fmt.Errorf("count the impact of a lifecycle change: %w", err)
	}
	for k, name := range []string{"accounts", "grants", "reasons", "owned_entitlements", "owned_roles", "sponsored",
		"reports"} {
		impact.Affects[name] = n[k]
	}
	if after.Status == rules.Deactivated && n[3]+n[4]+n[5] > 0 {
		impact.Warnings = append(
			impact.Warnings,
			"their responsibilities move to backup owners; the handover lists responsibilities that have no backup "+
				"owner",
		)
	}
	if before.Status == rules.Deactivated && after.Status == rules.Active {
		impact.Warnings = append(
			impact.Warnings,
			"access that ended is not restored; policies grant their access again",
		)
	}
	return impact, nil
}
