package delegation

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// checkDelegator returns a fault if the viewer does not say who decides for somebody: they themselves do, and
// administrators.
func checkDelegator(v viewer.Viewer, delegator string) error {
	if v.Has(viewer.Admin) || v.Identity != "" && v.Identity == delegator {
		return nil
	}
	return fault.New(
		fault.Forbidden,
		"You can delegate only your own tasks. Administrators delegate the tasks of others.",
	)
}

// Create makes a delegation; without a delegator, the viewer's own.
func (s *Service) Create(
	ctx context.Context,
	v viewer.Viewer,
	delegator string,
	f DelegationFields,
) (made DecisionDelegation, err error) {
	if delegator == "" {
		delegator = v.Identity
	}
	if delegator == "" {
		return made, fault.New(fault.Invalid, "Set delegator_id to the person whose tasks are delegated. Your user "+
			"is not linked to an identity.").
			With(fault.Field{Pointer: "#/delegator_id", Code: "required", Detail: "an identity"})
	}
	if err := checkDelegator(v, delegator); err != nil {
		return made, err
	}
	now := s.Now().UTC().Truncate(time.Microsecond)
	d := DecisionDelegation{
		ID:               uuid.Must(uuid.NewV7()).String(),
		DelegatorID:      delegator,
		DelegationFields: f.complete(now),
		Source:           "admin",
		State:            scheduled,
		SetBy:            decision.ActorOf(v),
	}
	if delegator == v.Identity {
		d.Source = "self"
	}
	if d.Condition, d.Sentence, err = d.Condition.read(); err != nil {
		return made, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := d.named(ctx, tx); err != nil {
			return err
		}
		if err := d.check(ctx, tx, now); err != nil {
			return err
		}
		if err := d.insert(ctx, tx); err != nil {
			return err
		}
		if !d.StartsAt.After(now) {
			if err := begin(ctx, tx, d); err != nil {
				return err
			}
		}
		if made, err = find(ctx, tx, d.ID, ""); err != nil {
			return err
		}
		changes, err := audit.Initial(d.DelegationFields)
		if err != nil {
			return err
		}
		return made.record(ctx, tx, "decision_delegation.created", changes)
	})
	return made, err
}

func (f DelegationFields) complete(now time.Time) DelegationFields {
	if f.StartsAt.IsZero() || f.StartsAt.Before(now) {
		f.StartsAt = now
	}
	f.Kinds, f.SystemIDs, f.RiskLevels = tidy(f.Kinds), tidy(f.SystemIDs), tidy(f.RiskLevels)
	f.Reason = strings.TrimSpace(f.Reason)
	return f
}

// named fills in what the two are called, for messages.
func (d *DecisionDelegation) named(ctx context.Context, tx *pg.Tx) error {
	names, err := nameOf(ctx, tx, decision.OnlyIDs(d.DelegatorID, d.DelegateID))
	d.DelegatorDisplay, d.DelegateDisplay = names[d.DelegatorID], names[d.DelegateID]
	return err
}

