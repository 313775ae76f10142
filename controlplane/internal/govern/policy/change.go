package policy

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// Create makes a policy. An enforced one fires as soon as the transaction has committed: what it does is not asked
// about again.
func Create(ctx context.Context, tx *pg.Tx, n New) (AccessPolicy, error) {
	if n.Origin == nil {
		n.Origin = map[string]any{"kind": "manual"}
	}
	parsed, err := n.check(ctx, tx, Resources{})
	if err != nil {
		return AccessPolicy{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	if err := insert(ctx, tx, id, n, needsOf(parsed)); err != nil {
		return AccessPolicy{}, err
	}
	if err := sweep(ctx, tx, "the policy "+n.Name+" was made"); err != nil {
		return AccessPolicy{}, err
	}
	made, err := Find(ctx, tx, id)
	if err != nil {
		return made, err
	}
	changes, err := mergepatch.Initial(made.Fields)
	if err != nil {
		return made, err
	}
	return made, audit.Record(ctx, tx, audit.Entry{Action: "policy.created", Subject: made.subject(), Changes: changes})
}

// Update makes a policy what after says, and has everybody looked at again. What is so already stays as it is.
func Update(ctx context.Context, tx *pg.Tx, id string, after Fields) (AccessPolicy, error) {
	before, err := find(ctx, tx, id, " for update of p")
	if err != nil {
		return before, err
	}
	return rewrite(ctx, tx, before, after, "policy.updated")
}

func rewrite(ctx context.Context, tx *pg.Tx, before AccessPolicy, after Fields, action string) (AccessPolicy, error) {
	parsed, err := after.check(ctx, tx, before.Resources)
	if err != nil {
		return before, err
	}
	changes, err := mergepatch.Diff(before.Fields, after)
	if err != nil {
		return before, err
	}
	if len(changes) == 0 {
		return Find(ctx, tx, before.ID)
	}
	if err := update(ctx, tx, before.ID, after, needsOf(parsed)); err != nil {
		return before, err
	}
	if err := sweep(ctx, tx, "the policy "+after.Name+" was changed"); err != nil {
		return before, err
	}
	changed, err := Find(ctx, tx, before.ID)
	if err != nil {
		return changed, err
	}
	return changed, audit.Record(ctx, tx, audit.Entry{Action: action, Subject: changed.subject(), Changes: changes})
}

// Retire takes a policy away. What it gave ends, at once, as soon as its people have been looked at.
func Retire(ctx context.Context, tx *pg.Tx, id string) error {
	before, err := find(ctx, tx, id, " for update of p")
	if err != nil {
		return err
	}
	if _, err := tx.Exec(
		ctx,
		`update access_policy set deleted_at = now(), updated_at = now(), version = version + 1 where id = $1`,
		id,
	); err != nil {
		return fmt.Errorf("delete policy: %w", err)
	}
	if err := sweep(ctx, tx, "the policy "+before.Name+" was deleted"); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "policy.deleted", Subject: before.subject()})
}

// SetOrigin says anew where a policy is from. Its version stays: it says nothing else than before.
func SetOrigin(ctx context.Context, tx *pg.Tx, id string, origin map[string]any) error {
	done, err := tx.Exec(ctx, `update access_policy set origin = $2 where id = $1 and deleted_at is null`, id, origin)
	if err != nil {
		return fmt.Errorf("write origin of policy: %w", err)
	}
	if done.RowsAffected() == 0 {
		return fault.New(fault.NotFound, "there is no access grant policy %s", id)
	}
	return nil
}

// Accept lets a policy make so many changes, within one window of its breaker from now, beyond what the breaker lets
// pass, and lets go on what the breaker has stopped: somebody has seen what it will do.
func Accept(ctx context.Context, tx *pg.Tx, id string, changes int) error {
	const sql = `
		update access_policy
		   set allowance = $2, accepted_at = now(), tripped_at = null, breaker_reason = null
		 where id = $1`
	if _, err := tx.Exec(ctx, sql, id, changes); err != nil {
		return fmt.Errorf("accept changes of policy: %w", err)
	}
	return sweep(ctx, tx, "the changes of a policy were accepted")
}

