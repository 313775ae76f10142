package assignment

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/content"
)

// Assign enters assignments and gives their ids. Everything that the roles hold becomes reasons in the same
// transaction: of kind role, request or emergency by the kind of the assignment. A role that is not active, and
// a person who has left, are faults of kind Conflict.
func Assign(ctx context.Context, tx *pg.Tx, assignments []Assignment) ([]string, error) {
	if len(assignments) == 0 {
		return nil, nil
	}
	roles, err := assignable(ctx, tx, assignments)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(assignments))
	for i := range assignments {
		a := &assignments[i]
		if a.ID == "" {
			a.ID = uuid.Must(uuid.NewV7()).String()
		}
		ids[i] = a.ID
	}
	if err := enter(ctx, tx, assignments); err != nil {
		return nil, err
	}
	if err := give(ctx, tx, assignments); err != nil {
		return nil, err
	}
	return ids, tell(ctx, tx, assignments, roles)
}

// assignable locks the roles, so that none is retired meanwhile, and gives their names.
func assignable(ctx context.Context, tx *pg.Tx, assignments []Assignment) (map[string]string, error) {
	const (
		inUse = `select r.id::text, r.name, r.lifecycle, r.lifecycle = 'active' from role r
			where r.id = any(@ids::text[]::uuid[])
			order by r.id for share of r`
		left = `
			select coalesce(nullif(i.display_name, ''), i.id::text)
			  from identity i
			 where i.id = any(@ids::text[]::uuid[])
			   and i.status in ('deactivated', 'archived')
			 limit 1`
	)
	var roles, people []string
	for _, a := range assignments {
		roles, people = append(roles, a.RoleID), append(people, a.IdentityID)
	}
	rows, err := tx.Query(ctx, inUse, pgx.NamedArgs{"ids": roles})
	if err != nil {
		return nil, fmt.Errorf("lock roles: %w", err)
	}
	names := map[string]string{}
	var id, name, lifecycle string
	var active bool
	var wrong error
	_, err = pgx.ForEachRow(rows, []any{&id, &name, &lifecycle, &active}, func() error {
		if names[id] = name; !active && wrong == nil {
			wrong = fault.Coded(fault.Conflict, "role_not_assignable", "the role %s is %s: only active roles can be "+
				"assigned", name, lifecycle).
				Also("lifecycle", lifecycle)
		}
		return nil
	})
	if err != nil || wrong != nil {
		return nil, errorOr(wrong, "lock roles", err)
	}
	for _, r := range roles {
		if _, there := names[r]; !there {
			return nil, fault.New(fault.NotFound, "Role %s was not found.", r)
		}
	}
	gone, err := pg.All[string](ctx, tx, "look who has left", left, pgx.NamedArgs{"ids": people})
	switch {
	case err != nil:
		return nil, err
	case len(gone) > 0:
		return nil, fault.Coded(fault.Conflict, "person_has_left", "%s has left and cannot be assigned roles.", gone[0])
	}
	return names, nil
}

func errorOr(first error, doing string, err error) error {
	if first != nil {
		return first
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func enter(ctx context.Context, tx *pg.Tx, assignments []Assignment) error {
	const sql = `
		with given as (
		    select *
		      from jsonb_to_recordset(@all::jsonb) a (id uuid, role uuid, identity uuid, kind text, reason text,
		           request uuid, parameters jsonb, details jsonb, starts_at timestamptz, ends_at timestamptz)
		), turn as (
		    insert into work_item (tenant_id, kind, subject)
		    select distinct current_tenant(), 'policy', identity from given
		)
		insert into role_assignment (tenant_id, id, role_id, identity_id, kind, state, reason, request_id, parameters,
		    details, starts_at, ends_at, created_by)
		select current_tenant(), id, role, identity, kind,
		       case when starts_at > now() then 'scheduled' else 'active' end, reason, request, parameters, details,
		           coalesce(starts_at, now()), ends_at, @by
		  from given`
	all := make([]map[string]any, len(assignments))
	for i, a := range assignments {
		all[i] = map[string]any{
			"id":         a.ID,
			"role":       a.RoleID,
			"identity":   a.IdentityID,
			"kind":       a.Kind,
			"reason":     a.Reason,
			"request":    a.RequestID,
			"parameters": orNone(a.Parameters),
			"details":    orNone(a.Details),
			"ends_at":    a.EndsAt,
		}
		if !a.StartsAt.IsZero() {
			all[i]["starts_at"] = a.StartsAt
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("enter assignments: %w", err)
	}
	_, err = tx.Exec(ctx, sql, pgx.NamedArgs{"all": string(text), "by": by(tx)})
	switch {
	case pg.Violates(err, "role_assignment_by_hand"):
		return fault.Coded(
			fault.Conflict,
			"already_assigned",
			"The role is already assigned to this person directly. Change the end of that assignment, or end it first.",
		)
	case err != nil:
		return fmt.Errorf("enter assignments: %w", err)
	}
	return nil
}

// give enters the reasons for what the roles hold now. What they hold later, the evaluation of rules gives.
func give(ctx context.Context, tx *pg.Tx, assignments []Assignment) error {
	var roles []string
	for _, a := range assignments {
		roles = append(roles, a.RoleID)
	}
	slices.Sort(roles)
	held, err := content.Entitlements(ctx, tx, slices.Compact(roles))
	if err != nil {
		return err
	}
	var reasons []ledger.Reason
	for _, a := range assignments {
		for _, e := range held[a.RoleID] {
			reasons = append(reasons, a.Gives(e))
		}
	}
	_, err = ledger.Add(ctx, tx, reasons)
	return err
}

func tell(ctx context.Context, tx *pg.Tx, assignments []Assignment, names map[string]string) error {
	entries := make([]audit.Entry, len(assignments))
	for i, a := range assignments {
		entries[i] = audit.Entry{
			Action:  "role.assigned",
			Subject: audit.Subject{Type: "role", ID: a.RoleID, Display: names[a.RoleID]},
			Objects: []audit.Subject{{Type: "identity", ID: a.IdentityID}},
			Reason:  a.Reason,
			Context: map[string]any{
				"assignment_id": a.ID,
				"kind":          a.Kind,
				"starts_at":     a.StartsAt,
				"ends_at":       a.EndsAt,
			},
		}
		if a.StartsAt.IsZero() {
			delete(entries[i].Context, "starts_at")
		}
	}
	return audit.RecordAll(ctx, tx, entries)
}

// orNone is a map that JSON does not write as null.
func orNone(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// by is who makes a change, in the form in which rows keep it.
func by(tx *pg.Tx) map[string]any {
	v := tx.Viewer
	return map[string]any{"type": string(v.Kind), "id": v.ID, "display": v.Display}
}
