package role

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Create makes a role.
func Create(ctx context.Context, tx *pg.Tx, n New) (Role, error) {
	if err := n.complete(); err != nil {
		return Role{}, err
	}
	id := cmp.Or(n.ID, uuid.Must(uuid.NewV7()).String())
	if err := n.check(ctx, tx, id, RoleFields{}); err != nil {
		return Role{}, err
	}
	if err := insert(ctx, tx, id, n); err != nil {
		return Role{}, err
	}
	made, err := Find(ctx, tx, id)
	if err != nil {
		return made, err
	}
	changes, err := audit.Initial(made.RoleFields)
	if err != nil {
		return made, err
	}
	return made, audit.Record(ctx, tx, audit.Entry{Action: "role.created", Subject: made.subject(), Changes: changes})
}

// Update makes a role what after says. Who holds it is looked at again when what it gives has changed.
func Update(ctx context.Context, tx *pg.Tx, id string, after RoleFields) (Role, error) {
	before, err := find(ctx, tx, "r.id = @id", id, " for update of r")
	if err != nil {
		return before, err
	}
	return change(ctx, tx, before, after)
}

func change(ctx context.Context, tx *pg.Tx, before Role, after RoleFields) (Role, error) {
	if err := after.complete(); err != nil {
		return before, err
	}
	changes, err := audit.Diff(before.RoleFields, after)
	if err != nil {
		return before, err
	}
	if len(changes) == 0 {
		return Find(ctx, tx, before.ID)
	}
	if err := before.mayBecome(ctx, tx, after); err != nil {
		return before, err
	}
	if err := update(ctx, tx, before.ID, after); err != nil {
		return before, err
	}
	if before.gives() != after.gives() || !slices.Equal(before.EntitlementIDs, after.EntitlementIDs) ||
		!slices.Equal(before.ChildRoleIDs, after.ChildRoleIDs) {
		if err := Changed(ctx, tx, before.ID); err != nil {
			return before, err
		}
	}
	if after.Lifecycle == Retired {
		if _, err := endAssignments(ctx, tx, before.ID, "the role "+after.Name+" was retired"); err != nil {
			return before, err
		}
	}
	changed, err := Find(ctx, tx, before.ID)
	if err != nil {
		return changed, err
	}
	return changed, audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "role.updated", Subject: changed.subject(), Changes: changes},
	)
}

// mayBecome checks what a role is to become.
func (r Role) mayBecome(ctx context.Context, tx *pg.Tx, after RoleFields) error {
	if after.Lifecycle != r.Lifecycle && !slices.Contains(next[r.Lifecycle], after.Lifecycle) {
		return fault.Coded(fault.Conflict, "invalid_transition", "a role that is %s cannot become %s", r.Lifecycle,
			after.Lifecycle).
			Also("allowed", next[r.Lifecycle])
	}
	if after.Lifecycle == Retired && r.Lifecycle != Retired {
		if err := r.unused(ctx, tx); err != nil {
			return err
		}
	}
	return after.check(ctx, tx, r.ID, r.RoleFields)
}

// unused is a fault of kind Conflict while people hold something through the role.
func (r Role) unused(ctx context.Context, tx *pg.Tx) error {
	one := []Role{r}
	if err := count(ctx, tx, one); err != nil || one[0].HolderCount == 0 {
		return err
	}
	return fault.Coded(fault.Conflict, "role_in_use", "%d people have access through this role and would lose it. "+
		"Remove the role from the rules that assign it, or delete it with force.", one[0].HolderCount).
		Also("holder_count",
			one[0].HolderCount)
}

// Retire takes a role out of use for good. While people hold something through it that is a fault, unless force ends
// their reasons.
func Retire(ctx context.Context, tx *pg.Tx, id string, force bool) error {
	before, err := find(ctx, tx, "r.id = @id", id, " for update of r")
	if err != nil || before.Lifecycle == Retired {
		return err
	}
	if !force {
		if err := before.unused(ctx, tx); err != nil {
			return err
		}
	}
	after := before.RoleFields
	after.Lifecycle = Retired
	if err := update(ctx, tx, id, after); err != nil {
		return err
	}
	if err := Changed(ctx, tx, id); err != nil {
		return err
	}
	why := "the role " + before.Name + " was retired"
	assigned, err := endAssignments(ctx, tx, id, why)
	if err != nil {
		return err
	}
	ended, err := ledger.End(ctx, tx, ledger.Which{RoleID: id}, time.Time{}, why, false)
	if err != nil {
		return err
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "role.retired",
			Subject: before.subject(),
			Context: map[string]any{"reasons_ended": ended, "assignments_ended": assigned},
			Changes: []audit.Change{{Field: "lifecycle", From: before.Lifecycle, To: Retired}},
		},
	)
}

// Changed has the rules of everybody looked at who holds the role, or something that it is nested in. Of one that gave
// no one anything, it is unknown who that will be: if a rule names it, everyone's are.
func Changed(ctx context.Context, tx *pg.Tx, roleID string) error {
	const sql = `
		with around as (
		    select id from roles_around(array[@role::uuid]) id
		), holder as (
		    select distinct x.identity_id
		      from around a
		      join access_reason x on x.role_id = a.id
		     where x.state <> 'ended'
		), concerned as (
		    select identity_id from holder
		     union
		    select i.id
		      from identity i
		     where not exists (select from holder)
		       and i.status not in ('deactivated', 'archived')
		       and exists (select from access_policy p
		                    where p.deleted_at is null
		                      and p.resources->'role_ids' ?| array(select id::text from around))
		), looked as (
		    insert into work_item (tenant_id, kind, subject)
		    select current_tenant(), 'policy', identity_id from concerned
		)
		insert into work_item (tenant_id, kind, subject)
		select current_tenant(), 'provisioning', identity_id from holder`
	return pg.Exec(ctx, tx, "look at holders of role", sql, pgx.NamedArgs{"role": roleID})
}

func (r Role) subject() audit.Subject { return audit.Subject{Type: "role", ID: r.ID, Display: r.Name} }

// endAssignments ends all assignments of a role that goes out of use.
func endAssignments(ctx context.Context, tx *pg.Tx, roleID, why string) (int64, error) {
	const sql = `
		with over as (
		    update role_assignment a
		       set state = 'ended', ended_at = now(), end_reason = @why, updated_at = now(), version = a.version + 1
		     where a.role_id = @role
		       and a.state <> 'ended'
		    returning a.identity_id
		)
		insert into work_item (tenant_id, kind, subject)
		select distinct current_tenant(), 'policy', identity_id from over`
	done, err := tx.Exec(ctx, sql, pgx.NamedArgs{"role": roleID, "why": why})
	if err != nil {
		return 0, fmt.Errorf("end assignments of role: %w", err)
	}
	return done.RowsAffected(), nil
}
