package bulk

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/manager"
)

// stored is a row as the table has it.
func (e *entry) stored() map[string]any {
	row := map[string]any(e.after.Args())
	row["id"], row["external_id"], row["kind"], row["status"], row["standing"] = e.after.ID, e.after.ExternalID,
		e.after.Kind, e.after.Status, e.after.Standing
	row["status_source"], row["status_reason"], row["pins"] = e.after.StatusSource, e.after.StatusReason,
		e.after.Pins.Stored()
	row["moved"] = e.isNew || e.after.Status != e.before.Status
	return row
}

// write makes the sound rows of the batch true.
func (l *importer) write(ctx context.Context, tx *pg.Tx) error {
	sound := l.valid()
	if len(sound) == 0 {
		return nil
	}
	var fresh, known []map[string]any
	var ids, keys []string
	for _, e := range sound {
		ids = append(ids, e.after.ID)
		if e.isNew {
			fresh = append(fresh, e.stored())
			keys = append(keys, e.after.ExternalID)
		} else {
			known = append(known, e.stored())
		}
	}
	fields := strings.Join(slices.Sorted(maps.Keys(map[string]any((&identity.IdentityFields{}).Args()))), ", ")
	insert := `
		insert into identity (tenant_id, id, external_id, kind, status, standing, status_source, status_changed_at,
		    created_at, updated_at, ` + fields + `)
		select current_tenant(), id, external_id, kind, status, standing, status_source, @now, @now, @now, ` + fields +
		`
		  from jsonb_populate_recordset(null::identity, @rows)`
	update := `
		update identity i
		   set (` + fields + `) = (select ` + fields + ` from (select n.*) x),
		       status = n.status, standing = n.standing, status_source = n.status_source,
		       status_reason = n.status_reason, pins = n.pins,
		           status_changed_at = case when n.status <> i.status then @now else i.status_changed_at end,
		           updated_at = @now, version = i.version + 1
		  from jsonb_populate_recordset(null::identity, @rows) n
		 where i.tenant_id = current_tenant()
		   and i.id = n.id`
	for _, w := range []struct {
		sql  string
		rows []map[string]any
	}{{insert, fresh}, {update, known}} {
		if len(w.rows) == 0 {
			continue
		}
		if err := pg.Exec(ctx, tx, "import", w.sql, pgx.NamedArgs{"rows": w.rows, "now": l.service.Now()}); err != nil {
			return err
		}
	}
	if err := l.updateRelated(ctx, tx, ids, keys); err != nil {
		return err
	}
	return recordImport(ctx, tx, sound)
}

// updateRelated updates what depends on the rows: their managers, identities that waited for one of them, and rehires.
func (l *importer) updateRelated(ctx context.Context, tx *pg.Tx, ids, keys []string) error {
	const concerned = `
		select i.id, i.source_connector_id, i.manager_external_id, i.manager_from_source
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.status <> 'archived'
		   and (i.id = any(@ids::text[]::uuid[])
		        or i.manager_id is null and i.manager_external_id is not null
		            and i.manager_external_id = any(@keys::text[]))`
	if _, err := manager.ResolveQuery(
		ctx,
		tx,
		concerned,
		pgx.NamedArgs{"ids": ids, "keys": keys, "fresh": nil},
	); err != nil {
		return err
	}
	return lifecycle.LinkRehires(
		ctx,
		tx,
		`select i.id from identity i where i.tenant_id = current_tenant() and i.external_id = any(@people::text[])`,
		pgx.NamedArgs{"people": keys},
	)
}

// recordImport records each row in the audit log, and publishes it.
func recordImport(ctx context.Context, tx *pg.Tx, sound []*entry) error {
	type told struct {
		ID      string   `json:"id"`
		Kind    string   `json:"kind"`
		Changed []string `json:"changed"`
	}
	entries, news := make([]audit.Entry, len(sound)), make([]told, len(sound))
	for i, e := range sound {
		action := identity.ActionOf(e.before.Status, e.after.Status)
		news[i] = told{ID: e.after.ID, Changed: []string{}}
		if e.isNew {
			action = "identity.created"
		} else {
			news[i].Changed = identity.ChangedFields(e.changes)
		}
		news[i].Kind = action
		entries[i] = audit.Entry{
			Action:  action,
			Changes: e.changes,
			Subject: audit.Subject{Type: "identity", ID: e.after.ID, Display: e.after.DisplayName},
			Context: map[string]any{"by": "import"},
		}
	}
	if err := audit.RecordAll(ctx, tx, entries); err != nil {
		return err
	}
	wanted, err := event.Wanted(ctx, tx, event.IdentityCreated, event.IdentityUpdated, event.IdentityDeactivated)
	if err != nil || !wanted {
		return err
	}
	body, err := json.Marshal(news)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	const sql = `
		select n.kind, i.id, i.version, n.changed,
		    jsonb_build_object('external_id', i.external_id, 'kind', i.kind, 'status', i.status)
		  from jsonb_to_recordset(@news::jsonb) n (id uuid, kind text, changed text[])
		  join identity i
		    on i.tenant_id = current_tenant()
		   and i.id = n.id`
	_, err = event.PublishEach(ctx, tx, "identity", sql, pgx.NamedArgs{"news": string(body)})
	return err
}
