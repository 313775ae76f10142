package accesspolicy

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Create makes a policy. An enforced one fires as soon as the transaction has committed: what it does is not asked
// about again.
func Create(ctx context.Context, tx *pg.Tx, n New) (AccessPolicy, error) {
	if n.Origin == nil {
		n.Origin = map[string]any{"kind": "manual"}
	}
	parsed, err := n.Check(ctx, tx, Fields{})
	if err != nil {
		return AccessPolicy{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	if err := insert(ctx, tx, id, n, n.needs(parsed)); err != nil {
		return AccessPolicy{}, err
	}
	if err := sweep(ctx, tx, "the policy "+n.Name+" was made"); err != nil {
		return AccessPolicy{}, err
	}
	made, err := Find(ctx, tx, id)
	if err != nil {
		return made, err
	}
	changes, err := audit.Initial(made.Fields)
	if err != nil {
		return made, err
	}
	briefTable(changes, Fields{}, made.Fields)
	return made, audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "policy.created", Subject: made.AuditSubject(), Changes: changes},
	)
}

// Update makes a policy what after says, and has everybody looked at again. What is so already stays as it is.
func Update(ctx context.Context, tx *pg.Tx, id string, after Fields) (AccessPolicy, error) {
	before, err := Locked(ctx, tx, id, " for update of p")
	if err != nil {
		return before, err
	}
	return Rewrite(ctx, tx, before, after, "policy.updated")
}

// Rewrite makes a policy what after says, checked and completed, and audits it as action. A change of nothing writes
// nothing. The caller has locked before.
func Rewrite(ctx context.Context, tx *pg.Tx, before AccessPolicy, after Fields, action string) (AccessPolicy, error) {
	parsed, err := after.Check(ctx, tx, before.Fields)
	if err != nil {
		return before, err
	}
	if err := sameKind(before.Fields, after); err != nil {
		return before, err
	}
	changes, err := audit.Diff(before.Fields, after)
	if err != nil {
		return before, err
	}
	if len(changes) == 0 {
		return Find(ctx, tx, before.ID)
	}
	briefTable(changes, before.Fields, after)
	if err := update(ctx, tx, before.ID, after, after.needs(parsed)); err != nil {
		return before, err
	}
	if err := sweep(ctx, tx, "the policy "+after.Name+" was changed"); err != nil {
		return before, err
	}
	changed, err := Find(ctx, tx, before.ID)
	if err != nil {
		return changed, err
	}
	return changed, audit.Record(
		ctx,
		tx,
		audit.Entry{Action: action, Subject: changed.AuditSubject(), Changes: changes},
	)
}

// Retire takes a policy away. What it gave ends, at once, as soon as its people have been looked at.
func Retire(ctx context.Context, tx *pg.Tx, id string) error {
	before, err := Locked(ctx, tx, id, " for update of p")
	if err != nil {
		return err
	}
	if err := pg.Exec(
		ctx,
		tx,
		"delete policy",
		`update access_policy set deleted_at = now(), updated_at = now(), version = version + 1 where id = $1`,
		id,
	); err != nil {
		return err
	}
	if err := sweep(ctx, tx, "the policy "+before.Name+" was deleted"); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "policy.deleted", Subject: before.AuditSubject()})
}

// SetOrigin says anew where a policy is from. Its version stays: it says nothing else than before.
func SetOrigin(ctx context.Context, tx *pg.Tx, id string, origin map[string]any) error {
	done, err := tx.Exec(ctx, `update access_policy set origin = $2 where id = $1 and deleted_at is null`, id, origin)
	if err != nil {
		return fmt.Errorf("write origin of policy: %w", err)
	}
	if done.RowsAffected() == 0 {
		return fault.New(fault.NotFound, "Access grant policy %s was not found.", id)
	}
	return nil
}

// Accept lets a policy make so many changes, within one window of its breaker from now, beyond what the breaker lets
// pass, and continues what the breaker has stopped: a user has seen what it will do.
func Accept(ctx context.Context, tx *pg.Tx, id string, changes int) error {
	const sql = `
		update access_policy
		   set allowance = $2, accepted_at = now(), tripped_at = null, breaker_reason = null
		 where id = $1`
	if err := pg.Exec(ctx, tx, "accept changes of policy", sql, id, changes); err != nil {
		return err
	}
	return sweep(ctx, tx, "the changes of a policy were accepted")
}

// sweep has everybody looked at once the transaction has committed.
func sweep(ctx context.Context, tx *pg.Tx, why string) error {
	return queue.Enqueue(ctx, tx, queue.Work{Kind: SweepKind, Cause: why})
}

// AuditSubject is the policy in audit events.
func (p AccessPolicy) AuditSubject() audit.Subject {
	return audit.Subject{Type: "policy", ID: p.ID, Display: p.Name}
}

// SweepKind is the kind of work that evaluates all people of a tenant, because policies or roles changed.
const SweepKind = "policy_sweep"