func (d DecisionDelegation) insert(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		insert into decision_delegation (tenant_id, id, delegator_id, delegate_id, kinds, system_ids, risk_levels,
		    condition, sentence, starts_at, ends_at, include_open, reason, source, set_by)
		values (current_tenant(), @id, @delegator, @delegate, @kinds, @systems::text[]::uuid[], @risks, @condition,
		    @sentence, @starts_at, @ends_at, @include_open, @reason, @source, @set_by)`
	args := d.args()
	args["delegator"], args["source"], args["set_by"] = d.DelegatorID, d.Source, d.SetBy
	return pg.Exec(ctx, tx, "create delegation", sql, args)
}

// args are the values of the columns that can be changed.
func (d DecisionDelegation) args() pgx.NamedArgs {
	var condition any
	if len(d.Condition) > 0 {
		condition = d.Condition
	}
	return pgx.NamedArgs{
		"id":           d.ID,
		"delegate":     d.DelegateID,
		"kinds":        d.Kinds,
		"systems":      d.SystemIDs,
		"risks":        d.RiskLevels,
		"condition":    condition,
		"sentence":     d.Sentence,
		"starts_at":    d.StartsAt,
		"ends_at":      d.EndsAt,
		"include_open": d.IncludeOpen,
		"reason":       d.Reason,
	}
}

// record keeps in the audit log what was done to a delegation.
func (d DecisionDelegation) record(ctx context.Context, tx *pg.Tx, action string, changes []audit.Change) error {
	return audit.Record(ctx, tx, audit.Entry{
		Action: action,
		Subject: audit.Subject{
			Type:    "decision_delegation",
			ID:      d.ID,
			Display: d.DelegatorDisplay + " → " + d.DelegateDisplay,
		},
		Objects: []audit.Subject{
			{Type: "identity", ID: d.DelegatorID, Display: d.DelegatorDisplay},
			{Type: "identity", ID: d.DelegateID, Display: d.DelegateDisplay},
		},
		Changes: changes,
		Reason:  d.Reason,
	})
}

// lock reads a delegation that the viewer may change and that is not over, and keeps others from changing it.
func lock(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch) (DecisionDelegation, error) {
	d, err := find(ctx, tx, id, " for update of d")
	if err != nil {
		return d, err
	}
	if err := checkDelegator(tx.Viewer, d.DelegatorID); err != nil {
		return d, err
	}
	if err := match.Check(d.Version); err != nil {
		return d, err
	}
	if !d.live() {
		return d, fault.Coded(fault.Conflict, "invalid_transition", "The delegation cannot be changed. It has %s.",
			map[string]string{ended: "ended", revoked: "been revoked"}[d.State]).
			Also("state", d.State).
			Also("allowed", []string{})
	}
	return d, nil
}

// Patch applies a merge patch. One that holds already is ended and begins anew.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
) (changed DecisionDelegation, err error) {
	if err := mergepatch.Keep(body, "delegate_id", "kinds", "system_ids", "risk_levels", "starts_at", "include_open",
		"reason"); err != nil {
		return changed, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := lock(ctx, tx, id, match)
		if err != nil {
			return err
		}
		after := before
		if after.DelegationFields, err = before.patched(body); err != nil {
			return err
		}
		if changed, err = s.change(ctx, tx, before, after); err != nil {
			return err
		}
		changes, err := audit.Diff(before.DelegationFields, changed.DelegationFields)
		if err != nil || len(changes) == 0 {
			return err
		}
		return changed.record(ctx, tx, "decision_delegation.updated", changes)
	})
	return changed, err
}

func (s *Service) change(ctx context.Context, tx *pg.Tx, before, after DecisionDelegation) (DecisionDelegation, error) {
	const sql = `
		update decision_delegation
		   set delegate_id = @delegate, kinds = @kinds, system_ids = @systems::text[]::uuid[], risk_levels = @risks,
		       condition = @condition, sentence = @sentence, starts_at = @starts_at, ends_at = @ends_at,
		       include_open = @include_open, reason = @reason, state = 'scheduled',
		       updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = @id`
	now := s.Now().UTC().Truncate(time.Microsecond)
	begun := before.State == active
	if begun && !after.StartsAt.Equal(before.StartsAt) {
		return after, fault.New(fault.Invalid, "The delegation has started, so its start cannot be changed.").
			With(fault.Field{Pointer: "#/starts_at", Code: "invalid", Detail: "leave it out"})
	}
	var err error
	if after.Condition, after.Sentence, err = after.Condition.read(); err != nil {
		return after, err
	}
	starts := after.StartsAt
	after.DelegationFields = after.complete(now)
	if begun {
		after.StartsAt = starts
	}
	if err := after.named(ctx, tx); err != nil {
		return after, err
	}
	if err := after.check(ctx, tx, now); err != nil {
		return after, err
	}
	if begun {
		if err := end(ctx, tx, before, ended, "was changed"); err != nil {
			return after, err
		}
	}
	if err := pg.Exec(ctx, tx, "change delegation", sql, after.args()); err != nil {
		return after, err
	}
	if !after.StartsAt.After(now) {
		if err := begin(ctx, tx, after); err != nil {
			return after, err
		}
	}
	return find(ctx, tx, after.ID, "")
}

// Revoke ends a delegation at once.
func (s *Service) Revoke(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		d, err := lock(ctx, tx, id, match)
		if err != nil {
			return err
		}
		if err := end(ctx, tx, d, revoked, "was revoked"); err != nil {
			return err
		}
		return d.record(ctx, tx, "decision_delegation.revoked", nil)
	})
}