// sweep has everybody looked at once the transaction has committed.
func sweep(ctx context.Context, tx *pg.Tx, why string) error {
	return queue.Enqueue(ctx, tx, queue.Work{Kind: everybody, Cause: why})
}

// check completes the fields and holds what they name against what there is. What before named may stay.
func (f *Fields) check(ctx context.Context, tx *pg.Tx, before Resources) (condition.Condition, error) {
	parsed, err := f.complete()
	if err != nil {
		return parsed, err
	}
	if err := identity.CheckExist(ctx, tx, "owner_ids", f.OwnerIDs...); err != nil {
		return parsed, err
	}
	return parsed, f.checkResources(ctx, tx, before)
}

// checkResources is a fault of kind Invalid, pointing at the one, unless all that is added can be given.
func (f *Fields) checkResources(ctx context.Context, tx *pg.Tx, before Resources) error {
	const sql = `
		select 'role_ids', r.id::text, case when r.lifecycle in ('retired',
		    'deprecated') then 'the role ' || r.name || ' is ' || r.lifecycle else '' end
		  from role r
		 where r.id = any(@roles::text[]::uuid[])
		 union all
		select 'entitlement_ids', e.id::text,
		       case when e.connector_id is null then 'it belongs to no system'
		            when e.removed_at is not null then 'it is gone from its system'
		            when e.lifecycle <> 'active' then 'it is ' || e.lifecycle
		            when not e.grantable and @effect = 'assign' then 'it cannot be granted from outside its system'
		            else '' end
		  from entitlement e
		 where e.id = any(@entitlements::text[]::uuid[])
		 union all
		select 'connector_ids', c.id::text, ''
		  from connector c
		 where c.id = any(@connectors::text[]::uuid[])
		   and c.deleted_at is null`
	known := map[[2]string]string{}
	rows, err := tx.Query(
		ctx,
		sql,
		pgx.NamedArgs{"roles": f.Resources.RoleIDs, "entitlements": f.Resources.EntitlementIDs,
			"connectors": f.Resources.ConnectorIDs, "effect": f.Effect},
	)
	if err != nil {
		return fmt.Errorf("check resources of policy: %w", err)
	}
	var list, id, trouble string
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&list, &id, &trouble},
		func() error { known[[2]string{list, id}] = trouble; return nil },
	); err != nil {
		return fmt.Errorf("check resources of policy: %w", err)
	}
	var wrong []fault.Field
	for _, of := range []struct {
		list          string
		ids, standing []string
	}{{"role_ids", f.Resources.RoleIDs, before.RoleIDs},
		{"entitlement_ids", f.Resources.EntitlementIDs, before.EntitlementIDs},
		{"connector_ids", f.Resources.ConnectorIDs, before.ConnectorIDs}} {
		for i, id := range of.ids {
			at := fmt.Sprintf("#/resources/%s/%d", of.list, i)
			trouble, there := known[[2]string{of.list, id}]
			switch {
			case !there && !slices.Contains(of.standing, id):
				wrong = append(
					wrong,
					fault.Field{Pointer: at, Code: "unknown_resource", Detail: "there is nothing with the id " + id},
				)
			case trouble != "" && !slices.Contains(of.standing, id):
				wrong = append(wrong, fault.Field{Pointer: at, Code: "not_grantable", Detail: trouble})
			}
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "the policy contains something that cannot be assigned: %s", wrong[0].Detail).
			With(wrong...)
	}
	return nil
}

func (p AccessPolicy) subject() audit.Subject {
	return audit.Subject{Type: "policy", ID: p.ID, Display: p.Name}
}
