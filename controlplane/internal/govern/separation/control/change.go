package control

import (
	"context"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Create stores a new control.
func Create(ctx context.Context, tx *pg.Tx, n New) (Control, error) {
	if n.Origin == nil {
		n.Origin = map[string]any{"kind": "manual"}
	}
	if err := n.Check(ctx, tx, ""); err != nil {
		return Control{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	if err := insert(ctx, tx, id, n); err != nil {
		return Control{}, err
	}
	made, err := Find(ctx, tx, id, "")
	if err != nil {
		return made, err
	}
	changes, err := audit.Initial(made.Fields)
	if err != nil {
		return made, err
	}
	return made, audit.Record(ctx, tx,
		audit.Entry{Action: "mitigating_control.created", Subject: made.AuditSubject(), Changes: changes})
}

// Rewrite replaces the fields of a control, and audits it as action. If nothing differs, nothing is written. The caller
// has locked before.
func Rewrite(ctx context.Context, tx *pg.Tx, before Control, after Fields, action string) (Control, error) {
	if err := after.Check(ctx, tx, before.ID); err != nil {
		return before, err
	}
	changes, err := audit.Diff(before.Fields, after)
	if err != nil || len(changes) == 0 {
		return before, err
	}
	if err := update(ctx, tx, before.ID, after); err != nil {
		return before, err
	}
	changed, err := Find(ctx, tx, before.ID, "")
	if err != nil {
		return changed, err
	}
	return changed, audit.Record(ctx, tx,
		audit.Entry{Action: action, Subject: changed.AuditSubject(), Changes: changes})
}

// Retire deletes a control that is not applied, nor proposed. Its versions stay. The caller has locked it.
func Retire(ctx context.Context, tx *pg.Tx, c Control) error {
	const uses = `
		select count(*)
		  from mitigation m
		 where m.control_id = $1
		   and (m.state = 'proposed' or mitigating(m.state))`
	n, err := pg.One[int](ctx, tx, "count applications of control", uses, c.ID)
	if err != nil {
		return err
	}
	if err := unnamed(ctx, tx, c); err != nil {
		return err
	}
	if n > 0 {
		return fault.Coded(fault.Conflict, "control_in_use",
			"The control %q is applied or proposed %d times, so it cannot be deleted. Disable it, or withdraw these "+
				"mitigations first.", c.Name, n).
			Also("mitigations", n)
	}
	if err := pg.Exec(ctx, tx, "delete mitigating control", `
		update mitigating_control
		   set deleted_at = now(), updated_at = now(), version = version + 1
		 where id = $1`, c.ID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "mitigating_control.deleted", Subject: c.AuditSubject()})
}

// unnamed refuses to delete a control that a separation-of-duties policy names.
func unnamed(ctx context.Context, tx *pg.Tx, c Control) error {
	const sql = `
		select p.name
		  from separation_policy p
		 where p.mitigation_policy_ids @> array[$1::uuid]
		   and p.deleted_at is null
		 order by p.name
		 limit 5`
	names, err := pg.All[string](ctx, tx, "find policies that name control", sql, c.ID)
	if err != nil || len(names) == 0 {
		return err
	}
	return fault.Coded(fault.Conflict, "control_in_use",
		"The policy %q names the control %q, so it cannot be deleted. Remove the control from the policy first.",
		names[0], c.Name).Also("policies", names)
}
