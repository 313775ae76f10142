package duty

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Create stores a new duty.
func Create(ctx context.Context, tx *pg.Tx, n New) (Duty, error) {
	if n.Origin == nil {
		n.Origin = map[string]any{"kind": "manual"}
	}
	if err := n.Check(ctx, tx, Duty{}); err != nil {
		return Duty{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	if err := insert(ctx, tx, id, n); err != nil {
		return Duty{}, err
	}
	made, err := Find(ctx, tx, id)
	if err != nil {
		return made, err
	}
	changes, err := audit.Initial(n.Fields)
	if err != nil {
		return made, err
	}
	return made, audit.Record(ctx, tx,
		audit.Entry{Action: "duty.created", Subject: made.AuditSubject(), Changes: changes})
}

// Rewrite replaces the fields of a duty. If nothing differs, nothing is written. The caller has locked before.
func Rewrite(ctx context.Context, tx *pg.Tx, before Duty, after Fields) (Duty, error) {
	if err := after.Check(ctx, tx, before); err != nil {
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
		audit.Entry{Action: "duty.updated", Subject: changed.AuditSubject(), Changes: changes})
}

// Retire deletes a duty. Its versions stay. Its fault is of kind Conflict if a policy names the duty. The caller has
// locked it for update, so that no policy can come to name it meanwhile.
func Retire(ctx context.Context, tx *pg.Tx, d Duty) error {
	const using = `
		select p.name
		  from separation_policy p
		 where $1::uuid = any(p.duty_ids)
		   and p.deleted_at is null
		 order by p.name
		 limit 4`
	names, err := pg.All[string](ctx, tx, "read policies that use a duty", using, d.ID)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		more := ""
		if len(names) > 3 {
			names, more = names[:3], " and others"
		}
		return fault.Coded(fault.Conflict, "duty_in_use",
			"The duty %q is used by the policies %s%s. Remove it from them first.", d.Name,
			strings.Join(quoted(names), ", "), more)
	}
	if err := pg.Exec(ctx, tx, "delete duty", `
		update duty
		   set deleted_at = now(), updated_at = now(), version = version + 1
		 where id = $1`, d.ID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "duty.deleted", Subject: d.AuditSubject()})
}

func quoted(texts []string) []string {
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = fmt.Sprintf("%q", t)
	}
	return list
}

// AuditSubject is the duty in audit events.
func (d Duty) AuditSubject() audit.Subject {
	return audit.Subject{Type: "duty", ID: d.ID, Display: d.Name}
}
