package lifecycle

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// Put replaces the tenant's settings and returns them as stored. Equal settings are not written again. The version
// comes from the database, whatever l says.
func Put(ctx context.Context, tx *pg.Tx, l rules.Lifecycle) (rules.Lifecycle, error) {
	if err := l.Check(); err != nil {
		return l, err
	}
	before, err := rules.Lock(ctx, tx)
	if err != nil {
		return l, err
	}
	if l.Origin == nil {
		l.Origin = map[string]any{"kind": "manual"}
	}
	changes := lifecycleChanges(before, l)
	if len(changes) == 0 && before.Version > 0 {
		return before, nil
	}
	const sql = `
		insert into lifecycle_policy as p (tenant_id, timezone, pre_hire_lead, mover_grace, notice_lead, leave_access,
		    delete_after, archive_after, rehire_attribute, origin)
		values (current_tenant(), @timezone, @pre_hire_lead, @mover_grace, @notice_lead, @leave_access, @delete_after,
		    @archive_after, nullif(@rehire_attribute, ''), @origin)
		    on conflict (tenant_id) do update
		   set timezone = excluded.timezone, pre_hire_lead = excluded.pre_hire_lead, mover_grace = excluded.mover_grace,
		       notice_lead = excluded.notice_lead, leave_access = excluded.leave_access,
		       delete_after = excluded.delete_after, archive_after = excluded.archive_after,
		           rehire_attribute = excluded.rehire_attribute, origin = excluded.origin,
		       updated_at = now(), version = p.version + 1
		returning version`
	err = tx.QueryRow(ctx, sql, pgx.NamedArgs{
		"timezone":         l.Timezone,
		"pre_hire_lead":    l.PreHireLead,
		"mover_grace":      l.MoverGrace,
		"notice_lead":      l.NoticeLead,
		"leave_access":     l.LeaveAccess,
		"delete_after":     l.DeleteAfter,
		"archive_after":    l.ArchiveAfter,
		"rehire_attribute": l.RehireAttribute,
		"origin":           l.Origin,
	}).
		Scan(&l.Version)
	if err != nil {
		return l, fmt.Errorf("write lifecycle: %w", err)
	}
	return l, audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "lifecycle.updated",
			Subject: audit.Subject{Type: "lifecycle", ID: tx.Viewer.Tenant},
			Changes: changes,
		},
	)
}

// lifecycleChanges names the settings that differ.
func lifecycleChanges(before, after rules.Lifecycle) []audit.Change {
	a, b := before.Settings(), after.Settings()
	var changes []audit.Change
	for _, m := range []struct {
		name     string
		from, to any
	}{
		{"timezone", a.Timezone, b.Timezone}, {"pre_hire_lead", a.PreHireLead, b.PreHireLead},
		{"mover_grace", a.MoverGrace, b.MoverGrace},
		{"notice_lead", rules.Text(a.NoticeLead), rules.Text(b.NoticeLead)},
		{"leave_access", a.LeaveAccess, b.LeaveAccess},
		{"delete_after", rules.Text(a.DeleteAfter), rules.Text(b.DeleteAfter)},
		{"archive_after", rules.Text(a.ArchiveAfter), rules.Text(b.ArchiveAfter)},
		{"rehire_attribute", rules.Text(a.RehireAttribute), rules.Text(b.RehireAttribute)},
	} {
		if m.from != m.to {
			changes = append(changes, audit.Change{Field: m.name, From: m.from, To: m.to})
		}
	}
	return changes
}
