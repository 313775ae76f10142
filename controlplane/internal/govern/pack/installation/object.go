package installation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Object is a row of sector_pack_object. ID is that of the role, policy or rule, and nil if there is none; Applied is
// what the pack wanted at the last change.
type Object struct {
	Kind string  `db:"kind"`
	Key  string  `db:"object_key"`
	ID   *string `db:"object_id"`
	// Content is the object as the pack has it, with parameters filled in.
	Content json.RawMessage  `db:"content"`
	State   string           `db:"state"`
	Applied merge.Fields     `db:"applied"`
	Pending []PendingBinding `db:"pending"`
	// Adopted objects were the tenant's before the pack, and stay when it goes.
	Adopted bool    `db:"adopted"`
	Reason  *string `db:"reason"`
}

// Given reports whether policies of the pack may give this role. A role in conflict stays given while both sides have
// changed it. A role that the tenant had before the pack is not given until a decision makes it the pack's.
func (o Object) Given() bool {
	return o.ID != nil && !(o.State == StateConflict && o.Reason != nil && *o.Reason == ExistsAlready)
}

// ObjectColumns are the columns that Object reads.
const ObjectColumns = `kind, object_key, object_id::text, content, state, applied, pending, adopted, reason`

// ObjectKey names an object within a pack: its kind, and its key among those of its kind.
type ObjectKey struct{ Kind, Key string }

// Objects reads all objects of an installation.
func Objects(ctx context.Context, tx *pg.Tx, installation string) (map[ObjectKey]Object, error) {
	all, err := pg.All[Object](
		ctx,
		tx,
		"read objects of installation",
		`select `+ObjectColumns+` from sector_pack_object where tenant_id = current_tenant() and installation_id = $1`,
		installation,
	)
	if err != nil {
		return nil, err
	}
	out := make(map[ObjectKey]Object, len(all))
	for _, o := range all {
		out[ObjectKey{o.Kind, o.Key}] = o
	}
	return out, nil
}

// SaveObjects inserts or updates objects of an installation, in one statement, and notes whether something is pending.
func SaveObjects(ctx context.Context, tx *pg.Tx, installation string, all []Object) error {
	type row struct {
		Kind     string           `json:"kind"`
		Key      string           `json:"object_key"`
		ID       *string          `json:"object_id"`
		Content  json.RawMessage  `json:"content"`
		State    string           `json:"state"`
		Applied  merge.Fields     `json:"applied"`
		Pending  []PendingBinding `json:"pending"`
		Adopted  bool             `json:"adopted"`
		Reason   *string          `json:"reason"`
		Position int              `json:"-"`
	}
	rows := make([]row, len(all))
	for i, o := range all {
		rows[i] = row{
			Kind:    o.Kind,
			Key:     o.Key,
			ID:      o.ID,
			Content: o.Content,
			State:   o.State,
			Applied: o.Applied,
			Pending: NotNull(o.Pending),
			Adopted: o.Adopted,
			Reason:  o.Reason,
		}
	}
	raw, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("write objects of installation: %w", err)
	}
	const sql = `
		insert into sector_pack_object (tenant_id, installation_id, kind, object_key, object_id, content, state,
		    applied, pending, adopted, reason)
		select current_tenant(), $1, o.kind, o.object_key, o.object_id, o.content, o.state, nullif(o.applied, 'null'),
		    o.pending, o.adopted, o.reason
		  from jsonb_to_recordset($2) o (kind text, object_key text, object_id uuid, content jsonb, state text,
		      applied jsonb, pending jsonb, adopted boolean, reason text)
		    on conflict (tenant_id, installation_id, kind, object_key) do update
		   set object_id = excluded.object_id, content = excluded.content, state = excluded.state,
		       applied = excluded.applied, pending = excluded.pending, adopted = excluded.adopted,
		           reason = excluded.reason`
	if err := pg.Exec(ctx, tx, "write objects of installation", sql, installation, raw); err != nil {
		return err
	}
	return MarkPending(ctx, tx, installation)
}

// MarkPending notes whether something of an installation is pending, and that it was looked at now.
func MarkPending(ctx context.Context, tx *pg.Tx, installation string) error {
	const sql = `
		update sector_pack_installation i
		   set looked_at = now(),
		       pending = exists (select from sector_pack_object o
		                          where o.tenant_id = i.tenant_id
		                            and o.installation_id = i.id
		                            and (o.state = 'leaving' or o.pending <> '[]'))
		 where i.tenant_id = current_tenant()
		   and i.id = $1`
	return pg.Exec(ctx, tx, "note what waits", sql, installation)
}

// RemoveObjects deletes objects of an installation; the roles and policies themselves stay.
func RemoveObjects(ctx context.Context, tx *pg.Tx, installation string, keys []ObjectKey) error {
	kinds, names := make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		kinds[i], names[i] = k.Kind, k.Key
	}
	const sql = `
		delete from sector_pack_object o
		 using unnest($2::text[], $3::text[]) gone (kind, object_key)
		 where o.tenant_id = current_tenant()
		   and o.installation_id = $1
		   and o.kind = gone.kind
		   and o.object_key = gone.object_key`
	return pg.Exec(ctx, tx, "remove objects of installation", sql, installation, kinds, names)
}
