package assignment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Extend moves the end of an assignment and of its reasons; nil: they do not end. One that has ended is a fault of kind
// Conflict.
func Extend(ctx context.Context, tx *pg.Tx, id string, until *time.Time) error {
	const sql = `
		with moved as (
		    update role_assignment a
		       set ends_at = @until, updated_at = now(), version = a.version + 1
		      from role_assignment before
		     where a.id = @id
		       and a.state <> 'ended'
		       and before.tenant_id = a.tenant_id
		       and before.id = a.id
		    returning a.identity_id, a.role_id, before.ends_at
		), turn as (
		    insert into work_item (tenant_id, kind, subject)
		    select current_tenant(), 'policy', identity_id from moved
		)
		select m.identity_id::text, m.role_id::text, r.name, m.ends_at
		  from moved m
		  join role r on r.id = m.role_id`
	var identity, roleID, name string
	var before *time.Time
	err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": id, "until": until}).Scan(&identity, &roleID, &name, &before)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.Coded(fault.Conflict, "invalid_transition", "the assignment has ended or does not exist: assign "+
			"the role again").
			Also("allowed", []string{})
	case err != nil:
		return fmt.Errorf("extend assignment: %w", err)
	}
	const reasons = `
		with extended as (
		    update access_reason r
		       set ends_at = @until, end_reason = null
		     where r.source_id = @id
		       and r.source_type = 'role_assignment'
		       and r.state <> 'ended'
		    returning r.identity_id
		)
		insert into work_item (tenant_id, kind, subject)
		select distinct current_tenant(), 'provisioning', identity_id from extended`
	if err := pg.Exec(
		ctx,
		tx,
		"extend reasons of assignment",
		reasons,
		pgx.NamedArgs{"id": id, "until": until},
	); err != nil {
		return err
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "role.assignment_extended",
			Subject: audit.Subject{Type: "role", ID: roleID, Display: name},
			Objects: []audit.Subject{
				{Type: "identity", ID: identity},
			},
			Changes: []audit.Change{{Field: "ends_at", From: before, To: until}},
			Context: map[string]any{"assignment_id": id},
		},
	)
}
