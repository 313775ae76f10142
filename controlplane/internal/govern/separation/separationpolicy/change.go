package separationpolicy

import (
	"context"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Create stores a new policy.
func Create(ctx context.Context, tx *pg.Tx, n New) (Policy, error) {
	if n.Origin == nil {
		n.Origin = map[string]any{"kind": "manual"}
	}
	if err := Check(ctx, tx, &n.Fields, ""); err != nil {
		return Policy{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	if err := insert(ctx, tx, id, n); err != nil {
		return Policy{}, err
	}
	made, err := Find(ctx, tx, id)
	if err != nil {
		return made, err
	}
	changes, err := audit.Initial(made.Fields)
	if err != nil {
		return made, err
	}
	return made, audit.Record(ctx, tx,
		audit.Entry{Action: "separation_policy.created", Subject: subjectOf(made), Changes: changes})
}

// Rewrite replaces the fields of a policy, and audits it as action. If nothing differs, nothing is written. The caller
// has locked before.
func Rewrite(ctx context.Context, tx *pg.Tx, before Policy, after Fields, action string) (Policy, error) {
	if err := Check(ctx, tx, &after, before.ID); err != nil {
		return before, err
	}
	changes, err := audit.Diff(before.Fields, after)
	if err != nil {
		return before, err
	}
	if len(changes) == 0 {
		return Find(ctx, tx, before.ID)
	}
	if err := update(ctx, tx, before.ID, after); err != nil {
		return before, err
	}
	changed, err := Find(ctx, tx, before.ID)
	if err != nil {
		return changed, err
	}
	return changed, audit.Record(ctx, tx,
		audit.Entry{Action: action, Subject: subjectOf(changed), Changes: changes})
}

// Retire deletes a policy. Its versions stay.
func Retire(ctx context.Context, tx *pg.Tx, p Policy) error {
	if err := pg.Exec(ctx, tx, "delete separation-of-duties policy", `
		update separation_policy
		   set deleted_at = now(), updated_at = now(), version = version + 1
		 where id = $1`, p.ID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "separation_policy.deleted", Subject: subjectOf(p)})
}

// subjectOf is a policy in audit events.
func subjectOf(p Policy) audit.Subject {
	return audit.Subject{Type: "separation_policy", ID: p.ID, Display: p.Name}
}
