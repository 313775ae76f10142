package action

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// archiveDue archives people who were deactivated long enough ago, and takes from them, and from those archived by
// hand or merged as long ago, what need not be kept: see docs/lifecycle.md for what stays and why. A person with an
// account that can still be used waits, so that no account loses its owner unseen.
func archiveDue(ctx context.Context, tx *pg.Tx, l rules.Lifecycle, now time.Time) (int, error) {
	if l.ArchiveAfter == nil {
		return 0, nil
	}
	const sql = `
		with due as materialized (
		    select i.id, i.status
		      from identity i
		     where i.tenant_id = current_tenant()
		       and i.status in ('deactivated', 'archived')
		       and i.minimised_at is null
		       and i.status_changed_at <= @until
		       and (i.status = 'archived'
		            or not exists (select
		                             from account a
		                            where a.tenant_id = current_tenant()
		                              and a.identity_id = i.id
		                              and a.status in ('active', 'locked', 'provisioning', 'deprovisioning')))
		     order by i.status_changed_at, i.id
		     limit @limit
		       for update of i
		)
		update identity i
		   set status = 'archived', standing = 'deactivated',
		       status_reason = case when d.status = 'archived' then i.status_reason else 'retention' end,
		       status_source = case when d.status = 'archived' then i.status_source else 'policy' end,
		       status_changed_at = case when d.status = 'archived' then i.status_changed_at else @now end,
		       email = null, secondary_emails = '{}', username = null, first_name = null, middle_name = null,
		       last_name = null, preferred_name = null, display_name = 'Archived identity ' || i.external_id,
		       title = null, location = null, country = null, locale = null, timezone = null, leave_from = null,
		       leave_to = null, labels = '{}', pins = '{}', attributes = case
		       when i.attributes ? @kept then jsonb_build_object(@kept::text, i.attributes -> @kept) else '{}' end,
		           minimised_at = @now, updated_at = @now, version = i.version + 1
		  from due d
		 where i.tenant_id = current_tenant()
		   and i.id = d.id
		returning i.id::text, i.display_name as display, i.external_id, i.kind, d.status as "from", i.status as "to",
		          null::text as from_reason, null::text as to_reason, i.version`
	rows, err := tx.Query(
		ctx,
		sql,
		pgx.NamedArgs{
			"until": span.Add(now, -*l.ArchiveAfter, l.Zone()),
			"now":   now,
			"limit": lifecycle.BatchSize,
			"kept":  l.RehireAttribute,
		},
	)
	if err != nil {
		return 0, fmt.Errorf("archive identities after their retention time: %w", err)
	}
	moved, err := pgx.CollectRows(rows, pgx.RowToStructByName[lifecycle.Move])
	if err != nil || len(moved) == 0 {
		return 0, err
	}
	entries, ids := make([]audit.Entry, len(moved)), make([]string, len(moved))
	for i, m := range moved {
		ids[i] = m.ID
		entries[i] = audit.Entry{
			Action:  "identity.minimised",
			Subject: audit.Subject{Type: "identity", ID: m.ID, Display: m.Display},
		}
		if m.From != m.To {
			entries[i].Action, entries[i].Changes = "identity.archived", []audit.Change{
				{Field: "status", From: m.From, To: m.To},
			}
		}
	}
	if err := audit.RecordAll(ctx, tx, entries); err != nil {
		return 0, err
	}
	const forget = `
		update identity_source
		   set told = '{}'
		 where tenant_id = current_tenant() and identity_id = any($1::text[]::uuid[]) and told <> '{}'`
	if err := pg.Exec(ctx, tx, "archive identities after their retention time", forget, ids); err != nil {
		return 0, err
	}
	return len(moved), publishArchived(ctx, tx, ids)
}

// publishArchived publishes that identities were archived. Without a subscriber nothing is read.
func publishArchived(ctx context.Context, tx *pg.Tx, ids []string) error {
	wanted, err := event.Wanted(ctx, tx, event.IdentityUpdated)
	if err != nil || !wanted {
		return err
	}
	const sql = `
		select 'identity.updated', i.id, i.version, '{status}'::text[],
		       jsonb_build_object('external_id', i.external_id, 'kind', i.kind, 'status', i.status)
		  from identity i
		 where i.tenant_id = current_tenant() and i.id = any(@ids::text[]::uuid[])`
	_, err = event.PublishEach(ctx, tx, "identity", sql, pgx.NamedArgs{"ids": ids})
	return err
}
